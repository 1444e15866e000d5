//! What a derivation prints is read back by the language as the same value: every quantity of the
//! paper's programs, written as a claim of its program, is proved there.

use crate::support::programs::program;
use atgpu::count::Parameters;
use atgpu::derivation::Verdict;
use atgpu::derivation::{Derivation, Derived};
use atgpu::derive::derive;
use atgpu::sym::print::{Names, Printer};

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

#[test]
fn printed_quantities_are_read_back() {
    let mut programs = 0;
    for file in std::fs::read_dir("programs/paper1").expect("the programs are there") {
        let path = file.expect("it can be listed").path();
        let text = std::fs::read_to_string(&path).expect("it can be read");
        let derived = derive(&program(&text), &Parameters::new());
        let claims = printed(&derived);
        assert_eq!(claims.len(), 14, "{}", path.display());
        let again = derive(&program(&with_claims(&text, &claims)), &Parameters::new());
        for claim in &again.claims {
            assert_eq!(claim.verdict, Verdict::Proved, "{}", claim.text);
        }
        assert_eq!(again.claims.len(), claims.len());
        programs += 1;
    }
    assert!(programs >= 5);
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
