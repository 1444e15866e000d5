//! What a checked program says beyond its statements: the names of kernels, swap groups, types,
//! and which parameters data may decide.

use crate::support::programs::program;
use atgpu::program::{
    HostStmt, Kernel, ParameterKind, Program, Stmt, StmtKind, Type, VarId, WrapperStmt,
};

fn names<'p>(program: &'p Program, ids: &[VarId]) -> Vec<&'p str> {
    let name = |id: &VarId| program.variable(*id).name.as_str();
    ids.iter().map(name).collect()
}

fn kernels(statements: &[HostStmt]) -> Vec<&Kernel> {
    statements.iter().flat_map(kernels_inside).collect()
}

fn kernels_inside(statement: &HostStmt) -> Vec<&Kernel> {
    match statement {
        HostStmt::Kernel(kernel) => vec![kernel],
        HostStmt::Execute(execute) => kernels(&execute.body),
        HostStmt::For(block) => kernels(&block.body),
        HostStmt::While(block) => kernels(&block.body),
        HostStmt::Transfer(_) | HostStmt::Let(_) | HostStmt::Swap(_) => Vec::new(),
        other => panic!("a statement without a case here: {other:?}"),
    }
}

fn cores(kernel: &Kernel) -> Vec<&Stmt> {
    let blocks = kernel.body.iter().filter_map(|statement| match statement {
        WrapperStmt::Cores(cores) => Some(&cores.body),
        WrapperStmt::Let(_) => None,
        other => panic!("a statement without a case here: {other:?}"),
    });
    blocks.flatten().collect()
}

#[test]
fn a_kernel_lists_what_its_text_names() {
    let program = program(
        "algorithm T(n)
           global a[n], c[n], d[n], x[n]
           shared _x[b], _dead, _y[b]
           kernel Copy(global x, global d)
             for all mp_i ∈ MP[0..0] in parallel do
               for all c_{i,j} ∈ C_i in parallel do
                 _y[j] ⇐ x[j]
                 d[j] ⇐ _y[j]
               end for
             end for
           end kernel
           for all mp_i ∈ MP[0..-1] in parallel do
             for all c_{i,j} ∈ C_i in parallel do
               if j < 0 then
                 _x[_dead] ⇐ a[_dead]
               end if
               c[j] ⇐ _x[j]
             end for
           end for
           execute Copy(c, a)
           execute Copy(a, a)",
    );
    let kernels = kernels(program.body());
    let named = |at: usize| {
        let kernel = kernels[at];
        [
            &kernel.names_global,
            &kernel.writes_global,
            &kernel.names_shared,
        ]
        .map(|ids| names(&program, ids))
    };
    assert_eq!(named(0), [vec!["a", "c"], vec!["c"], vec!["_x", "_dead"]]);
    assert_eq!(named(1), [vec!["c", "a"], vec!["a"], vec!["_y"]]);
    assert_eq!(named(2), [vec!["a"], vec!["a"], vec!["_y"]]);
}

#[test]
fn swaps_anywhere_join_groups() {
    let program = program(
        "algorithm T(n)
           global a[n], c[n], d[n], e[n], f[n]
           for t = 1 → 0 do
             swap f ↔ d
             swap a ↔ a
           end for
           swap c ↔ d",
    );
    let groups: Vec<_> = program
        .swap_groups()
        .iter()
        .map(|group| names(&program, group))
        .collect();
    assert_eq!(groups, [["c", "d", "f"]]);
}

#[test]
fn parameters_know_their_type_and_whether_data_decides_them() {
    let program = program(
        "algorithm T(n)
           shared _x[b], _f[b] : float
           let k = ⌈n/2⌉
           for all mp_i ∈ MP[0..k] in parallel do
             let w = 2i
             for all c_{i,j} ∈ C_i in parallel do
               let u = _x[j]
               let v = u + w
               let f = _f[j]
               let s = select(_x[j] > 0, 1, 2)
               let h = j/2
               let g = 0.5
               let q = ⌊_f[j]⌋
               for t = 0 → _x[j] do
                 let r = t + 1
                 _x[j] ← r
               end for
               for y = 0 → w do
                 _x[j] ← y
               end for
             end for
           end for",
    );
    let told = |name: &str| {
        let parameter = program.parameters().iter().find(|it| it.name == name);
        let parameter = parameter.expect("every name above is bound");
        (parameter.ty, parameter.depends_on_data)
    };
    use Type::{Float, Int, Number};
    assert_eq!(told("k"), (Number, false));
    assert_eq!(told("w"), (Number, false));
    assert_eq!(told("u"), (Int, true));
    assert_eq!(told("v"), (Int, true));
    assert_eq!(told("f"), (Float, true));
    assert_eq!(told("s"), (Number, true));
    assert_eq!(told("h"), (Number, false));
    assert_eq!(told("g"), (Float, false));
    assert_eq!(told("q"), (Int, true));
    assert_eq!(told("t"), (Number, true));
    assert_eq!(told("r"), (Number, true));
    assert_eq!(told("y"), (Number, false));
}

#[test]
fn every_execute_numbers_its_own_statements_and_binds_its_own_formals() {
    let program = program(
        "algorithm T(n)
           shared _x[b]
           kernel Idle(w)
             for all mp_i ∈ MP[0..0] in parallel do
               for all c_{i,j} ∈ C_i in parallel do
                 _x[j] ← w
               end for
             end for
           end kernel
           kernel Set(w)
             for all mp_i ∈ MP[0..0] in parallel do
               for all c_{i,j} ∈ C_i in parallel do
                 if j = w then
                   _x[j] ← w
                 end if
                 _x[j] ← 2w
               end for
             end for
           end kernel
           execute Set(1)
           execute Set(2)",
    );
    let mut ids = Vec::new();
    for kernel in kernels(program.body()) {
        for statement in cores(kernel) {
            ids.push(statement.id.0);
            if let StmtKind::If { body, .. } = &statement.kind {
                ids.extend(body.iter().map(|inner| inner.id.0));
            }
        }
    }
    assert_eq!(ids, [0, 1, 2, 3, 4, 5]);
    assert_eq!(program.statement_count(), 6);
    let formals = program.parameters().iter();
    let formals = formals.filter(|it| it.kind == ParameterKind::KernelFormal);
    assert_eq!(formals.count(), 2);
}

#[test]
fn header_lets_come_after_those_they_use() {
    let program = program(
        "algorithm T(n)
           shared _x[km]
           let k = mn
           let h = 1
           let m = h + 1",
    );
    let order: Vec<&str> = program
        .lets()
        .iter()
        .map(|binding| program.parameter(binding.parameter).name.as_str())
        .collect();
    assert_eq!(order, ["h", "m", "k"]);
}
