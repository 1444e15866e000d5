//! Reads an expression: its terms, atoms and symbols, its coefficients in one of them, its size.
//! Also replaces parts of it.

use std::collections::BTreeSet;

use crate::number::{BigInt, Rational};
use crate::sym::expr::summary::{self, Kind, Summary};
use crate::sym::expr::types::{Atom, Cond, Expr, Monomial, Term};
use crate::sym::{Symbol, SymbolKind};
use num_traits::ToPrimitive;

/// The most atoms written down for a product before merging: some of them cancel or merge.
const MOST_ATOMS_OF_A_PRODUCT: u64 = 4 * summary::MOST_ATOMS as u64;

/// The most bits of a number in a product: some 30,000 digits. Longer numbers come from no
/// meaningful formula.
const MOST_BITS_OF_A_PRODUCT: usize = 100_000;

impl Expr {
    /// Returns the summary of the insides.
    pub(crate) fn summary(&self) -> Summary {
        self.0.summary
    }

    /// Returns the terms in canonical order.
    pub(crate) fn terms(&self) -> &[Term] {
        self.0.terms.as_slice()
    }

    /// Returns the only term.
    pub(crate) fn as_term(&self) -> Option<&Term> {
        match self.terms() {
            [term] => Some(term),
            _ => None,
        }
    }

    /// Returns the atom if the expression is a single atom.
    pub(crate) fn as_atom(&self) -> Option<&Atom> {
        let (monomial, coefficient) = self.as_term()?;
        match monomial.factors() {
            [(atom, 1)] if coefficient.is_one() => Some(atom),
            _ => None,
        }
    }

    /// Returns the symbol if the expression is a single symbol.
    pub(crate) fn as_symbol(&self) -> Option<&Symbol> {
        match self.as_atom()? {
            Atom::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// Returns true if it is the number 0.
    pub fn is_zero(&self) -> bool {
        self.terms().is_empty()
    }

    /// Returns true if it is the number 1.
    pub(crate) fn is_one(&self) -> bool {
        self.as_rational().is_some_and(|value| value.is_one())
    }

    /// Returns the value if the expression has no atom.
    ///
    /// ```
    /// use atgpu::examples::{over, symbols};
    /// use atgpu::number::Rational;
    /// use atgpu::sym::Expr;
    ///
    /// let [n] = symbols(["n"]);
    /// assert_eq!(over(&Expr::int(3), &Expr::int(6)).as_rational(), Rational::new(1, 2));
    /// assert_eq!(n.as_rational(), None);
    /// ```
    pub fn as_rational(&self) -> Option<Rational> {
        match self.terms() {
            [] => Some(Rational::ZERO),
            [(monomial, value)] if monomial.is_one() => Some(value.clone()),
            _ => None,
        }
    }

    /// Returns the value if it is a whole number.
    pub fn as_integer(&self) -> Option<BigInt> {
        self.as_rational()?.to_integer()
    }

    /// Returns the coefficient of the empty monomial.
    pub(crate) fn constant_term(&self) -> Rational {
        match self.terms().first() {
            Some((monomial, value)) if monomial.is_one() => value.clone(),
            _ => Rational::ZERO,
        }
    }

    /// Returns all free symbols.
    ///
    /// ```
    /// use atgpu::examples::{over, symbols};
    ///
    /// let [n, b] = symbols(["n", "b"]);
    /// assert_eq!(over(&n, &b).ceil().symbols().len(), 2);
    /// ```
    pub fn symbols(&self) -> BTreeSet<Symbol> {
        let mut found = BTreeSet::new();
        self.collect_symbols(&mut found);
        found.retain(|symbol| !symbol.is_of_sum());
        found
    }

    /// Returns all free symbols, and the variables of opened sums.
    pub(crate) fn symbols_inside(&self) -> BTreeSet<Symbol> {
        let mut found = BTreeSet::new();
        self.collect_symbols(&mut found);
        found.retain(|symbol| symbol.id.kind != SymbolKind::Bound);
        found
    }

    fn collect_symbols(&self, found: &mut BTreeSet<Symbol>) {
        self.for_each_atom(&mut |atom| match atom {
            Atom::Symbol(symbol) => {
                found.insert(symbol.clone());
            }
            other => other.for_each_child(&mut |child| child.collect_symbols(found)),
        });
    }

    /// Returns true if the symbol occurs anywhere.
    pub fn contains(&self, symbol: &Symbol) -> bool {
        self.summary().may_contain(symbol) && {
            let products = self.terms().iter().map(|(monomial, _)| monomial);
            products
                .filter(|monomial| monomial.summary().may_contain(symbol))
                .flat_map(|monomial| monomial.factors())
                .any(|(atom, _)| atom.contains(symbol))
        }
    }

    /// Returns true if an atom at any depth satisfies the test.
    pub(crate) fn has_atom(&self, test: &dyn Fn(&Atom) -> bool) -> bool {
        self.terms()
            .iter()
            .flat_map(|(m, _)| m.factors())
            .any(|(atom, _)| {
                test(atom) || {
                    let mut found = false;
                    atom.for_each_child(&mut |child| found = found || child.has_atom(test));
                    found
                }
            })
    }

    /// Returns true if the expression divides by the number 0, so that it has no value.
    pub(crate) fn divides_by_zero(&self) -> bool {
        self.has_atom(&|atom| matches!(atom, Atom::Inverse(below) if below.is_zero()))
    }

    /// Calls `visit` on every atom that is a factor of a term, but not on atoms inside these.
    pub(crate) fn for_each_atom(&self, visit: &mut dyn FnMut(&Atom)) {
        for (monomial, _) in self.terms() {
            for (atom, _) in monomial.factors() {
                visit(atom);
            }
        }
    }

    /// Returns true if it has fewer atoms, nested ones included.
    pub(crate) fn is_shorter_than(&self, other: &Expr) -> bool {
        self.summary().length() < other.summary().length()
    }

    /// Returns the first floor with the coefficient −1 and no other factor, and its inside.
    pub(crate) fn subtracted_floor(&self) -> Option<(Expr, Expr)> {
        let minus_one = Rational::from(-1);
        let mut terms = self.terms().iter();
        terms.find_map(|(monomial, coefficient)| match monomial.factors() {
            [(floor @ Atom::Floor(x), 1)] if *coefficient == minus_one => {
                Some((Expr::atom(floor.clone()), Expr::clone(x)))
            }
            _ => None,
        })
    }

    /// Returns the insides of floors at any depth, outer ones first.
    pub(crate) fn in_floors(&self) -> Vec<Expr> {
        let mut found = Vec::new();
        self.for_each_atom(&mut |atom| {
            if let Atom::Floor(inner) = atom {
                found.push(inner.clone());
            }
            atom.for_each_child(&mut |child| found.extend(child.in_floors()));
        });
        found
    }

    /// Returns x if the expression is ⌊x⌋.
    pub(crate) fn in_floor(&self) -> Option<Expr> {
        match self.as_atom()? {
            Atom::Floor(inner) => Some(inner.clone()),
            _ => None,
        }
    }

    /// Returns the conditions of the brackets that are factors of terms.
    pub(crate) fn conditions(&self) -> Vec<Cond> {
        let atoms = self.atoms().into_iter();
        let conditions = atoms.filter_map(|atom| match atom {
            Atom::Bracket(cond) => Some((*cond).clone()),
            _ => None,
        });
        conditions.collect()
    }

    /// Returns the different atoms that are factors of terms.
    pub(crate) fn atoms(&self) -> BTreeSet<Atom> {
        let mut atoms = BTreeSet::new();
        self.for_each_atom(&mut |atom| {
            if !atoms.contains(atom) {
                atoms.insert(atom.clone());
            }
        });
        atoms
    }

    /// Returns true if it is a Laurent polynomial in symbols.
    pub(crate) fn is_plain(&self) -> bool {
        let mut factors = self.terms().iter().flat_map(|(m, _)| m.factors());
        factors.all(|(atom, _)| matches!(atom, Atom::Symbol(_)))
    }

    /// Returns true if it contains a minimum, a maximum or an unsolved `Σ`.
    pub(crate) fn has_extremes(&self) -> bool {
        self.has_atom(&|atom| matches!(atom, Atom::Min(_) | Atom::Max(_) | Atom::Sum(_)))
    }

    /// Returns true if it contains a bracket.
    pub(crate) fn has_brackets(&self) -> bool {
        self.has(Kind::Bracket)
    }

    /// Returns true if no unsolved `Σ` is left.
    pub fn is_closed(&self) -> bool {
        self.summary().sums() == 0
    }

    /// Replaces a symbol everywhere.
    ///
    /// ```
    /// use atgpu::examples::{over, symbol, symbols};
    /// use atgpu::sym::Expr;
    ///
    /// let [n, b] = symbols(["n", "b"]);
    /// let blocks = over(&n, &b).ceil();
    /// assert_eq!(blocks.substitute(&symbol("n"), &Expr::int(64)).to_string(), "⌈64/b⌉");
    /// ```
    pub fn substitute(&self, symbol: &Symbol, value: &Expr) -> Expr {
        if !self.summary().may_contain(symbol) {
            return self.clone();
        }
        self.replace(&|atom| match atom {
            Atom::Symbol(other) => (other == symbol).then(|| value.clone()),
            Atom::Sum(sum) if sum.variable == *symbol => Some(Expr::unsolved_sum(
                &sum.variable,
                &sum.low.substitute(symbol, value),
                &sum.high.substitute(symbol, value),
                &sum.body,
            )),
            other => other
                .contains(symbol)
                .then(|| other.rebuild(&|child| child.substitute(symbol, value))),
        })
    }

    /// Replaces atoms that are factors of terms; `None` from `change` keeps an atom.
    pub(crate) fn replace(&self, change: &dyn Fn(&Atom) -> Option<Expr>) -> Expr {
        // Most calls change few terms or none. Terms that stay are kept as they are, and without
        // a change the same expression is shared. Only products with a changed atom are
        // multiplied out anew, since the new value may be a sum.
        let mut kept = Vec::new();
        let mut changed = Vec::new();
        let mut is_same = true;
        for (monomial, coefficient) in self.terms() {
            let mut product: Option<Expr> = None;
            // What is kept of a product that changes.
            let mut rest = Vec::new();
            for (at, (atom, exponent)) in monomial.factors().iter().enumerate() {
                match change(atom) {
                    Some(value) => {
                        if product.is_none() {
                            rest.extend_from_slice(&monomial.factors()[..at]);
                        }
                        let power = value.integer_power(*exponent);
                        product = Some(match product {
                            Some(so_far) => &so_far * &power,
                            None => power,
                        });
                    }
                    None if product.is_some() => rest.push((atom.clone(), *exponent)),
                    None => {}
                }
            }
            match product {
                Some(product) => {
                    is_same = false;
                    let rest = Expr::monomial(Monomial::from_sorted(rest));
                    let product = (&product * &rest).scale(coefficient);
                    changed.extend(product.terms().iter().cloned());
                }
                None => kept.push((monomial.clone(), coefficient.clone())),
            }
        }
        if is_same {
            return self.clone();
        }
        if changed.is_empty() {
            return Expr::sorted(kept);
        }
        kept.append(&mut changed);
        Expr::from_terms(kept)
    }

    /// Returns the coefficients c0, c1, … as a polynomial in a symbol. `None` if the symbol also
    /// occurs inside an atom or with a negative exponent.
    pub(crate) fn coefficients(&self, symbol: &Symbol) -> Option<Vec<Expr>> {
        let atom = Atom::Symbol(symbol.clone());
        let coefficients = self.atom_coefficients(&atom)?;
        let free = coefficients.iter().all(|c| !c.contains(symbol));
        free.then_some(coefficients)
    }

    /// Returns offset and slope of offset + slope·symbol.
    pub(crate) fn linear_in(&self, symbol: &Symbol) -> Option<[Expr; 2]> {
        <[Expr; 2]>::try_from(self.coefficients(symbol)?).ok()
    }

    /// Returns true if it is c + m·k for a whole k and m does not divide c: then it is not 0.
    pub(crate) fn has_a_remainder(&self, is_whole: &dyn Fn(&Expr) -> bool) -> bool {
        // 4n + 6k + 3 is never 0? The smallest coefficient 4 gives m = 4: n + 3k/2 must be whole,
        // which is not certain, so the answer is no. 4n + 8k + 3 has m = 4 and the whole n + 2k,
        // and 4 does not divide 3: yes.
        let constant = self.constant_term();
        let varying = self - Expr::rational(constant.clone());
        if constant.is_zero() {
            return false;
        }
        let divisors = varying
            .terms()
            .iter()
            .map(|(_, coefficient)| coefficient.abs());
        let Some(divisor) = divisors.min() else {
            return true;
        };
        match (
            constant.checked_div(&divisor),
            Rational::ONE.checked_div(&divisor),
        ) {
            (Some(rest), Some(part)) => !rest.is_integer() && is_whole(&varying.scale(&part)),
            _ => false,
        }
    }

    /// Returns the terms without a symbol.
    pub(crate) fn without(&self, symbol: &Symbol) -> Expr {
        let terms = self.terms().iter().cloned();
        let terms = terms.filter(|term| !Expr::term(term).contains(symbol));
        Expr::from_terms(terms.collect())
    }

    /// Returns rest and factor of rest + factor·atom.
    pub(crate) fn beside(&self, atom: &Atom) -> Option<[Expr; 2]> {
        <[Expr; 2]>::try_from(self.atom_coefficients(atom)?).ok()
    }

    /// Returns the parts of `rest + factor·⌊inner⌋` with the symbol inside one floor only, and
    /// not in the factor.
    pub(crate) fn around_floor(&self, symbol: &Symbol) -> Option<(Expr, Expr, Expr)> {
        match self.around_atom(symbol)? {
            ([rest, factor], Atom::Floor(inner)) => Some((rest, factor, inner)),
            _ => None,
        }
    }

    /// Returns the parts of `rest + factor·base^exponent` with the symbol in one exponent only,
    /// and not in the factor: first rest and factor, then base and exponent.
    pub(crate) fn around_power(&self, symbol: &Symbol) -> Option<([Expr; 2], [Expr; 2])> {
        match self.around_atom(symbol)? {
            (beside, Atom::Power(base, exponent)) if !base.contains(symbol) => {
                Some((beside, [base, exponent]))
            }
            _ => None,
        }
    }

    /// Returns the parts of `rest + factor·atom` with the symbol in this one atom only (not the
    /// symbol itself), and not in the factor.
    fn around_atom(&self, symbol: &Symbol) -> Option<([Expr; 2], Atom)> {
        let itself = Atom::Symbol(symbol.clone());
        let atoms = self.atoms().into_iter();
        let mut holding =
            atoms.filter(|atom| *atom != itself && Expr::atom(atom.clone()).contains(symbol));
        let (Some(atom), None) = (holding.next(), holding.next()) else {
            return None;
        };
        let beside = self.beside(&atom)?;
        (!beside[1].contains(symbol)).then_some((beside, atom))
    }

    /// Returns the coefficients as a polynomial in an atom; `None` with a negative exponent.
    /// Other atoms may contain the atom.
    pub(crate) fn atom_coefficients(&self, atom: &Atom) -> Option<Vec<Expr>> {
        const HIGHEST_DEGREE: usize = 64;
        let mut coefficients: Vec<Vec<Term>> = vec![Vec::new()];
        for (monomial, coefficient) in self.terms() {
            let exponent = usize::try_from(monomial.exponent(atom)).ok()?;
            if exponent > HIGHEST_DEGREE {
                return None;
            }
            if coefficients.len() <= exponent {
                coefficients.resize(exponent + 1, Vec::new());
            }
            coefficients[exponent].push((monomial.without(atom), coefficient.clone()));
        }
        Some(coefficients.into_iter().map(Expr::from_terms).collect())
    }

    /// Returns the positive number that leaves whole coefficients without common divisor: 2 for
    /// 4n − 6, 1/2 for n/2 + 3.
    pub(crate) fn content(&self) -> Rational {
        Rational::content(self.terms().iter().map(|(_, coefficient)| coefficient))
    }

    /// Returns the greatest monomial, with negative exponents if needed, that divides every term.
    pub(crate) fn common_monomial(&self) -> Monomial {
        let mut common = Vec::new();
        for atom in self.atoms() {
            let least = self.terms().iter().map(|(m, _)| m.exponent(&atom)).min();
            match least {
                // A power of an expression is cancelled only where every term has it, and an
                // inverse is never a content: 1/P of something with 1/Q keeps both.
                Some(exponent) if exponent != 0 && !matches!(atom, Atom::Bracket(_)) => {
                    common.push((atom, exponent));
                }
                _ => {}
            }
        }
        Monomial::from_sorted(common)
    }

    /// Returns of each term the product of its positive number and its powers: 2·2^s of −2j·2^s.
    pub(crate) fn powers_of_terms(&self) -> Vec<Expr> {
        let of_term = |(monomial, coefficient): &Term| {
            let factors = monomial.factors().iter();
            let powers = factors.filter(|(atom, _)| matches!(atom, Atom::Power(_, _)));
            let powers = Monomial::from_sorted(powers.cloned().collect());
            Expr::monomial(powers).scale(&coefficient.abs())
        };
        self.terms().iter().map(of_term).collect()
    }

    /// Returns the largest number up to 8 that a floor or divisibility with the variable divides
    /// by.
    pub(crate) fn small_divisor(&self, variable: &Symbol) -> Option<i64> {
        const LARGEST: i64 = 8;
        let mut found = None;
        let mut visit = |divisor: Option<i64>| {
            if let Some(divisor) = divisor.filter(|d| (2..=LARGEST).contains(d)) {
                found = found.max(Some(divisor));
            }
        };
        self.for_each_atom(&mut |atom| match atom {
            Atom::Floor(x) => {
                if let Some([_, slope]) = x.coefficients(variable).as_deref()
                    && let Some(slope) = slope.as_rational()
                {
                    visit(slope.denominator().to_i64());
                } else if x.contains(variable) {
                    visit(x.small_divisor(variable));
                }
            }
            Atom::Bracket(cond) => match &**cond {
                Cond::Divides(d, e) if e.contains(variable) => {
                    visit(d.as_integer().and_then(|d| d.to_i64()));
                }
                other => other.for_each_expr(&mut |e| visit(e.small_divisor(variable))),
            },
            Atom::Min(items) | Atom::Max(items) => {
                items
                    .iter()
                    .for_each(|item| visit(item.small_divisor(variable)));
            }
            _ => {}
        });
        found
    }

    /// Returns the greatest sum of the exponents of a term.
    pub(crate) fn degree(&self) -> i64 {
        let degrees = self.terms().iter().map(|(monomial, _)| monomial.degree());
        degrees.max().unwrap_or(0)
    }

    /// Returns true if it contains a logarithm or a root that nothing rounds.
    pub(crate) fn may_be_irrational(&self) -> bool {
        let any = |list: &[Expr]| list.iter().any(Expr::may_be_irrational);
        let mut atoms = self.terms().iter().flat_map(|(m, _)| m.factors());
        atoms.any(|(atom, _)| match atom {
            Atom::Log(..) => true,
            Atom::Power(_, exponent) => {
                let number = exponent.as_rational();
                number.is_some_and(|number| !number.is_integer())
            }
            Atom::Min(items) | Atom::Max(items) => any(items),
            Atom::Inverse(value) => value.may_be_irrational(),
            Atom::Sum(sum) => sum.body.may_be_irrational(),
            _ => false,
        })
    }

    /// Returns the growth of the expression: the largest degree of its terms. A root counts its
    /// share of the degree, a logarithm and the symbol `slow` count 0.
    pub(crate) fn pace(&self, slow: Option<&Symbol>) -> Rational {
        // A number for comparing plain bounds, not a proof: n·√m has the pace 3/2, n·log n the
        // pace 1, and n²/b the pace 2 if b is slow, otherwise 1.
        let of_atom = |atom: &Atom| match atom {
            Atom::Symbol(symbol) if Some(symbol) == slow => Rational::ZERO,
            Atom::Log(..) => Rational::ZERO,
            Atom::Power(base, exponent) => match exponent.as_rational() {
                Some(exponent) => &base.pace(slow) * &exponent,
                None => Rational::ONE,
            },
            _ => Rational::ONE,
        };
        let degrees = self.terms().iter().map(|(monomial, _)| {
            let factors = monomial.factors().iter();
            factors.fold(Rational::ZERO, |sum, (atom, exponent)| {
                &sum + &(&of_atom(atom) * &Rational::from(*exponent))
            })
        });
        degrees.max().unwrap_or(Rational::ZERO)
    }

    /// Returns true if one of its factors is a power with an exponent that is no number, such as
    /// b^r.
    pub(crate) fn has_open_power(&self) -> bool {
        let is_open = |atom: &Atom| match atom {
            Atom::Power(_, exponent) => exponent.as_rational().is_none(),
            _ => false,
        };
        self.atoms().iter().any(is_open)
    }

    /// Returns the symbols in exponents at any depth.
    pub(crate) fn symbols_in_exponents(&self) -> BTreeSet<Symbol> {
        let mut found = BTreeSet::new();
        self.collect_exponents(&mut found);
        found
    }

    fn collect_exponents(&self, found: &mut BTreeSet<Symbol>) {
        if !self.has(Kind::Power) {
            return;
        }
        self.for_each_atom(&mut |atom| {
            if let Atom::Power(_, exponent) = atom {
                found.extend(exponent.symbols());
            }
            atom.for_each_child(&mut |child| child.collect_exponents(found));
        });
    }

    /// Returns the number of atoms, nested ones included.
    pub(crate) fn length(&self) -> u32 {
        self.summary().length()
    }

    /// Returns true if it is too long, or nests too deep, to be worth going on with.
    pub(crate) fn is_unwieldy(&self) -> bool {
        self.summary().is_unwieldy()
    }

    /// Returns true if the product would be too long, or its numbers too large, to be worth going
    /// on with.
    pub(crate) fn is_unwieldy_times(&self, other: &Expr) -> bool {
        // Estimated before anything is multiplied: each term of one side is written once for each
        // term of the other. Ten terms of length 2 times ten of length 3 are about 20 · 10 + 30 ·
        // 10 = 500 atoms.
        let length = |expr: &Expr| u64::from(expr.summary().length()) + 1;
        let terms = |expr: &Expr| expr.terms().len() as u64;
        let bits = |expr: &Expr| {
            let each = expr
                .terms()
                .iter()
                .map(|(_, number)| number.bits_beyond_words());
            each.max().unwrap_or_default()
        };
        let atoms = length(self)
            .saturating_mul(terms(other))
            .saturating_add(length(other).saturating_mul(terms(self)));
        atoms > MOST_ATOMS_OF_A_PRODUCT || bits(self) + bits(other) > MOST_BITS_OF_A_PRODUCT
    }

    /// Returns true if it contains an atom of this kind at any depth.
    pub(crate) fn has(&self, kind: Kind) -> bool {
        self.summary().has(kind)
    }
}
