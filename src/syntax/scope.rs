//! A variable's scope, as its first character tells it (language.md §2.2).

/// Where a variable lives.
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
    /// The scope that a name's first character tells.
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
