//! Names, labels and numbers of figures from small curves.

use crate::report::figure::curves::*;

fn curve(program: &str, model: &'static str, points: &[(f64, f64)]) -> Curve {
    Curve {
        program: program.to_owned(),
        machine: "gtx650".to_owned(),
        model: Some(model),
        method: None,
        unit: "ms",
        others: Vec::new(),
        points: points.to_vec(),
        is_exact: true,
    }
}

#[test]
fn names_say_what_differs() {
    let points = [(1.0, 2.0), (2.0, 3.0)];
    let names = |curves: &[Curve]| -> Vec<String> {
        let (figure, _) = figure(&Plot::of("n", "gpu_cost"), curves, &[]);
        figure
            .series
            .into_iter()
            .map(|series| series.name)
            .collect()
    };
    let (one, other) = (
        curve("VectorAddition", "atgpu", &points),
        curve("VectorAddition", "swgpu", &points),
    );
    assert_eq!(names(&[one.clone(), other]), ["ATGPU", "SWGPU"]);
    assert_eq!(names(std::slice::from_ref(&one)), ["ATGPU"]);
    let sum = curve("Reduction", "atgpu", &points);
    assert_eq!(names(&[one.clone(), sum]), ["VectorAddition", "Reduction"]);
    let others = vec![("b".to_owned(), 16.into())];
    assert_eq!(
        names(&[Curve {
            others,
            is_exact: false,
            ..one
        }]),
        ["b = 16, at most"]
    );
}

#[test]
fn predictions_and_measurements_are_normalised_apart() {
    let curves = [
        curve("V", "atgpu", &[(1.0, 2.0), (2.0, 4.0)]),
        curve("V", "swgpu", &[(1.0, 1.0)]),
    ];
    let observed = crate::study::observations("n,total,kernel\n1,30,10\n2,60,20\n").expect("fine");
    let plot = Plot {
        is_normalised: true,
        ..Plot::of("n", "gpu_cost")
    };
    let (figure, _) = figure(&plot, &curves, &observed);
    let heights: Vec<Vec<f64>> = figure
        .series
        .iter()
        .map(|series| series.points.iter().map(|point| point.1).collect())
        .collect();
    let third = 10.0 / 60.0;
    assert_eq!(
        heights,
        [
            vec![0.5, 1.0],
            vec![0.25],
            vec![0.5, 1.0],
            vec![third, 20.0 / 60.0]
        ]
    );
    assert_eq!(figure.y.ends, Some((0.0, 1.0)));
}

#[test]
fn shares_are_in_per_cent_and_measured_ones_follow_from_both_times() {
    let curves = [curve("V", "atgpu", &[(4.0, 0.84)])];
    let observed = crate::study::observations("n,total,kernel\n4,10,4\n").expect("fine");
    let (figure, _) = figure(&Plot::of("n", "transfer_share"), &curves, &observed);
    assert_eq!(figure.series[0].points, [(4.0, 84.0)]);
    assert_eq!(figure.series[1].points, [(4.0, 60.0)]);
    assert_eq!(figure.y.scale, Scale::Linear);
}

#[test]
fn labels_say_what_is_drawn() {
    let labelled = |curve: &Curve, quantity, is_normalised, is_overlaid| {
        let plot = Plot {
            is_normalised,
            ..Plot::of("n", quantity)
        };
        super::label(&plot, Some(curve), is_overlaid)
    };
    let counted = |unit| Curve {
        model: None,
        unit,
        ..curve("V", "atgpu", &[])
    };
    let of_count = |quantity, unit| labelled(&counted(unit), quantity, false, false);
    assert_eq!(of_count("io", "blocks"), "I/O q (blocks)");
    assert_eq!(of_count("time", "operations"), "time t (operations)");
    assert_eq!(
        of_count("total_time", "operations"),
        "total time Σ t (operations)"
    );
    assert_eq!(of_count("shared", "words"), "shared (words)");
    assert_eq!(of_count("bank_conflicts", "conflicts"), "bank conflicts");
    let of_io = labelled(&counted("blocks"), "io", true, false);
    assert_eq!(of_io, "I/O q, as a part of the largest");
    // A figure of a model has the unit that it is in, whatever else has its name.
    let bound = curve("V", "roofline", &[]);
    let label = |quantity, is_normalised, is_overlaid| {
        labelled(&bound, quantity, is_normalised, is_overlaid)
    };
    assert_eq!(label("shared", false, false), "shared (ms)");
    assert_eq!(label("starts", false, false), "starts (ms)");
    let of_agpu = Curve {
        unit: "operations",
        ..curve("V", "agpu", &[])
    };
    assert_eq!(
        labelled(&of_agpu, "time", false, false),
        "time (operations)"
    );
    assert_eq!(label("streams", false, false), "time (ms)");
    assert_eq!(
        label("streams", true, false),
        "time, as a part of the longest"
    );
    assert_eq!(label("cost", true, false), "cost, as a part of the largest");
    assert_eq!(label("gpu_cost", false, true), "time (ms)");
}

#[test]
fn streams_stand_at_the_numbers_that_were_measured() {
    let curves = [Curve {
        method: Some("streams, paper 3"),
        ..curve("V", "atgpu", &[(1.0, 2.0), (4.0, 1.0)])
    }];
    let observed = crate::study::observations("streams,total\n4,1.5\n").expect("fine");
    let plot = Plot {
        along: "streams",
        ..Plot::of("n", "streams")
    };
    let (figure, _) = figure(&plot, &curves, &observed);
    assert_eq!(figure.x.label, "number of streams");
    assert_eq!(figure.series[1].points, [(4.0, 1.5)]);
}

#[test]
fn shares_of_bounds_are_no_bounds() {
    let bounded = Curve {
        is_exact: false,
        ..curve("V", "atgpu", &[(4.0, 0.5)])
    };
    let name = |quantity| {
        let (figure, _) = figure(
            &Plot::of("n", quantity),
            std::slice::from_ref(&bounded),
            &[],
        );
        figure.series[0].name.clone()
    };
    assert_eq!(name("transfer_share"), "ATGPU, of bounds");
    assert_eq!(name("gpu_cost"), "ATGPU, at most");
}

#[test]
fn scales_follow_the_numbers() {
    let scales = |points: &[(f64, f64)], wanted| {
        let plot = Plot {
            scales: (None, wanted),
            ..Plot::of("n", "gpu_cost")
        };
        let (figure, given_up) = figure(&plot, &[curve("V", "atgpu", points)], &[]);
        (figure.x.scale, figure.y.scale, given_up)
    };
    assert_eq!(
        scales(&[(1.0, 1.0), (32.0, 2.0)], None),
        (Scale::Log2, Scale::Log10, false)
    );
    assert_eq!(
        scales(&[(1.0, 1.0), (10.0, 2.0)], None),
        (Scale::Log10, Scale::Log10, false)
    );
    assert_eq!(
        scales(&[(1.0, 0.0), (32.0, 2.0)], None),
        (Scale::Log2, Scale::Linear, false)
    );
    assert_eq!(
        scales(&[(1.0, 1.0), (32.0, 1.9)], None),
        (Scale::Log2, Scale::Linear, false)
    );
    let log = Some(Scale::Log10);
    assert_eq!(
        scales(&[(1.0, 0.0), (32.0, 2.0)], log),
        (Scale::Log2, Scale::Linear, true)
    );
}

#[test]
fn labels_stand_for_names_also_of_one_program() {
    let labels = [("V".to_owned(), "my sum".to_owned())];
    let plot = Plot {
        labels: &labels,
        ..Plot::of("n", "gpu_cost")
    };
    let curves = [
        curve("V", "atgpu", &[(1.0, 1.0)]),
        curve("V", "swgpu", &[(1.0, 1.0)]),
    ];
    let (drawn, _) = figure(&plot, &curves, &[]);
    let names: Vec<&str> = drawn.series.iter().map(|of| of.name.as_str()).collect();
    assert_eq!(names, ["my sum, ATGPU", "my sum, SWGPU"]);
}
