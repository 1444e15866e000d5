//! What is written: the language, and how wide its words are.

/// Threads of a warp of CUDA.
pub(crate) const WARP: i64 = 32;

/// A language to write in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// C: the cores of an MP take turns, one step after the other.
    C,
    /// CUDA C++: an MP is a thread block, or a warp of one, a core a thread.
    Cuda,
    /// OpenCL: an MP is a work-group, a core a work-item.
    OpenCl,
}

impl Target {
    /// All of them.
    pub const ALL: [Target; 3] = [Target::C, Target::Cuda, Target::OpenCl];

    /// The name on the command line.
    ///
    /// ```
    /// use atgpu::emit::Target;
    ///
    /// assert_eq!(Target::OpenCl.name(), "opencl");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Target::C => "c",
            Target::Cuda => "cuda",
            Target::OpenCl => "opencl",
        }
    }

    /// The name in sentences.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Target::C => "C",
            Target::Cuda => "CUDA",
            Target::OpenCl => "OpenCL",
        }
    }

    /// How the name of a file with such text ends.
    ///
    /// ```
    /// use atgpu::emit::Target;
    ///
    /// assert_eq!(Target::Cuda.extension(), "cu");
    /// ```
    pub fn extension(self) -> &'static str {
        match self {
            Target::C => "c",
            Target::Cuda => "cu",
            Target::OpenCl => "cl.c",
        }
    }

    /// Whether several MPs of so many cores may be one thread block: in CUDA, where each is a warp and waits for
    /// nobody else.
    ///
    /// ```
    /// use atgpu::emit::Target;
    ///
    /// assert!(Target::Cuda.shares_thread_blocks(32));
    /// assert!(!Target::Cuda.shares_thread_blocks(64) && !Target::OpenCl.shares_thread_blocks(32));
    /// ```
    pub fn shares_thread_blocks(self, cores: i64) -> bool {
        self == Target::Cuda && cores == WARP
    }

    /// The most cores of an MP.
    pub(crate) fn most_cores(self) -> i64 {
        match self {
            Target::C => i64::MAX,
            Target::Cuda | Target::OpenCl => 1024,
        }
    }
}

/// How wide words are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Words {
    /// Ints of 32 bits instead of 64.
    pub int32: bool,
    /// Floats of single precision instead of double.
    pub float: bool,
}
