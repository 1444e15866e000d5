//! The explanation of the model: its formula and each letter in it.

use crate::cost::Sheet;

pub(super) const SHEET: Sheet = Sheet {
    formula: "Σ over kernels of launch + max(starts, work, units, span, shared, L1, L2, DRAM)",
    inputs: INPUTS,
    source: "ours; S. Williams, A. Waterman, D. Patterson, Roofline (2009), with latency and a cache; \
             J. Zahorjan, K. Sevcik, D. Eager, B. Galler, Balanced job bound analysis of queueing \
             networks (1982)",
};

const INPUTS: &[(&str, &str)] = &[
    (
        "starts",
        "⌈k/Z⌉ [roofline] start_cycles/γ (0 where the file has none)",
    ),
    (
        "work",
        "κ v c/(r γ): κ = min(k, Z⌈⌈k/Z⌉/k'⌉) MPs on the busiest multiprocessor, v warps across one, \
         c instructions of an MP: operations, weighted by [operations] over its add, and accesses, each global \
         one with [roofline] address_instructions more",
    ),
    (
        "units",
        "κ v u/γ: u the most cycles that an MP's operations of one kind take by [units], or its \
         accesses, shared and global, by [roofline] warp_size (else b)/load_store_units",
    ),
    (
        "span",
        "⌈⌈k/Z⌉/(k' ℓ)⌉ (max(C, E) + (N - 1) max(0, min(E, 2E - C))/6): C a chain of instructions and \
         waits, E what it takes of the six that are stations, N = min(ℓ Z, κ) P of them side by side, ℓ \
         thread blocks resident",
    ),
    (
        "C",
        "(c max(D, e/r) + a (L moved + L₁ (bytes - moved))/bytes + s Lₛ + max(0, L1 γ e/(κ v) - \
         g/min(1, r))) v/(W γ): a how often an MP waits for what it loads, g its global accesses",
    ),
    (
        "shared",
        "κ (v s + conflicts/k)/(min(1, r) γ): s shared operands of an MP that are no registers, conflicts \
         by the [banks] rule, of each warp over [roofline] shared_banks where v > 1",
    ),
    (
        "L1",
        "κ min(v q, transactions)/(k min(1, r) γ): q blocks, one after the other",
    ),
    (
        "L2",
        "(bytes written + read, no more of these than live words) over B₂, by the [coalescing] rule",
    ),
    (
        "DRAM",
        "moved over B: bytes of all transactions, with a cache no more than the live words once \
         (twice where an array is read and written)",
    ),
    (
        "k', H, γ, B",
        "[device] multiprocessors, max_blocks, clock_ghz, memory_gb_s times memory_efficiency",
    ),
    (
        "r, D, L, B₂, launch",
        "[roofline] issue_per_cycle, dependent_cycles (else 1/min(1, r)), latency_cycles, l2_gb_s, \
         launch_ms (else sync_ms); l2_bytes is 0 where there is no cache",
    ),
    (
        "L₁, Lₛ, V",
        "[roofline] cached_cycles, shared_cycles (else 0), max_warps: no more than ⌊V/(Z W)⌋ thread \
         blocks are resident, and by max_threads",
    ),
    (
        "Z",
        "MPs of a thread block, which share a multiprocessor: -D Z=8 or [roofline] \
         mps_per_thread_block, else 1",
    ),
    (
        "v, W",
        "⌈b/[roofline] warp_size⌉ warps across an MP (else 1), and warps that it stands for, v at least: \
         -D W=8 or [roofline] warps_per_mp",
    ),
    (
        "P, e",
        "W and 1 where W is given: warps go side by side; else 1 and v: barriers keep them in step",
    ),
];
