//! The cheaper of two programs, for every pair of programs, over the free parameter.

use atgpu::machine::Machine;
use atgpu::program::Program;
use atgpu::report::comparison::Duel;
use atgpu::study::{Side, duel};
use atgpu::sym::Expr;

use crate::cli::compare::subjects::Study;
use crate::cli::options::has_cost;
use crate::cli::reply::Finding;

impl Study {
    /// Compares every two programs on a machine, by every model with a cost.
    pub(super) fn duels(&self, machine: &Machine, varied: &str) -> Result<Vec<Duel>, Vec<Finding>> {
        let mut sides = Vec::new();
        for program in &self.programs {
            sides.push(self.side(program, machine, varied)?);
        }
        let mut duels = Vec::new();
        for model in self
            .models
            .iter()
            .filter(|model| has_cost(**model, machine))
        {
            let costs: Vec<Result<Expr, String>> =
                sides.iter().map(|side| side.cost(*model)).collect();
            for left in 0..sides.len() {
                for right in left + 1..sides.len() {
                    duels.push(Duel {
                        left,
                        right,
                        machine: machine.name.to_string(),
                        b: (varied != "b").then_some(sides[left].machine().atgpu.cores_per_mp),
                        model: model.name(),
                        variable: varied.to_owned(),
                        outcome: duel([&sides[left], &sides[right]], [&costs[left], &costs[right]]),
                        fits: [sides[left].fits(), sides[right].fits()],
                    });
                }
            }
        }
        Ok(duels)
    }

    fn side<'p>(
        &self,
        program: &'p Program,
        machine: &Machine,
        varied: &str,
    ) -> Result<Side<'p>, Vec<Finding>> {
        let (settled, fixed) = self.settle(program, machine)?;
        let mut ids = program
            .formals()
            .iter()
            .copied()
            .chain([program.machine().b]);
        let parameter = ids.find(|id| self.common(program, *id) == varied);
        Ok(Side::new(
            program,
            parameter,
            fixed,
            settled,
            self.charges_conflicts,
        ))
    }
}
