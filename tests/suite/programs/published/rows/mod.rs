//! The tables of docs/published.md: every published figure beside ours, their difference and why. Ours
//! is computed here from the programs, models and machines, and the page must show just that. With
//! `ATGPU_WRITE_PUBLISHED=1` the tables are written anew instead.

mod paper1;
mod paper2;
mod paper3;
mod paper4;
mod paper5;

use std::fs;

use crate::support::programs::path;

/// Set, the page is written anew instead of compared.
const WRITE: &str = "ATGPU_WRITE_PUBLISHED";

/// How a row is known (docs/published.md says what each means).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tag {
    /// A command on a program gives it.
    Derive,
    /// No paper prints it; it follows from what they print.
    Derived,
    /// A paper's formula, at figures given here.
    Formula,
    /// A paper's figure that a machine file holds.
    Data,
    /// A machine's figure was fitted to it.
    Fit,
    Trend,
    Observed,
}

impl Tag {
    const fn name(self) -> &'static str {
        match self {
            Tag::Derive => "derive",
            Tag::Derived => "derived",
            Tag::Formula => "by its formula",
            Tag::Data => "data",
            Tag::Fit => "fit",
            Tag::Trend => "trend",
            Tag::Observed => "observed",
        }
    }
}

/// A row of a table, as it is printed.
#[derive(Debug)]
struct Row {
    what: String,
    tag: Tag,
    published: String,
    ours: String,
    difference: String,
    why: String,
}

/// A published number and ours, in a unit, each with its own digits behind the point.
struct Number<'a> {
    what: &'a str,
    tag: Tag,
    unit: &'a str,
    published: (f64, usize),
    ours: (f64, usize),
    why: &'a str,
}

impl Number<'_> {
    /// The row. A difference beyond what rounding to the published digits makes needs a reason.
    #[track_caller]
    fn row(&self) -> Row {
        let Number {
            published,
            ours,
            unit,
            ..
        } = self;
        let unit = match *unit {
            "" | "%" => (*unit).to_owned(),
            unit => format!(" {unit}"),
        };
        let off = ours.0 - published.0;
        let printed = 0.5 * 10_f64.powi(-i32::try_from(published.1).expect("few"));
        let rounds = off.abs() <= printed * (1.0 + 1e-9);
        assert!(
            rounds || !self.why.is_empty(),
            "{}: {off} and no reason",
            self.what
        );
        // As many digits as show it.
        let mut digits = ours.1;
        while digits < 9 && off.abs() < 0.5 * 10_f64.powi(-(digits as i32)) {
            digits += 1;
        }
        let difference = match off.abs() < 1e-9 {
            true => "0".to_owned(),
            false if unit == "%" => format!("{off:+.digits$} points"),
            false => {
                let relative = 100.0 * off / published.0;
                let mut percent_digits = match relative.abs() {
                    10.0.. => 0,
                    0.1.. => 1,
                    _ => 2,
                };
                while percent_digits < 9
                    && relative.abs() < 0.5 * 10_f64.powi(-(percent_digits as i32))
                {
                    percent_digits += 1;
                }
                format!("{off:+.digits$}{unit} ({relative:+.percent_digits$}%)")
            }
        };
        let why = match (rounds && off != 0.0, self.why) {
            (true, "") => "rounded in print",
            (_, why) => why,
        };
        Row {
            what: self.what.to_owned(),
            tag: self.tag,
            published: format!("{:.*}{unit}", published.1, published.0),
            ours: format!("{:.*}{unit}", ours.1, ours.0),
            difference,
            why: why.to_owned(),
        }
    }
}

/// A number.
#[track_caller]
fn number(
    (what, tag): (&str, Tag),
    unit: &str,
    published: (f64, usize),
    ours: (f64, usize),
    why: &str,
) -> Row {
    Number {
        what,
        tag,
        unit,
        published,
        ours,
        why,
    }
    .row()
}

/// Two texts: the same, or with a reason.
#[track_caller]
fn said(what: &str, tag: Tag, published: &str, ours: &str, why: &str) -> Row {
    assert!(
        published == ours || !why.is_empty(),
        "{what}: {published} {ours}"
    );
    Row {
        what: what.to_owned(),
        tag,
        published: published.to_owned(),
        ours: ours.to_owned(),
        difference: if published == ours { "0" } else { "form" }.to_owned(),
        why: why.to_owned(),
    }
}

/// What the authors measured.
fn measured(what: &str, published: &str, why: &str) -> Row {
    Row {
        what: what.to_owned(),
        tag: Tag::Observed,
        published: published.to_owned(),
        ours: "–".to_owned(),
        difference: "–".to_owned(),
        why: why.to_owned(),
    }
}

fn rendered(rows: &[Row]) -> String {
    let mut text = String::from("| row | tag | published | ours | difference | why |\n");
    text.push_str("|---|---|---|---|---|---|\n");
    for row in rows {
        let cells = [
            &row.what,
            row.tag.name(),
            &row.published,
            &row.ours,
            &row.difference,
            &row.why,
        ];
        assert!(cells.iter().all(|cell| !cell.contains('|')), "{row:?}");
        text.push_str(&format!("| {} |\n", cells.join(" | ")).replace("|  |", "| |"));
    }
    text
}

/// The page holds these tables, between `<!-- figures: NAME -->` and `<!-- end -->`.
#[test]
fn the_page_shows_every_figure_with_its_difference() {
    let tables = [
        ("vector addition", paper1::vector_addition()),
        ("reduction", paper1::reduction()),
        ("matrix multiplication", paper1::matrix_multiplication()),
        ("paper 1", paper1::others()),
        ("paper 2", paper2::rows()),
        ("paper 3", paper3::rows()),
        ("paper 4", paper4::rows()),
        ("paper 5", paper5::rows()),
    ];
    let place = path("docs/published.md");
    let text = fs::read_to_string(&place).expect("the page is there");
    let mut written = String::new();
    let mut rest = text.as_str();
    for (name, rows) in &tables {
        let mark = format!("<!-- figures: {name} -->\n");
        let (before, after) = rest
            .split_once(&mark)
            .unwrap_or_else(|| panic!("the page lacks {mark}"));
        let (_, after) = after.split_once("<!-- end -->").expect("a table ends");
        written.push_str(&format!("{before}{mark}\n{}\n<!-- end -->", rendered(rows)));
        rest = after;
    }
    assert!(
        !rest.contains("<!-- figures:"),
        "a table that no test makes"
    );
    written.push_str(rest);
    if std::env::var_os(WRITE).is_some() {
        fs::write(&place, written).expect("the page can be written");
    } else {
        assert!(
            written == text,
            "docs/published.md shows other figures: run this test with {WRITE}=1 and read what changes"
        );
    }
}
