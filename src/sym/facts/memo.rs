//! Conclusions by their question, shared by all clones of the facts that they follow from.

use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

/// Conclusions by question. No caller asks a second question while holding the lock, so no wait
/// is long and none is circular.
pub(crate) struct Memo<K, V>(Mutex<FxHashMap<K, V>>);

impl<K: Eq + Hash, V: Clone> Memo<K, V> {
    /// Returns the earlier conclusion.
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
