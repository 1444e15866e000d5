//! What both sides hold at most, each in a process of its own.

use std::fs;
use std::process::Command;

use atgpu::exec::{Data, Unwatched};

use crate::paired::{options, point, prepared, program, threads};
use crate::{Case, Workload};

/// A side measured in a process of its own, as its arguments: the flag, the side, the workload's name
/// and, of native code, the kind and the number of the words that come back.
pub const FLAG: &str = "--peak";

/// Prints data, peaks of both sides, and what the execution holds beside the data, in MB.
pub fn compare(workloads: &[&Workload]) {
    println!("workload,size,data,executed,native,beside data");
    for Workload {
        name, large: size, ..
    } in workloads
    {
        let executed = measured(&["executed", name]);
        let [peak, data, kind, words] = executed.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{executed}");
        };
        let native = measured(&["native", name, kind, words]);
        let [peak, data, native] =
            [peak, data, &native].map(|bytes| bytes.parse::<f64>().expect("bytes") / 1e6);
        let beside = peak - data;
        println!("{name},{size},{data:.1},{peak:.1},{native:.1},{beside:.1}");
    }
}

fn measured(side: &[&str]) -> String {
    let own = std::env::current_exe().expect("a path");
    let output = Command::new(own).arg(FLAG).args(side).output();
    let output = output.expect("it starts");
    assert!(output.status.success(), "{side:?}: {output:?}");
    let text = String::from_utf8(output.stdout).expect("text");
    text.trim().to_owned()
}

/// Runs one side and prints what [`measured`] reads.
pub fn measure(workloads: &[Workload], arguments: &[&str]) {
    let [side, name, output @ ..] = arguments else {
        panic!("{arguments:?}");
    };
    let workload = workloads.iter().find(|workload| workload.name == *name);
    let workload = workload.expect("a workload");
    let case = (workload.case)(workload.large);
    match (*side, output) {
        ("executed", []) => executed(case),
        ("native", [kind, words]) => {
            let words = words.parse().expect("words");
            let result = match *kind {
                "float" => Data::Float(vec![0.0; words]),
                _ => Data::Int(vec![0; words]),
            };
            native(case, result);
        }
        _ => panic!("{arguments:?}"),
    }
}

fn executed(case: Case) {
    drop(case.native);
    let checked = program(case.program);
    let point = point(&checked, &case.parameters);
    let mut options = options(&case.inputs, threads());
    options.skip_ensures = true;
    drop(case.inputs);
    forget_peak();
    let mut execution = prepared(&checked, &point, &options);
    drop(options);
    let outcome = execution.run(&Unwatched).expect("it runs");
    let peak = peak();
    let arrays = outcome.host.values().chain(outcome.global.values());
    let data: usize = arrays.map(|array| 8 * array.array.data.len()).sum();
    let result = &outcome.host[case.output].array.data;
    let kind = match result {
        Data::Int(_) => "int",
        Data::Float(_) => "float",
    };
    println!("{peak} {data} {kind} {}", result.len());
}

fn native(mut case: Case, mut result: Data) {
    drop(case.inputs);
    forget_peak();
    (case.native)(&mut result);
    println!("{}", peak());
}

/// From now on the peak is what is held now.
fn forget_peak() {
    fs::write("/proc/self/clear_refs", "5").expect("Linux tells peaks");
}

/// The most bytes held at once.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux tells peaks");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    1024 * kilobytes.expect("a line of it")
}
