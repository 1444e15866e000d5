//! The letters of PNG figures are those of DejaVu Sans: `src/report/figure/font/outlines.bin` is what would be made of the
//! font beside this file, and gives its outlines back to the bit. `UPDATE=1` writes it anew.
//!
//! The font is cut to U+0020–017F, Greek, U+0400–045F, punctuation, raised and lowered signs, letter-like ones, arrows,
//! operators, ⌈⌉⌊⌋⟨⟩ and geometric shapes, without hints. Its licence is in `src/report/figure/font/LICENSE`.

#[path = "../../../src/report/figure/font/mod.rs"]
mod letters;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use indexmap::IndexSet;
use letters::{Font, Place, Step, UNITS};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

const FONT: &[u8] = include_bytes!("font/DejaVuSans.ttf");

#[test]
fn the_outlines_are_those_of_the_font() {
    let face = Face::parse(FONT, 0).expect("a font");
    assert_eq!(f32::from(face.units_per_em()), UNITS);
    let made = made(&face);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/report/figure/font/outlines.bin");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &made).expect("it can be written");
    }
    assert!(
        fs::read(&path).expect("it is there") == made,
        "outlines.bin is old: `UPDATE=1 cargo test --test suite report::font`"
    );

    let font = Font::of(&made).expect("it is whole");
    assert!(Font::of(&made[..made.len() - 1]).is_none());
    let glyphs = glyphs(&face);
    assert!(glyphs.len() > 1000);
    for (code, glyph) in glyphs {
        let letter = char::from_u32(code).expect("a letter");
        let mut steps = Vec::new();
        font.outline(font.letter(letter), |step| steps.push(step));
        assert_eq!(steps, outline(&face, glyph), "{letter}");
        assert!(code == 0 || !std::ptr::eq(font.letter(letter), font.letter('\0')));
        let advance = face.glyph_hor_advance(glyph).expect("a width");
        assert_eq!(font.letter(letter).advance, u32::from(advance), "{letter}");
    }
    // Chinese has the box.
    assert!(std::ptr::eq(font.letter('中'), font.letter('\0')));
}

/// The glyph of each letter that the font has; at 0 the box of missing ones.
fn glyphs(face: &Face) -> BTreeMap<u32, GlyphId> {
    let mut glyphs = BTreeMap::from([(0, GlyphId(0))]);
    for table in face.tables().cmap.expect("a table of letters").subtables {
        table.codepoints(|code| {
            if let Some(glyph) = char::from_u32(code).and_then(|letter| face.glyph_index(letter)) {
                glyphs.insert(code, glyph);
            }
        });
    }
    glyphs
}

fn outline(face: &Face, glyph: GlyphId) -> Vec<Step> {
    let mut pen = Pen(Vec::new());
    face.outline_glyph(glyph, &mut pen);
    pen.0
}

struct Pen(Vec<Step>);

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.push(Step::Move((x, y)));
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.0.push(Step::Line((x, y)));
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.0.push(Step::Curve((x1, y1), (x, y)));
    }

    fn curve_to(&mut self, _: f32, _: f32, _: f32, _: f32, _: f32, _: f32) {
        unreachable!("TrueType has quadratic curves only");
    }

    fn close(&mut self) {
        self.0.push(Step::Close);
    }
}

/// A closed curve: whether each point is on it, and the steps between the points.
type Curve = Vec<(bool, i32, i32)>;

/// The file, as `src/report/figure/font/mod.rs` describes it.
fn made(face: &Face) -> Vec<u8> {
    let mut curves: IndexSet<Curve> = IndexSet::new();
    let mut letters = Vec::new();
    let glyphs = glyphs(face);
    put(&mut letters, glyphs.len());
    let mut before = 0;
    for (code, glyph) in glyphs {
        let steps = outline(face, glyph);
        let parts: Vec<&[Step]> = steps
            .split(|step| *step == Step::Close)
            .filter(|part| !part.is_empty())
            .collect();
        put(&mut letters, code - before);
        put(
            &mut letters,
            face.glyph_hor_advance(glyph).expect("a width"),
        );
        put(&mut letters, parts.len());
        for part in parts {
            let ((x, y), curve) = curve(part);
            put(&mut letters, curves.insert_full(curve).0);
            put(&mut letters, alternating(x));
            put(&mut letters, alternating(y));
        }
        before = code;
    }
    let mut bytes = Vec::new();
    put(&mut bytes, curves.len());
    for curve in curves {
        put(&mut bytes, curve.len());
        for (is_on, x, y) in curve {
            put(&mut bytes, alternating(x) << 1 | u32::from(is_on));
            put(&mut bytes, alternating(y));
        }
    }
    bytes.extend(letters);
    bytes
}

/// The place of a curve's first point, and the curve from there. An end in the middle between two control points is left
/// out, and so is the way back to the first point.
fn curve(steps: &[Step]) -> ((i32, i32), Curve) {
    let Some(Step::Move(start)) = steps.first() else {
        panic!("a curve begins with a place: {steps:?}");
    };
    let mut points = vec![(true, *start)];
    for (at, step) in steps.iter().enumerate() {
        let after = steps.get(at + 1);
        match (step, after) {
            (Step::Line(to), Some(_)) => points.push((true, *to)),
            (Step::Curve(by, to), Some(after)) => {
                points.push((false, *by));
                if !matches!(after, Step::Curve(next, _) if middle(*by, *next) == *to) {
                    points.push((true, *to));
                }
            }
            (Step::Curve(by, to), None) => {
                assert_eq!(to, start);
                points.push((false, *by));
            }
            (Step::Line(to), None) => assert_eq!(to, start),
            (Step::Move(_), _) => assert_eq!(at, 0),
            (Step::Close, _) => unreachable!("curves were split there"),
        }
    }
    let start = halves(*start);
    let mut before = start;
    let mut between = |(is_on, at): (bool, Place)| {
        let (x, y) = halves(at);
        let step = (is_on, x - before.0, y - before.1);
        before = (x, y);
        step
    };
    (start, points.into_iter().map(&mut between).collect())
}

fn middle(a: Place, b: Place) -> Place {
    ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0)
}

fn halves((x, y): Place) -> (i32, i32) {
    let (x, y) = (2.0 * x, 2.0 * y);
    assert!(x.fract() == 0.0 && y.fract() == 0.0, "{x} {y}");
    (x as i32, y as i32)
}

fn alternating(number: i32) -> u32 {
    ((number << 1) ^ (number >> 31)) as u32
}

fn put(bytes: &mut Vec<u8>, number: impl TryInto<u32>) {
    let mut number = number.try_into().ok().expect("a number of 32 bits");
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}
