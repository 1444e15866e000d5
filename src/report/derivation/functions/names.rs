//! Identifiers for a target: Greek letters spelled out, primes replaced, no reserved word, and no duplicate
//! even where `H` and `h` are the same name.

use std::collections::BTreeSet;

use crate::count::Quantity;
use crate::report::derivation::functions::definition::Known;
use crate::report::derivation::functions::dialect::NameRules;
use crate::sym::{self, Symbol, SymbolKind};

/// Parameters of the machine and cost letters: name, name in ASCII, substitute if the name is taken, known
/// range, and meaning.
const MACHINE: [(&str, &str, &str, Known, &str); 11] = [
    ("p", "p", "cores", Known::Positive, "cores of the machine"),
    (
        "b",
        "b",
        "cores_per_mp",
        Known::Positive,
        "cores of an MP, words of a block",
    ),
    (
        "M",
        "M",
        "shared_words",
        Known::Positive,
        "words of shared memory of an MP",
    ),
    (
        "G",
        "G",
        "global_words",
        Known::Positive,
        "words of global memory",
    ),
    (
        "k'",
        "k_real",
        "real_mps",
        Known::Positive,
        "MPs of the card",
    ),
    (
        "H",
        "H",
        "most_resident",
        Known::Positive,
        "MPs resident on one of them at most",
    ),
    ("α", "alpha", "transfer_ms", Known::Real, "ms a transfer"),
    ("β", "beta", "word_ms", Known::Real, "ms a word transferred"),
    ("γ", "gamma", "cycles_per_ms", Known::Real, "cycles a ms"),
    ("λ", "lambda", "block_cycles", Known::Real, "cycles a block"),
    ("σ", "sigma", "round_ms", Known::Real, "ms a round"),
];

/// Greek letters by their names.
const GREEK: [(char, &str); 24] = [
    ('α', "alpha"),
    ('β', "beta"),
    ('γ', "gamma"),
    ('δ', "delta"),
    ('ε', "epsilon"),
    ('ζ', "zeta"),
    ('η', "eta"),
    ('θ', "theta"),
    ('ι', "iota"),
    ('κ', "kappa"),
    ('λ', "lambda"),
    ('μ', "mu"),
    ('ν', "nu"),
    ('ξ', "xi"),
    ('ο', "omicron"),
    ('π', "pi"),
    ('ρ', "rho"),
    ('σ', "sigma"),
    ('τ', "tau"),
    ('υ', "upsilon"),
    ('φ', "phi"),
    ('χ', "chi"),
    ('ψ', "psi"),
    ('ω', "omega"),
];

/// One parameter of a module's functions.
pub(super) struct Parameter {
    symbol: Symbol,
    /// Its identifier.
    pub(super) name: String,
    pub(super) known: Known,
    /// Its meaning, for the head.
    pub(super) meaning: String,
}

/// The identifiers of one module.
pub(super) struct Names {
    rules: &'static NameRules,
    helpers: Vec<&'static str>,
    /// The parameters, in the order in which functions take them.
    pub(super) parameters: Vec<Parameter>,
}

impl Names {
    /// Chooses identifiers for these symbols: formals first, in their order, then the machine's.
    pub(super) fn new(
        rules: &'static NameRules,
        helpers: Vec<&'static str>,
        formals: &[String],
        symbols: BTreeSet<Symbol>,
    ) -> Names {
        let rank = |symbol: &Symbol| {
            // A cost letter has a suffix if the program uses its name.
            let letter = sym::bare(&symbol.name);
            let of_machine = || MACHINE.iter().position(|row| row.0 == letter);
            let of_program = || formals.iter().position(|name| **name == *symbol.name);
            if symbol.id.kind == SymbolKind::Letter {
                (1, of_machine())
            } else {
                of_program().map_or_else(|| (1, of_machine()), |at| (0, Some(at)))
            }
        };
        let mut symbols: Vec<Symbol> = symbols.into_iter().collect();
        symbols.sort_by_key(&rank);
        let mut names = Names {
            rules,
            helpers,
            parameters: Vec::new(),
        };
        for symbol in symbols {
            let row = match rank(&symbol) {
                (1, Some(at)) => Some(&MACHINE[at]),
                _ => None,
            };
            let parameter = match row {
                Some((_, ascii, spelled, known, meaning)) => {
                    let wanted = if rules.has_greek && !symbol.name.contains('\'') {
                        &*symbol.name
                    } else {
                        ascii
                    };
                    let name = match names.is_free(wanted, &[]) {
                        true => wanted.to_owned(),
                        // A reserved word still reads as the letter with an underscore (`lambda_`). Against
                        // another parameter the spelled-out name is clearer.
                        false if names.is_reserved(wanted) => names.fresh(wanted, &[]),
                        false => names.fresh(spelled, &[]),
                    };
                    (name, *known, (*meaning).to_owned())
                }
                None => {
                    let name = names.fresh(&symbol.name, &[]);
                    (name, Known::Whole, format!("the program's {}", symbol.name))
                }
            };
            let (name, known, meaning) = parameter;
            names.parameters.push(Parameter {
                symbol,
                name,
                known,
                meaning,
            });
        }
        names
    }

    /// The identifier of a parameter.
    pub(super) fn of(&self, symbol: &Symbol) -> String {
        let found = self.parameters.iter().find(|each| each.symbol == *symbol);
        found
            .expect("all symbols of the module were given")
            .name
            .clone()
    }

    /// Returns true if a parameter is a number ≥ 1 of the machine.
    pub(super) fn is_positive(&self, symbol: &Symbol) -> bool {
        let found = self.parameters.iter().find(|each| each.symbol == *symbol);
        found.is_some_and(|each| each.known == Known::Positive)
    }

    /// The parameters among these symbols, in order: identifier and own name.
    pub(super) fn among(&self, symbols: &BTreeSet<Symbol>) -> Vec<(String, String)> {
        let among = self.parameters.iter();
        let among = among.filter(|each| symbols.contains(&each.symbol));
        let pair = |each: &Parameter| (each.name.clone(), each.symbol.name.to_string());
        among.map(pair).collect()
    }

    /// Returns the nearest free identifier that the target allows.
    pub(super) fn fresh(&self, wanted: &str, taken: &[&str]) -> String {
        let plain = identifier(wanted, self.rules);
        let mut name = plain.clone();
        let mut number = 2;
        while !self.is_free(&name, taken) {
            name = match number {
                // The first attempt for a reserved word appends an underscore; every other attempt appends
                // a number.
                2 if self.is_reserved(&plain) => format!("{plain}_"),
                _ => format!("{plain}_{number}"),
            };
            number += 1;
        }
        name
    }

    /// The name of a function.
    pub(super) fn function(&self, program: &str, quantity: &str) -> String {
        let name = if self.rules.prefixes {
            format!("{}_{quantity}", snake(program, self.rules))
        } else {
            quantity.to_owned()
        };
        if self.is_reserved(&name) {
            format!("{name}_")
        } else {
            name
        }
    }

    fn is_free(&self, name: &str, taken: &[&str]) -> bool {
        let given = self.parameters.iter().map(|each| &*each.name);
        let mut all = given.chain(taken.iter().copied());
        let is_formula = self.rules.is_flat && is_formula(name);
        !self.is_reserved(name) && !is_formula && !all.any(|other| self.are_one(name, other))
    }

    fn is_reserved(&self, name: &str) -> bool {
        let reserved = self.rules.reserved.split_ascii_whitespace();
        let mut words = reserved.chain(self.helpers.iter().copied());
        words.any(|word| self.are_one(name, word)) || self.rules.has_cells && is_cell(name)
    }

    fn are_one(&self, name: &str, other: &str) -> bool {
        if self.rules.has_cases {
            name == other
        } else {
            name.eq_ignore_ascii_case(other)
        }
    }
}

/// Returns true for the name of a formula or of its lower bound.
fn is_formula(name: &str) -> bool {
    let quantity = name.strip_suffix("_lower").unwrap_or(name);
    Quantity::ALL.iter().any(|known| known.name() == quantity)
}

/// Converts a name: `k_prime` for k′, `theta` for θ, `u4e2d` for a letter without an ASCII name.
fn identifier(name: &str, rules: &NameRules) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        let greek = GREEK.iter().find(|(known, _)| *known == letter);
        match (letter, greek) {
            ('\'' | '′', _) => out += "_prime",
            (letter, _) if letter.is_ascii_alphanumeric() || letter == '_' => out.push(letter),
            (letter, Some(_)) if rules.has_greek => out.push(letter),
            (_, Some((_, spelt))) => out += spelt,
            (letter, None) => out += &format!("u{:04x}", u32::from(letter)),
        }
    }
    out
}

/// `vector_addition` for `VectorAddition`, `convolution_2d_tiled` for `Convolution2DTiled`.
fn snake(name: &str, rules: &NameRules) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut out = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map_or('_', |before| letters[before]);
        let begins_word = letters.get(at + 1).is_some_and(char::is_ascii_lowercase);
        // A new word starts at a capital after a small letter, or at the last capital of a run
        // (`HTTPServer` gives `http_server`). A digit after a small letter starts one too.
        let starts = match letter {
            letter if letter.is_ascii_uppercase() => {
                before.is_ascii_lowercase() || before != '_' && begins_word
            }
            letter => letter.is_ascii_digit() && before.is_ascii_lowercase(),
        };
        if starts {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    identifier(&out, rules)
}

/// Returns true for `r`, `c`, `n1`, `r1c1`: cells of a sheet, which no name may look like.
fn is_cell(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let letters = lower.chars().take_while(char::is_ascii_alphabetic).count();
    let is_a1 = (1..=3).contains(&letters)
        && letters < lower.len()
        && lower[letters..].chars().all(|c| c.is_ascii_digit());
    let is_r1c1 = lower.starts_with(['r', 'c'])
        && lower
            .chars()
            .all(|c| c.is_ascii_digit() || c == 'r' || c == 'c');
    is_a1 || is_r1c1
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRICT: NameRules = NameRules {
        reserved: "lambda if",
        has_cases: false,
        has_greek: false,
        has_cells: true,
        prefixes: true,
        is_flat: false,
    };

    #[test]
    fn programs_are_told_as_words() {
        let cases = [
            ("VectorAddition", "vector_addition"),
            ("Convolution2DTiled", "convolution_2d_tiled"),
            ("LUFactors", "lu_factors"),
            ("T", "t"),
            ("scan_1", "scan_1"),
            ("Größe", "gru00f6u00dfe"),
        ];
        for (name, words) in cases {
            assert_eq!(snake(name, &STRICT), words);
        }
    }

    #[test]
    fn letters_get_names_that_a_target_allows() {
        let symbol = |kind, number, name: &str| Symbol::of(kind, number, name);
        let formals = ["h", "n1", "if", "k'", "H"].map(str::to_owned);
        let mut symbols: BTreeSet<Symbol> = (0..)
            .zip(&formals)
            .map(|(number, name)| symbol(SymbolKind::Parameter, number, name))
            .collect();
        symbols.insert(symbol(SymbolKind::Parameter, 9, "M"));
        symbols.insert(symbol(SymbolKind::Letter, 3, "λ"));
        symbols.insert(symbol(SymbolKind::Letter, 5, "k'"));
        symbols.insert(symbol(SymbolKind::Letter, 6, "H"));
        let names = Names::new(&STRICT, vec!["floor"], &formals, symbols);
        let given: Vec<&str> = names.parameters.iter().map(|each| &*each.name).collect();
        let wanted = [
            "h",
            "n1_",
            "if_",
            "k_prime",
            "H_2",
            "M",
            "k_real",
            "most_resident",
            "lambda_",
        ];
        assert_eq!(given, wanted);
        assert_eq!(names.fresh("m", &[]), "m_2");
        assert_eq!(names.fresh("v", &["V"]), "v_2");
        assert_eq!(names.fresh("Floor", &[]), "Floor_");
    }
}
