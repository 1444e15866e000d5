//! Fixes: a fix mends what it is offered for, wherever a fault is known to the tests; and each kind
//! of slip becomes the text that was meant.

use std::fs;
use std::path::{Path, PathBuf};

use atgpu::check::{check_text, mend};
use atgpu::diag::Diagnostic;
use atgpu::text::Source;

/// Programs with faults, from all suites and the pages of the codes.
fn faulty_texts() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders: Vec<PathBuf> = ["tests/suite", "docs"].map(|at| root.join(at)).into();
    let mut texts = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the project") {
            let path = entry.expect("it can be listed").path();
            let extension = path.extension().and_then(|name| name.to_str());
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = || fs::read_to_string(&path).unwrap_or_default();
            let name = path.display().to_string();
            match extension {
                Some("atgpu") => texts.push((name, text())),
                Some("md") => {
                    let page = text();
                    let mut parts = page.split("```");
                    parts.next();
                    for block in parts.step_by(2) {
                        if let Some(program) = block.strip_prefix("atgpu\n") {
                            texts.push((name.clone(), program.to_owned()));
                        }
                    }
                }
                _ => {}
            }
        }
    }
    texts.sort();
    texts
}

fn syntax_faults(findings: &[Diagnostic]) -> usize {
    let is_syntax = |found: &&Diagnostic| found.code.short_name().starts_with("syntax::");
    findings.iter().filter(is_syntax).count()
}

/// Long lines and files that are there to be large take long, and teach nothing new.
const LONGEST: usize = 20_000;

#[test]
fn every_fix_mends_what_it_is_offered_for() {
    let mut fixes = 0;
    let mut faults = Vec::new();
    for (name, text) in faulty_texts() {
        if text.len() > LONGEST {
            continue;
        }
        let source = Source::new(&name, &text);
        let findings = check_text(&source).diagnostics;
        for finding in &findings {
            for fix in &finding.fixes {
                fixes += 1;
                let mended = Source::new(&name, &fix.apply(&text));
                let left = check_text(&mended).diagnostics;
                let same = |list: &[Diagnostic]| {
                    let is_same = |other: &&Diagnostic| {
                        (other.code, &other.message) == (finding.code, &finding.message)
                            && other.labels.len() == finding.labels.len()
                    };
                    list.iter().filter(is_same).count()
                };
                if mended.text() == text
                    || same(&left) >= same(&findings)
                    || syntax_faults(&left) > syntax_faults(&findings)
                {
                    let line = finding
                        .primary()
                        .map_or(0, |at| source.line_of(at.span.start));
                    faults.push(format!(
                        "{name}:{line}: {finding}: {fix:?} leaves {left:#?}"
                    ));
                }
            }
        }
    }
    assert!(
        faults.is_empty(),
        "{} of {fixes}:\n{}",
        faults.len(),
        faults.join("\n")
    );
    assert!(fixes > 60, "only {fixes} fixes were looked at");
}

/// Mending is done when it is done, and what was sound stays as it is.
#[test]
fn mending_twice_changes_nothing_more() {
    for (name, text) in faulty_texts() {
        if text.len() > LONGEST {
            continue;
        }
        let source = Source::new(&name, &text);
        let mended = mend(&source);
        assert_eq!(
            mended.fixed.is_empty(),
            mended.source.text() == text,
            "{name}"
        );
        let again = mend(&mended.source);
        assert_eq!(again.source.text(), mended.source.text(), "{name}");
    }
}

const HEADER: &str = "algorithm T(n)\n  require b ∣ n\n  input A[n]\n  output C[n]\n  \
                      global a[n]\n  shared _x[b]\n";
const KERNEL: &str = "  a ⇚ A\n  for all mp_i ∈ MP[0..n/b-1] in parallel do\n    \
                      for all c_{i,j} ∈ C_i in parallel do\n      _x[j] ⇐ a[ib + j]\n";
const END: &str = "      a[ib + j] ⇐ _x[j]\n    end for\n  end for\n  C ⇚ a\nend algorithm\n";

/// What `--fix` makes of a statement of a core loop.
#[test]
fn slips_in_kernels_become_what_was_meant() {
    let cases = [
        // Arrows and names.
        ("_x[j] ⇐ _x[j] + 1", "_x[j] ← _x[j] + 1"),
        ("_x[j] ← a[ib + j]", "_x[j] ⇐ a[ib + j]"),
        ("_x[j] ← _y[j]", "_x[j] ← _x[j]"),
        ("_x[j] ⟵ 1", "_x[j] ← 1"),
        // Notation of other languages.
        ("_x[j] += 1", "_x[j] ← _x[j] + 1"),
        ("_x[j] *= j + 1 ▷ grow", "_x[j] ← _x[j] * (j + 1) ▷ grow"),
        ("_x[j] ← _x[j] % 2", "_x[j] ← _x[j] mod 2"),
        ("_x[j] ← _x[j]%2", "_x[j] ← _x[j] mod 2"),
        ("_x[j] ← j²", "_x[j] ← j^2"),
        ("_x[j] ← 1;", "_x[j] ← 1"),
        ("_x[j] ← 1; _x[j] ← 2", "_x[j] ← 1\n      _x[j] ← 2"),
        ("_x[j] ← 1 # one", "_x[j] ← 1 ▷ one"),
        ("_x[j] ← _x[j] – 1", "_x[j] ← _x[j] - 1"),
        ("_x[j] ← n ÷ b", "_x[j] ← n / b"),
        ("_x[j]++", "_x[j] ← _x[j] + 1"),
        ("_x[_x[j]]++", "atomic _x[_x[j]] ← _x[_x[j]] + 1"),
        (
            "_x[_x[j]] += j - 1",
            "atomic _x[_x[j]] ← _x[_x[j]] + (j - 1)",
        ),
        ("_x[_x[j]] -= 1", "_x[_x[j]] ← _x[_x[j]] - 1"),
        (
            "atomicAdd(&_x[_x[j]], 1)",
            "atomic _x[_x[j]] ← _x[_x[j]] + 1",
        ),
        ("atomicMax(&_x[0], j)", "atomic _x[0] ← max(_x[0], j)"),
        ("_x[j] = _x[j] + 1", "_x[j] ← _x[j] + 1"),
        ("_x[j] := a[ib + j]", "_x[j] ⇐ a[ib + j]"),
        ("a[ib + j] = _x[j]", "a[ib + j] ⇐ _x[j]"),
        ("a[ib + j] ==> _x[j]", "_x[j] ⇐ a[ib + j]"),
        ("_x[j] ⇒ a[ib + j]", "a[ib + j] ⇐ _x[j]"),
        ("h = b/2", "let h = b/2"),
        ("_x[j] ← math.floor(j/2)", "_x[j] ← floor(j/2)"),
        ("_x[j] ← mod(j, 2)", "_x[j] ← (j mod 2)"),
        ("_x[j] ← ceil(j, b)", "_x[j] ← ceil(j/ b)"),
        ("_x［j］ ← (j + 1）", "_x[j] ← (j + 1)"),
        ("if i ⩾ 1 then\n      end if", "if i ≥ 1 then\n      end if"),
        (
            "if i <> 1 then\n      end if",
            "if i ≠ 1 then\n      end if",
        ),
        (
            "if j = 0 then _x[j] ← 1 end if",
            "if j = 0 then\n        _x[j] ← 1\n      end if",
        ),
        (
            "for v in range(3):\n      end for",
            "for v = 0 → 3 - 1 do\n      end for",
        ),
        (
            "for v in range(1, b):\n      end for",
            "for v = 1 → b - 1 do\n      end for",
        ),
        (
            "for v = 0..3 do\n      end for",
            "for v = 0→3 do\n      end for",
        ),
        // Products and brackets.
        ("_x[j] ← i 2", "_x[j] ← i ·2"),
        ("_x[j] ← j = 0", "_x[j] ← [j = 0]"),
        // Blocks.
        (
            "if j = 0 then\n        _x[j] ← 1\n      endif",
            "if j = 0 then\n        _x[j] ← 1\n      end if",
        ),
        (
            "if j = 0\n        _x[j] ← 1\n      end if",
            "if j = 0 then\n        _x[j] ← 1\n      end if",
        ),
        (
            "if j = 0 && i = 0 then\n      end if",
            "if j = 0 ∧ i = 0 then\n      end if",
        ),
        ("if j then\n      end if", "if j ≠ 0 then\n      end if"),
        (
            "for v = 0 → 3\n      end for",
            "for v = 0 → 3 do\n      end for",
        ),
        (
            "for v = 0 → 3 do\n      end if",
            "for v = 0 → 3 do\n      end for",
        ),
        ("if j = 0 then", "if j = 0 then\n      end if"),
        (
            "forr v = 0 → 3 do\n      end for",
            "for v = 0 → 3 do\n      end for",
        ),
    ];
    for (wrong, right) in cases {
        let program = |line: &str| format!("{HEADER}{KERNEL}      {line}\n{END}");
        let mended = mend(&Source::new("t", &program(wrong)));
        // A missing end is written where it is noticed, which is no further in than it must be.
        let tidy = |text: &str| -> Vec<String> {
            text.lines().map(|line| line.trim().to_owned()).collect()
        };
        let shown = mended.source.text();
        if wrong == "if j = 0 then" {
            let count = shown.lines().filter(|line| line.trim() == "end if").count();
            assert_eq!(count, 1, "{shown}");
            continue;
        }
        assert_eq!(tidy(shown), tidy(&program(right)), "{wrong}\n{shown}");
    }
}

#[test]
fn slips_in_headers_become_what_was_meant() {
    let cases = [
        ("claim tme = 9", "claim time = 9"),
        ("global w[n][b]", "global w[n, b]"),
        ("__shared__ float _w[b]", "shared float _w[b]"),
        ("global w[n] : float32", "global w[n] : float"),
        ("k = ⌈n/b⌉", "let k = ⌈n/b⌉"),
        ("require N > 0", "require n > 0"),
        ("let k = nx/b", "let k = n/b"),
        ("global X[n]", "global x[n]"),
        ("  let gamma = 3", "  let γ = 3"),
        ("require n > 0 & n < 9", "require n > 0 ∧ n < 9"),
        (
            "ensure forall x in 0..n-1 : C[x] = AA[x]",
            "ensure forall x in 0..n-1 : C[x] = A[x]",
        ),
    ];
    for (wrong, right) in cases {
        let program = |line: &str| format!("{HEADER}  {line}\n{KERNEL}{END}");
        let mended = mend(&Source::new("t", &program(wrong)));
        let found = mended.source.text();
        let right = program(right);
        // What nothing uses is removed in the end.
        let unused = [
            "  global x[n]\n",
            "  global w[n, b]\n",
            "  shared float _w[b]\n",
            "  global w[n] : float\n",
        ];
        let without = unused
            .iter()
            .fold(right.clone(), |text, line| text.replace(line, ""));
        assert!(found == right || found == without, "{wrong}\n{found}");
    }
}

/// The indices of a core are written anew with their mark and braces.
#[test]
fn core_indices_become_those_of_the_mp() {
    for wrong in ["c_j", "c_{j}", "c_{j,i}", "c_{k,j}"] {
        let text = format!("{HEADER}{KERNEL}{END}");
        let mended = mend(&Source::new("t", &text.replace("c_{i,j}", wrong)));
        assert_eq!(mended.source.text(), text, "{wrong}");
    }
}

/// An `&` of bits is no `∧`: nothing is written for it.
#[test]
fn bits_are_no_conditions() {
    let text = format!("{HEADER}{KERNEL}      if (j & (b - 1)) == 0 then\n      end if\n{END}");
    let source = Source::new("t", &text);
    let found = check_text(&source).diagnostics;
    let help = found[0].help.as_deref().unwrap_or_default();
    assert!(help.contains("bitand"), "{found:#?}");
    assert!(mend(&source).fixed.is_empty());
}

/// A file that keeps to ASCII is mended in ASCII.
#[test]
fn fixes_are_spelt_as_their_file() {
    let text = "algorithm T(n)\n  require b | n\n  input A[n]\n  global a[n]\n  shared _x[b]\n  \
                a <== A\n  for all mp_i in MP[0..n/b-1] in parallel do\n    \
                for all c_{i,j} in C_i in parallel do\n      _x[j] <- a[ib + j]\n      \
                if j > 0 & j < b - 1 then\n        _x[j] <- 1\n      end if\n    end for\n  end for\nend algorithm\n";
    let mended = mend(&Source::new("t", text));
    assert!(mended.source.text().is_ascii(), "{}", mended.source.text());
    assert!(
        mended.source.text().contains("_x[j] <= a[ib + j]"),
        "{}",
        mended.source.text()
    );
}

/// What is unused goes with its line, or with its comma, and a comment stays.
#[test]
fn unused_declarations_go_and_leave_what_stands_beside_them() {
    let cases = [
        ("shared _x[b], _y[b]", "shared _x[b]"),
        ("shared _y[b, b], _x[b]", "shared _x[b]"),
        ("shared _x[b], _y[b], _z", "shared _x[b]"),
        ("shared _x[b]\n  shared _y[b]", "shared _x[b]"),
        (
            "shared _x[b]\n  shared _y[b] ▷ rows",
            "shared _x[b]\n   ▷ rows",
        ),
    ];
    for (wrong, right) in cases {
        let program = |line: &str| {
            let header = HEADER.replace("shared _x[b]", line);
            format!("{header}{KERNEL}{END}")
        };
        let mended = mend(&Source::new("t", &program(wrong)));
        assert_eq!(mended.source.text(), program(right), "{wrong}");
    }
}

/// Where there are several readings, all are offered and none is made.
#[test]
fn choices_are_for_a_person() {
    let text = "algorithm T(n)\n  let k = n/2b\n";
    let source = Source::new("t", text);
    let found = check_text(&source).diagnostics;
    let readings: Vec<String> = found[0].fixes.iter().map(|fix| fix.apply(text)).collect();
    assert_eq!(
        readings,
        [text.replace("2b", "(2b)"), text.replace("2b", "2*b")]
    );
    assert!(mend(&source).fixed.is_empty());
    let split = format!(
        "{HEADER}{KERNEL}      if j < 2 then\n        _x[j] ← 1\n      else\n        \
                         _x[j] ← 2\n      end if\n{END}"
    );
    let source = Source::new("t", &split);
    let found = check_text(&source).diagnostics;
    let [fix] = found[0].fixes.as_slice() else {
        panic!("{found:#?}");
    };
    let two = fix.apply(&split);
    assert!(two.contains("end if\n      if j ≥ 2 then\n"), "{two}");
    assert!(
        check_text(&Source::new("t", &two)).program.is_some(),
        "{two}"
    );
}
