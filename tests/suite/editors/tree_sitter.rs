//! The grammar as tree-sitter reads it: blocks of lines, and in a line words, names, numbers, signs
//! and brackets. It tells what is what for colours, folds and selections, and leaves meaning to the
//! language's own grammar; whatever that one takes, this one takes.

use serde_json::{Map, Value, json};

use super::words::Words;

fn symbol(name: &str) -> Value {
    json!({"type": "SYMBOL", "name": name})
}

fn string(text: &str) -> Value {
    json!({"type": "STRING", "value": text})
}

fn pattern(regex: &str) -> Value {
    json!({"type": "PATTERN", "value": regex})
}

fn seq(members: Vec<Value>) -> Value {
    json!({"type": "SEQ", "members": members})
}

fn choice(members: Vec<Value>) -> Value {
    json!({"type": "CHOICE", "members": members})
}

fn optional(content: Value) -> Value {
    choice(vec![content, json!({"type": "BLANK"})])
}

fn repeat(content: Value) -> Value {
    json!({"type": "REPEAT", "content": content})
}

fn repeat1(content: Value) -> Value {
    json!({"type": "REPEAT1", "content": content})
}

fn field(name: &str, content: Value) -> Value {
    json!({"type": "FIELD", "name": name, "content": content})
}

fn any(words: &[&str]) -> Value {
    choice(words.iter().map(|word| string(word)).collect())
}

/// The grammar, as `grammar.json`.
pub fn grammar(words: &Words) -> Value {
    let mut rules = Map::new();
    let mut rule = |name: &str, content: Value| {
        rules.insert(name.to_owned(), content);
    };
    let newline = || string("\n");
    let lines = || repeat(seq(vec![optional(symbol("_item")), newline()]));
    rule("source_file", seq(vec![lines(), optional(symbol("_item"))]));
    // A label may stand alone on its line.
    rule(
        "_item",
        choice(vec![
            symbol("label"),
            seq(vec![optional(symbol("label")), symbol("_statement")]),
        ]),
    );
    rule(
        "_statement",
        choice(
            [
                "header", "kernel", "loop", "while", "if", "execute", "swap", "atomic", "move",
                "end",
            ]
            .map(symbol)
            .to_vec(),
        ),
    );
    rule(
        "label",
        json!({"type": "TOKEN", "content": {"type": "PREC", "value": 2, "content":
        pattern("[0-9]+[ \\t]*:")}}),
    );
    // `end algorithm`, which is the only end that no block takes.
    rule("end", seq(vec![string("end"), string("algorithm")]));

    let header: Vec<&str> = words.header.iter().map(String::as_str).collect();
    let header: Vec<&str> = header
        .into_iter()
        .filter(|word| !["kernel", "as"].contains(word))
        .collect();
    let in_header = choice(vec![
        symbol("_term"),
        string(","),
        string(":"),
        symbol("dots"),
        any(&["as"]),
        symbol("type"),
    ]);
    rule(
        "header",
        seq(vec![field("keyword", any(&header)), repeat1(in_header)]),
    );
    rule(
        "type",
        any(&words.types.iter().map(String::as_str).collect::<Vec<_>>()),
    );

    let block = |head: Vec<Value>, word: &str| {
        let end = seq(vec![optional(symbol("label")), string("end"), string(word)]);
        seq([head, vec![newline(), lines(), end]].concat())
    };
    rule(
        "kernel",
        block(
            vec![
                string("kernel"),
                field("name", symbol("identifier")),
                symbol("group"),
            ],
            "kernel",
        ),
    );
    let in_loop = choice(vec![
        symbol("_term"),
        string(","),
        symbol("dots"),
        any(&["all", "parallel", "downto", "until"]),
    ]);
    rule(
        "loop",
        block(vec![string("for"), repeat1(in_loop), string("do")], "for"),
    );
    let in_while = choice(vec![symbol("_term"), any(&["at", "most"])]);
    rule(
        "while",
        block(
            vec![string("while"), repeat1(in_while), string("do")],
            "while",
        ),
    );
    rule(
        "if",
        block(
            vec![string("if"), repeat1(symbol("_term")), string("then")],
            "if",
        ),
    );
    rule(
        "execute",
        seq(vec![
            string("execute"),
            field("name", symbol("identifier")),
            symbol("group"),
        ]),
    );
    rule(
        "swap",
        seq(vec![
            string("swap"),
            symbol("identifier"),
            any(&["↔", "<->"]),
            symbol("identifier"),
        ]),
    );
    rule("atomic", seq(vec![string("atomic"), symbol("move")]));
    rule(
        "move",
        seq(vec![
            field("to", symbol("place")),
            field("operator", symbol("arrow")),
            field("from", repeat1(symbol("_term"))),
        ]),
    );
    rule(
        "place",
        seq(vec![symbol("identifier"), optional(symbol("index"))]),
    );
    rule("arrow", any(&["⇚", "<==", "⇐", "<=", "←", "<-"]));

    rule(
        "_term",
        choice(
            [
                "identifier",
                "number",
                "operator",
                "group",
                "index",
                "rounded",
                "braces",
                "function",
            ]
            .map(symbol)
            .to_vec(),
        ),
    );
    let inside = || {
        repeat(choice(vec![
            symbol("_term"),
            string(","),
            string(":"),
            symbol("dots"),
            string("global"),
        ]))
    };
    rule("group", seq(vec![string("("), inside(), string(")")]));
    rule("index", seq(vec![string("["), inside(), string("]")]));
    rule("braces", seq(vec![string("{"), inside(), string("}")]));
    rule(
        "rounded",
        choice(vec![
            seq(vec![string("⌈"), inside(), string("⌉")]),
            seq(vec![string("⌊"), inside(), string("⌋")]),
        ]),
    );
    rule("dots", any(&["…", "...", ".."]));
    rule(
        "function",
        any(&words
            .functions
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()),
    );
    let signs = [
        "+", "-", "−", "*", "·", "⋅", "×", "∗", "/", "^", "==", "=", "≠", "!=", "≈", "~=", "≤",
        "<=", "≥", ">=", "<", ">", "|", "∣", "∧", "∨", "¬", "⇒", "∀", "∃", "Σ", "∑", "∈", "→",
        "->",
    ];
    let operators = words.operators.iter().map(String::as_str);
    let of_loops = ["in", "to"];
    let operators: Vec<&str> = signs.into_iter().chain(operators).chain(of_loops).collect();
    rule("operator", any(&operators));
    rule("identifier", pattern("[\\p{L}_][\\p{L}\\p{Nd}_'′]*"));
    rule(
        "number",
        json!({"type": "TOKEN", "content": pattern("[0-9]+(_[0-9]+)*(\\.[0-9]+(_[0-9]+)*)?(e[-−+]?[0-9]+)?")}),
    );
    rule(
        "comment",
        json!({"type": "TOKEN", "content": {"type": "PREC", "value": 1, "content":
            pattern("(▷|//)[^\\n]*")}}),
    );
    json!({
        "$schema": "https://tree-sitter.github.io/tree-sitter/assets/schemas/grammar.schema.json",
        "name": "atgpu",
        "word": "identifier",
        "rules": rules,
        "extras": [pattern("[\\p{White_Space}--\\n]|\\r|\u{FEFF}|\u{200B}"), symbol("comment")],
        "conflicts": [],
        "precedences": [],
        "externals": [],
        "inline": [],
        "supertypes": [],
        "reserved": {}
    })
}
