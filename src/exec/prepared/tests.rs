//! Which values of a launch become constants, and which plans serve another launch.

use crate::check;
use crate::exec::prepared::*;
use crate::program::{HostStmt, ParamId, nested_on_host};
use crate::syntax;
use crate::text::Source;

/// A program that launches one kernel with these lines.
fn program(lines: &str) -> Program {
    let text = format!(
        "algorithm T(n)
  global a[n]
  shared _x[b]
  shared float _f[b]
  for t = 1 → 9 do
let u = t mod 3
for all mp_i ∈ MP[0..t] in parallel do
  for all c_{{i,j}} ∈ C_i in parallel do
    {lines}
  end for
end for
  end for
"
    );
    let source = Source::new("test", text.as_str());
    let algorithm = syntax::parse(&source).algorithm.expect("it parses");
    let checked = check::check(&source, &algorithm);
    checked.program.expect("it is sound")
}

fn kernel(program: &Program) -> &Kernel {
    let found = nested_on_host(&program.body).find_map(|stmt| match stmt {
        HostStmt::Kernel(kernel) => Some(kernel),
        _ => None,
    });
    found.expect("a kernel")
}

/// Returns those of `t` and `u` that are constants, and those that are left open.
fn mentioned(lines: &str) -> (Vec<String>, Vec<String>) {
    let program = program(lines);
    let fixed = vec![None; program.parameters.len()];
    let mentions = Mentions::of(kernel(&program), &fixed);
    let (folded, open) = mentions.parameters.split_at(mentions.folded);
    let names = |list: &[ParamId]| {
        let names = list.iter().map(|id| program.parameter(*id).name.clone());
        names.filter(|name| name == "t" || name == "u").collect()
    };
    (names(folded), names(open))
}

#[test]
fn what_stands_in_sums_and_whole_quotients_is_left_open() {
    let none: Vec<String> = Vec::new();
    let (t, u) = (vec!["t".to_owned()], vec!["u".to_owned()]);
    assert_eq!(mentioned("_x[j] ⇐ a[ib + j]"), (none.clone(), none.clone()));
    assert_eq!(mentioned("_x[j] ⇐ a[ib + j*t]"), (none.clone(), t.clone()));
    let guarded = "if j + t mod 2 < 5 then\n_x[⌊j/u⌋] ← 1\nend if";
    assert_eq!(
        mentioned(guarded),
        (none.clone(), vec!["t".to_owned(), "u".to_owned()])
    );
    assert_eq!(mentioned("_x[j] ← 2^t + u"), (t.clone(), u));
    assert_eq!(mentioned("_f[j] ← t*0.5"), (t.clone(), none.clone()));
    // Where it is needed as a constant anywhere, it is one everywhere.
    assert_eq!(mentioned("_x[j + t] ← 2^t"), (t, none));
}

/// Calls `launch` with `t`, `u` and a number of MPs, of a kernel with these lines: it returns true if
/// there was a plan, and the number of plans kept.
fn launched(lines: &str, test: impl FnOnce(&mut dyn FnMut(i64, i64, i64) -> (bool, usize))) {
    let program = program(lines);
    let fixed = vec![None; program.parameters.len()];
    let extents: Vec<Vec<usize>> = (program.variables.iter())
        .map(|variable| vec![8; variable.dimensions.len()])
        .collect();
    let admitted = vec![None; program.variables.len()];
    let mut prepared = Prepared::default();
    let mut launch = |t: i64, u: i64, mps: i64| {
        let values = program.parameters.iter().map(|known| match &*known.name {
            "t" => Some(Value::Whole(t)),
            "u" => Some(Value::Whole(u)),
            _ => None,
        });
        let values: Vec<Option<Value>> = values.collect();
        let known = Known {
            program: &program,
            cores: 8,
            values: &values,
            extents: &extents,
            admitted: &admitted,
        };
        let grid = Grid::new(&[(0, mps - 1)]).expect("few");
        let kept = prepared.of(&program, &fixed, kernel(&program));
        let is_planned = kept.ready(known, &grid, true).plan.is_some();
        kept.note(u128::from(grid.mps) * 8, u128::from(grid.mps) * 8);
        (is_planned, kept.plans.len())
    };
    test(&mut launch);
}

#[test]
fn plans_serve_launches_that_know_the_same() {
    launched("_x[(j + u) mod 8] ← j\n_x[j] ← _x[j] + u", |launch| {
        assert_eq!(launch(1, 1, 1), (true, 1));
        assert_eq!(launch(4, 1, 1), (true, 1), "it does not mention t");
        assert_eq!(launch(4, 1, 2), (true, 2), "more MPs");
        assert_eq!(launch(4, 1, 1), (true, 2), "fewer");
        assert_eq!(launch(5, 2, 2), (true, 3), "another u");
        assert_eq!(launch(6, 1, 2), (true, 3), "the first u again");
        assert_eq!(launch(7, 7, 1), (false, 3), "less to do than to plan");
        for u in 0..40 {
            launch(1, u, 3);
        }
        assert_eq!(launch(1, 39, 3), (true, MOST_PLANS));
    });
}

#[test]
fn plans_serve_launches_that_write_other_values() {
    launched("_x[j] ← select(_x[j] = u, t·u, t)", |launch| {
        assert_eq!(launch(1, 1, 1), (true, 1));
        assert_eq!(launch(4, 9, 1), (true, 1), "other values");
        assert_eq!(
            launch(4, 1 << 50, 1),
            (false, 1),
            "too large, and little to do"
        );
        assert_eq!(launch(4, 1 << 50, 2), (true, 2), "too large");
        assert_eq!(launch(5, 1 << 50, 2), (true, 3), "so t is held as well");
    });
    launched("if _x[j] = u then\n_x[j] ← t\nend if", |launch| {
        assert_eq!(launch(1, 1, 1), (true, 1));
        assert_eq!(launch(4, 1, 1), (true, 1), "another value");
        assert_eq!(launch(4, 2, 2), (true, 2), "u decides which cores go on");
    });
}
