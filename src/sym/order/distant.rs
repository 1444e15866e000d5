//! Far out: what is decided once all sizes are large. There `[n ≥ 13]` is 1, `[n ≤ 4]` is 0 and `min(3, ⌊n/13⌋)` is 3.
//!
//! A class speaks of all admitted sizes from some size on, so each of these counts as its value far out. What changes
//! for ever stays as it is: `[2 | n]`, or `[n ≥ b]` where neither is known to be larger. So does what speaks of a size
//! that a `require` bounds: with n ≤ 100 there is no far out for n.

use crate::sym::expr::types::Atom;
use crate::sym::facts::knowledge::Facts;
use crate::sym::{Cond, Expr, Symbol};

/// Far out every size is at least 2 to this power. No word is as large, so no bound of a program is beyond it.
const FAR_OUT: u32 = 64;
/// The work allowed for one bracket, minimum or maximum.
const WORK_OF_AN_ATOM: u64 = 2_000;
/// The most points tried to find one that is admitted far out.
const MOST_TRIED: u32 = 20_000;

/// The facts, with every size far out that some admitted point has there; `None` without such a size.
pub(super) fn facts(growing: &[Symbol], known: &Facts) -> Option<Facts> {
    // A supposition that no admitted point meets would decide everything, rightly by the letter of the definition and
    // wrongly for every reader: with n ≤ 100 the bracket [n ≥ 13] is 1, and 0 as well. So each size must have a point
    // far out, together with the sizes before it. The sizes behind it may be anywhere: n = 3m takes m along.
    let mut sizes: Vec<&Symbol> = Vec::new();
    for symbol in growing {
        sizes.push(symbol);
        let moves: Vec<(&Symbol, bool)> = growing
            .iter()
            .map(|symbol| (symbol, sizes.contains(&symbol)))
            .collect();
        if !is_admitted(&moves, known) {
            sizes.pop();
        }
    }
    let least = Expr::int(2).pow(&Expr::int(FAR_OUT.into()));
    let alone = known.with_work(WORK_OF_AN_ATOM);
    let far_out = sizes.iter().fold(alone, |facts, symbol| {
        facts.with(&Cond::ge(&Expr::symbol(symbol), &least))
    });
    (!sizes.is_empty()).then_some(far_out)
}

/// Returns true if some point that the facts admit has the sizes far out that come with true.
fn is_admitted(sizes: &[(&Symbol, bool)], known: &Facts) -> bool {
    let size = libm::exp2(f64::from(FAR_OUT));
    // One may have to be far above another, or three times as large; most are powers of two where they must be powers.
    let values = [size, size * size, size * size * size, 3.0 * size];
    known.moves_to(sizes, &values, MOST_TRIED)
}

/// Puts the values far out for the brackets, minima and maxima that are decided there.
pub(super) fn settled(far_out: &Facts, expr: &Expr) -> Expr {
    let there = |child: &Expr| settled(far_out, child);
    expr.replace(&|atom| {
        let facts = far_out.with_work(WORK_OF_AN_ATOM);
        let value = match atom {
            Atom::Bracket(cond) => Expr::bracket(facts.simplify_cond(cond)),
            Atom::Min(_) | Atom::Max(_) => facts.simplify(&atom.rebuild(&there)),
            // Nothing is known of the variable inside.
            Atom::Sum(sum) => Expr::unsolved_sum(
                &sum.variable,
                &there(&sum.low),
                &there(&sum.high),
                &sum.body,
            ),
            Atom::Symbol(_) => return None,
            other => other.rebuild(&there),
        };
        (value != Expr::atom(atom.clone())).then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use crate::examples::{over, symbol, symbols};
    use crate::sym::order::{class, is_big_o};
    use crate::sym::{Cond, Expr, Facts};

    fn int(number: i64) -> Expr {
        Expr::int(number)
    }

    /// Returns the class in n, m and b, each at least 1, under more facts.
    fn told(expr: &Expr, more: &[Cond]) -> String {
        let mut facts = Facts::new();
        for name in symbols(["n", "m", "b"]) {
            facts.assume(&Cond::ge(&name, &Expr::one()));
        }
        for cond in more {
            facts.assume(cond);
        }
        let class = class(expr, &["n", "m", "b"].map(symbol), &facts);
        class.expect("bounded").to_string()
    }

    #[test]
    fn a_bracket_that_is_true_far_out_counts_as_1_and_one_that_is_false_as_0() {
        let [n, m, b] = symbols(["n", "m", "b"]);
        let from_13 = Cond::ge(&n, &int(13));
        let even = Cond::divides(&int(2), &n);
        let both = |one: &Cond, other: &Cond| Cond::and(vec![one.clone(), other.clone()]);
        let either = |one: &Cond, other: &Cond| Cond::or(vec![one.clone(), other.clone()]);
        for (cond, of_bracket, of_product) in [
            (from_13.clone(), "Θ(1)", "Θ(b)"),
            (Cond::ge(&n, &int(5_000_000_000)), "Θ(1)", "Θ(b)"),
            (Cond::ge(&(&n * &m), &int(500)), "Θ(1)", "Θ(b)"),
            (Cond::ne(&n, &int(300)), "Θ(1)", "Θ(b)"),
            (Cond::le(&n, &int(400)).not(), "Θ(1)", "Θ(b)"),
            (both(&from_13, &Cond::ge(&b, &int(20))), "Θ(1)", "Θ(b)"),
            (either(&from_13, &even), "Θ(1)", "Θ(b)"),
            (Cond::ge(&(&n + &m), &int(9)), "Θ(1)", "Θ(b)"),
            (Cond::le(&n, &int(400)), "Θ(0)", "Θ(0)"),
            (Cond::eq(&n, &int(7)), "Θ(0)", "Θ(0)"),
            (both(&even, &from_13.clone().not()), "Θ(0)", "Θ(0)"),
            // These change for ever, or hang on which size is larger.
            (even.clone(), "O(1)", "O(b)"),
            (both(&even, &from_13), "O(1)", "O(b)"),
            (Cond::ge(&n, &b), "O(1)", "O(b)"),
            (Cond::ge(&n, &(&m + 13)), "O(1)", "O(b)"),
        ] {
            let bracket = Expr::bracket(cond);
            assert_eq!(told(&bracket, &[]), of_bracket, "{bracket}");
            assert_eq!(told(&(&bracket * &b), &[]), of_product, "{bracket}");
        }
    }

    #[test]
    fn extremes_have_their_value_far_out() {
        let [n, m] = symbols(["n", "m"]);
        let few = over(&n, &int(13)).floor();
        let few = Expr::min(vec![int(3), few]);
        assert_eq!(told(&few, &[]), "Θ(1)");
        let rest = Expr::max(vec![Expr::zero(), &n - 40]);
        assert_eq!(told(&rest, &[]), "Θ(n)");
        assert_eq!(told(&(&few * &rest * &m), &[]), "Θ(mn)");
        let gone = Expr::max(vec![Expr::zero(), int(40) - &n]);
        assert_eq!(told(&gone, &[]), "Θ(0)");
    }

    #[test]
    fn a_size_that_is_bounded_is_never_far_out() {
        let [n, m, b] = symbols(["n", "m", "b"]);
        let from_13 = Expr::bracket(Cond::ge(&n, &int(13)));
        let to_20 = Expr::bracket(Cond::le(&n, &int(20)));
        for bound in [
            vec![Cond::le(&n, &int(100))],
            vec![Cond::le(&n, &int(1_000_000_000))],
            vec![Cond::le(&(&n * &m), &int(100))],
            vec![Cond::le(&n, &(&m * &m)), Cond::le(&m, &int(20))],
            vec![Cond::le(&n, &(&b * 3)), Cond::le(&b, &int(64))],
        ] {
            assert_eq!(told(&from_13, &bound), "O(1)", "{bound:?}");
            assert_eq!(told(&to_20, &bound), "O(1)", "{bound:?}");
        }
        // What bounds another size leaves this one free.
        let others = [
            Cond::le(&m, &int(20)),
            Cond::divides(&b, &n),
            Cond::power_of(&b, &int(2)),
        ];
        assert_eq!(told(&from_13, &others), "Θ(1)");
        let of_m = Expr::bracket(Cond::ge(&m, &int(13)));
        assert_eq!(told(&of_m, &others), "O(1)");
        assert_eq!(told(&from_13, &[Cond::ge(&n, &(&m * &b))]), "Θ(1)");
        assert_eq!(told(&from_13, &[Cond::eq(&n, &(&m * 3))]), "Θ(1)");
    }

    #[test]
    fn claims_are_judged_far_out() {
        let [n, b] = symbols(["n", "b"]);
        let growing = ["n", "b"].map(symbol);
        let mut facts = Facts::new();
        for name in [&n, &b] {
            facts.assume(&Cond::ge(name, &Expr::zero()));
        }
        let shared = &b * Expr::bracket(Cond::ge(&n, &int(13)));
        assert_eq!(is_big_o(&b, &shared, &growing, &facts), Some(true));
        assert_eq!(is_big_o(&shared, &b, &growing, &facts), Some(true));
        assert_eq!(is_big_o(&shared, &n, &growing, &facts), Some(false));
        let even = &b * Expr::bracket(Cond::divides(&int(2), &n));
        assert_eq!(is_big_o(&b, &even, &growing, &facts), None);
    }
}
