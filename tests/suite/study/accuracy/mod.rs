//! `cost::accuracy`, docs/accuracy.md and docs/lab/kernels.md: predictions of kernels that somebody timed, beside the times.
//!
//! `measured.csv` holds the times, with the program and the launch that stand for each kernel. What a program
//! counts at a point is kept in `counted.csv`, since counting all of them takes minutes: a test counts those
//! anew that are quick. Everything else is computed from these: factors, order, page and pictures.
//!
//! `ATGPU_WRITE_ACCURACY=1 cargo test --test suite accuracy` writes pages and pictures anew instead of comparing
//! them, and says what the tables of `src/cost/accuracy.rs` should be; with `=counts`, what is counted too, which
//! wants a release build; with `=missing`, what is counted of points that are new.

mod allocations;
mod counted;
mod counters;
mod fitted;
mod page;
mod papers;
mod points;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use crate::study::accuracy::points::{Point, Prediction, predictions};
use crate::support::programs::path;
use atgpu::cost::accuracy::{KNOWN, Kernels, Known, ORDERS, Order};

/// Set, files are written instead of compared.
const WRITE: &str = "ATGPU_WRITE_ACCURACY";

/// The models that the page is about.
const MODELS: [&str; 2] = ["swgpu", "roofline"];

/// Those, and the two with transfers, of which these times have none: all that predict on these cards.
const PREDICTING: [&str; 4] = ["atgpu", MODELS[0], MODELS[1], "combined"];

/// The cards with times, in the order of the columns.
const CARDS: [&str; 4] = ["rtx2060", "rtx3060", "rtx3080", "h100"];

/// The cards whose times were seen while `roofline` was made, and one that came afterwards.
const SEEN: &[&str] = &["rtx2060", "rtx3060", "rtx3080"];
const UNSEEN: &[&str] = &["h100"];

/// The mean factors that nobody may worsen, over kernels that are not short. (`roofline` was at 1.22, by 0.002 less,
/// while bank conflicts of thread blocks were counted over as many banks as they have threads.)
const AT_MOST: [(&str, &[&str], f64); 4] = [
    ("swgpu", SEEN, 2.59),
    ("roofline", SEEN, 1.23),
    ("swgpu", UNSEEN, 2.40),
    ("roofline", UNSEEN, 1.22),
];

fn folder() -> PathBuf {
    path("tests/suite/study/accuracy")
}

fn writes() -> bool {
    std::env::var_os(WRITE).is_some()
}

/// All predictions, computed once for all tests.
fn all() -> &'static [Prediction] {
    static ALL: OnceLock<Vec<Prediction>> = OnceLock::new();
    ALL.get_or_init(|| predictions(&Point::all(), &counted::read()))
}

/// Of some predictions: how many, the mean and the worst factor, the part within 2×.
#[derive(Debug, Clone, Copy)]
struct Summary {
    points: usize,
    mean: f64,
    worst: f64,
    within_two: f64,
}

impl Summary {
    fn of<'p>(predictions: impl Iterator<Item = &'p Prediction>) -> Option<Summary> {
        let factors: Vec<f64> = predictions.map(Prediction::factor).collect();
        let points = factors.len();
        let logs: f64 = factors.iter().map(|factor| factor.ln()).sum();
        (points > 0).then(|| Summary {
            points,
            mean: (logs / points as f64).exp(),
            worst: factors.iter().copied().fold(1.0, f64::max),
            within_two: factors.iter().filter(|factor| **factor <= 2.0).count() as f64
                / points as f64,
        })
    }
}

/// Versions of one algorithm at the same size on the same card whose times differ by more than a tenth, the quicker
/// one first.
fn pairs(model: &str, admits: impl Fn(&Prediction) -> bool) -> Vec<[&'static Prediction; 2]> {
    let of_model: Vec<&Prediction> = all()
        .iter()
        .filter(|one| one.model == model && admits(one))
        .collect();
    let mut found = Vec::new();
    for (at, one) in of_model.iter().enumerate() {
        for other in &of_model[..at] {
            let is_pair = one.point.is_version_of(&other.point) && one.card == other.card;
            let [quick, slow] = if one.measured < other.measured {
                [*one, *other]
            } else {
                [*other, *one]
            };
            if is_pair && slow.measured > 1.1 * quick.measured {
                found.push([quick, slow]);
            }
        }
    }
    found
}

/// How many pairs a model puts in the right order, of how many.
fn order(model: &str, admits: impl Fn(&Prediction) -> bool) -> (u32, u32) {
    let pairs = pairs(model, admits);
    let right = pairs
        .iter()
        .filter(|[quick, slow]| quick.predicted < slow.predicted);
    (right.count() as u32, pairs.len() as u32)
}

fn found() -> (Vec<Known>, Vec<Order>) {
    let known = PREDICTING.iter().flat_map(|model| {
        Kernels::ALL.iter().filter_map(|kernels| {
            let is_meant = |one: &Prediction| match kernels {
                Kernels::Any => true,
                kind => one.kernels == *kind,
            };
            let of = |one: &&Prediction| one.model == *model && is_meant(one);
            let summary = Summary::of(all().iter().filter(of))?;
            let hundredths = |factor: f64| (factor * 100.0).round() / 100.0;
            Some(Known {
                model,
                kernels: *kernels,
                points: summary.points as u32,
                mean_factor: hundredths(summary.mean),
                worst_factor: hundredths(summary.worst),
                within_two: (summary.within_two * 100.0).round() as u32,
            })
        })
    });
    let orders = MODELS.iter().map(|model| {
        let (right, pairs) = order(model, |_| true);
        Order {
            model,
            right,
            pairs,
        }
    });
    (known.collect(), orders.collect())
}

/// A model with times was held against these, or `cost` says that it was not; and no model that was has no
/// figure for kernels of which it cannot be told what they are.
#[test]
fn each_model_has_figures_or_none_were_measured() {
    let told = |model: &str, kernels| {
        let mut known = KNOWN.iter();
        known.any(|known| known.model == model && known.kernels == kernels)
    };
    for model in atgpu::cost::MODELS {
        let (name, is_predicting) = (model.name(), PREDICTING.contains(&model.name()));
        for kernels in Kernels::ALL {
            assert_eq!(
                told(name, kernels),
                is_predicting,
                "{name}, {}",
                kernels.name()
            );
        }
        // The others need what no file of these cards has, or have no times.
        let machines = CARDS.map(|card| atgpu::machine::Machine::built_in(card).expect("built in"));
        let counts = atgpu::count::Counts::default();
        let charged = atgpu::count::Charged::default();
        let subject = atgpu::cost::Subject::of(&counts).with_charges(&charged);
        let has_time = |machine| {
            let estimate = model.estimate(&subject, machine);
            estimate.is_ok_and(|estimate| estimate.headline().is_some())
        };
        assert!(
            machines
                .iter()
                .all(|machine| has_time(machine) == is_predicting),
            "{name}"
        );
    }
}

/// What `cost` says of a model's accuracy is what its predictions and the measured times give.
#[test]
fn what_is_said_to_be_known_is_what_was_found() {
    let (known, orders) = found();
    if writes() {
        println!("KNOWN = {known:#?}\nORDERS = {orders:#?}");
        return;
    }
    assert_eq!(known, KNOWN);
    assert_eq!(orders, ORDERS);
}

/// The mean factor of each model over kernels that are not short is no worse than it was.
#[test]
fn predictions_have_not_worsened() {
    for (model, cards, most) in AT_MOST {
        let of = |one: &&Prediction| {
            one.model == model && cards.contains(&one.card) && one.kernels != Kernels::Short
        };
        let found = Summary::of(all().iter().filter(of)).expect("there are points");
        assert!(found.mean <= most, "{model}: {} above {most}", found.mean);
        // What is better is kept.
        assert!(
            found.mean > most - 0.02,
            "{model}: {} is better: lower {most}",
            found.mean
        );
    }
}

/// The pages and their pictures are what the predictions give.
#[test]
fn pages_and_pictures_are_made_of_the_predictions() {
    let mut files = page::pages();
    for model in MODELS {
        let file = path(&format!("docs/figures/accuracy/{model}.svg"));
        files.push((file, page::picture(model)));
    }
    for (file, made) in files {
        if writes() {
            fs::create_dir_all(file.parent().expect("it is in a folder")).expect("writable");
            fs::write(&file, made).expect("writable");
        } else {
            let shown = fs::read_to_string(&file).unwrap_or_default();
            assert!(
                shown == made,
                "{} is not what the predictions give: see {WRITE}",
                file.display()
            );
        }
    }
}

/// What is kept of counting is what is counted now, for every program at its quick points.
#[test]
fn counts_are_what_is_counted() {
    let kept = counted::read();
    let asked = std::env::var(WRITE).unwrap_or_default();
    if asked == "counts" || asked == "missing" {
        let known = if asked == "missing" {
            kept
        } else {
            BTreeMap::new()
        };
        counted::write(&Point::all(), &known);
        return;
    }
    // The quickest point of each program, and all that are quick.
    let mut least: BTreeMap<String, u64> = BTreeMap::new();
    let points = Point::all();
    let kept_of = |point: &Point| kept.get(&point.key()).cloned();
    for point in &points {
        if let Some(line) = kept_of(point) {
            let least = least.entry(point.program.clone()).or_insert(line.work);
            *least = line.work.min(*least);
        }
    }
    assert!(least.len() >= 25);
    for point in &points {
        let Some(line) = kept_of(point) else {
            continue;
        };
        if line.work <= QUICK || line.work == least[&point.program] {
            assert_eq!(counted::count(point).text(), line.text(), "{}", point.key());
        }
    }
}

/// Core-steps that are quick to count in a debug build.
const QUICK: u64 = 3_000;
