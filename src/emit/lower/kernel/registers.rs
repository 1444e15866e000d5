//! Registers of a kernel, each declared once at its head, and the names beside them.
//!
//! A parameter of a core is a register under its own name. Two parameters may share a name and a register: the
//! second hides the first. They may not if their kinds differ, as a `whole` is no `real`.

use crate::emit::form::Kind;
use crate::emit::lower::kernel::Lowering;
use crate::program::ParamId;

impl Lowering<'_, '_> {
    /// The register of a core's own parameter. A name whose registers differ in kind, or that the kernel has besides,
    /// gets another one.
    pub(super) fn register_of(&mut self, parameter: ParamId, kind: Kind) -> String {
        let name = self.parameter_name(parameter);
        let known = self.registers.iter().find(|(known, _)| *known == name);
        let known = known.map(|(_, known)| *known);
        let name = match known {
            Some(known) if known == kind => return name,
            None if !self.of_kernel.contains(&name) => name,
            _ => self.renamed(parameter, &name),
        };
        self.registers.push((name.clone(), kind));
        name
    }

    /// The name of a parameter that all cores share, in the whole kernel.
    pub(super) fn name_beside_registers(&mut self, parameter: ParamId) -> String {
        let name = self.parameter_name(parameter);
        let name = if self.registers.iter().any(|(known, _)| *known == name) {
            self.renamed(parameter, &name)
        } else {
            name
        };
        self.of_kernel.push(name.clone());
        name
    }

    fn renamed(&mut self, parameter: ParamId, name: &str) -> String {
        let other = self.numbers.names.fresh(name);
        self.numbers.names.rename(parameter, other.clone());
        other
    }

    /// A register of the kernel's own, made when first wanted.
    pub(super) fn register(&mut self, wanted: &str, kind: Kind) -> String {
        let name = self.numbers.names.own(wanted);
        if !self.registers.iter().any(|(known, _)| *known == name) {
            self.registers.push((name.clone(), kind));
        }
        name
    }
}
