//! Machines as text and as JSON: a list, one file, and the differences between two.

pub mod json;

use crate::count::Kind;
use crate::machine::{Cycles, Kothapalli, Machine, Millis, MillisPerByte, PerDirection};
use crate::number::Rational;
use crate::report::numbers::grouped;
use crate::report::table::{Align, Table};

/// Renders one line per machine.
pub fn list(machines: &[Machine]) -> String {
    let mut table = Table::new(&[
        ("machine", Align::Left),
        ("p", Align::Right),
        ("b", Align::Right),
        ("M", Align::Right),
        ("G", Align::Right),
        ("k'", Align::Right),
        ("H", Align::Right),
        ("clock", Align::Right),
    ]);
    for machine in machines {
        let [p, b, m, g] = machine
            .atgpu
            .numbers()
            .map(|number| grouped(&number.into()));
        let count = |figure: Option<i64>| figure.map_or("-".into(), |figure| figure.to_string());
        let clock = machine.device.clock.as_ref();
        let clock = clock.map(|clock| format!("{} GHz", clock.to_f64() / 1e6));
        table.row([
            machine.name.to_string(),
            p,
            b,
            m,
            g,
            count(machine.device.multiprocessors),
            count(machine.device.max_blocks),
            clock.unwrap_or("-".into()),
        ]);
    }
    table.render()
}

/// Renders the differing figures of two machines.
pub fn difference(left: &Machine, right: &Machine) -> String {
    let mut table = Table::new(&[
        ("", Align::Left),
        (&left.name, Align::Right),
        (&right.name, Align::Right),
    ]);
    let mut same = true;
    for ((meaning, a), (_, b)) in figures(left).into_iter().zip(figures(right)) {
        if a != b {
            same = false;
            let shown = |figure: Option<Shown>| match figure {
                Some(Shown::Number(figure)) => match figure.to_integer() {
                    Some(whole) => grouped(&whole),
                    None => figure.to_f64().to_string(),
                },
                Some(Shown::Text(text)) => text.to_owned(),
                None => "-".to_owned(),
            };
            table.row([meaning, shown(a), shown(b)]);
        }
    }
    if same {
        return format!("{} and {} have the same figures\n", left.name, right.name);
    }
    table.render()
}

/// A figure of a machine file.
#[derive(PartialEq)]
pub(super) enum Shown {
    Number(Rational),
    Text(&'static str),
}

/// All figures that a machine may have, with letters and units.
pub(super) fn figures(machine: &Machine) -> Vec<(String, Option<Shown>)> {
    let numbers = letters(machine).into_iter().chain(others(machine));
    let computing = || Kind::ALL.into_iter().filter(|kind| kind.computes());
    let weights = computing().map(|kind| {
        let cycles = machine.operations.of(kind).clone();
        (format!("    cycles of `{}`", kind.key()), Some(cycles))
    });
    let units = computing().map(|kind| {
        let cycles = machine.units.of(kind).clone();
        let narrow = (cycles > Rational::ZERO).then_some(cycles);
        (
            format!("    cycles of the units for `{}`", kind.key()),
            narrow,
        )
    });
    let numbers = numbers.map(|(name, figure)| (name.to_owned(), figure));
    let mut list: Vec<_> = numbers
        .chain(weights)
        .chain(units)
        .map(|(name, figure)| (name, figure.map(Shown::Number)))
        .collect();
    let waits = machine.overlap.implicit_sync;
    let waits = waits.map(|waits| Shown::Text(if waits { "yes" } else { "no" }));
    list.push(("    implicit synchronisation".to_owned(), waits));
    for (name, rule) in [
        ("    coalescing rule", machine.coalescing.name()),
        ("    bank rule", machine.banks.name()),
    ] {
        list.push((name.to_owned(), Some(Shown::Text(rule))));
    }
    list
}

/// The inward and the outward number of a figure.
fn each_way<T>(
    pair: &Option<PerDirection<T>>,
    value: fn(&T) -> &Rational,
) -> (Option<Rational>, Option<Rational>) {
    let values = pair
        .as_ref()
        .map(|pair| (value(&pair.inward), value(&pair.outward)));
    values
        .map(|(inward, outward)| (inward.clone(), outward.clone()))
        .unzip()
}

/// The figures of the sections for single models and for rooflines.
fn others(machine: &Machine) -> Vec<(&'static str, Option<Rational>)> {
    let all = [roofline(machine), overlap(machine), kothapalli(machine)];
    all.into_iter().flatten().collect()
}

fn roofline(machine: &Machine) -> Vec<(&'static str, Option<Rational>)> {
    let (device, roofline) = (&machine.device, &machine.roofline);
    let cycles = |figure: &Option<Cycles>| figure.as_ref().map(|cycles| cycles.value().clone());
    vec![
        ("    peak Gflop/s", device.peak_gflops.clone()),
        ("    GB/s of device memory", device.memory_gb_s.clone()),
        (
            "    part of them that is reached",
            device.memory_efficiency.clone(),
        ),
        ("    GB/s of the bus", device.bus_gb_s.clone()),
        ("    warps issued a cycle", roofline.issue_per_cycle.clone()),
        (
            "    bytes of the L2 cache",
            roofline.l2_bytes.map(Into::into),
        ),
        ("    GB/s of the L2 cache", roofline.l2_gb_s.clone()),
        ("L   cycles until a word arrives", cycles(&roofline.latency)),
        (
            "D   cycles to a dependent instruction",
            cycles(&roofline.dependent),
        ),
        (
            "    cycles until a cached word arrives",
            cycles(&roofline.cached),
        ),
        (
            "    cycles until a shared word arrives",
            cycles(&roofline.shared),
        ),
        (
            "    cycles between starts of thread blocks",
            cycles(&roofline.start),
        ),
        ("    threads of a warp", roofline.warp_size.map(Into::into)),
        (
            "    banks of shared memory",
            roofline.shared_banks.map(Into::into),
        ),
        (
            "    load/store units",
            roofline.load_store_units.map(Into::into),
        ),
        (
            "    instructions of an address",
            roofline.address_instructions.clone(),
        ),
        ("    resident warps", roofline.max_warps.map(Into::into)),
        ("    resident threads", roofline.max_threads.map(Into::into)),
        (
            "Z   MPs of a thread block",
            roofline.mps_per_thread_block.map(Into::into),
        ),
        ("W   warps of an MP", roofline.warps_per_mp.map(Into::into)),
        (
            "    ms of a launch",
            roofline
                .launch
                .as_ref()
                .map(|launch| launch.value().clone()),
        ),
    ]
}

fn overlap(machine: &Machine) -> Vec<(&'static str, Option<Rational>)> {
    let overlap = &machine.overlap;
    let (gap_in, gap_out) = each_way(&overlap.gap, Millis::value);
    let (both_in, both_out) = each_way(&overlap.bidirectional, MillisPerByte::value);
    let (mapped_in, mapped_out) = each_way(&overlap.mapped, MillisPerByte::value);
    let stream = overlap.stream_creation.as_ref();
    vec![
        ("    copy engines", overlap.copy_engines.map(Into::into)),
        ("g   ms between transfers in", gap_in),
        ("g   ms between transfers out", gap_out),
        ("    ms a byte in, both ways", both_in),
        ("    ms a byte out, both ways", both_out),
        ("    ms a byte in, mapped out", mapped_in),
        ("    ms a byte out, mapped out", mapped_out),
        (
            "    ms to create a stream",
            stream.map(|ms| ms.value().clone()),
        ),
    ]
}

fn kothapalli(machine: &Machine) -> Vec<(&'static str, Option<Rational>)> {
    let section = machine.kothapalli.as_ref();
    let of = |view: fn(&Kothapalli) -> Rational| section.map(view);
    vec![
        ("N_C cores of a multiprocessor", of(|k| k.cores.into())),
        ("D   stages of a pipeline", of(|k| k.pipeline_depth.into())),
        ("N_t threads of a warp", of(|k| k.warp_threads.into())),
        (
            "    warps of a thread block",
            of(|k| k.warps_per_thread_block.into()),
        ),
        (
            "    cycles of a shared access",
            of(|k| k.shared.value().clone()),
        ),
        (
            "    cycles of a global access",
            of(|k| k.global.value().clone()),
        ),
    ]
}

fn letters(machine: &Machine) -> Vec<(&'static str, Option<Rational>)> {
    let [p, b, m, g] = machine.atgpu.numbers().map(|number| Some(number.into()));
    let (device, transfer) = (&machine.device, &machine.transfer);
    let way = |pair: Option<PerDirection<Rational>>| match pair {
        Some(pair) => (Some(pair.inward), Some(pair.outward)),
        None => (None, None),
    };
    let (alpha_in, alpha_out) = way(transfer.alpha.as_ref().map(|alpha| PerDirection {
        inward: alpha.inward.value().clone(),
        outward: alpha.outward.value().clone(),
    }));
    let (beta_in, beta_out) = way(transfer.beta.as_ref().map(|beta| PerDirection {
        inward: beta.inward.value().clone(),
        outward: beta.outward.value().clone(),
    }));
    let synchronisation = transfer.synchronisation.as_ref();
    vec![
        ("p   cores", p),
        ("b   cores an MP, words a block", b),
        ("M   words of shared memory", m),
        ("G   words of global memory", g),
        ("    bytes a word", Some(machine.word_bytes.into())),
        (
            "k'  multiprocessors",
            device.multiprocessors.map(Into::into),
        ),
        ("H   MPs resident on one", device.max_blocks.map(Into::into)),
        (
            "γ   cycles a ms",
            device.clock.as_ref().map(|clock| clock.value().clone()),
        ),
        (
            "λ   cycles a block",
            machine
                .latency()
                .ok()
                .map(|latency| latency.value().clone()),
        ),
        ("α   ms a transaction in", alpha_in),
        ("α   ms a transaction out", alpha_out),
        ("β   ms a word in", beta_in),
        ("β   ms a word out", beta_out),
        (
            "σ   ms a round",
            synchronisation.map(|sigma| sigma.value().clone()),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::Parameters;
    use crate::machine::OVERRIDABLE;

    #[test]
    fn machines_differ_in_what_was_changed_only() {
        let machine = Machine::built_in("gtx650").expect("built in");
        assert!(difference(&machine, &machine).contains("same figures"));
        for name in OVERRIDABLE {
            let given: Parameters = [(name, 7)].into_iter().collect();
            let (changed, _) = machine.with_overrides(&given, |_| false).expect("fits");
            let text = difference(&machine, &changed);
            // α and β have a line each way.
            let lines = if ["α", "β"].contains(name) { 3 } else { 2 };
            assert_eq!(text.lines().count(), lines, "{text}");
            assert!(
                text.lines()
                    .nth(1)
                    .is_some_and(|line| line.trim().starts_with(name))
            );
        }
    }
}
