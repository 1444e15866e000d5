//! What is written to a variable anywhere in a program.

use crate::program::{Direction, HostStmt, Number, VarId, Written, nested_on_host};

/// What is written to a variable.
pub(crate) enum Source<'p> {
    /// Words of this one.
    Words(VarId),
    /// A value.
    Value(&'p Number),
    /// Anything.
    Unknown,
}

/// What is written to any of some variables, in text order.
pub(crate) fn sources_in<'p>(body: &'p [HostStmt], targets: &[VarId]) -> Vec<Source<'p>> {
    let mut sources = Vec::new();
    for statement in nested_on_host(body) {
        if let HostStmt::Transfer(transfer) = statement {
            let (from, to) = match transfer.direction {
                Direction::Inward => (&transfer.host, &transfer.global),
                Direction::Outward => (&transfer.global, &transfer.host),
            };
            if targets.contains(&to.variable) {
                sources.push(Source::Words(from.variable));
            }
        }
        if let HostStmt::Kernel(kernel) = statement {
            let writes = kernel.statements().filter_map(|it| it.kind.parts().write);
            for (_, written) in writes.filter(|(target, _)| targets.contains(&target.variable)) {
                sources.push(match written {
                    Written::Word(source) => Source::Words(source.variable),
                    Written::Value(value) => Source::Value(value),
                    Written::Update(..) => Source::Unknown,
                });
            }
        }
    }
    sources
}
