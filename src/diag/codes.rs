//! The one table of diagnostic codes. A code is never reused and never renamed.

use std::fmt;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The program, a file or the command line is at fault.
    Error,
    /// The program works, but is probably not meant so, or is slow.
    Warning,
    /// Something good to know.
    Note,
}

impl Severity {
    /// Returns the word that JSON shows: `error`, `warning` or `note`.
    pub const fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// One code of the table, such as `atgpu::limit::shared`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code(usize);

struct Row {
    name: &'static str,
    severity: Severity,
    summary: &'static str,
}

const fn error(name: &'static str, summary: &'static str) -> Row {
    Row {
        name,
        severity: Severity::Error,
        summary,
    }
}

const fn lint(name: &'static str, summary: &'static str) -> Row {
    Row {
        name,
        severity: Severity::Warning,
        summary,
    }
}

#[rustfmt::skip]
const TABLE: &[Row] = &[
    error("atgpu::syntax::unexpected", "something the grammar does not allow here"),
    error("atgpu::syntax::else-branch", "an `else`: the model allows one conditional block"),
    error("atgpu::syntax::ambiguous-product", "a product whose reading needs parentheses, such as `n/2b`"),
    error("atgpu::syntax::too-deep", "nesting beyond the fixed depth"),
    error("atgpu::name::unknown", "a name that nothing declares"),
    error("atgpu::name::duplicate", "a name declared while it is already visible"),
    error("atgpu::name::scope", "a name's first character disagrees with its declaration"),
    error("atgpu::access::operator", "the operator does not fit the scopes of its two sides"),
    error("atgpu::access::not-moved", "a global or host variable used where only shared memory can be read"),
    error("atgpu::access::host-in-kernel", "a host variable inside a kernel"),
    error("atgpu::access::shared-on-host", "a shared variable outside a kernel"),
    error("atgpu::access::rank", "a wrong number of indices"),
    error("atgpu::access::shape", "sides that differ in words, or arguments in number or kind"),
    error("atgpu::type::mismatch", "a float where an int is needed, or a condition as a number"),
    error("atgpu::limit::shared", "more words of shared memory than M"),
    error("atgpu::limit::global", "more words of global memory than G"),
    error("atgpu::bounds::host", "an index outside a host array"),
    error("atgpu::bounds::global", "an index outside a global array"),
    error("atgpu::bounds::shared", "an index outside a shared array"),
    error("atgpu::race::shared", "two cores write different values to one shared word in one instruction"),
    error("atgpu::race::global", "two cores or MPs meet on one global word"),
    error("atgpu::value::uninitialised", "a word read before it is written"),
    error("atgpu::value::overflow", "an int beyond 64 bits"),
    error("atgpu::value::division-by-zero", "a division by zero"),
    error("atgpu::value::not-integral", "a fraction or an undefined logarithm where a whole number is needed"),
    error("atgpu::value::range", "a value outside its declared range or property"),
    error("atgpu::loop::bound-exceeded", "a `while` beyond its `at most`"),
    error("atgpu::loop::unbounded", "a loop whose iterations nothing bounds"),
    error("atgpu::measure::failed", "a compiler or a measured program that fails or computes otherwise"),
    error("atgpu::require::violated", "a `require` that does not hold for the given values"),
    error("atgpu::ensure::failed", "an `ensure` that does not hold for the result"),
    error("atgpu::claim::refuted", "a `claim` that is wrong, with values that show it"),
    error("atgpu::emit::unproved", "a program to emit whose safety is not proved for every size"),
    error("atgpu::emit::unsupported", "what a target language has no counterpart of"),
    error("atgpu::derive::mismatch", "derivation and execution disagree: our fault, please report it"),
    error("atgpu::derive::no-function", "a formula that cannot be written as a function there"),
    error("atgpu::file::unreadable", "a file that cannot be read or written"),
    error("atgpu::data::malformed", "a data file that is not what it should be"),
    error("atgpu::machine::key", "an unknown or missing key of a machine file"),
    error("atgpu::machine::value", "a value of a machine file that makes no sense"),
    error("atgpu::usage::setting", "a key or value of atgpu.toml that makes no sense"),
    error("atgpu::usage::value", "a value of the command line that makes no sense"),
    error("atgpu::resource::memory", "more memory or time than this computer gives"),
    error("atgpu::internal::panic", "atgpu failed at one of several files: our fault, please report it"),
    lint("atgpu::lint::core-set", "the core set names other indices than its MP"),
    lint("atgpu::lint::comment", "a comment that other languages read as a quotient"),
    lint("atgpu::lint::invisible", "a character that is not seen, or reorders what is seen"),
    lint("atgpu::lint::unused", "something declared and never used"),
    lint("atgpu::lint::one-operand", "a `min` or `max` of one value"),
    lint("atgpu::lint::power", "a power that other languages read as an exclusive or"),
    error("atgpu::lint::unsent-output", "an output that no transfer writes"),
    lint("atgpu::lint::idle-mps", "MPs that write nothing"),
    lint("atgpu::lint::idle-round", "a round of transfers without a kernel"),
    lint("atgpu::lint::uncoalesced", "an access that touches more blocks than its words need"),
    lint("atgpu::lint::bank-conflict", "a shared access whose cores meet in a bank"),
    lint("atgpu::lint::divergence", "an `if` that splits the active cores of an MP"),
    lint("atgpu::lint::low-occupancy", "shared memory that keeps MPs from being resident together"),
];

/// All codes, in the table's order.
pub const CODES: &[Code] = &{
    // A code is its row's number, so that comparing and ordering codes needs no text. The loop is a `while`
    // because a constant cannot use a `for`.
    let mut codes = [Code(0); TABLE.len()];
    let mut at = 0;
    while at < TABLE.len() {
        codes[at] = Code(at);
        at += 1;
    }
    codes
};

impl Code {
    /// Returns the code with a given name: the full one, or the part behind `atgpu::`.
    ///
    /// ```
    /// use atgpu::diag::Code;
    ///
    /// let code = Code::find("race::global").expect("listed");
    /// assert_eq!(Code::find("atgpu::race::global"), Some(code));
    /// assert_eq!(Code::find("race::galactic"), None);
    /// ```
    pub fn find(name: &str) -> Option<Code> {
        CODES
            .iter()
            .copied()
            .find(|code| code.name() == name || code.short_name() == name)
    }

    /// Returns the full name, `atgpu::area::what-is-wrong`.
    pub fn name(self) -> &'static str {
        TABLE[self.0].name
    }

    /// Returns the name without its prefix: `area::what-is-wrong`.
    pub fn short_name(self) -> &'static str {
        &self.name()["atgpu::".len()..]
    }

    /// Returns the severity that findings with this code have unless a command weakens it.
    pub fn severity(self) -> Severity {
        TABLE[self.0].severity
    }

    /// Returns one line that says when the code is given.
    pub fn summary(self) -> &'static str {
        TABLE[self.0].summary
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_found_by_either_name() {
        let names: std::collections::HashSet<_> = CODES.iter().map(|code| code.name()).collect();
        assert_eq!(names.len(), CODES.len());
        assert_eq!(
            Code::find("limit::shared"),
            Code::find("atgpu::limit::shared")
        );
        assert!(Code::find("limit::none").is_none());
    }
}
