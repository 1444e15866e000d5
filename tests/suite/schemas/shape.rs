//! Schemas in few words (JSON Schema, draft 2020-12). Every object forbids keys that it does not name.

use serde_json::{Map, Value, json};

/// An object with these keys. A key that ends in `?` may be absent.
pub fn object<'k>(keys: impl IntoIterator<Item = (&'k str, Value)>) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for (key, schema) in keys {
        let name = key.strip_suffix('?').unwrap_or(key);
        if name == key {
            required.push(Value::from(key));
        }
        properties.insert(name.to_owned(), schema);
    }
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// An object with all keys of both.
pub fn joined(mut first: Value, second: Value) -> Value {
    let more = second["properties"].as_object().expect("an object").clone();
    let all = first["properties"].as_object_mut().expect("an object");
    all.extend(more);
    let more = second["required"].as_array().expect("a list").clone();
    let all = first["required"].as_array_mut().expect("a list");
    all.extend(more);
    first
}

/// An object whose keys are names of the program, the machine or a table.
pub fn named(each: Value) -> Value {
    json!({"type": "object", "additionalProperties": each})
}

pub fn list(each: Value) -> Value {
    json!({"type": "array", "items": each})
}

pub fn or_null(of: Value) -> Value {
    either([of, json!({"type": "null"})])
}

pub fn either(all: impl IntoIterator<Item = Value>) -> Value {
    json!({"anyOf": all.into_iter().collect::<Vec<_>>()})
}

pub fn one_of<'w>(words: impl IntoIterator<Item = &'w str>) -> Value {
    json!({"enum": words.into_iter().collect::<Vec<_>>()})
}

pub fn text() -> Value {
    json!({"type": "string"})
}

pub fn truth() -> Value {
    json!({"type": "boolean"})
}

/// A line, a column, a number of points: no larger than a text or a patience.
pub fn small() -> Value {
    json!({"type": "integer", "minimum": 0})
}

pub fn number() -> Value {
    json!({"type": "number"})
}

/// A whole number: digits beyond 2^53.
pub fn whole() -> Value {
    json!({"$ref": "#/$defs/whole"})
}

/// A schema of its own, with the parts that others point to.
pub fn document(title: &str, of: Value, parts: Map<String, Value>) -> Value {
    let mut whole = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
    });
    let document = whole.as_object_mut().expect("an object");
    document.extend(of.as_object().expect("an object").clone());
    if !parts.is_empty() {
        document.insert("$defs".to_owned(), parts.into());
    }
    whole
}
