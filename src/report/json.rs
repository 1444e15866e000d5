//! The JSON of every command (interface.md). It has types of its own, so that inner types may change freely.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::number::BigInt;

/// Builds the one object that a command prints: the result's keys, then `"diagnostics"`.
pub fn document(result: Option<Value>, diagnostics: Vec<Value>) -> Value {
    let mut object = match result {
        Some(Value::Object(object)) => object,
        Some(other) => Map::from_iter([("result".to_owned(), other)]),
        None => Map::new(),
    };
    object.insert("diagnostics".to_owned(), Value::Array(diagnostics));
    Value::Object(object)
}

/// A whole number: a JSON number up to 2^53, a string of digits beyond, so that readers with doubles do not
/// change it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Whole(pub(crate) BigInt);

impl Serialize for Whole {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const EXACT: i64 = 1 << 53;
        match i64::try_from(&self.0) {
            Ok(number) if (-EXACT..=EXACT).contains(&number) => serializer.serialize_i64(number),
            _ => serializer.collect_str(&self.0),
        }
    }
}

impl From<&BigInt> for Whole {
    fn from(number: &BigInt) -> Self {
        Whole(number.clone())
    }
}

/// A whole number as a value.
pub(super) fn whole(number: &BigInt) -> Value {
    value(Whole(number.clone()))
}

/// Serialises a type of this module.
pub(crate) fn value(item: impl Serialize) -> Value {
    serde_json::to_value(item).expect("our types have text keys and finite numbers or null")
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn whole_numbers_beyond_two_to_the_53_are_digits() {
        let shown = |number: BigInt| value(Whole(number)).to_string();
        let limit = BigInt::from(1_i64 << 53);
        assert_eq!(shown(limit.clone()), "9007199254740992");
        assert_eq!(shown(&limit + 1), "\"9007199254740993\"");
        assert_eq!(shown(-&limit), "-9007199254740992");
        assert_eq!(shown(-limit - 1), "\"-9007199254740993\"");
    }

    #[test]
    fn every_document_has_diagnostics() {
        assert_eq!(
            document(None, Vec::new()).to_string(),
            r#"{"diagnostics":[]}"#
        );
    }
}
