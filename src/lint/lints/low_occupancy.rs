//! `lint::low-occupancy`: shared memory that keeps MPs from being resident together, ℓ < H.

use miette::Diagnostic as MietteDiagnostic;
use thiserror::Error;

use crate::diag::Diagnostic;
use crate::interval::Counted;
use crate::lint::Subject;
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
