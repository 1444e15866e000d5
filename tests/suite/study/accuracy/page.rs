//! docs/accuracy.md: its words stand in it, its tables are made here.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;

use crate::study::accuracy::fitted::fitted;
use crate::study::accuracy::points::{Point, Prediction};
use crate::study::accuracy::{CARDS, MODELS, Summary, all, counted, order, pairs, papers};
use crate::support::programs::path;
use atgpu::cost::accuracy::Kernels;
use atgpu::report::figure::{Axis, Figure, Kind, Scale, Series, svg};

const FITTED: &str = "
## Fitted, and asked for another family

`calibrate` on addition by rows and the sixth reduction, times from 0.2 ms on: the root of the mean square error of all, of times
left out one by one, and of each program from the other's times alone. Where λ would be more than the memory's peak, or data
leave it open, it stays the card's own, so a card that is slower than its sheet is not mended by it.

| card | all | left out | addition from reduction | reduction from addition |
|---|---|---|---|---|
";

const START: &str = "<!-- tables -->\n";

/// The page with tables made anew.
pub fn page() -> String {
    let text = std::fs::read_to_string(path("docs/accuracy.md")).expect("it is there");
    let (words, _) = text
        .split_once(START)
        .expect("it has its tables at the end");
    format!("{words}{START}{}", tables())
}

fn tables() -> String {
    let mut out = String::new();
    out.push_str("\n## By kind of kernel\n\n");
    table(
        &mut out,
        "kernels",
        &|one| Some(one.kernels.name().to_owned()),
        true,
    );
    out.push_str("\n## By family, short kernels left out\n\n");
    let long = |one: &Prediction| one.kernels != Kernels::Short;
    table(
        &mut out,
        "family",
        &|one| long(one).then(|| one.point.family.clone()),
        true,
    );
    out.push_str("\n## By card, short kernels left out\n\n");
    table(
        &mut out,
        "card",
        &|one| long(one).then(|| one.card.to_owned()),
        false,
    );
    out.push_str(
        "\n## Order of versions\n\n| model | family | pairs | right |\n|---|---|---|---|\n",
    );
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
            order(model, long),
        );
    }
    out.push_str(
        "\nOf roofline, which versions are confused: pairs that are predicted to take equally long, and those \
         in the wrong order.\n\n| versions | pairs | equal | wrong |\n|---|---|---|---|\n",
    );
    for (versions, [pairs, equal, wrong]) in confused("roofline") {
        let [one, other] = versions;
        writeln!(out, "| {one}, {other} | {pairs} | {equal} | {wrong} |").expect("a string grows");
    }
    out.push_str("\n## The largest size of each kernel\n\n");
    out.push_str(
        "| kernel | program | card | measured | swgpu | roofline |\n|---|---|---|---|---|---|\n",
    );
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
    out.push_str(FITTED);
    for (card, found) in fitted() {
        let percent = |(mean, _): (f64, f64)| format!("{:.1} %", 100.0 * mean);
        let left_out = found.left_out.map_or_else(String::new, percent);
        write!(out, "| {card} | {} | {left_out} |", percent(found.error)).expect("a string grows");
        for (_, error) in &found.programs {
            write!(out, " {} |", percent(*error)).expect("a string grows");
        }
        out.push('\n');
    }
    out.push_str(&papers::section());
    out.push_str("\n## Not compared\n\n| kernel | points a card | why |\n|---|---|---|\n");
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
fn table(out: &mut String, of: &str, group: &dyn Fn(&Prediction) -> Option<String>, total: bool) {
    writeln!(
        out,
        "| model | {of} | points | mean factor | worst | within 2× |\n|---|---|---|---|---|---|"
    )
    .expect("a string grows");
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
            row(out, model, name, Summary::of(within));
        }
        if total {
            row(
                out,
                model,
                "all",
                Summary::of(mine().filter(|one| group(one).is_some())),
            );
        }
    }
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
        size: (576.0, 432.0),
    })
}
