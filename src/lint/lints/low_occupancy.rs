//! `lint::low-occupancy`: shared memory that keeps MPs from being resident together, ℓ < H. Where a thread
//! block is several warps, whatever keeps warps of the card from being resident.

use miette::Diagnostic as MietteDiagnostic;
use thiserror::Error;

use crate::diag::Diagnostic;
use crate::interval::Counted;
use crate::lint::Subject;
use crate::machine::{Limiting, Residents};
use crate::meaning::PointValues;
use crate::number::{BigInt, grouped};
use crate::text::Span;

#[derive(Debug, Error, MietteDiagnostic)]
#[error(
    "only {occupancy} of {most} MPs can be resident at once: each needs {} of {} words ({at})",
    grouped(words),
    grouped(&(*capacity).into())
)]
#[diagnostic(
    code("atgpu::lint::low-occupancy"),
    help("{most} are resident with at most {fitting} words of shared memory each")
)]
struct LowOccupancy {
    occupancy: BigInt,
    most: i64,
    words: BigInt,
    capacity: i64,
    fitting: i64,
    at: PointValues,
    #[label(primary, "names {} words of shared memory", grouped(words))]
    span: Span,
}

#[derive(Debug, Error, MietteDiagnostic)]
#[error(
    "only {resident} of the {most} warps of a multiprocessor of {card} can be resident: {thread_blocks} thread \
     block(s) of {warps} warps, limited by {limit} ({at})"
)]
#[diagnostic(
    code("atgpu::lint::low-occupancy"),
    help(
        "{most} warps are resident where thread blocks need fewer words of shared memory, or have fewer warps"
    )
)]
struct FewWarps {
    resident: BigInt,
    most: i64,
    card: String,
    thread_blocks: BigInt,
    warps: i64,
    limit: &'static str,
    at: PointValues,
    #[label(primary, "each needs {} words of shared memory", grouped(words))]
    span: Span,
    words: BigInt,
}

pub(super) fn lint(subject: &Subject<'_>, counted: &Counted) -> Vec<Diagnostic> {
    // A machine that does not say how many may be resident has nothing to be low against.
    let Some(most) = subject.machine.device.max_blocks.filter(|most| *most > 0) else {
        return Vec::new();
    };
    let capacity = subject.machine.atgpu.shared_words;
    let mut found = Vec::new();
    for ((_, round), detail) in counted.counts.rounds.iter().zip(&counted.details) {
        let words = &round.shared_words.upper;
        let Some(span) = detail.kernel else {
            continue;
        };
        let launched = round.launched_mps.upper > BigInt::from(0);
        if !launched || *words == BigInt::from(0) || *words > BigInt::from(capacity) {
            continue;
        }
        if subject.machine.has_wide_thread_blocks() {
            found.extend(few_warps(subject, words, span));
            continue;
        }
        // ℓ = ⌊M/m⌋: M = 12288 and m = 4096 let 3 MPs be resident. With H = 16 each may name at most
        // ⌊12288/16⌋ = 768 words.
        let occupancy = BigInt::from(capacity) / words;
        if occupancy >= BigInt::from(most) {
            continue;
        }
        found.push(Diagnostic::of(&LowOccupancy {
            occupancy,
            most,
            words: words.clone(),
            capacity,
            fitting: capacity / most,
            at: subject.point.values(),
            span,
        }));
    }
    found
}

/// A finding where fewer warps are resident than the card has room for. H is left alone: no program moves it.
fn few_warps(subject: &Subject<'_>, words: &BigInt, span: Span) -> Option<Diagnostic> {
    let machine = subject.machine;
    let most = machine.roofline.max_warps?;
    let Residents {
        thread_blocks,
        limit,
    } = machine.residents(words).ok()?;
    let warps = machine
        .mps_per_thread_block()
        .saturating_mul(machine.warps_per_mp());
    // 1 thread block of 32 warps where 48 fit; 3 of 16 fill the multiprocessor.
    let resident = &thread_blocks * BigInt::from(warps);
    let is_full = resident >= BigInt::from(most) || limit == Limiting::ThreadBlocks;
    (!is_full).then(|| {
        Diagnostic::of(&FewWarps {
            resident,
            most,
            card: machine.name.to_string(),
            thread_blocks,
            warps,
            limit: limit.name(),
            at: subject.point.values(),
            span,
            words: words.clone(),
        })
    })
}
