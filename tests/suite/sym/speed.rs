//! The sums of the paper's programs are quick. The limits are generous: they catch a search that
//! has lost its budget, not a slow machine.

use std::time::{Duration, Instant};

use crate::sym::support::{facts, int, over, symbol, var};
use atgpu::sym::{Cond, Expr, Facts};

fn timed(name: &str, work: &dyn Fn() -> Expr) {
    let start = Instant::now();
    let rounds = 20;
    for _ in 0..rounds {
        std::hint::black_box(work());
    }
    let each = start.elapsed() / rounds;
    println!("{name}: {each:?} {}", work());
    assert!(each < Duration::from_millis(60), "{name} took {each:?}");
}

#[test]
fn papers_programs() {
    let (n, b, i, r, s) = (var("n"), var("b"), var("i"), var("r"), var("s"));
    let one = int(1);
    timed("vector addition", &|| {
        let facts = facts(&[Cond::ge(&n, &one), Cond::ge(&b, &one)]);
        let mps = over(&n, &b).ceil();
        let mut inside = facts.clone();
        inside.suppose(&Cond::ge(&i, &int(0)));
        inside.suppose(&Cond::lt(&i, &mps));
        let warp = i.mul(&b);
        let last = warp.add(&Expr::min(vec![b.sub(&one), n.sub(&one).sub(&warp)]));
        let raw = over(&last, &b)
            .floor()
            .sub(&over(&warp, &b).floor())
            .add(&one);
        let blocks = inside.simplify(&raw);
        facts.sum(
            &symbol("i"),
            &int(0),
            &mps.sub(&one),
            &blocks.scale(&3.into()),
        )
    });
    timed("reduction", &|| {
        let mut facts: Facts = facts(&[Cond::power_of(&n, &b), Cond::power_of(&b, &int(2))]);
        facts.suppose(&Cond::ge(&b, &int(2)));
        let levels = facts.sum(
            &symbol("s"),
            &one,
            &Expr::log(&int(2), &b),
            &over(&b, &int(2).pow(&s)),
        );
        let blocks = over(&n, &b.pow(&r));
        facts.sum(&symbol("r"), &one, &Expr::log(&b, &n), &blocks.mul(&levels))
    });
    timed("rounds", &|| {
        let facts = facts(&[Cond::ge(&n, &one), Cond::ge(&b, &int(2))]);
        let blocks = over(&n, &b.pow(&r)).ceil();
        facts.sum(&symbol("r"), &one, &Expr::log(&b, &n).ceil(), &blocks)
    });
    timed("chunks", &|| {
        let facts = facts(&[Cond::ge(&n, &one), Cond::ge(&b, &one)]);
        let mps = over(&n, &b).ceil();
        let active = Expr::min(vec![b.clone(), n.sub(&i.mul(&b))]);
        facts.sum(&symbol("i"), &int(0), &mps.sub(&one), &active)
    });
}
