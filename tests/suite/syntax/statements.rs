//! Lines and blocks: what parses, and into what (language.md §2 and §5).

use atgpu::syntax::ast::{
    Algorithm, Arrow, ClaimRelation, DeclarationKind, HeaderItem, Property, Source as Side, Stmt,
    Subscript, WordType,
};
use atgpu::syntax::{parse, print_expr};
use atgpu::text::Source;

fn faults(text: &str) -> Vec<String> {
    let source = Source::new("test", text);
    let diagnostics = parse(&source).diagnostics;
    diagnostics
        .iter()
        .map(|diagnostic| {
            let line = diagnostic
                .primary()
                .map(|label| source.position(label.span.start).line);
            format!("{} {}", line.unwrap_or(0), diagnostic.code.short_name())
        })
        .collect()
}

#[track_caller]
fn algorithm(text: &str) -> Algorithm {
    let parsed = parse(&Source::new("test", text));
    assert!(
        parsed.diagnostics.is_empty(),
        "{text}\n{:?}",
        parsed.diagnostics
    );
    parsed.algorithm.expect("an algorithm")
}

#[track_caller]
fn header(line: &str) -> Vec<HeaderItem> {
    algorithm(&format!("algorithm T(n)\n{line}\n")).header
}

#[track_caller]
fn host(lines: &str) -> Vec<Stmt> {
    algorithm(&format!("algorithm T(n)\n{lines}\n")).body
}

#[track_caller]
fn in_core_loop(lines: &str) -> Vec<Stmt> {
    let text = format!(
        "for all mp_i ∈ MP[0..1] in parallel do\nfor all c_{{i,j}} ∈ C_i in parallel do\n{lines}\nend for\nend for"
    );
    match host(&text).pop() {
        Some(Stmt::Wrapper(wrapper)) => match wrapper.body.into_iter().next() {
            Some(Stmt::CoreLoop(core_loop)) => core_loop.body,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_first_line() {
    for text in [
        "algorithm T",
        "algorithm T()",
        "\u{feff}algorithm T ( )",
        "\r\n▷ c\r\n1: algorithm T // c\r\nend algorithm\r\n// c",
        "12:\nalgorithm T\n13:\n\nend algorithm",
    ] {
        let algorithm = algorithm(text);
        assert_eq!(algorithm.name.text, "T");
        assert!(algorithm.formals.is_empty());
    }
    let formals = algorithm("algorithm T(n, k', of)").formals;
    assert_eq!(
        formals.iter().map(|f| f.text.as_str()).collect::<Vec<_>>(),
        ["n", "k'", "of"]
    );
}

#[test]
fn declarations() {
    let items = header("input float A[n], B[n, 2m] : int in -1..n-1 as sorted, S");
    let declarations: Vec<_> = items
        .iter()
        .map(|item| match item {
            HeaderItem::Declaration(declaration) => declaration,
            other => panic!("{other:?}"),
        })
        .collect();
    let [a, b, s] = declarations.as_slice() else {
        panic!("{} declarations", declarations.len())
    };
    assert_eq!(a.kind, DeclarationKind::Input);
    assert_eq!(
        (a.word_type, b.word_type, s.word_type),
        (WordType::Float, WordType::Int, WordType::Float)
    );
    assert_eq!(
        (a.dimensions.len(), b.dimensions.len(), s.dimensions.len()),
        (1, 2, 0)
    );
    let (low, high) = b.range.as_ref().expect("a range");
    assert_eq!(
        (print_expr(low), print_expr(high)),
        ("-1".to_owned(), "n - 1".to_owned())
    );
    assert_eq!(
        b.property.map(|(property, _)| property),
        Some(Property::Sorted)
    );
    // Neither `float` nor `int` is reserved: alone they are variables.
    for (line, name, word_type) in [
        ("global float", "float", WordType::Int),
        ("global int[n], x", "int", WordType::Int),
        ("global float float", "float", WordType::Float),
        ("global list in 0.5..1.5", "list", WordType::Int),
        ("shared _x[b] : float", "_x", WordType::Float),
    ] {
        match header(line).first() {
            Some(HeaderItem::Declaration(declaration)) => {
                assert_eq!(
                    (declaration.name.text.as_str(), declaration.word_type),
                    (name, word_type)
                );
            }
            other => panic!("{line}: {other:?}"),
        }
    }
}

#[test]
fn claims() {
    for (line, relation, quantity, value) in [
        ("claim time = 16", ClaimRelation::Equal, "time", "16"),
        ("claim shared <= 3b", ClaimRelation::AtMost, "shared", "3b"),
        ("claim global ≤ n", ClaimRelation::AtMost, "global", "n"),
        ("claim io ≥ n/b", ClaimRelation::AtLeast, "io", "n/b"),
        ("claim io >= 2", ClaimRelation::AtLeast, "io", "2"),
        ("claim io ∈ Ω(n)", ClaimRelation::Omega, "io", "n"),
        ("claim io in Omega (n)", ClaimRelation::Omega, "io", "n"),
        ("claim io ∈ O(n/b)", ClaimRelation::BigO, "io", "n/b"),
        ("claim io in O ( n )", ClaimRelation::BigO, "io", "n"),
        (
            "claim time ∈ Θ(log n)",
            ClaimRelation::Theta,
            "time",
            "log n",
        ),
        ("claim time in Theta(n)", ClaimRelation::Theta, "time", "n"),
        ("claim speed = 1", ClaimRelation::Equal, "speed", "1"),
    ] {
        match header(line).pop() {
            Some(HeaderItem::Claim(claim)) => {
                assert_eq!(claim.relation, relation, "{line}");
                assert_eq!(claim.quantity.text, quantity, "{line}");
                assert_eq!(print_expr(&claim.value), value, "{line}");
            }
            other => panic!("{line}: {other:?}"),
        }
    }
}

#[test]
fn wrapper_loops() {
    for (line, indices, ranges) in [
        ("mp_i ∈ MP[mp_0, …, mp_{k-1}]", "i", "0..k - 1"),
        ("mp_i∈MP[mp_lo,...,mp_hi]", "i", "lo..hi"),
        ("mp_i in MP[0..⌈n/b⌉-1]", "i", "0..⌈n/b⌉ - 1"),
        ("mp_p ∈ MP[mp_7, .., mp_7]", "p", "7..7"),
        ("mp_row ∈ MP[-3..mp_x]", "row", "-3..mp_x"),
        (
            "mp_{y,x} ∈ MP[mp_{0,0}, …, mp_{r-1,c-1}]",
            "y x",
            "0..r - 1 0..c - 1",
        ),
        (
            "mp_{ y , x , z } ∈ MP[0..1, 2..3, 4…5]",
            "y x z",
            "0..1 2..3 4..5",
        ),
    ] {
        let names: Vec<&str> = indices.split(' ').collect();
        let inner = names.join(",");
        let text = format!(
            "for all {line}in parallel do\nlet w = 1\nfor all c_{{{inner},j}} ∈ C_{{{inner}}} in parallel do\nend for\nend for"
        );
        match host(&text).pop() {
            Some(Stmt::Wrapper(wrapper)) => {
                let found: Vec<&str> = wrapper
                    .indices
                    .iter()
                    .map(|name| name.text.as_str())
                    .collect();
                assert_eq!(found, names, "{line}");
                let found: Vec<String> = wrapper
                    .ranges
                    .iter()
                    .map(|(low, high)| format!("{}..{}", print_expr(low), print_expr(high)))
                    .collect();
                assert_eq!(found.join(" "), ranges, "{line}");
                assert_eq!(wrapper.body.len(), 2);
            }
            other => panic!("{line}: {other:?}"),
        }
    }
}

#[test]
fn core_sets_are_whatever_is_written() {
    for (set, names) in [
        ("C_i", "i"),
        ("C_p", "p"),
        ("C_{i}", "i"),
        ("C_{y,x}", "y x"),
    ] {
        let text = format!(
            "for all mp_i ∈ MP[0..1] in parallel do\nfor all c_{{i,ε}} ∈ {set} in parallel do\nend for\nend for"
        );
        match host(&text).pop() {
            Some(Stmt::Wrapper(wrapper)) => match &wrapper.body[0] {
                Stmt::CoreLoop(core_loop) => {
                    let found: Vec<&str> = core_loop
                        .set
                        .iter()
                        .map(|name| name.text.as_str())
                        .collect();
                    assert_eq!(found.join(" "), names);
                }
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn arrows() {
    for (line, arrow) in [
        ("a ⇚ A", Arrow::Transfer),
        ("a<==A", Arrow::Transfer),
        ("a ⇐ A", Arrow::Global),
        ("a<=A", Arrow::Global),
        ("a[0..n-1, 2] ⇐ A[0..n-1]", Arrow::Global),
        ("_x[j] ← 1", Arrow::Shared),
        ("_x <- -1", Arrow::Shared),
    ] {
        match host(line).pop() {
            Some(Stmt::Move(found)) => {
                assert_eq!(found.arrow, arrow, "{line}");
                assert_eq!(
                    matches!(found.source, Side::Expr(_)),
                    arrow == Arrow::Shared,
                    "{line}"
                );
            }
            other => panic!("{line}: {other:?}"),
        }
    }
    match host("a[n..n-1, 0] ⇚ A").pop() {
        Some(Stmt::Move(found)) => {
            assert!(matches!(
                found.target.subscripts.as_slice(),
                [Subscript::Range(..), Subscript::At(_)]
            ));
        }
        other => panic!("{other:?}"),
    }
    // The arrows are operators inside brackets and behind the first.
    match in_core_loop("_x[[j <- 1]] <- [j <= _x[j]]").pop() {
        Some(Stmt::Move(found)) => match found.source {
            Side::Expr(source) => assert_eq!(print_expr(&source), "[j ≤ _x[j]]"),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
    // Only the scopes of the operands are wrong here, which is for `check` to say.
    for line in [
        "x ⇚ y",
        "A ⇐ _x",
        "a[j] ⇐ a[j + 1]",
        "_y[j] ⇐ _x[j] + _x[j]",
        "_x[j] ← a[j]",
        "a[0..1] ⇐ A[0..1]",
    ] {
        assert_eq!(in_core_loop(line).len(), 1, "{line}");
    }
}

#[test]
fn statements_of_kernels() {
    let body = in_core_loop(
        "if(j)b < n then\nlet y = j\nend if\nfor s = j → b - 1 do\nend for\nfor all = b downto -1 do\nend   for // c\n12: while _x[j] ≠ 0 do\nend while\nwhile _x[j] ≠ 0 at most n - 1 do\n13:\nend while\natomic _x[_a[j]] ← min(_x[_a[j]], 2)\natomic _h <- _h + 1\nfor s = n downto 1 until _x[j] = s do\nend for",
    );
    assert_eq!(body.len(), 8);
    let Stmt::For(down) = &body[2] else {
        panic!("no for")
    };
    assert!(down.down && down.variable.text == "all");
    assert_eq!(down.until, None);
    let Stmt::For(until) = &body[7] else {
        panic!("no for")
    };
    let until = until
        .until
        .as_ref()
        .map(|until| print_expr(&until.condition));
    assert_eq!(until.as_deref(), Some("_x[j] = s"));
    let (Stmt::While(unbounded), Stmt::While(bounded)) = (&body[3], &body[4]) else {
        panic!("no while")
    };
    assert!(unbounded.at_most.is_none() && bounded.at_most.is_some());
}

#[test]
fn statements_of_the_host() {
    let text = "algorithm T(n)\nlet k = n\nkernel K(global x, w, of)\nlet y = w\nend kernel\nkernel L()\nend kernel\nlet m = k\nexecute K(a, 2n + 1, b[0])\nexecute L ( )\nswap a ↔ c\nswap a<->c\nfor r = 1->3 do\nlet s = r\nend for\nwhile F = 1 at most n do\nend while\nend algorithm";
    let algorithm = algorithm(text);
    assert_eq!(algorithm.header.len(), 1);
    assert_eq!(algorithm.kernels.len(), 2);
    let arrays: Vec<bool> = algorithm.kernels[0]
        .formals
        .iter()
        .map(|formal| formal.is_array)
        .collect();
    assert_eq!(arrays, [true, false, false]);
    assert_eq!(algorithm.body.len(), 7);
}

#[test]
fn one_mistake_is_one_diagnostic() {
    let wrapped = |lines: &str| {
        format!(
            "algorithm T(n)\nfor all mp_i ∈ MP[0..1] in parallel do\nfor all c_{{i,j}} ∈ C_i in parallel do\n{lines}\nend for\nend for"
        )
    };
    for (lines, expected) in [
        ("if j < then\n_x[j] ← 1\nend if", "4 syntax::unexpected"),
        (
            "if j < 2 then\n_x[j] ← 1\nelse\n_x[j] ← 2\nend if",
            "6 syntax::else-branch",
        ),
        (
            "if j < 2 then\nif j < 1 then\nend if",
            "7 syntax::unexpected",
        ),
        ("for s = 0 do\nend for", "4 syntax::unexpected"),
        ("while j do do\nend while", "4 syntax::unexpected"),
        ("if j < 2 then\nend", "5 syntax::unexpected"),
        ("if j < 2 then\nendif", "5 syntax::unexpected"),
        ("_x[j] ← n/2b", "4 syntax::ambiguous-product"),
        ("let x = 1 = = 2", "4 syntax::unexpected"),
        ("kernel K(w)\nend kernel", "4 syntax::unexpected"),
        ("if j > 1 ⇒ j > 2 then\nend if", "4 syntax::unexpected"),
    ] {
        assert_eq!(faults(&wrapped(lines)), [expected], "{lines}");
    }
    for (text, expected) in [
        ("algorithm T(n\nlet k = 1", "1 syntax::unexpected"),
        ("algorithm\nlet k = 1", "1 syntax::unexpected"),
        (
            "algorithm T(n)\nfor all mp_i ∈ MP[0.1] in parallel do\nfor all c_{i,j} ∈ C_i in parallel do\nend for\nend for",
            "2 syntax::unexpected",
        ),
        (
            "algorithm T(n)\nfor all mp_i ∈ MP[0..1] in parallel do\nfor all c_{i,j} ∈ C_i parallel do\nend for\nend for",
            "3 syntax::unexpected",
        ),
        (
            "algorithm T(n)\nkernel K(global)\nlet x = 1\nend kernel",
            "2 syntax::unexpected",
        ),
        (
            "algorithm T(n)\nwhile F = 1 do\nend while",
            "2 syntax::unexpected",
        ),
    ] {
        assert_eq!(faults(text), [expected], "{text}");
    }
}

#[test]
fn what_is_left_makes_an_algorithm() {
    let parsed = parse(&Source::new(
        "test",
        "algorithm T(n)\ninput A[n\nlet k = )\nglobal a[n]\na ⇚ A\nfor r = 1 → do\na ⇚ A\nend for\nA ⇚ a\n",
    ));
    assert_eq!(parsed.diagnostics.len(), 3);
    let algorithm = parsed.algorithm.expect("an algorithm");
    assert_eq!((algorithm.header.len(), algorithm.body.len()), (1, 2));
}
