//! docs/accuracy.md and docs/lab/kernels.md: their words stand in them, their tables are made here.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use crate::study::accuracy::fitted::fitted;
use crate::study::accuracy::points::{Point, Prediction};
use crate::study::accuracy::{CARDS, MODELS, Summary, all, counted, order, pairs, papers};
use crate::support::programs::path;
use atgpu::cost::accuracy::Kernels;
use atgpu::report::figure::{Axis, Figure, Kind, Scale, Series, svg};

/// A page, and each of its tables by name.
type Page = (&'static str, Vec<(&'static str, String)>);

/// The pages with their tables made anew, by path.
pub fn pages() -> Vec<(PathBuf, String)> {
    [summary(), kernels()].into_iter().map(filled).collect()
}

/// The page with each table between its `<!-- tables: NAME -->` and the next `<!-- end -->`.
fn filled((page, tables): Page) -> (PathBuf, String) {
    let place = path(page);
    let text = std::fs::read_to_string(&place).expect("it is there");
    let mut written = String::new();
    let mut rest = text.as_str();
    for (name, table) in &tables {
        let mark = format!("<!-- tables: {name} -->\n");
        let (before, after) = rest
            .split_once(&mark)
            .unwrap_or_else(|| panic!("{page} lacks {mark}"));
        let (_, after) = after.split_once("<!-- end -->").expect("a table ends");
        written.push_str(&format!("{before}{mark}\n{table}\n<!-- end -->"));
        rest = after;
    }
    assert!(
        !rest.contains("<!-- tables:"),
        "{page} has a table that nothing makes"
    );
    (place, written + rest)
}

fn summary() -> Page {
    let long = |one: &Prediction| one.kernels != Kernels::Short;
    let kind = |one: &Prediction| Some(one.kernels.name().to_owned());
    let family = |one: &Prediction| long(one).then(|| one.point.family.clone());
    let card = |one: &Prediction| long(one).then(|| one.card.to_owned());
    let tables = vec![
        ("kinds", table("kernels", &kind, true)),
        ("families", table("family", &family, true)),
        ("cards", table("card", &card, false)),
        ("order", ordered(long)),
    ];
    ("docs/accuracy.md", tables)
}

fn kernels() -> Page {
    let tables = vec![
        ("largest", largest()),
        ("confused", mistaken()),
        ("fitted", fits()),
        ("papers", papers::table()),
        ("left out", not_compared()),
    ];
    ("docs/lab/kernels.md", tables)
}

/// How many pairs of versions each model puts in order, by family, of all, and of those that `long` admits.
fn ordered(long: impl Fn(&Prediction) -> bool) -> String {
    let mut out = "| model | family | pairs | right |\n|---|---|---|---|\n".to_owned();
    for model in MODELS {
        let mut families: Vec<&str> = Vec::new();
        for one in all() {
            if !families.contains(&one.point.family.as_str()) {
                families.push(&one.point.family);
            }
        }
        for family in families {
            let of_family = order(model, |one| one.point.family == family);
            row_of_order(&mut out, model, family, of_family);
        }
        row_of_order(&mut out, model, "all", order(model, |_| true));
        row_of_order(
            &mut out,
            model,
            "all, none of them short",
            order(model, &long),
        );
    }
    out
}

fn mistaken() -> String {
    let mut out = "| versions | pairs | equal | wrong |\n|---|---|---|---|\n".to_owned();
    for (versions, [pairs, equal, wrong]) in confused("roofline") {
        let [one, other] = versions;
        writeln!(out, "| {one}, {other} | {pairs} | {equal} | {wrong} |").expect("a string grows");
    }
    out
}

/// Each kernel at its largest size, on each card.
fn largest() -> String {
    let mut out =
        "| kernel | program | card | measured | swgpu | roofline |\n|---|---|---|---|---|---|\n"
            .to_owned();
    for (at, prediction) in all().iter().enumerate() {
        let is_last = all()[at + 1..].iter().all(|other| {
            let same = |one: &Prediction| (one.point.kernel.clone(), one.card, one.model);
            same(other) != same(prediction)
        });
        if is_last && prediction.model == MODELS[0] {
            let same = |one: &&Prediction| {
                one.model == MODELS[1]
                    && one.card == prediction.card
                    && one.point.key() == prediction.point.key()
                    && one.measured == prediction.measured
            };
            let other = all().iter().find(same).expect("both models");
            let cell = |one: &Prediction| format!("{} ms ({:.2})", ms(one.predicted), one.ratio());
            let point = &prediction.point;
            writeln!(
                out,
                "| {} | `{}`, {} | {} | {} ms | {} | {} |",
                point.kernel,
                point.program,
                launch(point),
                prediction.card,
                ms(prediction.measured),
                cell(prediction),
                cell(other)
            )
            .expect("a string grows");
        }
    }
    out
}

fn fits() -> String {
    let mut out = "| card | all | left out | addition from reduction | reduction from addition |\n\
                   |---|---|---|---|---|\n"
        .to_owned();
    for (card, found) in fitted() {
        let percent = |(mean, _): (f64, f64)| format!("{:.1} %", 100.0 * mean);
        let left_out = found.left_out.map_or_else(String::new, percent);
        write!(out, "| {card} | {} | {left_out} |", percent(found.error)).expect("a string grows");
        for (_, error) in &found.programs {
            write!(out, " {} |", percent(*error)).expect("a string grows");
        }
        out.push('\n');
    }
    out
}

fn not_compared() -> String {
    let mut out = "| kernel | points a card | why |\n|---|---|---|\n".to_owned();
    for (kernel, points, why) in left_out() {
        writeln!(out, "| {kernel} | {points} | {why} |").expect("a string grows");
    }
    out
}

fn launch(point: &Point) -> String {
    match point.thread_block {
        1 => point.values.clone(),
        z => format!("{}, Z = {z}", point.values),
    }
}

/// Versions that a model does not keep apart: of how many pairs, how many it predicts to be equal and how many it
/// has the wrong way about; the most confused first.
fn confused(model: &str) -> Vec<([&'static str; 2], [u32; 3])> {
    let mut found: BTreeMap<[&str; 2], [u32; 3]> = BTreeMap::new();
    for pair in pairs(model, |_| true) {
        let mut versions = pair.map(|one| one.point.kernel.as_str());
        versions.sort_unstable();
        let [quick, slow] = pair.map(|one| one.predicted);
        let counts = found.entry(versions).or_default();
        counts[0] += 1;
        counts[1] += u32::from(quick == slow);
        counts[2] += u32::from(quick > slow);
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.retain(|(_, [_, equal, wrong])| equal + wrong > 0);
    found.sort_by_key(|(_, [_, equal, wrong])| Reverse(equal + wrong));
    found
}

fn row_of_order(out: &mut String, model: &str, family: &str, (right, pairs): (u32, u32)) {
    if pairs > 0 {
        let percent = 100.0 * f64::from(right) / f64::from(pairs);
        writeln!(
            out,
            "| {model} | {family} | {pairs} | {right} ({percent:.0} %) |"
        )
        .expect("a string grows");
    }
}

/// Summaries by model and group, in the order of points, and of all.
fn table(of: &str, group: &dyn Fn(&Prediction) -> Option<String>, total: bool) -> String {
    let mut out = format!(
        "| model | {of} | points | mean factor | worst | within 2× |\n|---|---|---|---|---|---|\n"
    );
    for model in MODELS {
        let mine = || all().iter().filter(|one| one.model == model);
        let mut groups: Vec<String> = Vec::new();
        for name in mine().filter_map(group) {
            if !groups.contains(&name) {
                groups.push(name);
            }
        }
        for name in &groups {
            let within = mine().filter(|one| group(one).as_ref() == Some(name));
            row(&mut out, model, name, Summary::of(within));
        }
        if total {
            row(
                &mut out,
                model,
                "all",
                Summary::of(mine().filter(|one| group(one).is_some())),
            );
        }
    }
    out
}

fn row(out: &mut String, model: &str, name: &str, summary: Option<Summary>) {
    if let Some(summary) = summary {
        writeln!(
            out,
            "| {model} | {name} | {} | {:.2} | {:.2} | {:.0} % |",
            summary.points,
            summary.mean,
            summary.worst,
            100.0 * summary.within_two
        )
        .expect("a string grows");
    }
}

/// A time with four digits.
fn ms(time: f64) -> String {
    let digits = (3 - time.log10().floor() as i32).clamp(0, 9) as usize;
    format!("{time:.digits$}")
}

/// Kernels that are not compared, how many points they have, and why.
fn left_out() -> Vec<(String, usize, String)> {
    let kept = counted::read();
    let mut found: Vec<(String, usize, String)> = Vec::new();
    for point in Point::all() {
        if kept.contains_key(&point.key()) {
            continue;
        }
        let why = match point.program.as_str() {
            "" => point.values.clone(),
            _ => "not counted yet".to_owned(),
        };
        match found
            .iter_mut()
            .find(|(kernel, _, other)| (kernel, other) == (&point.kernel, &why))
        {
            Some((_, points, _)) => *points += 1,
            None => found.push((point.kernel, 1, why)),
        }
    }
    found
}

/// Predicted against measured, both by their logarithms, a series a card, with the band of 2×.
pub fn picture(model: &str) -> String {
    let mut series: Vec<Series> = CARDS
        .iter()
        .map(|card| {
            let mine = all()
                .iter()
                .filter(|one| one.model == model && one.card == *card);
            let mut points: Vec<(f64, f64)> =
                mine.map(|one| (one.measured, one.predicted)).collect();
            points.sort_by(|one, other| one.partial_cmp(other).expect("times"));
            Series {
                name: (*card).to_owned(),
                kind: Kind::Points,
                points,
            }
        })
        .collect();
    let ends = series.iter().flat_map(|series| &series.points);
    let (low, high) = ends.fold((f64::MAX, 0.0_f64), |(low, high), point| {
        (low.min(point.0), high.max(point.0))
    });
    for (name, factor) in [("predicted = measured", 1.0), ("twice", 2.0), ("half", 0.5)] {
        series.push(Series {
            name: name.to_owned(),
            kind: Kind::Line,
            points: vec![(low, low * factor), (high, high * factor)],
        });
    }
    let axis = |label: &str| Axis {
        label: label.to_owned(),
        scale: Scale::Log10,
        ends: None,
    };
    svg(&Figure {
        title: Some(format!("{model}: predicted against measured")),
        x: axis("measured (ms)"),
        y: axis("predicted (ms)"),
        series,
        notes: Vec::new(),
        guides: Vec::new(),
        size: (576.0, 432.0),
    })
}
