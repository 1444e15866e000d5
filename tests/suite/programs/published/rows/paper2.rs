//! Paper 2: cycles and times on the GTX 280.

use atgpu::count::Kind;
use atgpu::number::Rational;

use crate::programs::published::paper2::{
    cycles_an_element, hidden_part, list_ranking_ms, quotient, section, time, transactions_at,
    whole,
};
use crate::programs::published::rows::{Number, Row, Tag, measured, number, said};
use crate::programs::published::support::gtx280;

pub fn rows() -> Vec<Row> {
    let mut rows = card();
    rows.extend(list_ranking());
    rows.extend(multiplication());
    for (stride, published) in [(1, 16), (2, 8), (4, 4), (8, 2), (16, 1), (32, 1)] {
        rows.push(
            Number {
                what: &format!("transactions of a half-warp at stride {stride}"),
                tag: Tag::Derive,
                unit: "",
                published: (f64::from(published), 0),
                ours: (transactions_at(stride).to_f64(), 0),
                why: "",
            }
            .row(),
        );
    }
    rows.push(Row {
        what: "bank experiment: time linear in".to_owned(),
        tag: Tag::Trend,
        published: "`bank`, the number of conflicts".to_owned(),
        ours: "gcd(bank, 16), the degree".to_owned(),
        difference: "form".to_owned(),
        why: "3 conflicts as little as 1; bank = 0 is a race".to_owned(),
    });
    rows.push(measured("list ranking, measured", "24 ms", ""));
    rows.push(measured("matrix multiplication, measured", "16 ms", ""));
    let [memory, _] = cycles_an_element();
    rows.push(
        Number {
            what: "list ranking, cycles of memory an element",
            tag: Tag::Trend,
            unit: "cycles",
            published: (1500.0, 0),
            ours: (memory, 0),
            why: "3·500 for the accesses, and shared words beside them; neighbours on a random list share little",
        }
        .row(),
    );
    rows.push(Row {
        what: "histogram".to_owned(),
        tag: Tag::Trend,
        published: "latency hiding works: MAX ≈ measured".to_owned(),
        ours: format!("MAX is {:.2} of SUM", hidden_part()),
        difference: "–".to_owned(),
        why: "needs their measurements".to_owned(),
    });
    rows
}

fn card() -> Vec<Row> {
    let (machine, section) = (gtx280(), section());
    let cycle_rules = machine.cycle_rules().expect("it has one");
    let weight = |kind| machine.operations.of(kind).to_f64();
    let exact = |what, unit, published: i32, ours| {
        number(
            (what, Tag::Data),
            unit,
            (f64::from(published), 0),
            (ours, 0),
            "",
        )
    };
    let float = |count: i64| count as f64;
    let mps = machine.multiprocessors().expect("it has one");
    let mut rows = vec![
        exact("SMs", "", 30, float(mps)),
        exact("cores of an SM", "", 8, float(section.cores)),
        exact("pipeline depth D", "", 4, float(section.pipeline_depth)),
        exact("threads of a warp", "", 32, float(section.warp_threads)),
        number(
            ("clock", Tag::Data),
            "GHz",
            (1.3, 1),
            (machine.clock().expect("it has one").to_f64() / 1e6, 1),
            "",
        ),
        exact("an addition", "cycles", 4, weight(Kind::Add)),
        exact("a product", "cycles", 16, weight(Kind::Multiply)),
        exact("a mod", "cycles", 48, weight(Kind::Modulus)),
        exact("a shared access", "cycles", 4, section.shared.to_f64()),
        exact(
            "a global access alone",
            "cycles",
            500,
            cycle_rules.global_cycles(1, 1).to_f64(),
        ),
    ];
    rows.push(number(
        (
            "a global access, 16 threads share a transaction",
            Tag::Formula,
        ),
        "cycles",
        (516.0 / 16.0, 2),
        (cycle_rules.global_cycles(1, 16).to_f64(), 2),
        "",
    ));
    let both = 2.0 * weight(Kind::Add) + 2.0 * weight(Kind::Multiply);
    rows.push(number(
        ("two adds, two multiplies", Tag::Formula),
        "cycles",
        (72.0, 0),
        (both, 0),
        "slip: 2·4 + 2·16",
    ));
    rows.push(said(
        "time T of C cycles at clock rate R",
        Tag::Formula,
        "C·R in the text",
        "C/R",
        "slip: equations (3) and (4) have C/R",
    ));
    rows
}

fn list_ranking() -> Vec<Row> {
    let n = 1_i64 << 22;
    let thread = whole(4 * 22 * 3 * 500);
    let each = quotient(n, 22 * 512 * 30);
    let ceiling = Rational::from(each.ceil());
    let [_, spread] = list_ranking_ms();
    vec![
        number(
            ("list ranking, N = 2^22, work over MPs", Tag::Derive),
            "ms",
            (21.0, 1),
            (spread, 1),
            "each warp its own longest walk, on a list drawn at random",
        ),
        number(
            ("the same by the display, mended", Tag::Formula),
            "ms",
            (21.0, 1),
            (time(ceiling, 16, thread.clone()), 2),
            "printed as ≈; N_B = ⌈12.41⌉ = 13",
        ),
        number(
            ("that without the ceiling", Tag::Formula),
            "ms",
            (21.0, 1),
            (time(each, 16, thread.clone()), 2),
            "N_B counts whole blocks",
        ),
        number(
            ("that as displayed", Tag::Formula),
            "ms",
            (21.0, 1),
            (time(quotient(n, 512 * 30), 16, thread), 1),
            "slip: the display lacks 1/log N",
        ),
    ]
}

fn multiplication() -> Vec<Row> {
    let n = 128;
    let (compute, memory) = (quotient(760 * n, 16), quotient(240 * n, 16));
    let each = quotient(n * n, 256 * 30);
    let sum = &compute + &memory;
    let why = "slip: no reading makes it 11";
    let row = |what: &str, ms: f64| number((what, Tag::Formula), "ms", (11.0, 0), (ms, 4), why);
    let cycle_rules = gtx280().cycle_rules().expect("it has one");
    let cycles =
        &(&cycle_rules.global_cycles(1, 16) * &whole(3)) + &(&cycle_rules.shared * &whole(2));
    vec![
        row(
            "matrix multiplication, N = 128, MAX as displayed",
            time(each.clone(), 8, compute.clone()),
        ),
        row("the same with N_B = 3", time(whole(3), 8, compute)),
        row("SUM as displayed", time(each, 8, sum.clone())),
        row("SUM with N_B = 3", time(whole(3), 8, sum)),
        number(
            ("cycles of memory in an iteration", Tag::Formula),
            "",
            (240.0, 0),
            (cycles.to_f64(), 2),
            "does not follow from the weights: 3·(500 + 16)/16 + 2·4",
        ),
    ]
}
