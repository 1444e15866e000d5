//! The work in progress for each open text, and what the client is told of it.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::cli::lsp::worker::Wanted;

/// Duration of work after which the client is told about it.
const LONG: Duration = Duration::from_millis(500);

/// Work in progress on a text.
struct Working {
    since: Instant,
    /// The number of unfinished tasks.
    tasks: u32,
    /// The request that began first.
    wanted: Wanted,
    /// The revision of the text for which changes are looked for.
    advised: Option<u64>,
    /// The progress token, once the client was told about the work.
    token: Option<String>,
}

/// The work in progress, by text.
#[derive(Default)]
pub(super) struct Works(HashMap<String, Working>);

impl Works {
    /// Notes a task that begins; returns false if the same is under way.
    pub(super) fn begin(&mut self, uri: &str, wanted: Wanted, revision: u64) -> bool {
        let work = self.0.entry(uri.to_owned()).or_insert(Working {
            since: Instant::now(),
            tasks: 0,
            wanted,
            advised: None,
            token: None,
        });
        if wanted == Wanted::Advice && work.advised.replace(revision) == Some(revision) {
            return false;
        }
        work.tasks += 1;
        true
    }

    /// Notes the end of a task. With the last task of a text its work ends, and its progress token is given back.
    pub(super) fn end(&mut self, uri: &str) -> Option<Option<String>> {
        let work = self.0.get_mut(uri)?;
        work.tasks = work.tasks.saturating_sub(1);
        match work.tasks {
            0 => self.0.remove(uri).map(|work| work.token),
            _ => None,
        }
    }

    /// True if a text is worked on.
    pub(super) fn has(&self, uri: &str) -> bool {
        self.0.contains_key(uri)
    }

    /// The progress token of a text, once the client was told about its work.
    pub(super) fn token(&self, uri: &str) -> Option<&str> {
        self.0.get(uri)?.token.as_deref()
    }

    /// The next time at which work has to be reported.
    pub(super) fn due(&self) -> Option<Instant> {
        let untold = self.0.values().filter(|work| work.token.is_none());
        untold.map(|work| work.since + LONG).min()
    }

    /// A text whose work takes long and was not told of, with the words for it.
    pub(super) fn untold(&self) -> Option<(String, String)> {
        let now = Instant::now();
        let is_long = |work: &Working| work.token.is_none() && work.since + LONG <= now;
        let (uri, work) = self.0.iter().find(|(_, work)| is_long(work))?;
        let name = uri.rsplit('/').next().unwrap_or(uri);
        let title = match work.wanted {
            Wanted::Costs => format!("deriving {name}"),
            Wanted::Advice => format!("looking for changes of {name}"),
        };
        Some((uri.clone(), title))
    }

    /// Notes that the client was told.
    pub(super) fn told(&mut self, uri: &str, token: String) {
        if let Some(work) = self.0.get_mut(uri) {
            work.token = Some(token);
        }
    }
}
