//! What was concluded once, by what it is about: shared by all clones of the facts it follows from.

use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

/// Conclusions by question. Nobody asks another while holding it, so that it is never waited for
/// long.
pub(crate) struct Memo<K, V>(Mutex<FxHashMap<K, V>>);

impl<K: Eq + Hash, V: Clone> Memo<K, V> {
    /// What was concluded before.
    pub(crate) fn get(&self, question: &K) -> Option<V> {
        self.locked().get(question).cloned()
    }

    /// Remembers a conclusion.
    pub(crate) fn insert(&self, question: K, answer: V) {
        self.locked().insert(question, answer);
    }

    fn locked(&self) -> MutexGuard<'_, FxHashMap<K, V>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Memo(Mutex::default())
    }
}
