//! The arrays of host and device, and the data that inputs start with.
//!
//! Takes sizes and the data of inputs; gives memory before the first statement and at the end.
//! Knows no statement.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::exec::host::around::Memory;
use crate::exec::host::instance::Instance;
use crate::exec::memory::Store;
use crate::exec::memory::global::Global;
use crate::exec::{Array, Data, FinalArray};
use crate::program::{Program, Role, Scope, VarId};

/// The memory of both sides.
#[derive(Debug)]
pub(super) struct Arrays {
    /// Arrays by variable id; `None` for variables that live elsewhere.
    pub host: Vec<Option<Store>>,
    pub global: Global,
    inputs: Vec<Given>,
}

/// The initial data of an input.
#[derive(Debug)]
struct Given {
    id: VarId,
    array: Arc<Array>,
}

impl Arrays {
    /// Creates arrays that were never written.
    pub(super) fn new(instance: &Instance<'_>) -> Arrays {
        let store = |scope: Scope, id: VarId| {
            let variable = instance.program.variable(id);
            let extents = &instance.extents[id.0 as usize];
            (variable.scope == scope).then(|| Store::new(extents.clone(), variable.word_type))
        };
        let ids = || instance.program.variable_ids();
        Arrays {
            host: ids().map(|id| store(Scope::Host, id)).collect(),
            global: Global::new(ids().map(|id| store(Scope::Global, id)).collect()),
            inputs: Vec::new(),
        }
    }

    /// Sets the initial data of an input.
    pub(super) fn give(&mut self, id: VarId, shape: Vec<usize>, data: Data) {
        let array = Arc::new(Array { shape, data });
        self.inputs.push(Given { id, array });
    }

    /// Changes the initial data of an input.
    pub(super) fn change(&mut self, id: VarId, change: impl FnOnce(&mut Data)) {
        let Some(given) = self.inputs.iter_mut().find(|given| given.id == id) else {
            return;
        };
        let Some(store) = &mut self.host[id.0 as usize] else {
            return;
        };
        // Otherwise the store holds the array too, and it is copied.
        store.let_go();
        change(&mut Arc::make_mut(&mut given.array).data);
        store.hold(Arc::clone(&given.array));
    }

    /// Returns all arrays for reading.
    pub(super) fn memory(&self) -> Memory<'_> {
        Memory {
            host: &self.host,
            global: &self.global.stores,
        }
    }

    /// Restores memory as it is before the first statement.
    pub(super) fn reset(&mut self, program: &Program) {
        for id in program.variable_ids() {
            let variable = program.variable(id);
            match (variable.scope, variable.role) {
                // Device memory can be reused as soon as nobody else holds it.
                (Scope::Global, _) => self.global.store_mut(id).forget(),
                (Scope::Host, Role::Output | Role::None) => {
                    if let Some(store) = &mut self.host[id.0 as usize] {
                        store.let_go();
                    }
                }
                (Scope::Host, Role::Input) | (Scope::Shared, _) => {}
            }
        }
        for input in &self.inputs {
            if let Some(store) = &mut self.host[input.id.0 as usize] {
                store.hold(Arc::clone(&input.array));
            }
        }
    }

    /// Returns the arrays of one side, shared rather than copied.
    pub(super) fn finals(
        &mut self,
        program: &Program,
        scope: Scope,
    ) -> IndexMap<String, Arc<FinalArray>> {
        let mut finals = IndexMap::new();
        for id in program.variable_ids() {
            let variable = program.variable(id);
            if variable.scope != scope {
                continue;
            }
            let store = match &mut self.host[id.0 as usize] {
                Some(store) => store,
                None => self.global.store_mut(id),
            };
            let array = FinalArray {
                array: store.share(),
                written: store.written.clone(),
            };
            finals.insert(variable.name.clone(), Arc::new(array));
        }
        finals
    }
}
