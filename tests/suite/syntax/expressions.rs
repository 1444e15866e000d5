//! The shape of expressions, rule by rule (language.md §2.3 and §5), and printing them back.

use atgpu::number::BigInt;
use atgpu::syntax::ast::{
    Algorithm, BinaryOperator, Binder, BitFunction, Comparison, Expr, ExprKind, Function,
    HeaderItem, LogBase, MathFunction, Name, Quantifier, Relation,
};
use atgpu::syntax::{Spelling, format, parse, print_expr};
use atgpu::text::{Source, Span};
use proptest::prelude::*;

/// How the trees here write a function.
fn called(function: Function) -> String {
    match function {
        Function::Math(function) => format!("{function:?}"),
        Function::Claim(function) => format!("{function:?}"),
        Function::Bits(BitFunction::ShiftLeft) => "Shl".to_owned(),
        Function::Bits(BitFunction::ShiftRight) => "Shr".to_owned(),
        Function::Bits(function) => format!("Bit{function:?}"),
        other => format!("{other:?}"),
    }
}

fn algorithm(text: &str) -> Result<Algorithm, String> {
    let parsed = parse(&Source::new("test", text));
    match parsed.diagnostics.first() {
        Some(diagnostic) => Err(format!("{}: {}", diagnostic.code, diagnostic.message)),
        None => parsed.algorithm.ok_or("no algorithm".to_owned()),
    }
}

/// The expression of a `require`, which admits most.
fn condition(text: &str) -> Result<Expr, String> {
    match algorithm(&format!("algorithm T(n)\nrequire {text}\n"))?
        .header
        .pop()
    {
        Some(HeaderItem::Require(require)) => Ok(require.condition),
        other => Err(format!("{other:?}")),
    }
}

fn claim(text: &str) -> Result<Expr, String> {
    match algorithm(&format!("algorithm T(n)\nclaim time = {text}\n"))?
        .header
        .pop()
    {
        Some(HeaderItem::Claim(claim)) => Ok(claim.value),
        other => Err(format!("{other:?}")),
    }
}

/// The tree in prefix notation: `(+ a (* b c))`. Parentheses as written are `(paren e)`.
fn shape(expr: &Expr) -> String {
    let all = |items: &[Expr]| items.iter().map(shape).collect::<Vec<_>>().join(" ");
    match &expr.kind {
        ExprKind::Integer(value) => value.to_string(),
        ExprKind::Float(value) => format!("{value:?}"),
        ExprKind::Name(name) => name.text.clone(),
        ExprKind::Word { name, indices } => format!("{}[{}]", name.text, all(indices)),
        ExprKind::Paren(inner) => format!("(paren {})", shape(inner)),
        ExprKind::Negate(inner) => format!("(neg {})", shape(inner)),
        ExprKind::Not(inner) => format!("(not {})", shape(inner)),
        ExprKind::Binary {
            operator,
            left,
            right,
        } => {
            let sign = match operator {
                BinaryOperator::Add => "+",
                BinaryOperator::Subtract => "-",
                BinaryOperator::Multiply => "*",
                BinaryOperator::Juxtapose => "jux",
                BinaryOperator::Divide => "/",
                BinaryOperator::FloorDivide => "div",
                BinaryOperator::Modulo => "mod",
                BinaryOperator::Power => "^",
                BinaryOperator::And => "and",
                BinaryOperator::Or => "or",
                BinaryOperator::Implies => "implies",
                other => panic!("no sign is known here for {other:?}"),
            };
            format!("({sign} {} {})", shape(left), shape(right))
        }
        ExprKind::Compare {
            operands,
            relations,
        } => {
            let signs: Vec<&str> = relations
                .iter()
                .map(|relation| match relation {
                    Relation::Exact(Comparison::Equal) => "=",
                    Relation::Exact(Comparison::NotEqual) => "!=",
                    Relation::Exact(Comparison::Less) => "<",
                    Relation::Exact(Comparison::AtMost) => "<=",
                    Relation::Exact(Comparison::Greater) => ">",
                    Relation::Exact(Comparison::AtLeast) => ">=",
                    Relation::Exact(Comparison::Divides) => "|",
                    Relation::Exact(Comparison::PowerOf) => "powerof",
                    Relation::About => "about",
                })
                .collect();
            format!("({} {})", signs.join(","), all(operands))
        }
        ExprKind::Ceil(inner) => format!("(ceil {})", shape(inner)),
        ExprKind::Floor(inner) => format!("(floor {})", shape(inner)),
        ExprKind::Bracket(inner) => format!("(iverson {})", shape(inner)),
        ExprKind::Call {
            function,
            arguments,
        } => format!("({} {})", called(*function), all(arguments)),
        ExprKind::Log { base, argument } => {
            let base = match base {
                LogBase::Unwritten => "log".to_owned(),
                LogBase::Number(number) => format!("log_{number}"),
                LogBase::Name(name) => format!("log_{}", name.text),
                LogBase::Braced(base) => format!("log_{{{}}}", shape(base)),
            };
            format!("({base} {})", shape(argument))
        }
        ExprKind::Quantified {
            quantifier,
            binders,
            body,
        } => {
            let binders: Vec<String> = binders
                .iter()
                .map(|binder| {
                    format!(
                        "{} {}..{}",
                        binder.name.text,
                        shape(&binder.low),
                        shape(&binder.high)
                    )
                })
                .collect();
            format!("({quantifier:?} {} : {})", binders.join(", "), shape(body))
        }
        other => panic!("no shape is known here for {other:?}"),
    }
}

#[track_caller]
fn parses_to(table: &[(&str, &str)]) {
    for (text, expected) in table {
        let found = condition(text).map(|expr| shape(&expr));
        assert_eq!(found.as_deref(), Ok(*expected), "{text}");
    }
}

#[track_caller]
fn is_rejected(texts: &[&str], code: &str) {
    for text in texts {
        let found = condition(text).map(|expr| shape(&expr));
        assert!(
            found.as_ref().is_err_and(|error| error.starts_with(code)),
            "{text}: {found:?}"
        );
    }
}

const UNEXPECTED: &str = "atgpu::syntax::unexpected";

#[test]
fn precedence() {
    parses_to(&[
        ("a + b * c", "(+ a (* b c))"),
        ("a - b - c", "(- (- a b) c)"),
        ("a/b/c", "(/ (/ a b) c)"),
        ("a mod b div c", "(div (mod a b) c)"),
        ("2^m^2", "(^ 2 (^ m 2))"),
        ("-n^2", "(neg (^ n 2))"),
        ("-2n", "(jux (neg 2) n)"),
        ("-a·b", "(* (neg a) b)"),
        ("--n", "(neg (neg n))"),
        ("2^-1", "(^ 2 (neg 1))"),
        ("2^-n^2", "(^ 2 (neg (^ n 2)))"),
        ("2^-n m", "(jux (^ 2 (neg n)) m)"),
        ("n -1", "(- n 1)"),
        ("2·-3", "(* 2 (neg 3))"),
        ("a·b c", "(* a (jux b c))"),
        ("n m^2", "(jux n (^ m 2))"),
        (
            "a < b ∧ c < d ∨ e < f",
            "(or (and (< a b) (< c d)) (< e f))",
        ),
        ("¬ a = b ∧ c = d", "(and (not (= a b)) (= c d))"),
        ("¬¬ a = b", "(not (not (= a b)))"),
        (
            "a = b ⇒ c = d ⇒ e = f",
            "(implies (= a b) (implies (= c d) (= e f)))",
        ),
        (
            "a = b ∨ c = d ⇒ e = f",
            "(implies (or (= a b) (= c d)) (= e f))",
        ),
        ("(a + b)·c", "(* (paren (+ a b)) c)"),
        ("[m < n]^2 + 1", "(+ (^ (iverson (< m n)) 2) 1)"),
    ]);
}

#[test]
fn juxtaposition() {
    parses_to(&[
        ("3k", "(jux 3 k)"),
        ("2(n+1)", "(jux 2 (paren (+ n 1)))"),
        ("i b", "(jux i b)"),
        ("ib", "ib"),
        ("2_s", "(jux 2 _s)"),
        ("2_a[j] + 1", "(+ (jux 2 _a[j]) 1)"),
        ("2^3n", "(jux (^ 2 3) n)"),
        ("n^2 m", "(jux (^ n 2) m)"),
        ("a(b)(c)", "(jux (jux a (paren b)) (paren c))"),
        ("(i)b + j", "(+ (jux (paren i) b) j)"),
        ("2⌈n/b⌉ b", "(jux (jux 2 (ceil (/ n b))) b)"),
        (
            "2min(a, b)_y[j] div 2",
            "(div (jux (jux 2 (Min a b)) _y[j]) 2)",
        ),
        ("2 log2 n m", "(jux (jux 2 (log_2 n)) m)"),
        ("2(n - 2) - 1", "(- (jux 2 (paren (- n 2))) 1)"),
        ("1.5x", "(jux 1.5 x)"),
        ("A [ n ]", "A[n]"),
        ("a[x, y]^2", "(^ a[x y] 2)"),
    ]);
    is_rejected(
        &[
            "n 2",
            "2 3",
            "2[n = 1]",
            "(n)[n = 1]",
            "[n = 1]n",
            "[n = 1](n)",
            "[n = 1][n = 1]",
            "⌈n⌉2",
        ],
        UNEXPECTED,
    );
    is_rejected(
        &[
            "n/2b",
            "n/2(b+1)",
            "n/b(b+1)",
            "n/-2b",
            "n/2^k b",
            "n/2⌈b⌉",
            "m/n log2 n",
            "1 + n/2b < 3",
        ],
        "atgpu::syntax::ambiguous-product",
    );
    parses_to(&[
        ("n div 2b", "(div n (jux 2 b))"),
        ("2b/n", "(/ (jux 2 b) n)"),
        ("n/2·b", "(* (/ n 2) b)"),
        ("n/ij", "(/ n ij)"),
    ]);
}

#[test]
fn numbers() {
    parses_to(&[
        ("1_000", "1000"),
        ("2_0", "20"),
        ("2_0x", "(jux 20 x)"),
        ("2__0", "(jux 2 __0)"),
        ("0.5", "0.5"),
        ("1e-9", "1e-9"),
        ("1e−9", "1e-9"),
        ("2e-1", "0.2"),
        ("1e6", "1000000.0"),
        ("2.5e3", "2500.0"),
        ("2e", "(jux 2 e)"),
        ("2 e-1", "(- (jux 2 e) 1)"),
        ("2ex", "(jux 2 ex)"),
        ("α3", "α3"),
        ("∀ x ∈ 0..n : x = 0", "(ForAll x 0..n : (= x 0))"),
        ("∀ x ∈ 0...5 : x = 0", "(ForAll x 0..5 : (= x 0))"),
        ("∀ x ∈ 0.5..1.5 : x = 0", "(ForAll x 0.5..1.5 : (= x 0))"),
        (
            "∀ x ∈ -1..2e3 : x = 0",
            "(ForAll x (neg 1)..2000.0 : (= x 0))",
        ),
    ]);
    is_rejected(&["1.", ".5", "1.2.3", "1e999"], UNEXPECTED);
}

#[test]
fn comparisons() {
    parses_to(&[
        ("0 ≤ x < n", "(<=,< 0 x n)"),
        ("0<=x<n", "(<=,< 0 x n)"),
        ("x <- 3", "(< x (neg 3))"),
        ("x<-y", "(< x (neg y))"),
        ("x == y", "(= x y)"),
        ("x != y ≠ z", "(!=,!= x y z)"),
        ("x ≈ y + 1", "(about x (+ y 1))"),
        ("0 < x~=y ≤ z", "(<,about,<= 0 x y z)"),
        ("not a ≈ b and c", "(and (not (about a b)) c)"),
        ("b | n", "(| b n)"),
        ("b ∣ n ∣ m", "(|,| b n m)"),
        ("2 divides 4 = 4", "(|,= 2 4 4)"),
        ("n is a power of 2", "(powerof n 2)"),
        ("1 < n is  a\tpower of m + 1", "(<,powerof 1 n (+ m 1))"),
        ("(a < b) = (c < d)", "(= (paren (< a b)) (paren (< c d)))"),
    ]);
    is_rejected(
        &[
            "x <== y",
            "n is power of 2",
            "a => b",
            "a =",
            "< a",
            "a < > b",
        ],
        UNEXPECTED,
    );
}

#[test]
fn logarithms() {
    parses_to(&[
        ("log2 n^2", "(^ (log_2 n) 2)"),
        ("log_b n", "(log_b n)"),
        ("log_{2·4} 512", "(log_{(* 2 4)} 512)"),
        ("log_4 8", "(log_4 8)"),
        ("log_mp'(n)", "(log_mp' (paren n))"),
        ("log2 log2 n", "(log_2 (log_2 n))"),
        ("log2 _x[j]", "(log_2 _x[j])"),
        ("log2⌈n⌉", "(log_2 (ceil n))"),
        ("-log2 n", "(neg (log_2 n))"),
        ("n/log2 n", "(/ n (log_2 n))"),
        ("log_α n", "(log_α n)"),
        ("log_alpha n", "(log_α n)"),
    ]);
    is_rejected(
        &["log n", "log2", "log2 -n", "log_ n", "log_4x 3", "log_{} n"],
        UNEXPECTED,
    );
    let found = claim("14 + 2·log n - 2 log n").map(|expr| shape(&expr));
    assert_eq!(
        found.as_deref(),
        Ok("(- (+ 14 (* 2 (log n))) (jux 2 (log n)))")
    );
}

#[test]
fn quantifiers() {
    parses_to(&[
        (
            "∀ x ∈ 0..n-1 : x < n ∧ x ≥ 0",
            "(ForAll x 0..(- n 1) : (and (< x n) (>= x 0)))",
        ),
        (
            "(∃ x ∈ 1..0 : x = x) ⇒ 1 = 2",
            "(implies (paren (Exists x 1..0 : (= x x))) (= 1 2))",
        ),
        (
            "∃ x ∈ 1..0 : x = x ⇒ 1 = 2",
            "(Exists x 1..0 : (implies (= x x) (= 1 2)))",
        ),
        (
            "∀ x ∈ 0..n, y ∈ x..n : x ≤ y",
            "(ForAll x 0..n, y x..n : (<= x y))",
        ),
        (
            "S = Σ x ∈ 0..3 : x + 1 = 4",
            "(=,= S (Sum x 0..3 : (+ x 1)) 4)",
        ),
        (
            "D = Σ y ∈ 0..x-1 : Σ z ∈ y..x : z ∧ E = 1",
            "(and (= D (Sum y 0..(- x 1) : (Sum z y..x : z))) (= E 1))",
        ),
        (
            "1 + Σ x ∈ 0..3 : 2·x + 1",
            "(+ 1 (Sum x 0..3 : (+ (* 2 x) 1)))",
        ),
        ("a > max y ∈ 0..n : A[y]", "(> a (Max y 0..n : A[y]))"),
        (
            "x < n ⇒ a ≥ min y ∈ 0..n : A[y]",
            "(implies (< x n) (>= a (Min y 0..n : A[y])))",
        ),
        ("min(n, m, 3) = 3", "(= (Min n m 3) 3)"),
        ("min (n, m) = 3", "(= (Min n m) 3)"),
        (
            "forall x in 0..3 : exists y in 0..3 : sum z in 0..y : z = x",
            "(ForAll x 0..3 : (Exists y 0..3 : (= (Sum z 0..y : z) x)))",
        ),
        ("∑x∈0..3:x=6", "(= (Sum x 0..3 : x) 6)"),
        (
            "m > n ⇒ ∀ x ∈ 0..1 : x = 0 ⇒ x = 1",
            "(implies (> m n) (ForAll x 0..1 : (implies (= x 0) (= x 1))))",
        ),
    ]);
    is_rejected(
        &[
            "∀ x : x = 0",
            "∀ x ∈ 0..3",
            "Σ x ∈ 0 : x",
            "2 Σ x ∈ 0..3 : x",
            "∀ 2 ∈ 0..3 : 1 = 1",
        ],
        UNEXPECTED,
    );
}

#[test]
fn functions() {
    parses_to(&[
        ("select(2 | b, b/2, 0)", "(Select (| 2 b) (/ b 2) 0)"),
        (
            "bitor(bitand(12, 10), shl(1, 70)/2^70 - 1)",
            "(BitOr (BitAnd 12 10) (- (/ (Shl 1 70) (^ 2 70)) 1))",
        ),
        (
            "sqrt(exp(ln(sin(cos(abs(x))))))",
            "(Sqrt (Exp (Ln (Sin (Cos (Abs x))))))",
        ),
        ("ceil(n/b) + floor ( n )", "(+ (ceil (/ n b)) (floor n))"),
        ("gcd(n + 1)", "(jux gcd (paren (+ n 1)))"),
        (
            "ceiling + minimum + absx + into",
            "(+ (+ (+ ceiling minimum) absx) into)",
        ),
    ]);
    is_rejected(
        &[
            "gcd(n, 2)",
            "f(n, 2)",
            "min",
            "ceil(a, b)",
            "abs()",
            "(a, b)",
            "2(a, b)",
        ],
        UNEXPECTED,
    );
    for (text, expected) in [
        ("2gcd(3, b)^2", "(jux 2 (^ (Gcd 3 b) 2))"),
        (
            "digit_sum(n, 2) + floor_sum(3, 1, 0, 3)",
            "(+ (DigitSum n 2) (FloorSum 3 1 0 3))",
        ),
        ("Σ x ∈ 1..k : 2", "(Sum x 1..k : 2)"),
        ("2alpha + n beta + k'ℓ", "(+ (+ (jux 2 α) (jux n β)) k'ℓ)"),
        ("k′ + ell", "(+ k' ℓ)"),
    ] {
        let found = claim(text).map(|expr| shape(&expr));
        assert_eq!(found.as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn names_and_blanks() {
    parses_to(&[
        (
            "of + power + most + all + parallel",
            "(+ (+ (+ (+ of power) most) all) parallel)",
        ),
        (
            "time + int + float + sorted + permutation + list",
            "(+ (+ (+ (+ (+ time int) float) sorted) permutation) list)",
        ),
        ("a\u{a0}+\u{2009}b\u{202f}−\tc", "(- (+ a b) c)"),
        ("a∗b×c⋅d", "(* (* (* a b) c) d)"),
        ("ε + Ω + ä_1'", "(+ (+ ε Ω) ä_1')"),
        ("iff + thenn + modx", "(+ (+ iff thenn) modx)"),
    ]);
    is_rejected(
        &[
            "a·", "·a", "x·y·", "a & b", "a;b", "a'b c 'd", "n²", "Θ", "2Σ",
        ],
        UNEXPECTED,
    );
    let clause = condition("n mod 2 = 0 and not(n = 1)or n=2").map(|expr| shape(&expr));
    assert_eq!(
        clause.as_deref(),
        Ok("(or (and (= (mod n 2) 0) (not (paren (= n 1)))) (= n 2))")
    );
}

#[test]
fn spans_are_exact() {
    let text = "algorithm T(n)\nrequire 1 < -(n  + 2k) ∧ a[ x ] = b // c\n";
    let source = Source::new("test", text);
    let parsed = parse(&source).algorithm.expect("parses");
    let HeaderItem::Require(require) = &parsed.header[0] else {
        panic!("no require")
    };
    assert_eq!(
        source.slice(require.span),
        "require 1 < -(n  + 2k) ∧ a[ x ] = b"
    );
    let ExprKind::Binary { left, right, .. } = &require.condition.kind else {
        panic!("no conjunction")
    };
    assert_eq!(source.slice(left.span), "1 < -(n  + 2k)");
    assert_eq!(source.slice(right.span), "a[ x ] = b");
    let ExprKind::Compare { operands, .. } = &left.kind else {
        panic!("no comparison")
    };
    assert_eq!(source.slice(operands[1].span), "-(n  + 2k)");
}

fn name() -> impl Strategy<Value = Name> {
    let text = prop_oneof![
        Just("n"),
        Just("ib"),
        Just("e"),
        Just("e1"),
        Just("_s"),
        Just("_0"),
        Just("α"),
        Just("k'"),
        Just("power"),
        Just("A"),
        Just("gcd"),
        Just("nβ"),
        Just("ε"),
        Just("β3"),
    ];
    text.prop_map(|text| Name {
        text: text.to_owned(),
        span: Span::default(),
    })
}

fn expr(kind: ExprKind) -> Expr {
    Expr {
        kind,
        span: Span::default(),
    }
}

/// Any tree at all, also those that need parentheses.
fn any_expr() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        (0u64..2000).prop_map(|value| expr(ExprKind::Integer(BigInt::from(value)))),
        (0u32..1000).prop_map(|value| expr(ExprKind::Float(f64::from(value) / 8.0))),
        Just(expr(ExprKind::Float(1e-9))),
        Just(expr(ExprKind::Float(2.5e300))),
        name().prop_map(|name| expr(ExprKind::Name(name))),
    ];
    leaf.prop_recursive(5, 40, 3, |inner| {
        let boxed = inner.clone().prop_map(Box::new);
        let some = prop::collection::vec(inner.clone(), 1..3);
        let operators = vec![
            BinaryOperator::Add,
            BinaryOperator::Subtract,
            BinaryOperator::Multiply,
            BinaryOperator::Juxtapose,
            BinaryOperator::Divide,
            BinaryOperator::FloorDivide,
            BinaryOperator::Modulo,
            BinaryOperator::Power,
            BinaryOperator::And,
            BinaryOperator::Or,
            BinaryOperator::Implies,
        ];
        let comparisons = vec![
            Comparison::Equal,
            Comparison::NotEqual,
            Comparison::Less,
            Comparison::AtMost,
            Comparison::Greater,
            Comparison::AtLeast,
            Comparison::Divides,
            Comparison::PowerOf,
        ];
        let exact = comparisons.into_iter().map(Relation::Exact);
        let relations: Vec<Relation> = exact.chain([Relation::About]).collect();
        let functions = vec![
            Function::Min,
            Function::Select,
            Function::Math(MathFunction::Sqrt),
            Function::Bits(BitFunction::ShiftLeft),
        ];
        let quantifiers = vec![
            Quantifier::ForAll,
            Quantifier::Exists,
            Quantifier::Sum,
            Quantifier::Min,
            Quantifier::Max,
        ];
        let base = prop_oneof![
            (2u32..9).prop_map(|base| LogBase::Number(BigInt::from(base))),
            name().prop_map(LogBase::Name),
            boxed.clone().prop_map(LogBase::Braced),
        ];
        let binder = (name(), inner.clone(), inner.clone())
            .prop_map(|(name, low, high)| Binder { name, low, high });
        prop_oneof![
            4 => (proptest::sample::select(operators), boxed.clone(), boxed.clone()).prop_map(
                |(operator, left, right)| expr(ExprKind::Binary { operator, left, right })
            ),
            1 => (name(), some.clone())
                .prop_map(|(name, indices)| expr(ExprKind::Word { name, indices })),
            1 => boxed.clone().prop_map(|inner| expr(ExprKind::Paren(inner))),
            1 => boxed.clone().prop_map(|inner| expr(ExprKind::Negate(inner))),
            1 => boxed.clone().prop_map(|inner| expr(ExprKind::Not(inner))),
            1 => boxed.clone().prop_map(|inner| expr(ExprKind::Ceil(inner))),
            1 => boxed.clone().prop_map(|inner| expr(ExprKind::Floor(inner))),
            1 => boxed.clone().prop_map(|inner| expr(ExprKind::Bracket(inner))),
            2 => (inner.clone(), prop::collection::vec((proptest::sample::select(relations), inner.clone()), 1..3))
                .prop_map(|(first, rest)| {
                    let (relations, others): (Vec<_>, Vec<_>) = rest.into_iter().unzip();
                    let mut operands = vec![first];
                    operands.extend(others);
                    expr(ExprKind::Compare { operands, relations })
                }),
            1 => (proptest::sample::select(functions), some)
                .prop_map(|(function, arguments)| expr(ExprKind::Call { function, arguments })),
            1 => (base, boxed.clone())
                .prop_map(|(base, argument)| expr(ExprKind::Log { base, argument })),
            1 => (proptest::sample::select(quantifiers), prop::collection::vec(binder, 1..3), boxed)
                .prop_map(|(quantifier, binders, body)| expr(ExprKind::Quantified { quantifier, binders, body })),
        ]
    })
}

/// The shape without the parentheses, which printing may have to add.
fn bare_shape(expr: &Expr) -> String {
    let mut shape = shape(expr);
    while let Some(start) = shape.find("(paren ") {
        let mut depth = 0;
        let end = shape[start..]
            .char_indices()
            .find(|(_, c)| {
                depth += i32::from(*c == '(') - i32::from(*c == ')');
                depth == 0
            })
            .map(|(at, _)| start + at)
            .expect("parentheses match");
        shape.replace_range(end..=end, "");
        shape.replace_range(start..start + "(paren ".len(), "");
    }
    shape
}

/// A name that ends in a digit is no number: without the blank `β3min` would be one name.
#[test]
fn a_name_and_a_function_keep_their_blank() {
    for text in ["0β3 min(0)", "2n sqrt(n)", "0.5min(n)", "2e300 e1 min(n)"] {
        let tree = condition(text).expect("an expression");
        assert_eq!(print_expr(&tree), text);
    }
}

proptest! {
    #[test]
    fn printing_and_parsing_is_the_identity(tree in any_expr()) {
        let text = print_expr(&tree);
        let again = condition(&text).map_err(|error| TestCaseError::fail(format!("{text}: {error}")))?;
        prop_assert_eq!(bare_shape(&again), bare_shape(&tree), "{}", text);
        // What came from a text needs no more parentheses.
        prop_assert_eq!(print_expr(&again), text);
        let printed = print_expr(&again);
        prop_assert_eq!(condition(&printed).map(|expr| shape(&expr)), Ok(shape(&again)));
    }

    #[test]
    fn formatting_keeps_the_tree(tree in any_expr()) {
        let laid_out = |text: &str, spelling| format(&Source::new("test", text), spelling);
        let shape_of = |text: &str| algorithm(text).map(|mut algorithm| match algorithm.header.pop() {
            Some(HeaderItem::Require(require)) => shape(&require.condition),
            other => format!("{other:?}"),
        });
        let text = format!("algorithm T(n)\nrequire {}\n", print_expr(&tree).replace(' ', " \t"));
        let written = laid_out(&text, Spelling::AsWritten).expect("formats");
        let ascii = laid_out(&text, Spelling::Ascii).expect("formats");
        let unicode = laid_out(&text, Spelling::Unicode).expect("formats");
        prop_assert_eq!(shape_of(&written), shape_of(&text));
        prop_assert_eq!(shape_of(&ascii), shape_of(&unicode));
        prop_assert_eq!(laid_out(&written, Spelling::AsWritten), Ok(written.clone()));
        prop_assert_eq!(laid_out(&ascii, Spelling::Ascii), Ok(ascii.clone()));
        prop_assert_eq!(laid_out(&unicode, Spelling::Unicode), Ok(unicode.clone()));
        prop_assert_eq!(laid_out(&ascii, Spelling::Unicode), Ok(unicode));
    }
}
