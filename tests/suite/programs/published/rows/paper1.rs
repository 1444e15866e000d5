//! Paper 1: derived formulas and classes, and the shares of figure 6.

use atgpu::cost::Subject;
use atgpu::derivation::Derivation;
use atgpu::derivation::Verdict;
use atgpu::machine::Machine;
use atgpu::number::Rational;
use atgpu::program::Program;
use atgpu::sym::print::Names;

use crate::programs::published::derived;
use crate::programs::published::rows::{Number, Row, Tag, measured, said};
use crate::programs::published::support::{ms_of, point, program};

/// A program's derivation, as it is printed.
struct Shown {
    derivation: Derivation,
    texts: serde_json::Value,
}

impl Shown {
    fn of(file: &str) -> Shown {
        let (_, derivation) = derived(file);
        let names = Names {
            definitions: derivation.names.clone(),
        };
        let texts = atgpu::report::derivation::json(&derivation, &names);
        Shown { derivation, texts }
    }

    /// The formula of a quantity, which is exact.
    fn text(&self, quantity: &str) -> String {
        let found = match &self.texts["totals"][quantity] {
            serde_json::Value::Null => &self.texts[quantity],
            found => found,
        };
        assert_eq!(found["exact"], true, "{quantity}");
        found["text"].as_str().expect("it was derived").to_owned()
    }

    /// A published formula: the derived one, or another way to write it, by a claim of the program.
    #[track_caller]
    fn formula(&self, what: &str, quantity: &str, published: &str, why: &str) -> Row {
        let ours = self.text(quantity);
        if ours != published {
            self.proved(quantity, &format!("= {published}"));
        }
        Row {
            difference: "0".to_owned(),
            ..said(what, Tag::Derive, published, &ours, why)
        }
    }

    /// A published class, claimed in the program and proved.
    #[track_caller]
    fn class(&self, what: &str, quantity: &str, published: &str, why: &str) -> Row {
        self.proved(quantity, &format!("∈ {published}"));
        let ours = self.text(quantity);
        Row {
            difference: "0, in the class: proved".to_owned(),
            ..said(what, Tag::Derive, published, &ours, &format!("{why} "))
        }
        .trimmed()
    }

    #[track_caller]
    fn proved(&self, quantity: &str, relation: &str) {
        let text = format!("{quantity} {relation}");
        let mut claims = self.derivation.claims.iter();
        let claim = claims.find(|claim| claim.text == text);
        let verdict = claim.map(|claim| &claim.verdict);
        assert_eq!(verdict, Some(&Verdict::Proved), "{text}");
    }

    /// The value of a quantity.
    fn value(&self, quantity: &str, given: &[(&str, i64)]) -> f64 {
        let totals = self.derivation.totals.named();
        let named = totals.into_iter().find(|(name, _)| *name == quantity);
        let found = named.map_or(&self.derivation.gpu_cost, |(_, found)| found);
        let expr = found.upper.as_ref().expect("it was derived");
        let letter = |name: &str| {
            let name = if name == "ℓ" { "H" } else { name };
            let mut given = given.iter();
            given
                .find(|(known, _)| *known == name)
                .map(|(_, value)| Rational::from(*value))
        };
        let value = expr.evaluate(&|symbol| letter(&symbol.name));
        value.expect("every letter is given").to_f64()
    }
}

impl Row {
    fn trimmed(self) -> Row {
        Row {
            why: self.why.trim().to_owned(),
            ..self
        }
    }
}

/// A count at a point, where the paper prints its formula.
fn count(what: &str, published: (f64, usize), ours: f64, why: &str) -> Row {
    Number {
        what,
        tag: Tag::Derived,
        unit: "",
        published,
        ours: (ours, published.1),
        why,
    }
    .row()
}

pub fn vector_addition() -> Vec<Row> {
    let shown = Shown::of("vector_addition.atgpu");
    // k = 1000, k'ℓ = 32, λ = 400, γ = 1, all else 0: cycles.
    let cycles = [
        ("n", 32_000),
        ("b", 32),
        ("k'", 2),
        ("H", 16),
        ("M", 1 << 40),
        ("γ", 1),
        ("λ", 400),
        ("α", 0),
        ("β", 0),
        ("σ", 0),
    ];
    let printed = f64::from(32 * (13 + 3 * 400 * 1000));
    vec![
        shown.formula("rounds R", "rounds", "1", ""),
        shown.formula("time t", "time", "13", ""),
        shown.class("the same, its class", "time", "O(1)", ""),
        shown.formula("I/O q in the cost", "io", "3k", ""),
        shown.class("I/O q, its class", "io", "O(k)", ""),
        shown.formula("transactions", "transactions", "3", ""),
        shown.formula("words transferred", "transfer", "3n", ""),
        shown.class("shared memory m", "shared", "O(b)", ""),
        shown.class("global memory g", "global", "O(n)", ""),
        shown.class("transfer cost", "transfer_cost", "O(α + βn)", ""),
        shown.formula("cost", "cost", "3α + 3nβ + (13 + 3kλ)/γ + σ", ""),
        said(
            "GPU-cost",
            Tag::Derive,
            "3α + 3nβ + ⌈k/(k′ℓ)⌉(13 + 3kλ)/γ + σ",
            &shown.text("gpu_cost").replace('\'', "′"),
            "slip: Expression (2) multiplies t only",
        ),
        count(
            "its cycles, k = 1000, k′ℓ = 32, λ = 400",
            (printed, 0),
            shown.value("gpu_cost", &cycles),
            "the same slip: 32·13 + 1,200,000",
        ),
    ]
}

pub fn reduction() -> Vec<Row> {
    let shown = Shown::of("reduction.atgpu");
    let io = |n: i64, b: i64| shown.value("io", &[("n", n), ("b", b)]);
    let written = "an MP also writes one block, for its sum";
    // Ten operations a wave, so that cycles tell waves: b = 2, n = 32, k'ℓ = 32.
    let waves = [
        ("n", 32),
        ("b", 2),
        ("k'", 2),
        ("H", 16),
        ("M", 1 << 40),
        ("γ", 1),
        ("λ", 0),
        ("α", 0),
        ("β", 0),
        ("σ", 0),
    ];
    let of_a_wave = shown.value("time", &[("b", 2), ("n", 32)]);
    vec![
        shown.formula("rounds R", "rounds", "log_b n", "R is defined so"),
        shown.class("the same, its class", "rounds", "O(log n)", ""),
        shown.class("time of a round", "time", "O(log b)", ""),
        shown.class("time of all rounds", "total_time", "O(log b·log n)", ""),
        shown.class(
            "I/O q, all rounds",
            "io",
            "O((n/b)(1 - b^(-R))/(1 - 1/b))",
            "",
        ),
        count("its sum at b = 4, R = 3", (21.0, 0), io(64, 4), written),
        count("its sum at b = 32, R = 2", (33.0, 0), io(1024, 32), written),
        count(
            "blocks read at b = 4, n = 64 with the printed exponent, log n for log_b n",
            (21.33, 2),
            io(64, 4) / 2.0,
            "slip: the loop ends at log_b n",
        ),
        shown.class("shared memory m", "shared", "O(b)", ""),
        shown.class("global memory g", "global", "O(n)", ""),
        shown.class("transfer cost", "transfer_cost", "O(α + βn)", ""),
        shown.class(
            "cost",
            "cost",
            "O(α + βn + (log b·log n + λ(n - 1)/(b - 1))/γ + σ·log n)",
            "(n − 1)/(b − 1) is the printed (n/b)(1 − b^−R)/(1 − 1/b)",
        ),
        count(
            "waves in the GPU-cost at b = 2, n = 32, k′ℓ = 32",
            (2.0, 0),
            shown.value("gpu_cost", &waves) / of_a_wave,
            "slip: a ceiling by a ceiling for a sum of ceilings",
        ),
    ]
}

pub fn matrix_multiplication() -> Vec<Row> {
    let shown = Shown::of("matrix_multiplication.atgpu");
    vec![
        shown.formula("rounds R", "rounds", "1", ""),
        Row {
            published: "O(nb)".to_owned(),
            ..shown.class("time t", "time", "Θ(nb)", "Θ too")
        },
        shown.class("I/O q", "io", "O((n/b)^2·(n + b))", "Θ too"),
        shown.class("shared memory m", "shared", "O(b^2)", ""),
        shown.class("global memory g", "global", "O(n^2)", ""),
        shown.class("transfer cost", "transfer_cost", "O(α + β·n^2)", ""),
        shown.class(
            "cost",
            "cost",
            "O(α + β·n^2 + (nb + λ·(n^2/b)(n + b))/γ + σ)",
            "true, and b times more than its own I/O; Θ holds with (n/b)²",
        ),
    ]
}

/// The share of transfers on the card of the paper, averaged over sizes.
fn share(program: &Program, sizes: &[i64]) -> f64 {
    let machine = Machine::built_in("gtx650").expect("built in");
    let derivation = atgpu::derive::derive(program, &Default::default());
    let each = sizes.iter().map(|n| {
        let point = point(program, &[("n", *n)], &machine).expect("admitted");
        let found = atgpu::derivation::evaluate::evaluate(program, &derivation, &point);
        let counts = found.expect("it is derived").counts.upper();
        let subject = Subject::of(&counts);
        let (all, kernel) = (
            ms_of("atgpu", &subject, &machine),
            ms_of("swgpu", &subject, &machine),
        );
        100.0 * (1.0 - kernel / all)
    });
    each.sum::<f64>() / sizes.len() as f64
}

pub fn others() -> Vec<Row> {
    let vectors: Vec<i64> = (1..=10).map(|millions| millions * 1_000_000).collect();
    let powers: Vec<i64> = (16..=26).map(|power| 1 << power).collect();
    let sides: Vec<i64> = (5..=10).map(|power| 1 << power).collect();
    let shares = [
        share(&program("paper1/vector_addition"), &vectors),
        share(&program("paper1/reduction_any_n"), &powers),
        share(&program("paper1/matrix_multiplication"), &sides),
    ];
    let names = [
        "vector addition, n = 10^6 … 10^7",
        "reduction, n = 2^16 … 2^26",
        "matrix multiplication, side 32 … 1024",
    ];
    let percent = |what: &str, tag: Tag, published: f64, ours: f64, why: &str| {
        Number {
            what,
            tag,
            unit: "%",
            published: (published, 0),
            ours: (ours, 1),
            why,
        }
        .row()
    };
    let fitted = "λ and σ, not printed, were fitted to it";
    let units = "unit operations, those of addresses too, overrate its kernel";
    let mut rows = vec![said(
        "Table I",
        Tag::Data,
        "AGPU 5, SWGPU 4, ATGPU 9 items",
        &{
            let items = |name| atgpu::cost::find(name).expect("listed").items().len();
            let [agpu, swgpu, atgpu] = ["agpu", "swgpu", "atgpu"].map(items);
            format!("AGPU {agpu}, SWGPU {swgpu}, ATGPU {atgpu} items")
        },
        "",
    )];
    let published = [(84.0, fitted), (35.0, fitted)];
    for ((name, (published, why)), ours) in names.iter().zip(published).zip(shares) {
        rows.push(percent(
            &format!("share of transfers, {name}"),
            Tag::Fit,
            published,
            ours,
            why,
        ));
    }
    let reduced = "35% and 58% do not add up to 100% in the paper";
    for ((name, (published, why)), ours) in names
        .iter()
        .zip([(16.0, fitted), (58.0, reduced), (89.0, units)])
        .zip(shares)
    {
        let tag = if why == fitted {
            Tag::Fit
        } else {
            Tag::Observed
        };
        rows.push(percent(
            &format!("seen by SWGPU, {name}"),
            tag,
            published,
            100.0 - ours,
            why,
        ));
    }
    rows.push(measured(
        "predicted share off by, on average",
        "1.5, 5.49, 0.76 points",
        "needs their measurements",
    ));
    rows
}
