//! The four numbers of the abstract machine (paper 1, section II; language.md §1).

/// `ATGPU(p, b, M, G)`, sizes in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Atgpu {
    /// p: cores in all; at least 1.
    pub cores: i64,
    /// b: cores of one MP, words of a block, banks; at least 1.
    pub cores_per_mp: i64,
    /// M: words of shared memory of one MP; at least 0.
    pub shared_words: i64,
    /// G: words of global memory; at least 0.
    pub global_words: i64,
}

impl Atgpu {
    /// As [`Atgpu::numbers`], each with its letter.
    ///
    /// ```
    /// use atgpu::machine::Machine;
    ///
    /// let card = Machine::built_in("gtx650").expect("built in");
    /// assert_eq!(card.atgpu.named()[1], ("b", 32));
    /// ```
    pub const fn named(&self) -> [(&'static str, i64); 4] {
        [
            ("p", self.cores),
            ("b", self.cores_per_mp),
            ("M", self.shared_words),
            ("G", self.global_words),
        ]
    }

    /// p, b, M, G in this order.
    ///
    /// ```
    /// use atgpu::machine::Machine;
    ///
    /// let card = Machine::built_in("gtx650").expect("built in");
    /// assert_eq!(card.atgpu.numbers(), [384, 32, 12288, 1 << 28]);
    /// ```
    pub const fn numbers(&self) -> [i64; 4] {
        let [(_, p), (_, b), (_, m), (_, g)] = self.named();
        [p, b, m, g]
    }
}
