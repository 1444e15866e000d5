//! The TextMate grammar, which VS Code, shiki and others colour by, and the same words for the
//! book's highlight.js.

use serde_json::{Value, json};

use super::tree_sitter;
use super::words::Words;

/// What numbers look like.
const NUMBER: &str = "\\b[0-9]+(_[0-9]+)*(\\.[0-9]+)?(e[-−+]?[0-9]+)?\\b";
/// The signs between operands.
const SIGNS: &str = "[-+−*·⋅×∗/^=≠≈≤≥<>|∣∧∨¬⇒∀∃Σ∑∈→~!]";
/// The arrows, by the memory that they reach.
const TRANSFER: &str = "⇚|<==";
const ACCESS: &str = "⇐|↔|<->";
const MOVE: &str = "←|<-";
/// An access or a comparison: a line of a program tells, and this grammar cannot.
const ACCESS_OR_COMPARISON: &str = "<=";
/// The beginning of a name, and that of one that a transfer reads.
const NAME: &str = "(?<![\\p{L}\\p{N}_])";
const MOVED: &str = "(?<=⇚ |<== )";
/// An index, or a transfer that writes the name before.
const INDEXED: &str = "(?=\\[|\\s*(⇚|<==))";
/// The rest of a name.
const REST: &str = "[\\p{L}\\p{N}_'′]*";

/// `editors/textmate/atgpu.tmLanguage.json`.
pub fn grammar(words: &Words, quantities: &[&str]) -> Value {
    let one_of = |words: &[String]| format!("\\b({})\\b", words.join("|"));
    let rule = |name: &str, regex: &str| json!({"name": format!("{name}.atgpu"), "match": regex});
    json!({
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "ATGPU",
        "scopeName": "source.atgpu",
        "fileTypes": ["atgpu"],
        "patterns": [
            {"include": "#comment"},
            {"include": "#label"},
            {"include": "#algorithm"},
            {"include": "#claim"},
            {"include": "#statement"},
            {"include": "#expression"}
        ],
        "repository": {
            "comment": rule("comment.line", "(▷|//).*$"),
            "label": rule("constant.other.label", "^\\s*[0-9]+\\s*:"),
            "algorithm": {
                "match": "\\b(algorithm|kernel|execute)\\s+([\\p{L}_][\\p{L}\\p{N}_'′]*)",
                "captures": {
                    "1": {"name": "keyword.control.atgpu"},
                    "2": {"name": "entity.name.function.atgpu"}
                }
            },
            "claim": {
                "match": format!("\\b(claim)\\s+({})\\b", quantities.join("|")),
                "captures": {
                    "1": {"name": "keyword.control.atgpu"},
                    "2": {"name": "support.constant.quantity.atgpu"}
                }
            },
            "statement": {"patterns": [
                {
                    "match": format!("\\b(input|output|host)\\s+(\\p{{Lu}}{REST})"),
                    "captures": {
                        "1": {"name": "keyword.control.atgpu"},
                        "2": {"name": "variable.other.host.atgpu"}
                    }
                },
                rule("storage.type", &one_of(&words.types)),
                rule("storage.modifier", &format!("\\bas\\s+({})\\b", words.properties.join("|"))),
                rule("keyword.control", &one_of(&[&words.header[..], &words.control].concat())),
                rule("keyword.operator.arrow.host", TRANSFER),
                rule("keyword.operator.arrow.global", ACCESS),
                rule("keyword.operator.arrow", ACCESS_OR_COMPARISON),
                rule("keyword.operator.arrow.shared", MOVE)
            ]},
            "expression": {"patterns": [
                rule("keyword.operator.word", &one_of(&words.operators)),
                rule("support.function", &format!("({})(?=\\s*\\()", one_of(&words.functions))),
                rule("support.function.log", "\\blog(2\\b|_)?"),
                rule("constant.numeric", NUMBER),
                rule("variable.other.shared", "(?<![\\p{L}\\p{N}_])_[\\p{L}\\p{N}_'′]+"),
                // A name with an index, or beside a transfer. A size, a `let` or a loop's variable has none, and `MP` and
                // `C_i` stand behind an `∈`.
                rule("variable.other.host", &format!("{NAME}(?<!∈ |\\bin )\\p{{Lu}}{REST}{INDEXED}")),
                rule("variable.other.host", &format!("{MOVED}\\p{{Lu}}{REST}")),
                rule("variable.other.global", &format!("{NAME}\\p{{Ll}}{REST}{INDEXED}")),
                rule("variable.other.global", &format!("{MOVED}\\p{{Ll}}{REST}")),
                rule("variable.other", &format!("{NAME}\\p{{L}}{REST}")),
                rule("keyword.operator", SIGNS)
            ]}
        }
    })
}

/// `docs/theme/atgpu-highlight.js`: the book's highlight.js does not know the language.
pub fn highlight_js(words: &Words) -> String {
    let keywords = [&words.header[..], &words.control, &words.operators].concat();
    let (types, functions) = (
        [&words.types[..], &words.properties].concat(),
        &words.functions,
    );
    let set = |name: &str, words: &[String]| {
        format!(
            "const {name} = new Set({:?}.split(\" \"));\n",
            words.join(" ")
        )
    };
    [
        "// Made by tests/suite/editors from the language's grammar; do not edit.\n{\n",
        &set("KEYWORDS", &keywords),
        &set("TYPES", &types),
        &set("FUNCTIONS", functions),
        include_str!("highlight.js"),
        "}\n",
    ]
    .concat()
}

/// `editors/tree-sitter/queries/highlights.scm`. An arrow has the colour of the names whose memory it reaches.
pub fn highlights(words: &Words) -> String {
    let quoted = |words: &[String]| -> String {
        words.iter().map(|word| format!("  \"{word}\"\n")).collect()
    };
    let keywords = [&words.header[..], &words.control].concat();
    // `in` and `to` are operators of that grammar, words for `∈` and `→`, and it has no `else`.
    let of_grammar = tree_sitter::grammar(words).to_string();
    let is_keyword = |word: &String| {
        let is_known = of_grammar.contains(&format!("\"value\":\"{word}\""));
        is_known && !["in", "to"].contains(&&**word)
    };
    let keywords: Vec<String> = keywords.into_iter().filter(is_keyword).collect();
    format!(
        "; Made by tests/suite/editors from the language's grammar; do not edit.\n\n\
         [\n{}] @keyword\n\n\
         (comment) @comment\n(label) @label\n(number) @number\n(operator) @operator\n\
         (arrow [\"⇚\" \"<==\"]) @variable.parameter\n\
         (arrow [\"⇐\" \"<=\"]) @operator\n\
         (arrow [\"←\" \"<-\"]) @variable.member\n\
         (dots) @punctuation.delimiter\n(function) @function.builtin\n\
         (type) @type.builtin\n\n\
         (identifier) @variable\n\
         ((identifier) @variable.member\n  (#match? @variable.member \"^_\"))\n\
         ((identifier) @variable.parameter\n  (#match? @variable.parameter \"^[A-Z]\"))\n\
         (kernel\n  name: (identifier) @function)\n\
         (execute\n  name: (identifier) @function)\n\n\
         [\n  \"(\"\n  \")\"\n  \"[\"\n  \"]\"\n  \"{{\"\n  \"}}\"\n  \"⌈\"\n  \"⌉\"\n  \"⌊\"\n  \"⌋\"\n] @punctuation.bracket\n",
        quoted(&keywords),
    )
}
