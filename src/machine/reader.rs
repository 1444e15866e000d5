//! Reading one table of a machine file key by key, collecting every fault with its span.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::count::parse_number;
use crate::machine::error::{KeysHere, MachineError};
use crate::number::{BigInt, Rational, legible};
use crate::text::{Known, Span};

/// What a figure must be to make sense.
#[derive(Clone, Copy)]
pub(super) enum Rule {
    /// At least 0.
    NotNegative,
    /// More than 0.
    Positive,
    /// More than 0, and no more than 1.
    Part,
}

impl Rule {
    pub(super) fn holds(self, value: &Rational) -> bool {
        // Costs become doubles when they are shown.
        let is_shown = value.to_f64().is_finite();
        match self {
            Rule::NotNegative => is_shown && !value.is_negative(),
            Rule::Positive => is_shown && value.signum() > 0,
            Rule::Part => value.signum() > 0 && *value <= 1.into(),
        }
    }

    pub(super) const fn of_figure(self) -> &'static str {
        match self {
            Rule::NotNegative => "a number, 0 or more",
            Rule::Positive => "a number above 0",
            Rule::Part => "a number above 0, 1 at most",
        }
    }

    pub(super) const fn of_whole(self) -> &'static str {
        match self {
            Rule::NotNegative => "a whole number from 0 to 2^62",
            Rule::Positive => "a whole number from 1 to 2^62",
            Rule::Part => "1",
        }
    }
}

/// The whole number of a value that keeps the rule and leaves room for arithmetic in 64 bits.
pub(super) fn whole_number(value: &Rational, rule: Rule) -> Option<i64> {
    value
        .to_i64()
        .filter(|number| rule.holds(value) && *number <= 1 << 62)
}

/// One table being read. Keys asked for are known; [`Section::finish`] reports the others.
pub(super) struct Section<'a, 'e> {
    table: &'a DeTable<'a>,
    /// How messages name it: "`[device]`" or "the machine file".
    place: String,
    span: Span,
    known: Vec<&'static str>,
    errors: &'e mut Vec<MachineError>,
}

impl<'a, 'e> Section<'a, 'e> {
    pub(super) fn new(
        table: &'a DeTable<'a>,
        place: impl Into<String>,
        span: Span,
        errors: &'e mut Vec<MachineError>,
    ) -> Self {
        Section {
            table,
            place: place.into(),
            span,
            known: Vec::new(),
            errors,
        }
    }

    /// The table `[key]`, if it is there, read by `read`.
    pub(super) fn table<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(Section<'a, '_>) -> Option<T>,
    ) -> Option<T> {
        let value = self.find(key)?;
        let span = span_of(value);
        let Some(table) = value.get_ref().as_table() else {
            self.wrong(key, value, "a table");
            return None;
        };
        let place = match self.place.strip_suffix(']') {
            Some(outer) => format!("{outer}.{key}]"),
            None => format!("[{key}]"),
        };
        read(Section::new(table, place, span, self.errors))
    }

    /// The table under each key, read by `read`, in their order; a key that `has` does not know is no
    /// figure of `section`.
    pub(super) fn each<T>(
        self,
        section: &str,
        has: impl Fn(&str) -> bool,
        mut read: impl FnMut(&str, Section<'a, '_>) -> Option<T>,
    ) -> Vec<T> {
        let mut entries: Vec<_> = self.table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        let mut found = Vec::new();
        for (key, value) in entries {
            let name = key.get_ref().as_ref();
            if !has(name) {
                self.errors.push(MachineError::UnknownKey {
                    key: name.to_owned(),
                    place: self.place.clone(),
                    help: KeysHere::Figures {
                        section: section.to_owned(),
                    },
                    span: Span::new(key.span().start, key.span().end),
                });
                continue;
            }
            match value.get_ref().as_table() {
                Some(table) => {
                    let place = format!("`{name}` of {}", self.place);
                    let inner = Section::new(table, place, span_of(value), self.errors);
                    found.extend(read(name, inner));
                }
                None => self.errors.push(MachineError::Value {
                    key: name.to_owned(),
                    found: shown(value.get_ref()),
                    expected: "a table: { how = \"sheet\", from = \"…\" }",
                    span: span_of(value),
                }),
            }
        }
        found
    }

    /// The text under `key`.
    pub(super) fn text(&mut self, key: &'static str) -> Option<String> {
        let value = self.find(key)?;
        match value.get_ref().as_str() {
            Some(text) if !text.trim().is_empty() => Some(text.to_owned()),
            _ => {
                self.wrong(key, value, "a text in quotes, not an empty one");
                None
            }
        }
    }

    /// The `true` or `false` under `key`.
    pub(super) fn truth(&mut self, key: &'static str) -> Option<bool> {
        let value = self.find(key)?;
        let truth = value.get_ref().as_bool();
        if truth.is_none() {
            self.wrong(key, value, "true or false");
        }
        truth
    }

    /// What the text under `key` names.
    pub(super) fn choice<T: Copy>(
        &mut self,
        key: &'static str,
        names: &[(&str, T)],
        expected: &'static str,
    ) -> Option<T> {
        let value = self.find(key)?;
        let text = value.get_ref().as_str();
        let found = text.and_then(|text| names.iter().find(|(name, _)| *name == text));
        if found.is_none() {
            self.wrong(key, value, expected);
        }
        found.map(|(_, choice)| *choice)
    }

    /// Reports a key that had to be there and is not.
    pub(super) fn need(&mut self, key: &'static str, example: &str) {
        if !self.has(key) {
            self.missing(key, example);
        }
    }

    /// The exact number under `key`.
    pub(super) fn figure(&mut self, key: &'static str, rule: Rule) -> Option<Rational> {
        let value = self.find(key)?;
        self.check_figure(key, value, rule)
    }

    /// The whole number under `key`.
    pub(super) fn whole(&mut self, key: &'static str, rule: Rule) -> Option<i64> {
        let value = self.find(key)?;
        let number = exact(value.get_ref()).and_then(|figure| whole_number(&figure, rule));
        if number.is_none() {
            self.wrong(key, value, rule.of_whole());
        }
        number
    }

    /// The number under `key`, or one each for `inward` and `outward`.
    pub(super) fn per_direction(
        &mut self,
        key: &'static str,
        rule: Rule,
    ) -> Option<(Rational, Rational)> {
        let value = self.find(key)?;
        let Some(table) = value.get_ref().as_table() else {
            let both = self.check_figure(key, value, rule)?;
            return Some((both.clone(), both));
        };
        let mut section = Section::new(table, format!("`{key}`"), span_of(value), self.errors);
        let inward = section.figure("inward", rule);
        let outward = section.figure("outward", rule);
        for (name, figure) in [("inward", &inward), ("outward", &outward)] {
            if figure.is_none() && !section.has(name) {
                section.missing(name, format!("{key} = {{ inward = …, outward = … }}"));
            }
        }
        section.finish();
        Some((inward?, outward?))
    }

    /// Whether the key stands in the table, right or wrong.
    pub(super) fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// Reports a key that had to be there.
    pub(super) fn missing(&mut self, key: &'static str, example: impl Into<String>) {
        self.errors.push(MachineError::MissingKey {
            key,
            place: self.place.clone(),
            example: example.into(),
            span: self.span,
        });
    }

    /// Reports every key nobody asked for.
    pub(super) fn finish(self) {
        let mut strangers: Vec<_> = self
            .table
            .keys()
            .filter(|key| !self.known.contains(&key.get_ref().as_ref()))
            .collect();
        strangers.sort_by_key(|key| key.span().start);
        for key in strangers {
            let name = key.get_ref().as_ref();
            self.errors.push(MachineError::UnknownKey {
                key: name.to_owned(),
                place: self.place.clone(),
                help: KeysHere::Known(Known::beside(name, self.known.iter().copied())),
                span: Span::new(key.span().start, key.span().end),
            });
        }
    }

    fn find(&mut self, key: &'static str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.known.push(key);
        self.table.get(key)
    }

    fn check_figure(
        &mut self,
        key: &'static str,
        value: &Spanned<DeValue<'_>>,
        rule: Rule,
    ) -> Option<Rational> {
        let figure = exact(value.get_ref()).filter(|figure| rule.holds(figure));
        if figure.is_none() {
            self.wrong(key, value, rule.of_figure());
        }
        figure
    }

    fn wrong(&mut self, key: &str, value: &Spanned<DeValue<'_>>, expected: &'static str) {
        self.errors.push(MachineError::Value {
            key: key.to_owned(),
            found: shown(value.get_ref()),
            expected,
            span: span_of(value),
        });
    }
}

/// Where a value stands.
pub(super) fn span_of(value: &Spanned<DeValue<'_>>) -> Span {
    Span::new(value.span().start, value.span().end)
}

/// The decimal a value is written as; none for `nan`, `inf` and what is no number.
fn exact(value: &DeValue<'_>) -> Option<Rational> {
    match value {
        DeValue::Integer(number) => {
            let digits = number.as_str().as_bytes();
            BigInt::parse_bytes(digits, number.radix()).map(Rational::from)
        }
        DeValue::Float(number) => {
            let text = number.as_str();
            parse_number(text.strip_prefix('+').unwrap_or(text)).ok()
        }
        DeValue::String(_)
        | DeValue::Boolean(_)
        | DeValue::Datetime(_)
        | DeValue::Array(_)
        | DeValue::Table(_) => None,
    }
}

/// A value as a message names it.
fn shown(value: &DeValue<'_>) -> String {
    match value {
        DeValue::Integer(number) => legible(number),
        DeValue::Float(number) => legible(number),
        DeValue::String(text) => format!("the text \"{text}\""),
        DeValue::Boolean(truth) => truth.to_string(),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}
