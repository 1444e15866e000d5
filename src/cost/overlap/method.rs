//! The ways to move data beside a kernel (paper 3, section VII).

/// A way to move a program's data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// All in, the kernel, all out.
    Explicit,
    /// Streams that copy both ways explicitly.
    Streams,
    /// Streams that copy in explicitly and write mapped memory.
    Hybrid,
    /// Device-mapped host memory both ways: the paper's Implicit.
    Mapped,
}

impl Method {
    /// All methods, in the order of the paper.
    pub const ALL: [Method; 4] = [
        Method::Explicit,
        Method::Streams,
        Method::Hybrid,
        Method::Mapped,
    ];

    /// Its key in the JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Method::Explicit => "explicit",
            Method::Streams => "streams",
            Method::Hybrid => "hybrid",
            Method::Mapped => "mapped",
        }
    }
}
