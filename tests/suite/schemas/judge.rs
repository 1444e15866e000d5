//! Whether a value is as a schema says, for the words of JSON Schema that `shape` writes. An unknown word is a fault of
//! the schema.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

/// A schema with the parts of it that some value has met.
pub struct Judge<'s> {
    root: &'s Value,
    /// Keys of objects, by the address of their schema.
    met: HashSet<*const Value>,
}

impl<'s> Judge<'s> {
    pub fn new(root: &'s Value) -> Self {
        Judge {
            root,
            met: HashSet::new(),
        }
    }

    /// The first fault of a value, with the path to it.
    pub fn fault(&mut self, value: &Value) -> Option<String> {
        let (root, mut met) = (self.root, HashSet::new());
        let fault = fault(root, root, value, "", &mut met).err();
        self.met.extend(met);
        fault
    }

    /// The keys that the schema names, each with whether a value had it. Forms of one object share their keys.
    pub fn keys(&self) -> BTreeMap<String, bool> {
        let mut keys = BTreeMap::new();
        collect(self.root, "", &mut |path, schema| {
            let is_met = self.met.contains(&std::ptr::from_ref(schema));
            *keys.entry(path.to_owned()).or_default() |= is_met;
        });
        keys
    }
}

type Met = HashSet<*const Value>;

fn fault(
    root: &Value,
    schema: &Value,
    value: &Value,
    path: &str,
    met: &mut Met,
) -> Result<(), String> {
    let told = |what: String| Err(format!("{path}: {what}"));
    for (word, said) in schema.as_object().expect("a schema is an object") {
        match word.as_str() {
            "$schema" | "title" | "$defs" | "required" => {}
            "$ref" => {
                let place = said.as_str().and_then(|place| place.strip_prefix('#'));
                let part = place.and_then(|place| root.pointer(place));
                fault(root, part.expect("the part is there"), value, path, met)?;
            }
            "type" => {
                let one = std::slice::from_ref(said);
                let types = said.as_array().map_or(one, |list| &list[..]);
                if !types.iter().any(|each| is_of(each, value)) {
                    return told(format!("{value} is no {said}"));
                }
            }
            "enum" if !said.as_array().is_some_and(|words| words.contains(value)) => {
                return told(format!("{value} is none of {said}"));
            }
            "const" if said != value => return told(format!("{value} is not {said}")),
            "pattern" if !value.as_str().is_none_or(is_whole) => {
                return told(format!("{value} is not {said}"));
            }
            "minimum" if value.as_f64() < said.as_f64() => {
                return told(format!("{value} is below {said}"));
            }
            "exclusiveMinimum" if value.as_f64() <= said.as_f64() => {
                return told(format!("{value} is not above {said}"));
            }
            "maximum" if value.as_f64() > said.as_f64() => {
                return told(format!("{value} is above {said}"));
            }
            "enum" | "const" | "pattern" | "minimum" | "exclusiveMinimum" | "maximum" => {}
            "anyOf" => any(root, said, value, path, met)?,
            "items" => {
                for (number, item) in value.as_array().into_iter().flatten().enumerate() {
                    fault(root, said, item, &format!("{path}/{number}"), met)?;
                }
            }
            "properties" | "additionalProperties" => {}
            other => panic!("`{other}` is no word of these schemas"),
        }
    }
    keys(root, schema, value, path, met)
}

/// One of the schemas holds. What the others met does not count, and their faults are told together.
fn any(root: &Value, all: &Value, value: &Value, path: &str, met: &mut Met) -> Result<(), String> {
    let mut faults = Vec::new();
    for each in all.as_array().expect("a list") {
        let mut here = Met::new();
        match fault(root, each, value, path, &mut here) {
            Ok(()) => {
                met.extend(here);
                return Ok(());
            }
            Err(told) => faults.push(told),
        }
    }
    // The deepest fault is that of the form that was meant.
    let deepest = faults
        .into_iter()
        .max_by_key(|told| told.split(':').next().map(str::len));
    Err(deepest.unwrap_or_else(|| format!("{path}: nothing can be here")))
}

fn keys(
    root: &Value,
    schema: &Value,
    value: &Value,
    path: &str,
    met: &mut Met,
) -> Result<(), String> {
    let Some(object) = value.as_object() else {
        return Ok(());
    };
    for required in schema["required"].as_array().into_iter().flatten() {
        let key = required.as_str().expect("a key");
        if !object.contains_key(key) {
            return Err(format!("{path}: `{key}` is missing"));
        }
    }
    for (key, inner) in object {
        let path = format!("{path}/{key}");
        match (
            schema["properties"].get(key),
            &schema["additionalProperties"],
        ) {
            (Some(own), _) => {
                met.insert(std::ptr::from_ref(own));
                fault(root, own, inner, &path, met)?;
            }
            (None, Value::Bool(false)) => return Err(format!("{path}: an unknown key")),
            (None, Value::Null) => {}
            (None, each) => fault(root, each, inner, &path, met)?,
        }
    }
    Ok(())
}

fn is_of(name: &Value, value: &Value) -> bool {
    match name.as_str().expect("a name") {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        other => panic!("`{other}` is no type"),
    }
}

fn is_whole(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Every key that a schema names, with the path to it.
fn collect<'s>(schema: &'s Value, path: &str, visit: &mut dyn FnMut(&str, &'s Value)) {
    match schema {
        Value::Object(words) => {
            for (word, inner) in words {
                match (word.as_str(), inner) {
                    ("$defs", Value::Object(parts)) => {
                        for (name, part) in parts {
                            collect(part, &format!("${name}"), visit);
                        }
                    }
                    ("properties", Value::Object(keys)) => {
                        for (key, own) in keys {
                            let path = format!("{path}/{key}");
                            visit(&path, own);
                            collect(own, &path, visit);
                        }
                    }
                    _ => collect(inner, path, visit),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, path, visit)),
        _ => {}
    }
}
