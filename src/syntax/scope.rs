//! The scope of a variable, from its first character (language.md §2.2).

/// The memory of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// A capital letter.
    Host,
    /// Any other letter.
    Global,
    /// An underscore.
    Shared,
}

impl Scope {
    /// Returns the scope of a name.
    pub(super) fn of(name: &str) -> Scope {
        match name.chars().next() {
            Some('_') => Scope::Shared,
            Some(first) if first.is_uppercase() => Scope::Host,
            _ => Scope::Global,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_character_tells() {
        assert_eq!(Scope::of("A"), Scope::Host);
        assert_eq!(Scope::of("Ωx"), Scope::Host);
        assert_eq!(Scope::of("aB"), Scope::Global);
        assert_eq!(Scope::of("ε"), Scope::Global);
        assert_eq!(Scope::of("_A"), Scope::Shared);
    }
}
