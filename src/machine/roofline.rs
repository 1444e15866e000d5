//! `[roofline]`: what bounds a card besides its clock and its memory, and the price of a launch, as read.

use crate::machine::reader::{Rule, Section};
use crate::machine::units::{Cycles, Millis};
use crate::number::Rational;

/// What the bounds of a kernel need of a card; each figure is absent where the file is silent.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Roofline {
    /// r: warps that a multiprocessor issues in a cycle.
    pub issue_per_cycle: Option<Rational>,
    /// Bytes of the cache that all multiprocessors share; 0 where there is none.
    pub l2_bytes: Option<i64>,
    /// Bytes a second of that cache, in 10⁹.
    pub l2_gb_s: Option<Rational>,
    /// L: cycles until a word of device memory arrives. Not λ, which is what a block costs while many
    /// are under way.
    pub latency: Option<Cycles>,
    /// D: cycles from one instruction of a warp to the next, where that needs its result.
    pub dependent: Option<Cycles>,
    /// Cycles until a word arrives that a cache holds.
    pub cached: Option<Cycles>,
    /// Cycles until a word of shared memory arrives.
    pub shared: Option<Cycles>,
    /// Cycles of the whole card from the start of one thread block to that of the next.
    pub start: Option<Cycles>,
    /// Threads of a warp. An MP of more cores is several warps, in step.
    pub warp_size: Option<i64>,
    /// Banks of shared memory; as many as a warp has threads where the file is silent.
    pub shared_banks: Option<i64>,
    /// Load/store units of a multiprocessor: threads whose accesses, shared or global, it takes in a cycle.
    pub load_store_units: Option<i64>,
    /// Instructions that make the address of a global access, beside the access: two where addresses have
    /// 64 bits and registers 32.
    pub address_instructions: Option<Rational>,
    /// Warps that may be resident on a multiprocessor.
    pub max_warps: Option<i64>,
    /// Threads that may be resident on a multiprocessor.
    pub max_threads: Option<i64>,
    /// Z: MPs of a thread block, which share a multiprocessor; 1 where the file is silent. It is the
    /// launch's more than the card's, and `-D Z=8` gives it.
    pub mps_per_thread_block: Option<i64>,
    /// W: warps that an MP stands for, where a program lets one MP go through the warps of a thread block
    /// in turn; as many as its cores fill where the file is silent. The launch's too: `-D W=8`.
    pub warps_per_mp: Option<i64>,
    /// The launch of a kernel. Not σ, which paper 1 has for all that a round takes besides.
    pub launch: Option<Millis>,
}

impl Roofline {
    pub(super) fn read(mut section: Section<'_, '_>) -> Option<Roofline> {
        let roofline = Roofline {
            issue_per_cycle: section.figure("issue_per_cycle", Rule::Positive),
            l2_bytes: section.whole("l2_bytes", Rule::NotNegative),
            l2_gb_s: section.figure("l2_gb_s", Rule::Positive),
            latency: section
                .figure("latency_cycles", Rule::NotNegative)
                .map(Cycles::new),
            dependent: section
                .figure("dependent_cycles", Rule::Positive)
                .map(Cycles::new),
            cached: section
                .figure("cached_cycles", Rule::NotNegative)
                .map(Cycles::new),
            shared: section
                .figure("shared_cycles", Rule::NotNegative)
                .map(Cycles::new),
            start: section
                .figure("start_cycles", Rule::NotNegative)
                .map(Cycles::new),
            warp_size: section.whole("warp_size", Rule::Positive),
            shared_banks: section.whole("shared_banks", Rule::Positive),
            load_store_units: section.whole("load_store_units", Rule::Positive),
            address_instructions: section.figure("address_instructions", Rule::NotNegative),
            max_warps: section.whole("max_warps", Rule::Positive),
            max_threads: section.whole("max_threads", Rule::Positive),
            mps_per_thread_block: section.whole("mps_per_thread_block", Rule::Positive),
            warps_per_mp: section.whole("warps_per_mp", Rule::Positive),
            launch: section
                .figure("launch_ms", Rule::NotNegative)
                .map(Millis::new),
        };
        // Banks of no warp would be ignored.
        if roofline.shared_banks.is_some() {
            section.need("warp_size", "warp_size = 32");
        }
        section.finish();
        Some(roofline)
    }
}
