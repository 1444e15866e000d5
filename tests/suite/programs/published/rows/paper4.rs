//! Paper 4: segments and banks of the GTX 280.

use crate::programs::published::paper2::steps_at;
use crate::programs::published::paper4::transactions_of_neighbours;
use crate::programs::published::rows::{Number, Row, Tag, measured};

pub fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for (bits, published) in [(8, 1), (16, 1), (32, 1), (64, 1), (128, 2)] {
        rows.push(
            Number {
                what: &format!("segments of a half-warp on {bits}-bit neighbours"),
                tag: Tag::Derive,
                unit: "",
                published: (f64::from(published), 0),
                ours: (transactions_of_neighbours(bits / 8) / 2.0, 0),
                why: "",
            }
            .row(),
        );
    }
    for (stride, published) in [(1, 1), (2, 2), (4, 4), (8, 8), (16, 16), (3, 1)] {
        rows.push(
            Number {
                what: &format!("steps of a half-warp in 16 banks at stride {stride}"),
                tag: Tag::Derive,
                unit: "",
                published: (f64::from(published), 0),
                ours: (steps_at(stride), 0),
                why: "",
            }
            .row(),
        );
    }
    rows.push(Row {
        what: "which word a step broadcasts".to_owned(),
        tag: Tag::Derived,
        published: "left open".to_owned(),
        ours: "the lowest waiting core's".to_owned(),
        difference: "–".to_owned(),
        why: "a choice of ours".to_owned(),
    });
    rows.push(measured(
        "latency of global memory against registers",
        "up to 200 times",
        "needs their measurements",
    ));
    for (memory, published) in [
        ("global", "969, 21777"),
        ("shared", "51, 86.6"),
        ("constant", "35, 192"),
        ("texture", "140, 247"),
    ] {
        let why = match memory {
            "shared" => "the text ranks shared fastest; serially the table has constant",
            "constant" | "texture" => "the language has no such memory",
            _ => "needs their measurements",
        };
        rows.push(measured(
            &format!("ms for 10^6 reads, serial and random, {memory}"),
            published,
            why,
        ));
    }
    rows.push(measured(
        "constant cache",
        "time linear in distinct addresses",
        "the language has no constant memory",
    ));
    rows
}
