//! The figures of a card that the bounds need, as expressions; and the error if one is missing.

use crate::count::{ByKind, Kind};
use crate::machine::{Coalescing, Cycles, Machine, MissingFigure};
use crate::number::Rational;
use crate::sym::Expr;

/// The figures of a card that the bounds need.
pub(super) struct Card {
    pub multiprocessors: Expr,
    /// Limits on resident thread blocks besides shared memory: H, warps and threads.
    pub most_resident: Vec<Expr>,
    pub shared_words: Expr,
    /// b.
    pub width: Expr,
    pub word_bytes: Expr,
    /// Bytes of a transaction if the charges do not know them.
    pub transaction_bytes: Expr,
    /// γ, in cycles a ms.
    pub clock: Expr,
    /// r, and the operations of one kind that a multiprocessor issues per cycle: at most 1.
    pub issue: Expr,
    pub issue_of_a_kind: Expr,
    /// D: cycles between two dependent instructions of a warp.
    pub dependent: Expr,
    /// Cycles of an addition in `[operations]`; an addition is one instruction.
    pub addition: Expr,
    /// Cycles that one operation of a warp occupies the unit of its kind; 0 if the unit is as wide as a warp.
    pub units: ByKind<Expr>,
    /// Cycles that one access of a warp occupies the load/store units; 0 if the file has no figure.
    pub load_store: Expr,
    /// Instructions of a global access, with those that compute its address.
    pub of_access: Expr,
    /// Z.
    pub thread_block: Expr,
    /// v: warps across an MP; W: all warps that it stands for.
    pub across: Expr,
    pub warps: Expr,
    /// P: those of them that go side by side, all where W is given; and e: those that issue each instruction
    /// one behind the other, all across where it is not.
    pub beside: Expr,
    pub in_step: Expr,
    pub latency: Expr,
    /// Latency in cycles of a word that was moved before, and of a word of shared memory.
    pub cached: Expr,
    pub shared: Expr,
    /// Cycles between the starts of two thread blocks; 0 if the file has no figure.
    pub start: Expr,
    /// True if the coalescing rule distinguishes transactions from blocks.
    pub has_transactions: bool,
    /// Bandwidth of the cache in bytes a ms; `None` if the card has no cache.
    pub cache: Option<Expr>,
    /// Attainable bandwidth of device memory in bytes a ms.
    pub memory: Expr,
    pub launch: Expr,
}

impl Card {
    pub(super) fn of(machine: &Machine) -> Result<Card, MissingFigure> {
        let bytes_a_ms = |gb_s: &Rational| Expr::rational(gb_s * &1_000_000.into());
        let cache = match machine.l2_bytes()? {
            0 => None,
            _ => Some(bytes_a_ms(machine.l2_gb_s()?)),
        };
        let issue = machine.issue_per_cycle()?;
        let issue_of_a_kind = issue.clone().min(1.into());
        let dependent = match &machine.roofline.dependent {
            Some(cycles) => cycles.value().clone(),
            // The issue rate is above 0, so the default is never used.
            None => issue_of_a_kind.recip().unwrap_or_default(),
        };
        let address = machine.roofline.address_instructions.clone();
        let address = address.unwrap_or_default();
        let number = |value: &Rational| Expr::rational(value.clone());
        let word_bytes = machine.word_bytes;
        let cycles = |figure: &Option<Cycles>| match figure {
            Some(cycles) => number(cycles.value()),
            None => Expr::zero(),
        };
        Ok(Card {
            multiprocessors: Expr::int(machine.multiprocessors()?),
            most_resident: machine
                .resident_limits()?
                .into_iter()
                .map(|(most, _)| Expr::int(most))
                .collect(),
            shared_words: Expr::int(machine.atgpu.shared_words),
            width: Expr::int(machine.atgpu.cores_per_mp),
            word_bytes: Expr::int(word_bytes),
            transaction_bytes: Expr::int(transaction_bytes(machine)),
            clock: number(machine.clock()?.value()),
            issue: number(issue),
            issue_of_a_kind: number(&issue_of_a_kind),
            dependent: number(&dependent),
            addition: match machine.operations.of(Kind::Add) {
                free if free.is_zero() => Expr::one(),
                cycles => number(cycles),
            },
            units: ByKind::from_fn(|kind| number(machine.units.of(kind))),
            load_store: number(&machine.load_store_cycles()),
            of_access: number(&(&address + &1.into())),
            thread_block: Expr::int(machine.mps_per_thread_block()),
            across: Expr::int(machine.warps_across()),
            warps: Expr::int(machine.warps_per_mp()),
            beside: Expr::int(match machine.roofline.warps_per_mp {
                Some(_) => machine.warps_per_mp(),
                None => 1,
            }),
            in_step: Expr::int(match machine.roofline.warps_per_mp {
                Some(_) => 1,
                None => machine.warps_across(),
            }),
            latency: number(machine.access_latency()?.value()),
            cached: cycles(&machine.roofline.cached),
            shared: cycles(&machine.roofline.shared),
            start: cycles(&machine.roofline.start),
            has_transactions: machine.coalescing != Coalescing::Blocks,
            cache,
            memory: bytes_a_ms(&memory_gb_s(machine)?),
            launch: number(machine.launch()?.value()),
        })
    }
}

/// The bandwidth of device memory that is reached, in 10⁹ bytes a second.
fn memory_gb_s(machine: &Machine) -> Result<Rational, MissingFigure> {
    let memory = machine.device.memory_gb_s.as_ref();
    let memory = machine.figure(memory, "device", "memory_gb_s", "how fast its memory is")?;
    Ok(match &machine.device.memory_efficiency {
        Some(part) => memory * part,
        None => memory.clone(),
    })
}

fn transaction_bytes(machine: &Machine) -> i64 {
    let word_bytes = machine.word_bytes;
    match machine.coalescing {
        Coalescing::Blocks => word_bytes.saturating_mul(machine.atgpu.cores_per_mp),
        Coalescing::Sectors => Coalescing::sector_bytes(word_bytes),
        Coalescing::HalfWarp => Coalescing::segment_bytes(word_bytes),
    }
}
