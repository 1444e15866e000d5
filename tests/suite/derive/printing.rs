//! What a derivation prints is read back by the language as the same value: every quantity of the
//! paper's programs, written as a claim of its program, is proved there.

use std::collections::BTreeSet;
use std::path::Path;

use crate::support::engines::choices;
use crate::support::programs::{derived_file, program, programs};
use atgpu::count::Parameters;
use atgpu::derivation::Verdict;
use atgpu::derivation::{Derivation, Derived};
use atgpu::derive::derive;
use atgpu::meaning::evaluate_claim;
use atgpu::number::Rational;
use atgpu::program::Program;
use atgpu::sym::print::{Names, Printer};
use atgpu::sym::{Expr, Symbol};

/// Characters of a claim from which on no proof is asked.
const LONG: usize = 300;
/// Points at which each formula has a value.
const POINTS: usize = 5;

/// The names of quantities with their texts, as far as they are exact.
fn printed(derivation: &Derivation) -> Vec<(&'static str, String)> {
    let printer = Printer::new(&Names {
        definitions: derivation.names.clone(),
    });
    let costs = [
        ("transfer_cost", &derivation.transfer_cost),
        ("cost", &derivation.cost),
        ("gpu_cost", &derivation.gpu_cost),
    ];
    let all = derivation.totals.named().into_iter().chain(costs);
    let text = |quantity: &Derived| {
        let exact = quantity.upper.as_ref().filter(|_| quantity.is_exact());
        exact.map(|value| printer.text(value))
    };
    all.filter_map(|(name, quantity)| Some((name, text(quantity)?)))
        .collect()
}

/// The program with one claim for each text instead of its own.
fn with_claims(text: &str, claims: &[(&str, String)]) -> String {
    let claims = claims
        .iter()
        .map(|(name, value)| format!("  claim {name} = {value}\n"));
    let mut claims = Some(claims.collect::<String>());
    let mut changed = String::new();
    for line in text.lines() {
        if !line.starts_with("  claim ") {
            changed += line;
            changed += "\n";
        } else if let Some(claims) = claims.take() {
            changed += &claims;
        }
    }
    changed
}

/// Every exact formula of every program, as it is printed, is a claim that is read, has a value wherever the
/// program runs, and is proved.
#[test]
fn printed_quantities_are_read_back() {
    let mut wrong: Vec<String> = Vec::new();
    let (mut proved, mut tested) = (0, 0);
    for path in programs("programs") {
        let text = std::fs::read_to_string(&path).expect("it can be read");
        let claims = printed(&derived_file(&path).derivation);
        let again = program(&with_claims(&text, &claims));
        let judged = derive(&again, &Parameters::new());
        assert_eq!(judged.claims.len(), claims.len(), "{}", path.display());
        for claim in &judged.claims {
            match &claim.verdict {
                Verdict::Proved => proved += 1,
                // Longer than a proof may take.
                Verdict::Tested(_) if claim.text.chars().count() > LONG => tested += 1,
                verdict => wrong.push(format!("{}: {} {verdict:?}", path.display(), claim.text)),
            }
        }
        wrong.extend(without_value(&again, &path));
    }
    println!("{proved} proved, {tested} tested");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(
        proved > 900 && tested < 20,
        "{proved} proved, {tested} tested"
    );
}

/// Claims that cannot be evaluated at a point that the program admits.
fn without_value(program: &Program, path: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for choice in choices(program, POINTS, 7) {
        for claim in program.claims() {
            // α to σ have no value here.
            let value = evaluate_claim(program, &claim.value, &choice.point.environment, &|_| {
                Some(Rational::ONE)
            });
            if let Err(fault) = value {
                let text = program.source().slice(claim.span);
                found.push(format!(
                    "{} at {}: {text}: {fault:?}",
                    path.display(),
                    choice.label
                ));
            }
        }
    }
    found
}

#[test]
fn costs_are_written_as_a_person_would() {
    let text = |file: &str, name: &str| {
        let text = std::fs::read_to_string(format!("programs/paper1/{file}.atgpu"))
            .expect("it can be read");
        let derived = derive(&program(&text), &Parameters::new());
        let found = printed(&derived)
            .into_iter()
            .find(|(known, _)| *known == name);
        found.expect("it is exact").1
    };
    assert_eq!(
        text("vector_addition_guarded", "gpu_cost"),
        "3α + 3nβ + (16⌈k/(k'ℓ)⌉ + 3kλ)/γ + σ"
    );
    assert_eq!(text("matrix_multiplication", "io"), "r^2(2n + b)");
    assert_eq!(text("reduction", "io"), "2(n - 1)/(b - 1)");
    assert_eq!(
        text("reduction_any_n", "io"),
        "2R + 2(n - digit_sum(n - 1, b) - 1)/(b - 1)"
    );
}

/// Letters side by side never spell a word that the language reserves.
#[test]
fn products_spell_no_reserved_word() {
    let grammar = std::fs::read_to_string("grammar/atgpu.pest").expect("it can be read");
    let rule = grammar.split("\nreserved = _{").nth(1).expect("the rule");
    let rule = rule.split("\n}").next().expect("it ends");
    let words = rule.split('"').skip(1).step_by(2);
    let words = words.filter(|word| word.chars().all(|letter| letter.is_ascii_lowercase()));
    let mut tried = 0;
    for word in words {
        let letters: BTreeSet<char> = word.chars().collect();
        // A letter that is there twice is squared.
        if letters.len() < word.len() {
            continue;
        }
        let symbols = word.chars().zip(0..);
        let symbols = symbols.map(|(letter, at)| Symbol::new(at, &letter.to_string()));
        let product = symbols.fold(Expr::one(), |product, symbol| {
            product.mul(&Expr::symbol(&symbol))
        });
        assert_ne!(product.to_string(), word);
        assert_ne!(product.scale(&2.into()).to_string(), format!("2{word}"));
        tried += 1;
    }
    assert!(tried > 40, "{tried}");
}
