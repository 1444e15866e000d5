//! One feature each, on a text with a cursor.

use atgpu::editor::{
    self, Action, Document, Hints, NotRenamed, Place, Range, Settings, TextEdit, position,
};
use atgpu::text::Span;

const PROGRAM: &str = "algorithm T(n)
  require b ∣ n ∧ n ≥ 1
  input A[n]
  output C[n]
  global a[n]
  shared _x[b]
  let k = n/b
  claim io = 2k
  a ⇚ A
  for all mp_i ∈ MP[0..k-1] in parallel do
    for all c_{i,j} ∈ C_i in parallel do
      _x[j] ⇐ a[ib + j]
      _x[j] ← 2·_x[j]
      a[ib + j] ⇐ _x[j]
    end for
  end for
  C ⇚ a
end algorithm
";

/// The document without the mark, and the place of the mark.
fn at(marked: &str) -> (Document, Place) {
    let offset = marked.find('¦').expect("a mark");
    let document = Document::open(&marked.replace('¦', ""), Settings::default());
    let place = position::place(document.source(), offset);
    (document, place)
}

/// The program with a mark behind the first place of a text.
fn marked(before: &str) -> (Document, Place) {
    assert!(PROGRAM.contains(before), "{before}");
    at(&PROGRAM.replacen(before, &format!("{before}¦"), 1))
}

fn made(document: &Document, edits: &[TextEdit]) -> String {
    let source = document.source();
    let mut text = source.text().to_owned();
    let mut edits: Vec<(Span, &str)> = edits
        .iter()
        .map(|edit| (position::span(source, edit.range), edit.text.as_str()))
        .collect();
    edits.sort();
    for (span, new) in edits.into_iter().rev() {
        text.replace_range(span.start..span.end, new);
    }
    text
}

fn labels(document: &Document, place: Place) -> Vec<String> {
    let found = editor::completions(document, place);
    found.into_iter().map(|found| found.label).collect()
}

#[test]
fn hints_follow_their_lines_and_leave_lines_that_changed() {
    let mut document = Document::open(PROGRAM, Settings::default());
    assert!(editor::hints(&document).is_empty());
    document.finish();
    let shown = |document: &Document| -> Vec<(u32, String)> {
        let hints = editor::hints(document).into_iter();
        hints.map(|hint| (hint.place.line, hint.text)).collect()
    };
    let expected = [(11, "q k".to_owned()), (13, "q k".to_owned())];
    assert_eq!(shown(&document), expected);
    // Two lines more above, and a line that is being written.
    document.change(&PROGRAM.replace("  a ⇚ A\n", "  a ⇚ A\n\n  C ⇚\n"));
    assert_eq!(
        shown(&document),
        [13, 15].map(|line| (line, "q k".to_owned()))
    );
    document.change(PROGRAM);
    // A line that changed says nothing until it is derived again.
    document.change(&PROGRAM.replace("a[ib + j] ⇐ _x[j]", "a[ib + j] ⇐ _x["));
    assert_eq!(shown(&document), expected[..1]);
    document.change(PROGRAM);
    document.set(Settings {
        hints: Hints::All,
        ..Settings::default()
    });
    document.finish();
    assert_eq!(shown(&document)[0], (11, "t 3  q k".to_owned()));
    document.set(Settings {
        hints: Hints::Off,
        ..Settings::default()
    });
    assert_eq!(shown(&document), []);
}

#[test]
fn what_was_found_of_an_older_text_is_refused() {
    let mut document = Document::open(PROGRAM, Settings::default());
    let job = document.job().expect("sound");
    let going = |_| std::ops::ControlFlow::Continue(());
    let derived = job.derive(&going).expect("derivable");
    document.change(&PROGRAM.replace("2·_x[j]", "3·_x[j]"));
    assert!(!document.take_derived(derived));
    assert!(editor::lenses(&document).is_empty());
    let stopped = |_| std::ops::ControlFlow::Break(());
    assert!(job.judge(&stopped).is_none());
}

#[test]
fn refuted_claims_are_found_and_can_be_written_right() {
    let mut document = Document::open(&PROGRAM.replace("= 2k", "= 3k"), Settings::default());
    document.finish();
    let found = document.diagnostics();
    let codes: Vec<&str> = found.iter().map(|found| found.code.short_name()).collect();
    assert_eq!(codes, ["claim::refuted"]);
    let line = Place {
        line: 7,
        character: 4,
    };
    let actions = editor::actions(
        &document,
        Range {
            start: line,
            end: line,
        },
    );
    let fix = actions
        .iter()
        .find(|action| action.title == "write `io = 2k`");
    let fix = fix.unwrap_or_else(|| panic!("{actions:#?}"));
    assert_eq!(made(&document, &fix.edits), PROGRAM);
    // Findings go with their lines, and go away with them.
    document.change(
        &PROGRAM
            .replace("= 2k", "= 3k")
            .replace("  a ⇚ A", "\n  a ⇚ A"),
    );
    assert_eq!(document.diagnostics().len(), 1);
    document.change(&PROGRAM.replace("= 2k", "= 4k"));
    assert_eq!(document.diagnostics(), []);
}

#[test]
fn hovering_tells_of_names_lines_claims_and_letters() {
    let hover = |before: &str| {
        let (mut document, place) = marked(before);
        document.finish();
        let found = editor::hover(&document, place);
        found.map_or_else(String::new, |found| found.text)
    };
    assert!(
        hover("shared ").contains("shared _x[b]"),
        "{}",
        hover("shared ")
    );
    assert!(hover("let ").contains("`n/b`"), "{}", hover("let "));
    assert!(
        hover("claim ").contains("**io** = `2k`"),
        "{}",
        hover("claim ")
    );
    assert!(hover("  clai").contains("proved"), "{}", hover("  clai"));
    assert!(
        hover("require ").contains("words of a block"),
        "{}",
        hover("require ")
    );
    assert!(
        hover("      _x[j] ").contains("unit stride"),
        "{}",
        hover("      _x[j] ")
    );
    assert!(
        hover("algorithm ").contains("gpu_cost"),
        "{}",
        hover("algorithm ")
    );
}

#[test]
fn lenses_stand_above_the_algorithm_its_kernels_and_its_claims() {
    let mut document = Document::open(PROGRAM, Settings::default());
    document.finish();
    let lenses = editor::lenses(&document);
    let lines: Vec<u32> = lenses.iter().map(|lens| lens.place.line).collect();
    assert_eq!(lines, [0, 7, 9]);
    assert!(lenses[0].text.starts_with("GPU-cost "), "{lenses:?}");
    assert_eq!(lenses[1].text, "proved");
    assert!(lenses[2].text.contains("m b of M"), "{lenses:?}");
}

/// What stands behind a line, in a claim or among the findings is not said once more.
#[test]
fn nothing_is_said_twice() {
    let lenses = |text: &str, hints: Hints| {
        let settings = Settings {
            hints,
            ..Settings::default()
        };
        let mut document = Document::open(text, settings);
        document.finish();
        let lenses = editor::lenses(&document).into_iter();
        let lenses: Vec<(u32, String)> = lenses.map(|it| (it.place.line, it.text)).collect();
        lenses
    };
    let refuted = PROGRAM.replace("= 2k", "= 3k");
    let lines = |all: &[(u32, String)]| all.iter().map(|(line, _)| *line).collect::<Vec<_>>();
    assert_eq!(lines(&lenses(&refuted, Hints::Blocks)), [0, 9]);
    let cost = "claim gpu_cost = 2α + 2nβ + (9⌈k/(k'ℓ)⌉ + 2kλ)/γ + σ";
    let claimed = PROGRAM.replace("claim io = 2k", cost);
    assert_eq!(lines(&lenses(&claimed, Hints::Blocks)), [7, 9]);
    // One line with all the blocks of its kernel.
    let reads = PROGRAM.replace("      a[ib + j] ⇐ _x[j]\n", "");
    let kernel = |hints| lenses(&reads, hints).pop().expect("a lens of the kernel").1;
    assert!(
        !kernel(Hints::Blocks).contains("q "),
        "{}",
        kernel(Hints::Blocks)
    );
    assert!(kernel(Hints::Off).contains("q "), "{}", kernel(Hints::Off));
}

#[test]
fn completion_offers_what_may_stand_there() {
    let with = |line: &str| at(&PROGRAM.replace("      _x[j] ← 2·_x[j]", &format!("      {line}")));
    let (document, place) = with("_x[j] ← _¦");
    let inside = labels(&document, place);
    assert!(inside.contains(&"_x".to_owned()), "{inside:?}");
    assert!(!inside.contains(&"A".to_owned()), "{inside:?}");
    let (document, place) = with("_x[j] \\Lef¦");
    let signs = editor::completions(&document, place);
    assert_eq!(
        (signs[0].label.as_str(), signs[0].text.as_str()),
        ("\\Leftarrow", "⇐")
    );
    let text = made(
        &document,
        &[TextEdit {
            range: signs[0].range,
            text: signs[0].text.clone(),
        }],
    );
    assert!(text.contains("_x[j] ⇐\n"), "{text}");
    let (document, place) = with("i¦");
    let statements = labels(&document, place);
    assert!(statements.contains(&"if".to_owned()), "{statements:?}");
    assert!(!statements.contains(&"shared".to_owned()), "{statements:?}");
    let (document, place) = at(&PROGRAM.replace("claim io = 2k", "claim ¦"));
    assert!(labels(&document, place).contains(&"gpu_cost".to_owned()));
    let (document, place) = at(&PROGRAM.replace("  let k", "  ¦\n  let k"));
    let header = labels(&document, place);
    assert!(header.contains(&"shared".to_owned()), "{header:?}");
    assert!(!header.contains(&"if".to_owned()), "{header:?}");
    let (document, place) = with("if j = 0 ¦");
    assert!(labels(&document, place).contains(&"then".to_owned()));
}

#[test]
fn the_call_around_the_cursor_is_shown() {
    let text = PROGRAM.replace("2·_x[j]", "select(j < 1, ¦1, 2)");
    let (document, place) = at(&text);
    let found = editor::signature(&document, place).expect("a call");
    assert_eq!((found.form.as_str(), found.active), ("select(c, x, y)", 1));
}

#[test]
fn renaming_reaches_every_use_and_keeps_scopes() {
    let renamed = |before: &str, new: &str| {
        let (document, place) = marked(before);
        editor::rename(&document, place, new).map(|edits| made(&document, &edits))
    };
    let shared = renamed("shared ", "_row").expect("free");
    assert_eq!(shared, PROGRAM.replace("_x", "_row"));
    assert!(matches!(
        renamed("shared ", "row"),
        Err(NotRenamed::Scope { .. })
    ));
    assert!(matches!(
        renamed("shared ", "_x y"),
        Err(NotRenamed::Meaning { .. })
    ));
    assert!(matches!(
        renamed("let ", "n"),
        Err(NotRenamed::Meaning { .. })
    ));
    // A letter of a product.
    let core = renamed("mp_", "g").expect("free");
    assert!(
        core.contains("a[gb + j] ⇐ _x[j]") && core.contains("C_g"),
        "{core}"
    );
    let word = renamed("mp_", "row").expect("free");
    assert!(word.contains("a[(row·b) + j]"), "{word}");
    let faulty = at(&format!("{PROGRAM}more").replace("input A", "input ¦A"));
    assert_eq!(
        editor::rename(&faulty.0, faulty.1, "B"),
        Err(NotRenamed::Faulty)
    );
}

#[test]
fn declarations_and_uses_are_found() {
    let (document, place) = marked("      _x[j] ⇐ ");
    let declared = editor::definition(&document, place).expect("declared");
    assert_eq!((declared.start.line, declared.start.character), (4, 9));
    assert_eq!(editor::references(&document, place, true).len(), 5);
    assert_eq!(editor::references(&document, place, false).len(), 4);
    let written = editor::highlights(&document, place).into_iter();
    assert_eq!(written.filter(|found| found.writes).count(), 2);
    let (document, place) = marked("      _x[j] ⇐ a[");
    let core = editor::definition(&document, place).expect("i of ib");
    assert_eq!(core.start.line, 9);
}

#[test]
fn outlines_folds_and_selections_nest() {
    let (document, place) = marked("      _x[j] ⇐ a[ib");
    let outline = editor::outline(&document);
    let names: Vec<&str> = outline[0]
        .children
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(
        (outline[0].name.as_str(), names),
        ("T", vec!["n", "A", "C", "a", "_x", "k"])
    );
    let folds: Vec<(u32, u32)> = editor::folds(&document)
        .iter()
        .map(|fold| (fold.first, fold.last))
        .collect();
    assert_eq!(folds, [(9, 14), (10, 13)]);
    let grown = editor::selections(&document, place);
    assert!(grown.len() >= 5, "{grown:?}");
    for pair in grown.windows(2) {
        assert!(pair[1].start <= pair[0].start && pair[0].end <= pair[1].end);
    }
}

#[test]
fn layout_touches_only_what_is_untidy() {
    let untidy = PROGRAM
        .replace("  input A[n]", "input   A[n]")
        .replace("2·_x", "2 · _x");
    let document = Document::open(&untidy, Settings::default());
    assert_eq!(made(&document, &editor::format(&document)), PROGRAM);
    let first = Range {
        start: Place {
            line: 2,
            character: 0,
        },
        end: Place {
            line: 3,
            character: 0,
        },
    };
    let edits = editor::format_range(&document, first);
    assert_eq!(edits.len(), 1);
    assert!(made(&document, &edits).contains("2 · _x"));
}

#[test]
fn tokens_tell_memories_apart() {
    let document = Document::open(PROGRAM, Settings::default());
    let tokens = editor::semantic_tokens(&document);
    let of = |line: u32, character: u32| {
        let place = Place { line, character };
        let token = tokens
            .iter()
            .find(|token| token.place == place)
            .expect("a token");
        let kind = editor::TOKEN_TYPES[token.kind as usize];
        let modifiers = editor::TOKEN_MODIFIERS.iter().enumerate();
        let set = modifiers.filter(|(bit, _)| token.modifiers & (1 << bit) != 0);
        (kind, set.map(|(_, name)| *name).collect::<Vec<_>>())
    };
    assert_eq!(of(8, 2), ("variable", vec!["global", "modification"]));
    assert_eq!(of(8, 4), ("operator", vec!["host"]));
    assert_eq!(of(8, 6), ("variable", vec!["host"]));
    assert_eq!(of(11, 6), ("variable", vec!["shared", "modification"]));
    assert_eq!(of(0, 0), ("keyword", vec![]));
    assert!(tokens.windows(2).all(|pair| pair[0].place < pair[1].place));
}

#[test]
fn an_arrow_tells_its_memory_and_a_comparison_none() {
    for (line, expected) in [
        ("_x[j] ⇐ a[ib + j]", 2),
        ("_x[j] <= a[ib + j]", 2),
        ("2: _x[j] <= a[ib + j]", 2),
        ("_x[j] ← _x[j]", 4),
        ("_x[j] <- select(_x[j] <= 3, 1, 0)", 0),
        ("if _x[j] <= 3 then", 0),
        ("a <== A", 1),
    ] {
        let document = Document::open(line, Settings::default());
        let tokens = editor::semantic_tokens(&document);
        let sign = |token: &&editor::SemanticToken| {
            let text = line.chars().skip(token.place.character as usize);
            ['<', '⇐', '←'].contains(&text.take(1).next().expect("a sign"))
        };
        let last = tokens.iter().rfind(sign).expect("an arrow");
        assert_eq!(last.modifiers, expected, "{line}");
    }
}

#[test]
fn actions_respell_and_claim() {
    let mut document = Document::open(PROGRAM, Settings::default());
    document.finish();
    let all = editor::actions(&document, Range::default());
    let by = |start: &str| -> &Action {
        let found = all.iter().find(|action| action.title.starts_with(start));
        found.unwrap_or_else(|| panic!("{start}: {all:#?}"))
    };
    assert!(made(&document, &by("write ASCII").edits).is_ascii());
    let claimed = made(&document, &by("claim what is derived").edits);
    let program = atgpu::program(&claimed).expect("sound");
    assert!(program.claims().len() > 5);
    program.prove().expect("what is derived holds");
}

/// No beginning of any line, and no text with a line too few, ends anything.
#[test]
fn half_written_texts_answer_everything() {
    let mut document = Document::open(PROGRAM, Settings::default());
    document.finish();
    let ends: Vec<usize> = PROGRAM
        .char_indices()
        .map(|(at, _)| at)
        .step_by(7)
        .collect();
    for end in ends {
        document.change(&PROGRAM[..end]);
        let place = position::place(document.source(), end);
        let _ = (editor::hints(&document), editor::lenses(&document));
        let _ = (
            editor::hover(&document, place),
            editor::completions(&document, place),
        );
        let _ = (editor::outline(&document), editor::folds(&document));
        let _ = (
            editor::semantic_tokens(&document),
            editor::selections(&document, place),
        );
        let _ = editor::actions(
            &document,
            Range {
                start: place,
                end: place,
            },
        );
        let _ = (
            editor::format(&document),
            editor::signature(&document, place),
        );
        let _ = (editor::highlights(&document, place), document.diagnostics());
    }
}

/// A text of megabytes is answered at once, with the reason why nothing is known of it.
#[test]
fn a_text_too_large_to_edit_says_so() {
    let large = PROGRAM.replace("  C ⇚ a\n", &"  C ⇚ a\n".repeat(300_000));
    let mut document = Document::open(&large, Settings::default());
    let codes = |document: &Document| {
        let found = document.diagnostics();
        let codes = found.iter().map(|found| found.code.short_name());
        codes.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(codes(&document), ["syntax::too-deep"]);
    let hover = editor::hover(
        &document,
        Place {
            line: 4,
            character: 9,
        },
    );
    let text = hover.expect("a word").text;
    assert!(text.contains("of up to 1048576"), "{text}");
    assert!(document.job().is_none());
    document.change(PROGRAM);
    assert!(document.job().is_some() && !codes(&document).contains(&"syntax::too-deep".to_owned()));
}
