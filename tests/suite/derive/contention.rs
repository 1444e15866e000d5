//! Contention of atomics under an assumption: both counters without data take it alike, and it holds on data that keep
//! to it. It lowers no count that is certain.

use std::num::NonZeroU64;
use std::ops::ControlFlow;

use crate::support::programs::program;
use atgpu::count::Interval;
use atgpu::derivation::evaluate::evaluate;
use atgpu::derive::derive;
use atgpu::exec::{Array, Data, Input, Options};
use atgpu::interval::{self, CountOptions};
use atgpu::machine::Machine;
use atgpu::meaning::Point;
use atgpu::number::BigInt;
use atgpu::program::Program;

/// Each core adds to the bin that its word of A names: t = 2 + 5·(the most cores in one bin).
fn bins(bins: &str) -> Program {
    program(&format!(
        "algorithm Bins(h)
  require h ≥ 1
  input A[b] in 0..{bins}-1
  global a[b]
  shared _x[b], _h[h]
  a ⇚ A
  for all mp_i ∈ MP[0..0] in parallel do
    for all c_{{i,j}} ∈ C_i in parallel do
      _x[j] ⇐ a[j]
      if j < h then
        _h[j] ← 0
      end if
      atomic _h[_x[j]] ← _h[_x[j]] + 1
    end for
  end for
"
    ))
}

/// The bounds on t at 32 cores and so many bins: by formula, and counted.
fn bounds(program: &Program, bins: i64) -> [Interval; 2] {
    let card = Machine::built_in("gtx650").expect("built in");
    let point = Point::new(program, card.atgpu.numbers(), &[("h", bins)].into());
    let point = point.expect("admitted");
    let derivation = derive(program, &().into());
    assert!(derivation.contradictions.is_empty());
    let derived = evaluate(program, &derivation, &point).expect("derived");
    let going = |_: u64| ControlFlow::Continue(());
    let counted = interval::count(program, &point, &CountOptions::default(), &going);
    let counted = counted.expect("counted");
    [derived.counts, counted.counts].map(|counts| counts.totals.time)
}

#[test]
fn an_assumption_bounds_contention_that_data_decide() {
    let free = bins("h");
    let upper = |program: &Program, bins: i64| {
        let [derived, counted] = bounds(program, bins);
        assert_eq!(derived.upper, counted.upper);
        assert!(derived.lower <= counted.lower);
        counted.upper
    };
    // 5 operations a core in the fullest bin; ⇐, the guard and the zero are 3.
    assert_eq!(upper(&free, 64), BigInt::from(3 + 5 * 32));
    let most = |most: u64| free.clone().assuming_contention(NonZeroU64::new(most));
    assert_eq!(upper(&most(8), 64), BigInt::from(3 + 5 * 8));
    assert_eq!(upper(&most(100), 64), BigInt::from(3 + 5 * 32));
    // No more are assumed to meet than can.
    let told = derive(&most(8), &().into()).facts;
    let said = told.iter().any(|fact| fact == "contention ≤ 8 (assumed)");
    assert!(said, "{told:?}");
}

/// With one bin all 32 cores meet, whatever is assumed; a formula may know less than that.
#[test]
fn an_assumption_lowers_nothing_that_is_certain() {
    let assumed = bins("1").assuming_contention(NonZeroU64::new(8));
    let [derived, counted] = bounds(&assumed, 4);
    let all = BigInt::from(3 + 5 * 32);
    assert_eq!(counted, Interval::exact(all.clone()));
    assert!(derived.upper >= all, "{derived:?}");
}

/// Data with eight cores to a bin take what is assumed of them.
#[test]
fn data_that_keep_to_it_keep_the_bound() {
    let assumed = bins("h").assuming_contention(NonZeroU64::new(8));
    let card = Machine::built_in("gtx650").expect("built in");
    let mut options = Options::default();
    let words = Array {
        shape: vec![32],
        data: Data::Int((0..32).map(|core| core / 8).collect()),
    };
    options.inputs.insert("A".into(), Input::Given(words));
    let run = assumed.run(&card, [("h", 64)], &options).expect("runs");
    let [derived, counted] = bounds(&assumed, 64);
    let time = &run.counts().totals.time;
    assert_eq!([&derived.upper, &counted.upper], [time, time]);
}
