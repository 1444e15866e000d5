//! The result of each pass on small kernels.

use crate::check;
use crate::count::Parameters;
use crate::exec::batches::plan::{At, Block, Launched, Place, Plan, Step, Truths, plan};
use crate::exec::lanes::Truths as Cores;
use crate::exec::launch::Known;
use crate::exec::statements::compile;
use crate::meaning::Point;
use crate::meaning::value::Value;
use crate::program::HostStmt;
use crate::syntax;
use crate::text::Source;

/// The plan of a kernel of 8 MPs of 8 cores over arrays of 64 words.
fn planned(lines: &str) -> Option<Plan> {
    planned_over("0..7", lines)
}

fn planned_over(mps: &str, lines: &str) -> Option<Plan> {
    let text = format!(
        "algorithm T(n)
  global a[n], c[n], d[8, 8]
  shared _x[b], _y[b], _t[b, b]
  shared float _f[b]
  for all mp_i ∈ MP[{mps}] in parallel do
    for all c_{{i,j}} ∈ C_i in parallel do
      {lines}
    end for
  end for
"
    );
    let source = Source::new("test", text.as_str());
    let algorithm = syntax::parse(&source).algorithm.expect("it parses");
    let checked = check::check(&source, &algorithm);
    let program = checked.program.expect("it is sound");
    let mut parameters = Parameters::new();
    parameters.set("n", 64);
    let point = Point::new(&program, [64, 8, 1024, 1024], &parameters).expect("a point");
    let values: Vec<Option<Value>> = (0..program.parameters.len() as u32)
        .map(|id| point.environment.get(crate::program::ParamId(id)))
        .map(|value| value.map(|value| Value::exact(value.clone())))
        .collect();
    let extents: Vec<Vec<usize>> = (point.extents.iter())
        .map(|extents| {
            extents
                .iter()
                .map(|extent| usize::try_from(extent).unwrap())
                .collect()
        })
        .collect();
    let Some(HostStmt::Kernel(kernel)) = program.body.first() else {
        panic!("a kernel");
    };
    let code = compile::kernel(&program, &values, &extents, kernel);
    let (low, high) = mps.split_once("..").expect("a range");
    let first: i64 = low.parse().expect("a number");
    let last: i64 = high.parse().expect("a number");
    let launched = Launched {
        open: &[],
        known: Known {
            program: &program,
            cores: 8,
            values: &values,
            extents: &extents,
            admitted: &[],
        },
        kernel,
        mps: &[(first, (last - first + 1) as u64)],
    };
    plan(&launched, &code)
}

/// The steps as words; `?` marks a place whose bounds are looked at, `*` one of any offsets.
fn shown(block: &Block) -> String {
    let place = |place: &Place| match &place.at {
        At::Line { checked, .. } if checked.is_empty() => "",
        At::Line { .. } => "?",
        At::Each(_) => "*",
    };
    let steps = block.steps.iter().map(|step| match step {
        Step::Load { target, source } => format!("load{}{}", place(source), place(target)),
        Step::Store { target, source } => format!("store{}{}", place(target), place(source)),
        Step::Assign { target, .. } => format!("assign{}", place(target)),
        Step::Atomic { target, .. } => format!("atomic{}", place(target)),
        Step::Let { .. } => "let".to_owned(),
        Step::If { condition, body } => {
            let mask = match condition {
                Truths::Cores(Cores::Range(from, to)) => format!("{from}..{to}"),
                Truths::Cores(Cores::Lanes(_)) => "cores".to_owned(),
                Truths::Cores(Cores::Uniform(truth)) => truth.to_string(),
                condition if condition.reads_data() => "data".to_owned(),
                _ => "guard".to_owned(),
            };
            format!("if {mask} ({})", shown(body))
        }
        Step::Loop(counted) => match counted.together {
            Some(_) => format!("rows ({})", shown(&counted.body)),
            None => format!("loop ({})", shown(&counted.body)),
        },
        Step::Walk(walk) => format!("walk ({})", shown(&walk.body)),
        Step::Number { .. } => "number".to_owned(),
        Step::While { body, .. } => format!("while ({})", shown(body)),
        Step::Accumulate(_) => "accumulate".to_owned(),
        Step::Exchange(_) => "exchange".to_owned(),
    });
    let steps: Vec<String> = steps.collect();
    format!("{}: {}", block.operations, steps.join(", "))
}

#[track_caller]
fn assert_plan(lines: &str, expected: &str) {
    let plan = planned(lines).map(|plan| shown(&plan.body));
    assert_eq!(plan.as_deref(), Some(expected));
}

#[test]
fn bounds_are_proved_or_left_to_be_looked_at() {
    assert_plan("_x[j] ⇐ a[ib + j]", "3: load");
    assert_plan("_x[j] ⇐ a[ib + j + 1]", "4: load?");
    assert_plan("_x[j] ⇐ a[63 - ib - j]", "4: load");
    assert_plan("_x[j] ⇐ a[j div 2]", "2: load*");
    // ⌊(ib + j)/b⌋ is i, (ib + j) mod b is j.
    assert_plan("_x[j] ⇐ d[(ib + j) div b, (ib + j) mod b]", "9: load");
    assert_plan("_x[j] ⇐ d[i, min(j, 7)]", "4: load");
}

#[test]
fn what_the_launch_decides_is_gone() {
    assert_plan("if n > 3 then\n_x[j] ← 1\nend if", "2: assign");
    assert_plan("if n < 3 then\n_x[j] ← 1\nend if", "1: ");
    assert_plan("if i < 8 then\n_x[j] ← 1\nend if", "2: assign");
    assert_plan(
        "if j < 3 then\n_x[j + 5] ← 1\nend if",
        "1: if 0..3 (2: assign)",
    );
    assert_plan(
        "if j mod 2 = 0 then\n_x[j] ← 1\nend if",
        "2: if cores (1: assign)",
    );
    assert_plan(
        "if i < 3 then\n_x[j] ← 1\nend if",
        "1: if guard (1: assign)",
    );
    assert_plan(
        "_x[j] ← j\nif _x[j] < 3 then\n_x[j] ← 1\nend if",
        "3: assign, if data (1: assign)",
    );
}

#[test]
fn loops_stay_loops() {
    assert_plan(
        "for s = 0 → 7 do\n_t[s, j] ← s\nend for",
        "0: rows (4: assign)",
    );
    assert_plan("for s = 5 → 3 do\n_x[j] ← s\nend for", "0: ");
    // Bounds that differ from core to core, and cores that leave at different times.
    assert_plan(
        "for s = 0 → j do\n_x[j] ← s\nend for",
        "0: walk (2: assign)",
    );
    assert_plan(
        "for s = 0 → 9 until _x[j] > 3 do\n_x[j] ← s\nend for",
        "0: walk (2: assign)",
    );
}

#[test]
fn iterations_go_together_where_none_sees_another() {
    let around = |lines: &str| format!("for s = 0 → b-1 do\n{lines}\nend for");
    let together = |lines: &str| {
        let plan = planned(&around(lines)).expect("a plan");
        matches!(plan.body.steps.as_slice(), [Step::Loop(counted)] if counted.together.is_some())
    };
    assert!(together("_t[s, j] ⇐ d[s, j]\n_t[s, j] ← _t[s, j] + _x[j]"));
    assert!(!together("_x[j] ⇐ d[s, j]\n_t[s, j] ← _x[j]"), "_x is one");
    assert!(
        !together("_t[s, j] ← _t[0, j]"),
        "row 0 is another iteration's"
    );
    assert!(!together("_t[s, j] ⇐ d[s, j]\n_y[j] ← _t[s, 0]"));
    assert!(!together("_t[s, _x[j]] ← 1"), "data decide");
}

#[test]
fn loops_are_written_out_where_that_makes_numbers_known() {
    // b/2^s and s² do not grow evenly with s; i² is no better known in an iteration.
    assert_plan(
        "for s = 1 → 3 do\nlet h = b/2^s\nif j < h then\n_x[j] ← _x[j] + _x[j + h]\nend if\nend for",
        "12: if 0..4 (5: assign), if 0..2 (5: assign), if 0..1 (5: assign)",
    );
    assert_plan(
        "for s = 1 → 2 do\n_x[j] ← s^2 + i\nend for",
        "8: assign, assign",
    );
    assert_plan(
        "for s = 1 → 2 do\n_x[j] ← s + i^2\nend for",
        "0: loop (4: assign)",
    );
    assert_plan(
        "for s = 1 → 100 do\n_x[j] ← s^2\nend for",
        "0: loop (3: number, assign)",
    );
    // What was tried first leaves nothing behind, the guard around a fault of it neither.
    assert_plan(
        "for s = 1 → 2 do\nif j < 3 then\n_x[j] ← 1\nfor u = 0 → s^2 do\n_x[j] ← u\nend for\nend if\n_x[j + 5] ← 1\nend for",
        "8: if 0..3 (2: assign, loop (2: assign)), assign?, if 0..3 (2: assign, loop (2: assign)), assign?",
    );
}

#[test]
fn accumulating_loops_are_one_step() {
    let around = |line: &str| format!("for u = 0 → b-1 do\n{line}\nend for");
    assert_plan(&around("_x[j] ← _x[j] + _t[u, j]·_y[u]"), "1: accumulate");
    assert_plan(&around("_x[j] ← _x[j] + _t[j, u]"), "1: accumulate");
    assert_plan(&around("_x[u] ← _x[u] + _t[u, j]"), "1: loop (7: assign)");
    assert_plan(&around("_x[j] ← _x[j] + _x[u]"), "1: loop (5: assign)");
    assert_plan(&around("_x[j] ← _y[j] + _t[u, j]"), "1: loop (7: assign)");
}

#[test]
fn words_put_in_order_are_one_step() {
    let lets = "let l = min(_x[j], _y[j])\nlet h = max(_x[j], _y[j])\n";
    let both = |one: &str, other: &str| format!("{lets}_x[j] ← {one}\n_y[j] ← {other}");
    assert_plan(&both("l", "h"), "8: exchange");
    assert_plan(&both("h", "l"), "8: exchange");
    let chosen = |one: &str, other: &str| {
        both(
            &format!("select(e = 0, {one})"),
            &format!("select(e = 0, {other})"),
        )
        .replacen("_x[j] ←", "let e = (i div 2) mod 2\n_x[j] ←", 1)
    };
    assert_plan(&chosen("l, h", "h, l"), "14: let, exchange");
    assert_plan(&chosen("h, l", "l, h"), "14: let, exchange");
    let mixed = "14: let, let, let, assign, assign";
    assert_plan(&chosen("l, h", "l, h"), mixed);
    assert_plan(&chosen("l, l", "h, l"), mixed);
    // One of them is read again, or both go to one place.
    let again = format!("{}\n_x[j] ← l", both("l", "h"));
    assert_plan(&again, "9: let, let, assign, assign, assign");
    assert_plan(&both("l", "l"), "8: let, let, assign, assign");
    assert_plan(
        &both("l", "h").replace("max", "min"),
        "8: let, let, assign, assign",
    );
    let third = both("l", "h").replace("max(_x[j]", "max(_x[0]");
    assert_plan(&third, "8: let, let, assign, assign");
    // What decides is another word now.
    let of_data = both("select(_x[j] < 3, l, h)", "select(_x[j] < 3, h, l)");
    assert_plan(&of_data, "14: let, let, assign, assign");
}

#[test]
fn arrays_on_which_mps_may_meet_are_stamped_and_not_read() {
    let races =
        |plan: Option<Plan>| plan.map(|plan| plan.global.iter().any(|array| array.may_race));
    assert_eq!(races(planned("c[ib + j] ⇐ _x[j]")), Some(false));
    assert_eq!(races(planned("c[j] ⇐ _x[j]")), Some(true));
    assert_eq!(races(planned_over("3..3", "c[j] ⇐ _x[j]")), Some(false));
    assert_eq!(races(planned("c[_y[j]] ⇐ _x[j]")), Some(true));
    assert_eq!(races(planned("d[i, _y[j]] ⇐ _x[j]")), Some(false));
    let around =
        |guard: &str| format!("if {guard} then\n_x[j] ⇐ c[2*b + j]\nc[ib + j] ⇐ _x[j]\nend if");
    assert_eq!(races(planned(&around("i ≠ 2"))), Some(false));
    assert_eq!(races(planned(&around("i ≥ 3"))), Some(false));
    assert_eq!(races(planned(&around("i ≥ 2"))), None);
    let narrow = "if j = 0 then\nc[i + j] ⇐ _x[0]\nend if";
    assert_eq!(races(planned(narrow)), Some(false));
    assert_eq!(
        races(planned("_x[j] ⇐ c[ib + j + 1]\nc[ib + j] ⇐ _x[j]")),
        None
    );
    assert_eq!(races(planned("_x[j] ⇐ c[ib + j]\nc[_x[j]] ⇐ _y[j]")), None);
}

#[test]
fn batches_share_what_fits_the_nearest_memory() {
    let plan = planned("_x[j] ← 1").expect("a plan");
    assert_eq!(plan.widest, 64);
    assert_eq!(
        planned("for s = 0 → i do\n_x[j] ← s\nend for").map(|plan| plan.widest),
        Some(1)
    );
}
