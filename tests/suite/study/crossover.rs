//! Where one program becomes cheaper than another: exact, and honest about what is proved.

use std::cmp::Ordering;

use atgpu::count::Parameters;
use atgpu::number::BigInt;
use atgpu::program::Program;
use atgpu::study::{Contender, Crossover, crossover};
use atgpu::sym::{Cond, Expr, Symbol};
use atgpu::text::Source;

fn program(require: &str) -> Program {
    let text = format!("algorithm T(n)\nrequire {require}\n");
    let checked = atgpu::check::check_text(&Source::new("t", &text));
    checked.program.expect("sound")
}

fn contend(require: &str, costs: [Expr; 2]) -> Crossover {
    let program = program(require);
    let side = |cost: &Expr| Contender {
        program: &program,
        parameter: Some(program.formals()[0]),
        fixed: Parameters::new(),
        machine: [64, 32, 1 << 20, 1 << 40],
        cost: cost.clone(),
    };
    crossover(&side(&costs[0]), &side(&costs[1])).expect("both have values")
}

fn n() -> Expr {
    Expr::symbol(&Symbol::new(0, "n"))
}

fn ends(found: &Crossover) -> Vec<(i64, Ordering)> {
    let ranges = found.ranges.iter();
    ranges
        .map(|range| (i64::try_from(&range.from).expect("small"), range.order))
        .collect()
}

/// 4097 + n against 2n: dearer below 4097, the same there, cheaper beyond.
#[test]
fn a_crossing_is_found_to_the_value_and_proved() {
    let found = contend("n ≥ 1", [Expr::int(4097).add(&n()), n().add(&n())]);
    let expected = [
        (1, Ordering::Greater),
        (4097, Ordering::Equal),
        (4098, Ordering::Less),
    ];
    assert_eq!(ends(&found), expected);
    assert!(found.is_proved(), "{found:?}");
}

/// 100/(64 - n) has no value at 64, where the first does not fit.
#[test]
fn values_without_a_cost_are_left_out() {
    let room = Expr::int(64).sub(&n());
    let share = Expr::int(100).div(&room).expect("not zero throughout");
    let costs = [share, Expr::int(10)];
    let found = contend("1 ≤ n ≤ 64", costs);
    assert_eq!(
        ends(&found),
        [
            (1, Ordering::Less),
            (54, Ordering::Equal),
            (55, Ordering::Greater)
        ]
    );
    assert_eq!(found.ranges[2].to, None);
    assert_eq!(found.without_cost, Some(BigInt::from(64)));
}

/// b² against 100 over b, under a `require` of b.
#[test]
fn b_may_be_what_varies() {
    let program = program("n ≥ 1\nrequire 2 | b");
    let b = Expr::symbol(&Symbol::new(program.machine().b.0, "b"));
    let side = |cost: Expr| Contender {
        program: &program,
        parameter: Some(program.machine().b),
        fixed: [("n", 7)].into(),
        machine: [64, 32, 1 << 20, 1 << 40],
        cost,
    };
    let found = crossover(&side(b.mul(&b)), &side(Expr::int(100))).expect("both have values");
    assert_eq!(
        ends(&found),
        [
            (2, Ordering::Less),
            (10, Ordering::Equal),
            (12, Ordering::Greater)
        ]
    );
    assert!(found.is_proved());
}

/// ⌈n/64⌉·64 against n + 32: the first is dearer where n mod 64 is 1 to 31, for ever.
#[test]
fn what_changes_for_ever_is_not_called_settled() {
    let waves = n().div(&Expr::int(64)).expect("not zero").ceil();
    let costs = [waves.mul(&Expr::int(64)), n().add(&Expr::int(32))];
    let found = contend("n ≥ 1", costs);
    assert!(!found.is_proved());
    assert!(found.ranges.len() > 10);
    assert_eq!(
        ends(&found)[..2],
        [(1, Ordering::Greater), (32, Ordering::Equal)]
    );
}

/// One value out of the common order far above the dense search is not seen; the verdict says
/// that it was not proved.
#[test]
fn what_the_search_may_miss_is_not_proved() {
    let far = Expr::bracket(Cond::eq(&n(), &Expr::int(1_234_567)));
    let found = contend("n ≥ 1", [n().add(&far.mul(&n()).mul(&n())), n().add(&n())]);
    assert_eq!(ends(&found), [(1, Ordering::Less)]);
    assert!(!found.is_proved());
}

/// Only what both programs admit is compared: multiples of 1000 here.
#[test]
fn a_change_lies_between_admissible_values() {
    let found = contend("1000 | n ∧ n ≥ 1", [Expr::int(4_500), n()]);
    assert_eq!(
        ends(&found),
        [(1000, Ordering::Greater), (5000, Ordering::Less)]
    );
    let one = &found.ranges[0];
    assert_eq!(one.to, Some(BigInt::from(4000)));
}

#[test]
fn equal_costs_are_equal_everywhere() {
    let found = contend("n ≥ 1", [n(), n()]);
    assert_eq!(ends(&found), [(1, Ordering::Equal)]);
    assert!(found.is_proved());
    assert!(contend("n < 0", [n(), n()]).ranges.is_empty());
}

/// A sum without a closed form against a line: looked at as far as the sum can be added up, and no further.
#[test]
fn costs_with_open_sums_are_compared_as_far_as_they_can_be_added_up() {
    let text = "\
algorithm Rows(n)
  require n ≥ 1
  global t[n^2 + n]
  shared _x[b]
  for r = 0 → n - 1 do
    for all mp_i ∈ MP[0..r div b] in parallel do
      for all c_{i,j} ∈ C_i in parallel do
        if ib + j ≤ r then
          _x[j] ← 1
          t[r^2 + ib + j] ⇐ _x[j]
        end if
      end for
    end for
  end for
";
    let rows = atgpu::program(text).expect("sound");
    let derivation = atgpu::derive::derive(&rows, &[("b", 32)].into());
    let blocks = derivation.totals.io.upper.clone().expect("it is derived");
    assert!(!blocks.is_closed(), "{blocks}");
    let at = |n: i64| {
        blocks
            .evaluate(&|_| Some(n.into()))
            .expect("it has a value")
    };
    // 300 n blocks are more than those of the rows up to some 19,000 rows.
    let found = contend("n ≥ 1", [blocks.clone(), n().scale(&300.into())]);
    let [(1, Ordering::Less), (crossing, order)] = ends(&found)[..] else {
        panic!("{found:?}");
    };
    assert!(order != Ordering::Less && at(crossing) >= (300 * crossing).into());
    assert!(at(crossing - 1) < (300 * (crossing - 1)).into());
    let far = 30_000.into()..(1_i64 << 30).into();
    assert!(far.contains(&found.up_to), "{}", found.up_to);
    assert!(!found.is_proved());
}
