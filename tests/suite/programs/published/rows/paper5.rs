//! Paper 5: the two cards, equation (2) and table 2.

use atgpu::cost::overlap::gomez_luna::{Capability, best_streams, equation_2};
use atgpu::machine::Machine;

use crate::programs::published::paper5::{
    GTX_280, best_by_p, largest_difference, largest_excess, times,
};
use crate::programs::published::rows::{Number, Row, Tag, measured, number};

pub fn rows() -> Vec<Row> {
    let mut rows = cards();
    let off = largest_difference();
    assert!(off < 1e-9, "{off}");
    rows.push(Row {
        what: "(1), (3), (5), (7) and their conditions, 1 … 256 streams".to_owned(),
        tag: Tag::Formula,
        published: "section 3.2".to_owned(),
        ours: "letter by letter".to_owned(),
        difference: "below 10^-9 ms".to_owned(),
        why: "the order of the sum".to_owned(),
    });
    let excess = largest_excess();
    assert!(excess < 1e-12, "{excess}");
    rows.push(Row {
        what: "best n: (4) √(t_T/t_sc), (6) √(t_E/t_sc), (8) √(t_hd/t_sc)".to_owned(),
        tag: Tag::Formula,
        published: "the minima".to_owned(),
        ours: "the same".to_owned(),
        difference: "0 against a search over 1 … 1024".to_owned(),
        why: String::new(),
    });
    let t = times(9.5, 5.0, 5.0, GTX_280);
    rows.push(
        Number {
            what: "best n at t_T = 10, t_E = 9.5 ms, t_sc = 0.1 ms, by (2)",
            tag: Tag::Derived,
            unit: "",
            published: (equation_2(&t).expect("transfers are longer"), 0),
            ours: (f64::from(best_streams(Capability::One, &t, 256).0), 0),
            why: "slip: (2) is where (1) and (3) cross, no minimum; the smaller of it and (4)",
        }
        .row(),
    );
    for (card, title, published) in [
        ("gtx280", "GTX 280", [6.1, 12.2, 24.5]),
        ("gtx480", "GTX 480", [12.8, 25.8, 51.7]),
    ] {
        for ((p, published), ours) in [1024, 2048, 4096]
            .into_iter()
            .zip(published)
            .zip(best_by_p(card))
        {
            let (tag, why) = match p {
                1024 => (Tag::Fit, "fixes the machine's β"),
                _ => (Tag::Derive, "twice that of p/2: transfers grow with p²"),
            };
            rows.push(
                Number {
                    what: &format!("table 2, best n on the {title}, p = {p}"),
                    tag,
                    unit: "",
                    published: (published, 1),
                    ours: (ours, 1),
                    why,
                }
                .row(),
            );
        }
    }
    for (what, published) in [
        ("256-bins histogram, GTX 280", "2.6, 5.1, 9.9"),
        ("256-bins histogram, GTX 480", "2.3, 4.5, 9.1"),
        ("RGB to grayscale, GTX 280", "3.5, 7.0, 13.9"),
        ("RGB to grayscale, GTX 480", "2.8, 5.6, 11.3"),
    ] {
        rows.push(measured(
            &format!("table 2, best n by frame, {what}"),
            published,
            "from times that are not printed; doubles with the side too",
        ));
    }
    rows
}

fn cards() -> Vec<Row> {
    let mut rows = Vec::new();
    for (card, title, creation, slower) in [
        ("gtx280", "GTX 280", 0.10, 36.0),
        ("gtx480", "GTX 480", 0.03, -2.0),
    ] {
        let machine = Machine::built_in(card).expect("built in");
        let ms = machine
            .overlap
            .stream_creation
            .as_ref()
            .expect("it has one");
        let beta = machine.beta().expect("it has one");
        let ratio = 100.0 * (beta.outward.to_f64() / beta.inward.to_f64() - 1.0);
        rows.push(number(
            (&format!("t_sc, {title}"), Tag::Data),
            "ms",
            (creation, 2),
            (ms.to_f64(), 2),
            "",
        ));
        rows.push(number(
            (&format!("outward against inward, {title}"), Tag::Data),
            "%",
            (slower, 0),
            (ratio, 1),
            "",
        ));
    }
    rows
}
