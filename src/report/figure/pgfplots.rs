//! Figures for LaTeX: a pgfplots picture and its CSV, so that the fonts are the paper's own.
//!
//! The file compiles alone. A paper that loads pgfplots can include it with `\input`; everything before the
//! picture is skipped then.

use std::fmt::Write;

use crate::report::figure::drawing::Colour;
use crate::report::figure::layout::MOST_MARKERS;
use crate::report::figure::layout::rulers;
use crate::report::figure::style::{Marker, light, style};
use crate::report::figure::thin::thin;
use crate::report::figure::ticks::{Label, Ruler};
use crate::report::figure::{Axis, Figure, Kind, Scale, Side};
use crate::report::latex::text::escaped;

/// The two files of a figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sources {
    /// The picture.
    pub tex: String,
    /// Its numbers: `x` and one column per series, empty where a series has no number.
    pub csv: String,
}

/// Renders the figure as LaTeX; `csv_name` is the name of the CSV file beside the picture.
///
/// ```
/// use atgpu::report::figure::pgfplots;
/// use atgpu::report::figure::{Axis, Figure, Kind, Scale, Series};
///
/// let axis = |label: &str| Axis { label: label.into(), scale: Scale::Log2, ends: None };
/// let figure = Figure {
///     title: None,
///     x: axis("n"),
///     y: axis("GPU-cost, ms"),
///     series: vec![Series {
///         name: "VectorAddition".into(),
///         kind: Kind::Line,
///         points: vec![(1024.0, 0.3), (2048.0, 0.4), (4096.0, 0.6)],
///     }],
///     notes: Vec::new(),
///     guides: Vec::new(),
///     size: Figure::COLUMN,
/// };
/// let sources = pgfplots(&figure, "scan.csv");
/// assert!(sources.tex.contains("scan.csv"));
/// assert_eq!(sources.csv.lines().count(), 4);
/// ```
pub fn pgfplots(figure: &Figure, csv_name: &str) -> Sources {
    // The file serves alone and as an `\input`. Without pgfplots loaded, `\tikzpicture` is undefined, and
    // the file opens a document of its own. Sizes are in pixels, 96 an inch.
    let csv = csv(figure);
    let mut tex = format!(
        "% Needs pgfplots. In a paper: \\usepackage{{pgfplots}}, then \\input this file; if it lies in\n\
         % another folder, also \\pgfplotsset{{table/search path={{that folder}}}}.\n\
         \\expandafter\\ifx\\csname tikzpicture\\endcsname\\relax\n\
         \\IfFileExists{{standalone.cls}}{{\\documentclass[10pt,border=2pt]{{standalone}}}}\
         {{\\documentclass[10pt]{{article}}}}\n\
         \\usepackage{{amsmath}}\\usepackage{{pgfplots}}\n\
         \\pagestyle{{empty}}\\begin{{document}}\\def\\endoffigure{{\\end{{document}}}}\\else\n\
         \\def\\endoffigure{{}}\\fi\n\
         \\begin{{tikzpicture}}\n\\begin{{axis}}[\n  width={:.2}in, height={:.2}in,\n",
        figure.size.0 / 96.0,
        figure.size.1 / 96.0
    );
    if let Some(title) = &figure.title {
        let _ = writeln!(tex, "  title={{{}}},", escaped(title));
    }
    if let Some((x, y)) = rulers(figure) {
        axis(&mut tex, 'x', &figure.x, &x);
        axis(&mut tex, 'y', &figure.y, &y);
    }
    tex.push_str(
        "  axis lines=left, ymajorgrids, grid style={black!15}, tick align=outside,\n  \
         legend style={at={(0.5,1.03)}, anchor=south, legend columns=2, draw=none,\n    \
         font=\\footnotesize, cells={anchor=west}, /tikz/every even column/.append style={column sep=8pt}},\n  \
         label style={font=\\footnotesize}, tick label style={font=\\footnotesize},\n  \
         unbounded coords=jump, filter discard warning=false,\n]\n",
    );
    // The last area reaches highest, and lies behind the others.
    let all = 0..figure.series.len();
    let is_area = |at: &usize| figure.series[*at].kind == Kind::Area;
    for at in all.clone().rev().filter(is_area) {
        plot(&mut tex, figure, at, csv_name);
    }
    let point = |(x, y): (f64, f64)| format!("(axis cs:{},{})", short(x), short(y));
    for [from, to] in &figure.guides {
        let (from, to) = (point(*from), point(*to));
        let _ = writeln!(tex, "\\draw[black!25, thin, dashed] {from} -- {to};");
    }
    for at in all.filter(|at| !is_area(at)) {
        plot(&mut tex, figure, at, csv_name);
    }
    for note in &figure.notes {
        let (at, text) = (point(note.at), escaped(&note.text));
        let _ = match note.side {
            Side::Beside => writeln!(
                tex,
                "\\node[anchor=west, font=\\footnotesize] at {at} {{{text}}};"
            ),
            Side::Before => writeln!(
                tex,
                "\\node[anchor=south east, font=\\footnotesize] at {at} {{{text}}};"
            ),
            Side::Along(to) => writeln!(
                tex,
                "\\path {at} -- {} node[midway, sloped, above, font=\\footnotesize] {{{text}}};",
                point(to)
            ),
        };
    }
    tex.push_str("\\end{axis}\n\\end{tikzpicture}\n\\endoffigure\n");
    Sources { tex, csv }
}

/// One series, with its entry in the legend.
fn plot(tex: &mut String, figure: &Figure, at: usize, csv_name: &str) {
    let (series, style) = (&figure.series[at], style(at));
    // The legend takes its entries from the plots in their order.
    let forgotten = if series.name.is_empty() {
        ", forget plot"
    } else {
        ""
    };
    let (look, end) = if series.kind == Kind::Area {
        let fill = rgb(light(at));
        let look = format!("draw=black, very thin, fill={fill}, area legend");
        (look, " \\closedcycle")
    } else {
        let points = series.points.len();
        let mut marks = marker(style.marker, style.is_filled, style.colour, points);
        if series.kind == Kind::Roof {
            let inner: Vec<String> = (2..points).map(|at| at.to_string()).collect();
            marks.push_str(&format!(", mark indices={{{}}}", inner.join(",")));
        }
        let line = line(series.kind, style.dashes);
        (format!("color={}, {line}{marks}", rgb(style.colour)), "")
    };
    let _ = writeln!(
        tex,
        "\\addplot[{look}{forgotten}]\n  table[x=x, y=s{}, col sep=comma]{{{csv_name}}}{end};",
        at + 1
    );
    if !series.name.is_empty() {
        let _ = writeln!(tex, "\\addlegendentry{{{}}}", escaped(&series.name));
    }
}

fn rgb((red, green, blue): Colour) -> String {
    format!("{{rgb,255:red,{red};green,{green};blue,{blue}}}")
}

/// Returns true if a text is such a CSV, of any figure.
pub fn is_csv_of_pgfplots(text: &str) -> bool {
    let mut columns = text.lines().next().unwrap_or_default().split(',');
    columns.next() == Some("x")
        && columns
            .zip(1..)
            .all(|(column, at)| column == format!("s{at}"))
}

fn axis(tex: &mut String, letter: char, axis: &Axis, ruler: &Ruler) {
    // A single-letter parameter is set as in formulas.
    let label = match axis.label.chars().count() {
        1 if axis.label.is_ascii() => format!("${}$", axis.label),
        _ => escaped(&axis.label),
    };
    let _ = writeln!(tex, "  {letter}label={{{label}}},");
    match axis.scale {
        Scale::Linear => {}
        Scale::Log2 => {
            let _ = writeln!(tex, "  {letter}mode=log, log basis {letter}=2,");
        }
        Scale::Log10 => {
            let _ = writeln!(tex, "  {letter}mode=log, log basis {letter}=10,");
        }
    }
    let _ = writeln!(
        tex,
        "  {letter}min={}, {letter}max={},",
        short(ruler.low),
        short(ruler.high)
    );
    if ruler.shift != 0 {
        // pgfplots writes the power at the end of the axis.
        let _ = writeln!(tex, "  scaled {letter} ticks=base 10:{},", -ruler.shift);
        let places = ruler.ticks.iter().map(|tick| short(tick.value));
        let places: Vec<String> = places.collect();
        let _ = writeln!(tex, "  {letter}tick={{{}}},", places.join(","));
        return;
    }
    let shown: Vec<(f64, &Label)> = ruler
        .ticks
        .iter()
        .filter_map(|tick| Some((tick.value, tick.label.as_ref()?)))
        .collect();
    let places: Vec<String> = shown.iter().map(|(value, _)| short(*value)).collect();
    let labels: Vec<String> = shown
        .iter()
        .map(|(_, label)| match label {
            Label::Plain(text) => format!("${}$", text.replace('−', "-")),
            Label::Power(base, exponent) => format!("${base}^{{{exponent}}}$"),
            Label::Multiple(multiple, exponent) => {
                format!("${multiple}\\cdot10^{{{exponent}}}$")
            }
        })
        .collect();
    let _ = writeln!(
        tex,
        "  {letter}tick={{{}}}, {letter}ticklabels={{{}}},",
        places.join(","),
        labels.join(",")
    );
}

/// A number rounded to 13 digits, without the noise of its last bits.
fn short(number: f64) -> String {
    let rounded: f64 = format!("{number:.12e}").parse().unwrap_or(number);
    rounded.to_string()
}

fn line(kind: Kind, dashes: &[f64]) -> String {
    if kind == Kind::Points {
        return "only marks, ".to_owned();
    }
    if dashes.is_empty() {
        return "solid, ".to_owned();
    }
    let pattern: Vec<String> = dashes
        .chunks(2)
        .map(|pair| {
            let off = pair.get(1).unwrap_or(&pair[0]);
            format!("on {}pt off {}pt", pair[0] * 0.75, off * 0.75)
        })
        .collect();
    format!("dash pattern={}, ", pattern.join(" "))
}

fn marker(marker: Marker, is_filled: bool, colour: Colour, points: usize) -> String {
    let name = match (marker, is_filled) {
        (Marker::Circle, true) => "*",
        (Marker::Circle, false) => "o",
        (Marker::Square, true) => "square*",
        (Marker::Square, false) => "square",
        (Marker::Triangle, true) => "triangle*",
        (Marker::Triangle, false) => "triangle",
        (Marker::Diamond, true) => "diamond*",
        (Marker::Diamond, false) => "diamond",
        (Marker::Cross, _) => "x",
        (Marker::Plus, _) => "+",
    };
    let fill = if is_filled {
        format!(", fill={}", rgb(colour))
    } else {
        String::new()
    };
    let every = points.div_ceil(MOST_MARKERS).max(1);
    format!("mark={name}, mark size=1.8pt, mark repeat={every}, mark options={{solid{fill}}}")
}

/// One row for every x of any series.
fn csv(figure: &Figure) -> String {
    let Some((ruler, _)) = rulers(figure) else {
        return "x\n".to_owned();
    };
    let columns: Vec<Vec<(f64, f64)>> = figure
        .series
        .iter()
        .map(|series| thin(&series.points, |value| ruler.place(value)))
        .collect();
    let mut places: Vec<f64> = columns.iter().flatten().map(|point| point.0).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let mut out = String::from("x");
    for at in 1..=columns.len() {
        let _ = write!(out, ",s{at}");
    }
    out.push('\n');
    // Equal x in one series, such as repeated measurements, take a line each.
    let mut next = vec![0; columns.len()];
    for place in places {
        loop {
            let has = |at: usize, next: &[usize]| {
                let found: Option<&(f64, f64)> = columns[at].get(next[at]);
                found.filter(|point| point.0 == place).map(|point| point.1)
            };
            let row: Vec<Option<f64>> = (0..columns.len()).map(|at| has(at, &next)).collect();
            if row.iter().all(Option::is_none) {
                break;
            }
            let _ = write!(out, "{place}");
            for (at, value) in row.iter().enumerate() {
                match value {
                    Some(value) => {
                        let _ = write!(out, ",{value}");
                        next[at] += 1;
                    }
                    None => out.push_str(",nan"),
                }
            }
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::figure::Series;

    #[test]
    fn the_csv_has_a_line_for_every_place() {
        let series = |points: &[(f64, f64)]| Series {
            name: String::new(),
            kind: Kind::Line,
            points: points.to_vec(),
        };
        let axis = Axis {
            label: String::new(),
            scale: Scale::Linear,
            ends: None,
        };
        let figure = Figure {
            title: None,
            x: axis.clone(),
            y: axis,
            series: vec![
                series(&[(1.0, 10.0), (2.0, 0.5)]),
                series(&[(2.0, 3.0), (2.0, 4.0), (5.0, 6.0)]),
            ],
            notes: Vec::new(),
            guides: Vec::new(),
            size: Figure::COLUMN,
        };
        assert_eq!(
            csv(&figure),
            "x,s1,s2\n1,10,nan\n2,0.5,3\n2,nan,4\n5,nan,6\n"
        );
    }
}
