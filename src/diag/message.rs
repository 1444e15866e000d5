//! The message of a diagnostic: the fault, the place and values at which it was met, and the larger task it
//! was part of. The facts are kept apart; only this module makes words of them.

use std::fmt;
use std::ops::Deref;

use crate::diag::quoted::shortened;

/// The text of a diagnostic, with the facts behind it. It dereferences to the text.
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
    /// The whole message in words.
    text: String,
}

/// The facts that the words are made of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Facts {
    /// The fault.
    wrong: String,
    /// The place, such as `MP 3, core 31`.
    place: Option<String>,
    /// The values, such as `n = 128, b = 32`.
    values: Option<String>,
    context: Option<Context>,
}

/// The larger task that a diagnostic is part of.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Context {
    /// One of many runs.
    Run {
        /// The parameters of the run.
        at: String,
    },
    /// Cost models that give no estimate.
    Models {
        /// The names of the models.
        names: Vec<&'static str>,
    },
    /// A cost model that gives no estimate for one machine.
    Model {
        /// The model's name.
        name: &'static str,
        /// The machine's name.
        machine: String,
    },
    /// Points of a sweep that give no estimate. The fault is the first point's.
    Points {
        /// The number of points without an estimate.
        points: u64,
        /// The number of all points.
        out_of: u64,
        /// The machine's name.
        machine: String,
    },
}

impl Message {
    /// Adds the place where the fault was met.
    pub(crate) fn at_place(mut self, place: &impl fmt::Display) -> Message {
        self.facts.place = Some(place.to_string());
        self.worded()
    }

    /// Adds the values at which the fault was met, where the user gave none.
    pub(crate) fn at_values(mut self, values: &impl fmt::Display) -> Message {
        self.facts.values = Some(values.to_string());
        self.worded()
    }

    /// Adds the larger task that the fault is part of.
    #[must_use]
    pub fn within(mut self, context: Context) -> Message {
        self.facts.context = Some(context);
        self.worded()
    }

    /// Returns the message in words.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Makes the words anew from all facts, so that the order in which facts were added never shows.
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
        let wrong = if met.is_empty() {
            wrong.clone()
        } else {
            format!("{wrong} ({})", met.join("; "))
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
        let wrong = shortened(&wrong).into_owned();
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
