//! Paper 3: the parameters of its bus, its equations over all sizes and streams, and its winners.

use atgpu::cost::overlap::roofline::bounds;
use atgpu::cost::overlap::werkhoven::{
    Equation, best_streams, equation_1, equation_2, equation_3, equation_4, equation_5, equation_6,
    streams,
};
use atgpu::cost::overlap::{Card, DeviceClass, Ways, Work, nearest, search};
use atgpu::machine::Machine;

use crate::programs::published::paper3::{self, TABLE_I, classified, letter_by_letter, works};
use crate::programs::published::rows::{Number, Row, Tag, measured, said};

pub fn rows() -> Vec<Row> {
    let mut rows = parameters();
    rows.extend(devices());
    rows.extend(equations());
    rows.extend(best_numbers());
    rows.extend(winners());
    rows.extend(section_3());
    for (what, published, ours, why) in [
        (
            "whether the kernel dominates or transfers do",
            "no rule",
            "the larger of the two equations",
            "a choice of ours",
        ),
        (
            "G of each equation",
            "one way or both ways, unsaid",
            "one way; both ways in (5), explicit–mapped for hybrid",
            "a choice of ours",
        ),
    ] {
        rows.push(said(what, Tag::Derived, published, ours, why));
    }
    rows.push(said(
        "condition for a second copy engine to help",
        Tag::Formula,
        "(t_E + t_Thd)/n > t_Thd",
        "(t_E + t_Thd)/n < t_Thd",
        "slip, reversed: at 1 ms, 10 ms each way and n = 4 it is 2.75 > 10",
    ));
    for (what, published) in [
        ("error of transfers, in and out", "1.18%, 2.47%"),
        (
            "error of explicit, mapped, streams, hybrid",
            "9.73%, 3.85%, 6.46%, 10.75%",
        ),
    ] {
        rows.push(measured(what, published, "needs their measurements"));
    }
    rows
}

fn card(name: &str) -> Card {
    let machine = Machine::built_in(name).expect("built in");
    Card::of(&machine).expect("complete")
}

/// A figure of the paper against the machine file's, both as they are written.
fn parameters() -> Vec<Row> {
    let (titan, older) = (card("titan"), card("gtx680"));
    let ways = |inward, outward| Ways { inward, outward };
    let each = [
        ("L + o, PCIe 3.0, ms", TABLE_I.start, titan.bus.start),
        (
            "G, PCIe 3.0, ms a byte",
            TABLE_I.per_byte,
            titan.bus.per_byte,
        ),
        ("g, PCIe 3.0, ms", TABLE_I.gap, titan.bus.gap),
        (
            "G explicit–mapped, PCIe 3.0, ms a byte",
            ways(1.193386e-7, 1.480396e-7),
            titan.mapped,
        ),
        (
            "G explicit–explicit, PCIe 2.0, ms a byte",
            ways(1.741965e-7, 1.747120e-7),
            older.bidirectional,
        ),
        (
            "G explicit–mapped, PCIe 2.0, ms a byte",
            ways(2.491988e-7, 2.236644e-7),
            older.mapped,
        ),
    ];
    let text = |ways: Ways| {
        if ways.inward < 1e-3 {
            format!("{:e} in, {:e} out", ways.inward, ways.outward)
        } else {
            format!("{} in, {} out", ways.inward, ways.outward)
        }
    };
    each.map(|(what, published, ours)| said(what, Tag::Data, &text(published), &text(ours), ""))
        .into()
}

fn devices() -> Vec<Row> {
    let text = |class| match class {
        DeviceClass::ImplicitSync => "1 copy engine, implicit synchronisation",
        DeviceClass::OneEngine => "1 copy engine, none",
        DeviceClass::TwoEngines => "2 copy engines, none",
    };
    [
        ("GTX 680", "gtx680", DeviceClass::ImplicitSync),
        ("GTX Titan", "titan", DeviceClass::OneEngine),
        ("Tesla K20m", "k20", DeviceClass::TwoEngines),
    ]
    .map(|(what, name, published)| {
        said(what, Tag::Data, text(published), text(card(name).class), "")
    })
    .into()
}

/// The largest difference of each equation from figure 7, letter by letter, over all sizes and streams.
fn equations() -> Vec<Row> {
    let mut off = [0.0_f64; 6];
    for work in works() {
        for n in 1..=256 {
            let found = [
                equation_1(&work, &TABLE_I, n),
                equation_2(&work, &TABLE_I, n),
                equation_3(&work, &TABLE_I, n),
                equation_4(&work, &TABLE_I, n),
                equation_5(&work, &TABLE_I, n),
                equation_6(&work, &TABLE_I),
            ];
            for (off, (found, printed)) in off
                .iter_mut()
                .zip(found.into_iter().zip(letter_by_letter(&work, n)))
            {
                *off = off.max((found - printed).abs());
            }
        }
    }
    let row = |(number, off): (usize, f64)| Row {
        what: format!("equation ({}), 16 MB … 1 GB, 1 … 256 streams", number + 1),
        tag: Tag::Formula,
        published: "figure 7".to_owned(),
        ours: "letter by letter".to_owned(),
        difference: if off < 1e-9 {
            "below 10^-9 ms".to_owned()
        } else {
            panic!("equation {number} is off by {off}")
        },
        why: "the order of the sum".to_owned(),
    };
    off.into_iter().enumerate().map(row).collect()
}

/// Each best number of streams against a search over 1 to 256: how much longer it takes.
fn best_numbers() -> Vec<Row> {
    let excess = |equation: Equation| {
        let each = works().into_iter().filter_map(|work: Work| {
            let time = |n: u32| equation.time(&work, &TABLE_I, n);
            let real = equation.best(&work, &TABLE_I)?;
            Some(nearest(real, 256, time).1 / search(256, time).1 - 1.0)
        });
        each.fold(0.0, f64::max)
    };
    let falls = |work: &Work| {
        let none = Equation::Three.best(work, &TABLE_I).is_none();
        none && search(256, |n| Equation::Three.time(work, &TABLE_I, n)).0 == 256
    };
    let on = |class| {
        let each = works().into_iter().map(|work| {
            let least = search(256, |n| streams(class, &work, &TABLE_I, n)).1;
            best_streams(class, &work, &TABLE_I, 256).1 / least - 1.0
        });
        each.fold(0.0, f64::max)
    };
    let row = |what: &str, published: &str, ours: &str, excess: f64, why: &str| {
        assert!(excess < 1e-12, "{what}: {excess}");
        Row {
            difference: "0 against a search over 1 … 256".to_owned(),
            ..said(what, Tag::Formula, published, ours, why)
        }
    };
    vec![
        row(
            "best n of (1)",
            "√(B_hd G_hd/g)",
            "√(B_hd G_hd/g_dh)",
            excess(Equation::One),
            "g is that of the outward transfers",
        ),
        row(
            "best n of (2)",
            "√(t_E/2g)",
            "√(t_E/(g_hd + g_dh))",
            excess(Equation::Two),
            "printed for g alike both ways",
        ),
        row(
            "best n of (3)",
            "none, it falls",
            if works().iter().all(falls) {
                "none, it falls"
            } else {
                "there is one"
            },
            0.0,
            "",
        ),
        row(
            "best n of (4)",
            "a crossing",
            "the crossing, or the minimum of the longest side before it",
            excess(Equation::Four),
            "the printed comparison of bytes is one of times",
        ),
        row(
            "best n of (5), dominant transfers",
            "√((B_min G + t_E)/g)",
            "√((B_min G + t_E)/g)",
            excess(Equation::Five),
            "",
        ),
        row(
            "best n on each class of device",
            "the larger of its two equations",
            "the larger of its two equations",
            [
                DeviceClass::ImplicitSync,
                DeviceClass::OneEngine,
                DeviceClass::TwoEngines,
            ]
            .map(on)
            .into_iter()
            .fold(0.0, f64::max),
            "",
        ),
    ]
}

/// Section III for 10^9 operations on 10^8 bytes of memory and 10^9 of bus.
fn section_3() -> [Row; 3] {
    let (kernel, peaks) = paper3::section_3();
    let found = bounds(&kernel, &peaks);
    [
        (
            "full overlap",
            5.0,
            found.full_overlap,
            "min(100, 20·10, 5·1)",
        ),
        (
            "zero overlap",
            1.0 / (1.0 / 5.0 + 1.0 / 100.0),
            found.zero_overlap,
            "1/(1/5 + 1/100)",
        ),
        (
            "mapped",
            50.0,
            found.mapped,
            "min(100, 5·10), by operational intensity",
        ),
    ]
    .map(|(what, published, ours, why)| {
        Number {
            what: &format!("section III, {what}, at 100 Gflop/s, 20 GB/s and 5 GB/s"),
            tag: Tag::Derived,
            unit: "Gflop/s",
            published: (published, 3),
            ours: (ours, 3),
            why,
        }
        .row()
    })
}

/// The published winners, with our milliseconds.
fn winners() -> Vec<Row> {
    let mut rows = Vec::new();
    for (card, title) in [
        ("gtx680", "GTX 680"),
        ("titan", "GTX Titan"),
        ("k20", "K20"),
    ] {
        for ((kernel, choices), published) in classified(card).into_iter().zip(match card {
            "gtx680" | "titan" => ["mapped", "hybrid"],
            _ => ["mapped", "streams"],
        }) {
            let best = choices
                .iter()
                .min_by(|a, b| a.ms.total_cmp(&b.ms))
                .expect("four");
            let each = choices.map(|choice| format!("{} {:.1}", choice.method.name(), choice.ms));
            rows.push(said(
                &format!("best for {kernel} on the {title}"),
                Tag::Formula,
                published,
                best.method.name(),
                &format!("ms: {}", each.join(", ")),
            ));
        }
    }
    rows
}
