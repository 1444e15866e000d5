//! Which shared variables of a kernel would be registers: `Kernel::registers`.

use atgpu::program::HostStmt;

/// The registers of the first kernel of a program with such shared variables and such core statements.
#[track_caller]
fn registers(shared: &str, cores: &str) -> Vec<String> {
    let text = format!(
        "algorithm Test(n, w)\n  require n ≥ 1 ∧ w ≥ 1\n  global a[n]\n  shared {shared}\n\n  \
         for all mp_i ∈ MP[mp_0, …, mp_{{n-1}}] in parallel do\n    \
         for all c_{{i,j}} ∈ C_i in parallel do\n{cores}\n    end for\n  end for\nend algorithm\n"
    );
    let program = atgpu::program(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let HostStmt::Kernel(kernel) = &program.body()[0] else {
        panic!("a kernel comes first");
    };
    let names = kernel.registers.iter();
    let names = names.map(|id| program.variable(*id).name.clone());
    names.collect()
}

#[track_caller]
fn are_registers(shared: &str, cores: &str) {
    assert_eq!(registers(shared, cores).len(), 1, "{cores}");
}

#[track_caller]
fn are_none(shared: &str, cores: &str) {
    assert!(registers(shared, cores).is_empty(), "{cores}");
}

#[test]
fn words_that_one_core_touches() {
    are_registers("_x[b]", "_x[j] ← _x[j] + 1");
    // Through `let`s, rows of b words, and what is fixed for the kernel.
    are_registers(
        "_x[wb]",
        "for u = 0 → w - 1 do\nlet v = ub + j\n_x[v] ← _x[ub + j]\nend for",
    );
    are_registers("_x[wb + n]", "_x[j + n] ← 0\n_x[wb + j + n - b] ← 1");
    are_registers(
        "_x[4b]",
        "for u = 0 → 2 do\n_x[b(u + 1) + j] ← _x[2ub + j - ub]\nend for",
    );
    are_registers(
        "_x[n, b]",
        "for u = 0 → n - 1 do\n_x[u, j] ← _x[i, j]\nend for",
    );
    are_registers(
        "_x[b, n]",
        "for u = 0 → n - 1 do\n_x[j, u] ← _x[j, i] + u\nend for",
    );
    are_registers("_x[b]", "atomic _x[j] ← _x[j] + 1");
}

#[test]
fn words_that_others_may_touch() {
    are_none("_x[2b]", "_x[j] ← _x[j + 1]");
    are_none("_x[b]", "_x[j] ← 0\nif j = 0 then\na[i] ⇐ _x[0]\nend if");
    are_none("_x[2b]", "for u = 0 → 1 do\n_x[j + u] ← u\nend for");
    are_none("_x[2b]", "_x[2j] ← 1");
    are_none("_x[b]", "_x[b - 1 - j] ← _x[j]");
    are_none("_x[b, b]", "_x[j, 0] ← 1\n_x[0, j] ← 2");
    // What is read decides: nobody knows which word.
    are_none("_x[b], _k[b]", "_k[0] ← 0\n_x[_k[0]] ← j");
    // Half of b is no row.
    are_none(
        "_x[2b]",
        "for u = 0 → 1 do\nlet h = u/2\n_x[bh + j] ← 1\nend for",
    );
    are_none(
        "_x[n + b]",
        "for u = 0 → 1 do\nlet h = n/b\n_x[u*h*b + j] ← 1\nend for",
    );
    are_none("_x[b^2]", "_x[(j + 1)j] ← 1");
}

#[test]
fn scalars_of_which_each_core_has_a_copy() {
    are_registers("_t", "_t ⇐ a[i]\na[i] ⇐ _t");
    are_registers("_t", "_t ← 1\nif j = 0 then\n_t ← _t + 1\nend if");
    are_registers(
        "_t",
        "_t ← 0\nfor u = 1 → n do\n_t ← _t + u\nend for\na[i] ⇐ _t",
    );
    are_registers("_t", "for u = 1 → n do\n_t ⇐ a[u - 1]\na[i] ⇐ _t\nend for");
    are_registers("_t", "if i = 0 then\n_t ← 1\na[i] ⇐ _t\nend if");
}

#[test]
fn scalars_that_hand_words_on() {
    are_none("_t", "a[i] ⇐ _t");
    are_none("_t", "if j = 0 then\n_t ← 1\nend if\na[i] ⇐ _t");
    are_none("_t", "_t ← 0\nif j = 0 then\n_t ← 1\nend if\na[i] ⇐ _t");
    // Cores that left the loop did not take part in its last write.
    are_none("_t", "_t ← 0\nfor u = 0 → j do\n_t ← u\nend for\na[i] ⇐ _t");
    are_none(
        "_t",
        "_t ← 0\nfor u = 0 → n until j = u do\n_t ← u\nend for\na[i] ⇐ _t",
    );
    // The write of one iteration is read by all in the next.
    are_none(
        "_t",
        "_t ← 0\nfor u = 0 → n do\na[i] ⇐ _t\nif j = u then\n_t ← 1\nend if\nend for",
    );
    are_none(
        "_t",
        "for u = 0 → n do\nif u > 0 then\na[i] ⇐ _t\nend if\n_t ← 1\nend for",
    );
    are_none("_t", "_t ← 0\natomic _t ← _t + 1");
    // A loop may not run.
    are_none("_t", "for u = 1 → n do\n_t ← 1\nend for\na[i] ⇐ _t");
}

/// Loops in loops are gone through once.
#[test]
fn many_loops_in_loops() {
    let depth = 60;
    let open: String = (0..depth)
        .map(|at| format!("for u{at} = 0 → 1 do\n_t ← {at}\n"))
        .collect();
    let close = "end for\n".repeat(depth);
    are_none(
        "_t",
        &format!("_t ← 0\n{open}if j = 0 then\n_t ← 1\nend if\n{close}a[i] ⇐ _t"),
    );
    are_registers("_t", &format!("_t ← 0\n{open}{close}a[i] ⇐ _t"));
}
