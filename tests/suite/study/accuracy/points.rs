//! What was measured, and what the models predict for it.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::study::accuracy::counted::Counted;
use crate::study::accuracy::{CARDS, PREDICTING, folder};
use atgpu::cost::accuracy::Kernels;
use atgpu::cost::{Subject, find};
use atgpu::count::Parameters;
use atgpu::machine::{BUILT_IN, Machine};

/// What `values` has besides the program's parameters: b where thread blocks are not as wide as a warp, W
/// where an MP goes through their warps in turn, and `double` where its `min` and `max` are comparisons in double
/// precision.
const OF_THE_LAUNCH: [&str; 3] = ["b", "W", "double"];

/// Cycles that a multiprocessor takes for a comparison of a warp in double precision and the conversion before
/// it: 32 over the lanes of each (CUDA C++ Programming Guide, throughput of native arithmetic instructions: two
/// and two of compute capabilities 7.5 and 8.6, 64 and 16 of 9.0).
const OF_DOUBLES: [(&str, &str); 4] = [
    ("rtx2060", "32"),
    ("rtx3060", "32"),
    ("rtx3080", "32"),
    ("h100", "2.5"),
];

/// A kernel at a size: what stands for it, and its time on each card in ms.
#[derive(Debug, Clone)]
pub struct Point {
    pub family: String,
    pub kernel: String,
    pub sizes: String,
    pub threads: String,
    /// A file of `programs/`; empty where none says the same.
    pub program: String,
    /// Its parameters, `n=2 m=2`, and what the launch has besides ([`OF_THE_LAUNCH`]); why there is none.
    pub values: String,
    /// Z: MPs of a thread block of the launch.
    pub thread_block: i64,
    pub word_bytes: i64,
    pub measured: Vec<f64>,
}

impl Point {
    /// All of `measured.csv`, those without a program too.
    pub fn all() -> Vec<Point> {
        let text = std::fs::read_to_string(folder().join("measured.csv")).expect("it is there");
        let lines = text.lines().filter(|line| !line.starts_with('#')).skip(1);
        let point = |line: &str| {
            let cells: Vec<&str> = line.split(',').collect();
            let [
                family,
                kernel,
                sizes,
                threads,
                program,
                values,
                z,
                bytes,
                times @ ..,
            ] = &cells[..]
            else {
                panic!("{line}");
            };
            let number = |cell: &str| cell.parse().unwrap_or(1);
            Point {
                family: (*family).to_owned(),
                kernel: (*kernel).to_owned(),
                sizes: (*sizes).to_owned(),
                threads: (*threads).to_owned(),
                program: (*program).to_owned(),
                values: (*values).to_owned(),
                thread_block: number(z),
                word_bytes: number(bytes),
                measured: times.iter().map(|ms| ms.parse().expect("a time")).collect(),
            }
        };
        lines.map(point).collect()
    }

    /// What counting depends on.
    pub fn key(&self) -> String {
        format!("{},{},{}", self.program, self.values, self.word_bytes)
    }

    /// Whether this is another version of the same algorithm, at the same size and launch.
    pub fn is_version_of(&self, other: &Point) -> bool {
        // The logs lost the sizes of some.
        let n = |point: &Point| point.values.split(' ').next().map(str::to_owned);
        let launch = |point: &Point| (point.sizes.clone(), point.threads.clone(), n(point));
        (&self.family, launch(self)) == (&other.family, launch(other))
            && self.kernel != other.kernel
    }

    /// The card with words and thread blocks of this launch.
    pub fn machine(&self, card: &str) -> Machine {
        let (_, text) = BUILT_IN
            .iter()
            .find(|(name, _)| *name == card)
            .expect("built in");
        let words = format!("word_bytes = {}", self.word_bytes);
        let mut text = text.replace("word_bytes = 4", &words);
        if self.given("double").is_some() {
            let mut cards = OF_DOUBLES.iter();
            let (_, cycles) = cards.find(|(name, _)| *name == card).expect("known");
            write!(text, "\n[units]\nselect = {cycles}\n").expect("a string grows");
        }
        let machine = Machine::from_toml(&text).expect("sound");
        let figures = ["b", "W"].into_iter();
        let figures = figures.filter_map(|name| Some((name, self.given(name)?)));
        let launch = [("Z", self.thread_block)].into_iter().chain(figures);
        machine
            .with(launch.collect::<Parameters>())
            .expect("in range")
    }

    /// The values of the program's own parameters.
    pub fn formals(&self) -> Parameters {
        self.pairs()
            .filter(|(name, _)| !OF_THE_LAUNCH.contains(name))
            .collect()
    }

    fn given(&self, wanted: &str) -> Option<i64> {
        let mut pairs = self.pairs().filter(|(name, _)| *name == wanted);
        pairs.next().map(|(_, value)| value)
    }

    fn pairs(&self) -> impl Iterator<Item = (&str, i64)> {
        self.values.split(' ').map(|pair| {
            let (name, value) = pair.split_once('=').expect("a value");
            (name, value.parse::<i64>().expect("whole"))
        })
    }
}

/// A model's word on a point on a card.
#[derive(Debug, Clone)]
pub struct Prediction {
    pub point: Point,
    pub card: &'static str,
    pub model: &'static str,
    pub measured: f64,
    pub predicted: f64,
    pub kernels: Kernels,
}

impl Prediction {
    /// Predicted over measured.
    pub fn ratio(&self) -> f64 {
        self.predicted / self.measured
    }

    /// That or its inverse, whichever is above 1.
    pub fn factor(&self) -> f64 {
        self.ratio().max(1.0 / self.ratio())
    }
}

/// Of all points that were counted, by all models on all cards.
pub fn predictions(points: &[Point], counted: &BTreeMap<String, Counted>) -> Vec<Prediction> {
    let mut found = Vec::new();
    for point in points {
        let Some(counted) = counted.get(&point.key()) else {
            continue;
        };
        let subject = Subject::of(&counted.counts).with_charges(&counted.charged);
        for (at, card) in CARDS.into_iter().enumerate() {
            let machine = point.machine(card);
            for model in PREDICTING {
                let listed = find(model).expect("listed");
                let estimate = listed.estimate(&subject, &machine).expect("complete");
                found.push(Prediction {
                    point: point.clone(),
                    card,
                    model,
                    measured: point.measured[at],
                    predicted: estimate.headline().expect("it has a cost").to_f64(),
                    kernels: Kernels::of(listed, &subject, &machine).expect("charged"),
                });
            }
        }
    }
    found
}
