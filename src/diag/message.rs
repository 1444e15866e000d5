//! What a diagnostic says: what is wrong, where and at which values it was met, and what it was part
//! of. These are kept apart; the words are made of them here alone.

use std::fmt;
use std::ops::Deref;

/// The text of a diagnostic, with the facts it is made of; reads as a text.
///
/// ```
/// use atgpu::diag::{Context, Message};
///
/// let message = Message::from("division by zero");
/// let at = "n = 4, b = 2".to_owned();
/// assert_eq!(message.within(Context::Run { at }), "division by zero (at n = 4, b = 2)");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Message {
    facts: Box<Facts>,
    /// All of it in words.
    text: String,
}

/// What the words are made of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Facts {
    /// What is wrong.
    wrong: String,
    /// `MP 3, core 31`
    place: Option<String>,
    /// `n = 128, b = 32`
    values: Option<String>,
    context: Option<Context>,
}

/// What a diagnostic is part of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Context {
    /// One run of many.
    Run {
        /// Its parameters.
        at: String,
    },
    /// Cost models that say nothing.
    Models {
        /// Their names.
        names: Vec<&'static str>,
    },
    /// A cost model that says nothing of one machine.
    Model {
        /// Its name.
        name: &'static str,
        /// The machine's name.
        machine: String,
    },
    /// Points of a sweep that give nothing, this being the first's fault.
    Points {
        /// How many.
        points: u64,
        /// Of so many.
        out_of: u64,
        /// The machine's name.
        machine: String,
    },
}

impl Message {
    /// The same, met at this place.
    pub(crate) fn at_place(mut self, place: &impl fmt::Display) -> Message {
        self.facts.place = Some(place.to_string());
        self.worded()
    }

    /// The same, met at these values, which nobody asked for.
    pub(crate) fn at_values(mut self, values: &impl fmt::Display) -> Message {
        self.facts.values = Some(values.to_string());
        self.worded()
    }

    /// The same as part of something.
    ///
    /// ```
    /// use atgpu::diag::{Context, Message};
    ///
    /// let models = Context::Models { names: vec!["atgpu", "swgpu"] };
    /// let message = Message::from("the machine has no λ").within(models);
    /// assert_eq!(message, "without atgpu, swgpu: the machine has no λ");
    /// ```
    #[must_use]
    pub fn within(mut self, context: Context) -> Message {
        self.facts.context = Some(context);
        self.worded()
    }

    /// The words.
    ///
    /// ```
    /// use atgpu::diag::Message;
    /// assert_eq!(Message::from("division by zero").as_str(), "division by zero");
    /// ```
    pub fn as_str(&self) -> &str {
        &self.text
    }

    fn worded(mut self) -> Message {
        let Facts {
            wrong,
            place,
            values,
            context,
        } = &*self.facts;
        let met: Vec<&str> = [place, values]
            .into_iter()
            .filter_map(Option::as_deref)
            .collect();
        let wrong = match met.is_empty() {
            true => wrong.clone(),
            false => format!("{wrong} ({})", met.join("; ")),
        };
        self.text = match context {
            None => wrong,
            Some(Context::Run { at }) => format!("{wrong} (at {at})"),
            Some(Context::Models { names }) => format!("without {}: {wrong}", names.join(", ")),
            Some(Context::Model { name, machine }) => format!("{machine} by {name}: {wrong}"),
            Some(Context::Points {
                points,
                out_of,
                machine,
            }) => {
                format!("{points} of {out_of} points on {machine} give nothing; the first: {wrong}")
            }
        };
        self
    }
}

impl From<String> for Message {
    fn from(wrong: String) -> Message {
        let text = wrong.clone();
        let facts = Box::new(Facts {
            wrong,
            ..Facts::default()
        });
        Message { facts, text }
    }
}

impl From<&str> for Message {
    fn from(wrong: &str) -> Message {
        wrong.to_owned().into()
    }
}

impl Deref for Message {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl PartialEq<&str> for Message {
    fn eq(&self, other: &&str) -> bool {
        self.text == *other
    }
}

impl PartialEq<str> for Message {
    fn eq(&self, other: &str) -> bool {
        self.text == other
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
