//! The spelling of tokens: as written, in ASCII, or in Unicode.

use std::collections::HashSet;

use crate::syntax::format::Token;
use crate::syntax::lower::{alias, greek_letter};
use crate::syntax::parser::{Form, Line, Node};
use crate::syntax::scope::Scope;

/// The spelling that [`format`](crate::syntax::format::format) writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Spelling {
    /// Every token as in the file.
    AsWritten,
    /// ASCII where a token has an ASCII spelling; other Unicode names stay.
    Ascii,
    /// The paper's signs and Greek letters.
    Unicode,
}

/// Spells the tokens of one file.
pub(super) struct Speller {
    spelling: Spelling,
    /// All names that the file declares. A declared `α` stays a letter, because its alias cannot be
    /// declared, and a declared `nβ` is no product.
    declared: HashSet<String>,
}

impl Speller {
    pub(super) fn new(spelling: Spelling, lines: &[Line<'_>]) -> Speller {
        let mut declared = HashSet::new();
        for statement in lines.iter().filter_map(|line| line.statement.as_ref()) {
            collect_declared(statement, &mut declared);
        }
        Speller { spelling, declared }
    }

    /// Respells the mark of a comment.
    pub(super) fn comment(&self, text: &str) -> String {
        let rest = text.strip_prefix('▷').or_else(|| text.strip_prefix("//"));
        match (self.spelling, rest) {
            (Spelling::Ascii, Some(rest)) => format!("//{rest}"),
            (Spelling::Unicode, Some(rest)) => format!("▷{rest}"),
            (Spelling::AsWritten, _) | (_, None) => text.to_owned(),
        }
    }

    /// Returns the tokens of a statement in their final spelling.
    pub(super) fn tokens(&self, statement: &Node<'_>) -> Vec<Token> {
        let mut tokens = Vec::new();
        self.collect(statement, false, &mut tokens);
        if statement.form == Form::move_line && is_transfer(statement) {
            for token in &mut tokens {
                if token.form == Form::global_arrow {
                    token.form = Form::transfer_arrow;
                    token.text = match token.text.as_str() {
                        "<=" => "<==".to_owned(),
                        _ => "⇚".to_owned(),
                    };
                }
            }
        }
        tokens
    }

    fn collect(&self, node: &Node<'_>, close: bool, tokens: &mut Vec<Token>) {
        if node.children.is_empty() {
            tokens.push(Token {
                form: node.form,
                text: self.spell(node.form, node.text, Form::line),
                close,
            });
            return;
        }
        for (at, child) in node.children.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|at| node.children.get(at));
            let after = node.children.get(at + 1);
            if node.form == Form::expression && self.split(child, before, after, close, tokens) {
                continue;
            }
            if child.children.is_empty() {
                self.terminal(node.form, child, stands_close(node, close), tokens);
            } else {
                self.collect(child, stands_close(node, close), tokens);
            }
        }
    }

    fn terminal(&self, parent: Form, node: &Node<'_>, close: bool, tokens: &mut Vec<Token>) {
        let mut push = |form, text: &str| {
            tokens.push(Token {
                form,
                text: text.to_owned(),
                close,
            });
        };
        match (self.spelling, parent, node.form) {
            (Spelling::Ascii, _, Form::open_ceil) => {
                push(Form::kw_ceil, "ceil");
                push(Form::open_paren, "(");
            }
            (Spelling::Ascii, _, Form::open_floor) => {
                push(Form::kw_floor, "floor");
                push(Form::open_paren, "(");
            }
            (Spelling::Ascii, _, Form::close_ceil | Form::close_floor) => {
                push(Form::close_paren, ")");
            }
            (Spelling::Unicode, Form::ceil | Form::floor, Form::kw_ceil | Form::kw_floor) => {}
            (Spelling::Unicode, Form::ceil, Form::open_paren) => push(Form::open_ceil, "⌈"),
            (Spelling::Unicode, Form::ceil, Form::close_paren) => push(Form::close_ceil, "⌉"),
            (Spelling::Unicode, Form::floor, Form::open_paren) => push(Form::open_floor, "⌊"),
            (Spelling::Unicode, Form::floor, Form::close_paren) => push(Form::close_floor, "⌋"),
            (_, _, form) => push(form, &self.spell(form, node.text, parent)),
        }
    }

    /// Splits a product written as one word with a letter of the cost functions in it: `nβ` becomes
    /// `n beta`, because `nbeta` would be one name. A split name that needs parentheses anyway
    /// stays.
    fn split(
        &self,
        node: &Node<'_>,
        before: Option<&Node<'_>>,
        after: Option<&Node<'_>>,
        close: bool,
        tokens: &mut Vec<Token>,
    ) -> bool {
        let is_name = node.form == Form::variable && node.children.len() == 1;
        let binds_before = before.is_some_and(|node| {
            matches!(
                node.form,
                Form::power
                    | Form::divide
                    | Form::log_two
                    | Form::log_bare
                    | Form::log_word
                    | Form::log_braced
            )
        });
        let binds_after = after.is_some_and(|node| node.form == Form::power);
        if self.spelling == Spelling::AsWritten || !is_name || binds_before || binds_after {
            return false;
        }
        let Some(letters) = self.letters(node.text) else {
            return false;
        };
        for letter in letters {
            tokens.push(Token {
                form: Form::name,
                text: self.name(&letter),
                close,
            });
        }
        true
    }

    /// Returns the letters (with their primes) of an undeclared word, if there are at least two and
    /// one is
    /// Greek with an alias.
    fn letters(&self, word: &str) -> Option<Vec<String>> {
        let word = word.replace('′', "'");
        let mut letters: Vec<String> = Vec::new();
        for c in word.chars() {
            match c {
                '\'' => letters.last_mut()?.push(c),
                _ if c.is_alphabetic() => letters.push(c.to_string()),
                _ => return None,
            }
        }
        let has_alias = letters
            .iter()
            .any(|letter| alias(letter).is_some() && !self.declared.contains(letter));
        let is_product = letters.len() > 1
            && has_alias
            && greek_letter(&word).is_none()
            && !self.declared.contains(&word);
        is_product.then_some(letters)
    }

    /// Spells a whole name.
    fn name(&self, text: &str) -> String {
        match self.spelling {
            Spelling::AsWritten => text.to_owned(),
            Spelling::Ascii => match alias(text) {
                Some(alias) if !self.declared.contains(text) => alias.to_owned(),
                _ => text.replace('′', "'"),
            },
            Spelling::Unicode => match greek_letter(text) {
                Some(letter) => letter.to_owned(),
                None => text.replace('′', "'"),
            },
        }
    }

    fn spell(&self, form: Form, text: &str, parent: Form) -> String {
        match form {
            Form::name | Form::set_word => return self.name(text),
            Form::power_of => return "is a power of".to_owned(),
            _ => {}
        }
        let respelt = match self.spelling {
            Spelling::AsWritten => None,
            // Any ASCII spelling stays: `->` need not become `to`.
            Spelling::Ascii if text.is_ascii() => None,
            Spelling::Ascii => ascii(form, parent),
            Spelling::Unicode => unicode(form, parent),
        };
        match respelt {
            Some(respelt) => respelt.to_owned(),
            None if self.spelling != Spelling::AsWritten => text.replace('−', "-"),
            None => text.to_owned(),
        }
    }
}

/// Returns true if `+`, `-` and `,` directly inside a node stand close.
fn stands_close(node: &Node<'_>, close: bool) -> bool {
    match node.form {
        Form::range | Form::braced_names | Form::braced_expressions | Form::braced_base => true,
        Form::subscript => node.find(Form::dots).is_some(),
        Form::expression => close,
        _ => false,
    }
}

/// Returns true if a move's sides are a host and a global variable.
fn is_transfer(statement: &Node<'_>) -> bool {
    let scopes: Vec<Scope> = statement
        .all(Form::place)
        .map(|place| Scope::of(place.child(Form::name).text))
        .collect();
    matches!(
        scopes.as_slice(),
        [Scope::Host, Scope::Global] | [Scope::Global, Scope::Host]
    )
}

fn collect_declared(node: &Node<'_>, declared: &mut HashSet<String>) {
    let declares = matches!(
        node.form,
        Form::formals
            | Form::let_line
            | Form::declaration
            | Form::formal
            | Form::for_line
            | Form::binder
            | Form::mp_index
            | Form::core_index
    );
    for child in &node.children {
        match child.form {
            Form::name if declares => {
                declared.insert(child.text.replace('′', "'"));
            }
            Form::braced_names if declares => {
                let names = child
                    .all(Form::name)
                    .map(|name| name.text.replace('′', "'"));
                declared.extend(names);
            }
            _ => collect_declared(child, declared),
        }
    }
}

fn ascii(form: Form, parent: Form) -> Option<&'static str> {
    Some(match form {
        Form::transfer_arrow => "<==",
        Form::global_arrow => "<=",
        Form::shared_arrow => "<-",
        Form::swap_arrow => "<->",
        Form::upto => "to",
        Form::element_of => "in",
        Form::dots if parent == Form::mp_from_to => "...",
        Form::dots => "..",
        Form::at_most => "<=",
        Form::at_least => ">=",
        Form::not_equal => "!=",
        Form::about => "~=",
        Form::divides => "|",
        Form::times => "*",
        Form::and => "and",
        Form::or => "or",
        Form::not => "not",
        Form::implies => "implies",
        Form::for_all => "forall",
        Form::exists => "exists",
        Form::sum => "sum",
        Form::omega => "Omega",
        Form::theta => "Theta",
        _ => return None,
    })
}

fn unicode(form: Form, parent: Form) -> Option<&'static str> {
    Some(match form {
        Form::transfer_arrow => "⇚",
        Form::global_arrow => "⇐",
        Form::shared_arrow => "←",
        Form::swap_arrow => "↔",
        Form::upto => "→",
        Form::element_of if parent == Form::declared_range => "in",
        Form::element_of => "∈",
        Form::dots if parent == Form::mp_from_to => "…",
        Form::dots => "..",
        Form::at_most => "≤",
        Form::at_least => "≥",
        Form::not_equal => "≠",
        Form::about => "≈",
        Form::divides => "∣",
        Form::times => "·",
        Form::and => "∧",
        Form::or => "∨",
        Form::not => "¬",
        Form::implies => "⇒",
        Form::for_all => "∀",
        Form::exists => "∃",
        Form::sum => "Σ",
        Form::omega => "Ω",
        Form::theta => "Θ",
        _ => return None,
    })
}
