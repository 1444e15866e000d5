//! Cores numbered through all MPs, u = i·b + j: what speaks of MPs and cores by that number alone is told of one index,
//! which then has digits of its own. Butterflies over a whole array, `(u div h)·2h + u mod h`.

use crate::safety::site::{Index, Place, ScopeKind};
use crate::sym::{Cond, Expr, Symbol};

/// A place where the cores of all MPs of the last dimension are one index.
pub(crate) struct Numbered {
    /// The place, with the number in the place of the core's.
    pub(crate) place: Place,
    /// u
    number: Symbol,
    core: Symbol,
    mp: Symbol,
    width: Expr,
}

impl Numbered {
    /// Numbers the cores of a place through, with a symbol that nothing speaks of; `None` where there are no MPs and
    /// cores, or a loop around the place has ends that are not told by the number alone.
    pub(crate) fn new(place: &Place, number: Symbol) -> Option<Numbered> {
        let [mp, core] = mp_and_core(place)?;
        let one = Expr::one();
        let width = &core.high + &one;
        let mut numbered = Numbered {
            place: place.clone(),
            number,
            core: core.symbol.clone(),
            mp: mp.symbol.clone(),
            width,
        };
        let (low, high) = (
            &mp.low * &numbered.width,
            (&mp.high + &one) * &numbered.width - &one,
        );
        numbered.place.indices = Vec::new();
        let speaks = |guard: &Cond| guard.contains(&mp.symbol) || guard.contains(&core.symbol);
        numbered.place.guards.retain(|guard| !speaks(guard));
        for own in &place.indices {
            if own.symbol == mp.symbol {
                continue;
            }
            if own.symbol == core.symbol {
                let number = numbered.number.clone();
                numbered.place.range(&number, &low, &high, core.scope);
                continue;
            }
            let [low, high] = [numbered.of(&own.low)?, numbered.of(&own.high)?];
            numbered.place.indices.push(Index {
                low,
                high,
                ..own.clone()
            });
        }
        for guard in place.guards.iter().filter(|guard| speaks(guard)) {
            let told = guard.map(&|value| numbered.in_number(value));
            if !speaks(&told) {
                numbered.place.guard(&told);
            }
        }
        Some(numbered)
    }

    /// The number as an index of the place.
    pub(crate) fn index(&self) -> Option<&Index> {
        let mut indices = self.place.indices.iter();
        indices.find(|index| index.symbol == self.number)
    }

    /// A value told by the number alone, if it is.
    pub(crate) fn of(&self, value: &Expr) -> Option<Expr> {
        let told = self.in_number(value);
        (!told.contains(&self.mp) && !told.contains(&self.core)).then_some(told)
    }

    fn in_number(&self, value: &Expr) -> Expr {
        if !value.contains(&self.core) {
            return value.clone();
        }
        let before = Expr::symbol(&self.mp) * &self.width;
        let core = Expr::symbol(&self.number) - &before;
        let value = value.substitute(&self.core, &core);
        self.place.facts.simplify(&value)
    }
}

/// The index of the MPs in their last dimension, and that of the cores, which begin at 0.
fn mp_and_core(place: &Place) -> Option<[&Index; 2]> {
    let core = place.core().filter(|core| core.low.is_zero())?;
    let mut scopes = place.scopes.iter();
    let mps = scopes.find(|scope| scope.kind == ScopeKind::Mps)?;
    let mut dimensions = place.indices.iter().rev();
    let mp = dimensions.find(|index| index.scope == mps.id)?;
    Some([mp, core])
}

/// Whether a value speaks of what the number of a core through all MPs is divided by.
pub(crate) fn divides_number(value: &Expr, place: &Place) -> bool {
    mp_and_core(place).is_some_and(|both| {
        let is_divided = |inner: &Expr| both.iter().all(|index| inner.contains(&index.symbol));
        value.in_floors().iter().any(is_divided)
    })
}
