//! What a quantity is called, its unit and its value: the same in the rows of `sweep`, long and wide, and in the
//! axis, the numbers and the legend of `plot`, whatever else is asked for.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Output;

use crate::support::command;
use atgpu::cost::MODELS;
use atgpu::count::Quantity;
use tempfile::TempDir;

/// MPs that differ, blocks that no closed form has, words of neighbours: every figure of every model has a value.
const UNEVEN: &str = "\
algorithm Uneven(n)
  require n ≥ 1
  input A[n*b]
  output C[n*b]
  global a[n*b]
  shared _x[b], _y[b]
  a ⇚ A
  for all mp_i ∈ MP[0..n-1] in parallel do
    for all c_{i,j} ∈ C_i in parallel do
      _x[j] ⇐ a[i*b + j]
      for r = 0 → i mod 5 do
        _y[j] ← _x[(j*j + i*i*i) mod b] * 3
        _x[j] ← _y[j] + _x[j] mod 5
      end for
      a[i*b + j] ⇐ _x[j]
    end for
  end for
  C ⇚ a
end algorithm
";

/// Rules of a card that all models have figures for, and bounds that few files have.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let card = atgpu::machine::BUILT_IN
        .iter()
        .find(|(name, _)| *name == "gtx280")
        .expect("built in");
    let (figures, _) = card.1.split_once("[source.").expect("it has sources");
    let more = "[roofline]\nstart_cycles = 7\nload_store_units = 8\n";
    let text = figures.replace("[roofline]\n", more);
    fs::write(folder.path().join("full.toml"), text).expect("writable");
    fs::write(folder.path().join("uneven.atgpu"), UNEVEN).expect("writable");
    folder
}

fn atgpu(folder: &Path, line: &str) -> Output {
    let mut command = command::atgpu(folder);
    let output = command.args(line.split_whitespace()).output();
    let output = output.expect("starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}\n{said}");
    output
}

fn out(folder: &Path, line: &str) -> String {
    String::from_utf8(atgpu(folder, line).stdout).expect("text")
}

const SWEPT: &str = "uneven.atgpu --vary n=3..12:x2 --machine full.toml";

/// The model, or nothing, and its quantity.
type Name = (String, String);

/// Of each quantity its unit, and its values over n.
type Rows = BTreeMap<Name, (String, Vec<(String, String)>)>;

/// `program,machine,model,n,quantity,value,unit,exact`
fn rows(text: &str) -> Rows {
    let mut rows = Rows::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [_, _, model, n, quantity, value, unit, _] = cells[..] else {
            panic!("{line}");
        };
        let name = (model.to_owned(), quantity.to_owned());
        let entry = rows.entry(name).or_default();
        entry.0 = unit.to_owned();
        entry.1.push((n.to_owned(), value.to_owned()));
    }
    rows
}

fn full_name((model, quantity): &Name) -> String {
    match model.as_str() {
        "" => quantity.clone(),
        model => format!("{}_{quantity}", model.replace('-', "_")),
    }
}

/// Every name of a count or a charge.
fn counted() -> Vec<&'static str> {
    let counts = Quantity::ALL.into_iter().filter(|which| which.is_counted());
    let charges = [
        "compute_cycles",
        "memory_cycles",
        "memory_transactions",
        "charged_bank_conflicts",
    ];
    counts.map(Quantity::name).chain(charges).collect()
}

/// The rows of all models, and of all that is counted and charged.
fn all_rows(folder: &Path) -> Rows {
    let models = rows(&out(folder, &format!("sweep {SWEPT} --model all")));
    let asked: String = counted()
        .iter()
        .map(|name| format!(" --quantity {name}"))
        .collect();
    let counts = rows(&out(folder, &format!("sweep {SWEPT} --model atgpu{asked}")));
    models.into_iter().chain(counts).collect()
}

#[test]
fn every_figure_of_every_model_has_rows() {
    let folder = folder();
    let rows = all_rows(folder.path());
    for model in MODELS {
        for (quantity, unit) in model.figures() {
            let name = (model.name().to_owned(), (*quantity).to_owned());
            let (found, values) = rows.get(&name).unwrap_or_else(|| panic!("{name:?}"));
            assert_eq!(found, unit, "{name:?}");
            assert_eq!(values.len(), 3, "{name:?}");
            assert!(
                values.iter().all(|(_, value)| !value.is_empty()),
                "{name:?}"
            );
        }
    }
    // Two bounds that few files have figures for, the work of MPs that differ; and the counts.
    let of = |model: &str, quantity: &str| rows[&(model.to_owned(), quantity.to_owned())].0.clone();
    assert_eq!(of("roofline", "starts"), "ms");
    assert_eq!(of("roofline", "units"), "ms");
    assert_eq!(of("kothapalli-sum", "over_mps"), "ms");
    assert_eq!(
        (of("roofline", "shared"), of("", "shared")),
        ("ms".to_owned(), "words".to_owned())
    );
}

/// A wide row has a column for every quantity that the long one has rows of, and no other.
#[test]
fn long_and_wide_have_the_same_quantities() {
    let folder = folder();
    let text = fs::read_to_string(folder.path().join("full.toml")).expect("written");
    let without = text.replace("start_cycles = 7\nload_store_units = 8\n", "");
    fs::write(folder.path().join("few.toml"), without).expect("writable");
    for more in [
        "--model all",
        "--model roofline",
        "--model kothapalli-max",
        "--model all --machine few.toml",
        "--model roofline --model agpu --quantity shared --quantity starts",
        "--model roofline --model agpu --quantity roofline_shared --quantity io --quantity agpu_time",
        "--model all --machine gtx650",
    ] {
        let long = rows(&out(folder.path(), &format!("sweep {SWEPT} {more}")));
        let wide = out(folder.path(), &format!("sweep {SWEPT} {more} --wide"));
        let mut lines = wide.lines();
        let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
        let columns: BTreeSet<String> = header[3..header.len() - 1]
            .iter()
            .map(|name| (*name).to_owned())
            .collect();
        assert_eq!(columns, long.keys().map(full_name).collect(), "{more}");
        for (name, (_, values)) in &long {
            let at = header.iter().position(|column| *column == full_name(name));
            let at = at.expect("compared before");
            let cells: Vec<&str> = lines
                .clone()
                .map(|line| line.split(',').nth(at).expect("as long"))
                .filter(|cell| !cell.is_empty())
                .collect();
            let values: Vec<&str> = values
                .iter()
                .map(|(_, value)| value.as_str())
                .filter(|value| !value.is_empty())
                .collect();
            assert_eq!(cells, values, "{more}: {name:?}");
        }
    }
}

/// The texts of an SVG, without the power of ten that an axis may be in.
fn texts(svg: &str) -> BTreeSet<String> {
    let texts = svg.lines().filter_map(|line| line.strip_suffix("</text>"));
    let texts = texts.filter_map(|line| Some(line.rsplit_once('>')?.1));
    let plain = |text: &str| match text.split_once("(10") {
        Some((name, power)) if !power.starts_with(')') => {
            let unit = power.split_once(' ').map_or("", |(_, unit)| unit);
            format!("{name}({unit}")
        }
        _ => text.to_owned(),
    };
    texts.map(plain).collect()
}

/// The axis of a figure of LaTeX, and the numbers of its one curve.
fn drawn(folder: &Path, line: &str) -> (String, Vec<(f64, f64)>, String) {
    let said = atgpu(folder, &format!("plot {line} -o f.tex"));
    let tex = fs::read_to_string(folder.join("f.tex")).expect("written");
    let csv = fs::read_to_string(folder.join("f.csv")).expect("written");
    let label = tex
        .lines()
        .find_map(|line| line.trim().strip_prefix("ylabel={")?.strip_suffix("},"));
    assert!(!tex.contains("\\addlegendentry{}"), "{line}");
    assert_eq!(
        csv.lines().next(),
        Some("x,s1"),
        "{line}: more than one curve"
    );
    let points = csv.lines().skip(1).map(|row| {
        let (x, y) = row.split_once(',').expect("two columns");
        (x.parse().expect("a number"), y.parse().expect("a number"))
    });
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    (label.expect("an axis").to_owned(), points.collect(), said)
}

#[test]
fn an_axis_has_the_unit_and_the_values_of_the_sweep() {
    let folder = folder();
    for (name, (unit, values)) in all_rows(folder.path()) {
        let line = format!("{SWEPT} --model all --quantity {}", full_name(&name));
        let (label, points, _) = drawn(folder.path(), &line);
        let is_share = name.1 == "transfer_share";
        // A share of transfers is drawn in hundredths.
        let (unit, factor) = if is_share {
            ("\\%", 100.0)
        } else {
            (unit.as_str(), 1.0)
        };
        let says_unit = label.ends_with(&format!("({unit})")) || label.ends_with(unit);
        assert!(says_unit, "{name:?}: {label}, and the sweep says {unit}");
        let expected: Vec<(f64, f64)> = values
            .iter()
            .map(|(n, value)| {
                (
                    n.parse().expect("whole"),
                    factor * value.parse::<f64>().expect("a number"),
                )
            })
            .collect();
        assert_eq!(points, expected, "{name:?}");
        atgpu(folder.path(), &format!("plot {line} -o f.svg"));
        let svg = fs::read_to_string(folder.path().join("f.svg")).expect("written");
        let plain = label.replace("$\\Sigma$", "Σ").replace('\\', "");
        assert!(texts(&svg).contains(&plain), "{name:?}: {plain}");
    }
}

/// A name of what is counted means that, whichever models are asked for; where one of them has a figure of that name,
/// the name of that is told.
#[test]
fn a_name_means_one_thing_whatever_models_are_asked_for() {
    let folder = folder();
    let all = all_rows(folder.path());
    for name in counted() {
        let drawn_by = |models: &str| {
            drawn(
                folder.path(),
                &format!("{SWEPT} {models} --quantity {name}"),
            )
        };
        let (label, points, said) = drawn_by("--model atgpu");
        assert_eq!(said, "", "{name}");
        for model in MODELS.iter().map(|model| model.name()) {
            let (other, others, said) = drawn_by(&format!("--model {model} --model swgpu"));
            assert_eq!(
                (&other, &others),
                (&label, &points),
                "{name} beside {model}"
            );
            let has_namesake = all.contains_key(&(model.to_owned(), name.to_owned()));
            let full = full_name(&(model.to_owned(), name.to_owned()));
            assert_eq!(said.contains(&format!("`{full}`")), has_namesake, "{said}");
        }
    }
}

/// A name that no count has is in one unit, whichever model it is of: an axis has one.
#[test]
fn what_models_share_is_in_one_unit() {
    let mut units: BTreeMap<&str, &str> = BTreeMap::new();
    for (quantity, unit) in MODELS.iter().flat_map(|model| model.figures()) {
        if counted().contains(quantity) {
            continue;
        }
        assert_eq!(units.entry(quantity).or_insert(unit), unit, "{quantity}");
    }
}

#[test]
fn no_two_quantities_have_one_full_name() {
    let figures = MODELS.iter().flat_map(|model| {
        let figures = model.figures().iter();
        figures.map(|(quantity, _)| (model.name().to_owned(), (*quantity).to_owned()))
    });
    let counts = counted()
        .into_iter()
        .map(|name| (String::new(), name.to_owned()));
    let all: Vec<String> = figures.chain(counts).map(|name| full_name(&name)).collect();
    let apart: BTreeSet<&String> = all.iter().collect();
    assert_eq!(apart.len(), all.len());
}
