//! Compiled forms and plans of a program's kernels, kept from one launch to the next.
//!
//! Takes a kernel and the values of its launch; gives the compiled form and, where the kernel has
//! one, the plan. A compiled form holds as constants the values that no launch changes and the
//! values it cannot do without; all other host values stay registers, so it outlives them. A plan
//! holds more constants, and serves launches with the same values and the same MPs or some of
//! them. Values that only go into words written to shared memory have slots of their own and may
//! differ. Executes nothing, and knows no data.

use std::borrow::Cow;
use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::exec::batches::plan::{self, Launched, Plan};
use crate::exec::launch::{Grid, Known};
use crate::exec::statements::compile;
use crate::exec::statements::typed::Code;
use crate::meaning::value::Value;
use crate::program::{
    Arithmetic, ConditionKind, Expr, Kernel, Number, NumberKind, ParamId, Program, Type,
    WrapperStmt,
};
use crate::syntax::ast::Comparison;

/// Most plans kept per kernel.
const MOST_PLANS: usize = 16;
/// Most statements of all kept plans together; a single plan may have more.
const MOST_STATEMENTS: u64 = 1 << 12;

/// Launched kernels of a program.
#[derive(Debug, Default)]
pub(super) struct Prepared<'p> {
    /// By address: a kernel of a checked program does not move.
    kernels: FxHashMap<usize, Kept<'p>>,
}

impl<'p> Prepared<'p> {
    /// Returns the kept forms of a kernel; `fixed` holds the values that no launch changes, by
    /// parameter id.
    pub(super) fn of(
        &mut self,
        program: &'p Program,
        fixed: &[Option<Value>],
        kernel: &'p Kernel,
    ) -> &mut Kept<'p> {
        let place = std::ptr::from_ref(kernel).addr();
        self.kernels.entry(place).or_insert_with(|| Kept {
            program,
            kernel,
            mentions: Mentions::of(kernel, fixed),
            code: None,
            plans: VecDeque::new(),
            effort: None,
            operations: None,
        })
    }
}

/// Host values that a kernel mentions. There is no key if one of them is no word, and then
/// nothing kept is reused.
type Key = Option<Vec<Option<i64>>>;

/// The compiled form, the plans and the experience of one kernel.
#[derive(Debug)]
pub(super) struct Kept<'p> {
    program: &'p Program,
    pub kernel: &'p Kernel,
    mentions: Mentions,
    /// The compiled form, with the values that are constants in it.
    code: Option<(Key, Code<'p>)>,
    /// Plans, the oldest first.
    plans: VecDeque<KeptPlan>,
    /// Effort of the latest plan, in statements.
    effort: Option<u64>,
    /// Average operations of a core in the last launch.
    operations: Option<u64>,
}

/// A plan, or the knowledge that there is none.
#[derive(Debug)]
struct KeptPlan {
    key: Key,
    mps: Vec<(i64, u64)>,
    plan: Option<Plan>,
}

impl KeptPlan {
    /// True if the plan also serves these MPs because they are some of its own. A plan with arrays
    /// that may race does not: fewer MPs might be free of races.
    fn serves_fewer(&self, mps: &[(i64, u64)]) -> bool {
        let is_within = |(own, more): (&(i64, u64), &(i64, u64))| {
            let end = |(first, length): (i64, u64)| i128::from(first) + i128::from(length);
            more.0 <= own.0 && end(*own) <= end(*more)
        };
        let is_free_of_races = |plan: &Plan| !plan.global.iter().any(|array| array.may_race);
        self.plan.as_ref().is_some_and(is_free_of_races) && mps.iter().zip(&self.mps).all(is_within)
    }
}

/// A kernel that is ready for a launch.
pub(super) struct Ready<'k, 'p> {
    pub code: &'k Code<'p>,
    pub plan: Option<&'k Plan>,
    /// Estimated operations of a core; unknown in a first launch without a plan.
    pub operations: Option<u64>,
}

impl<'p> Kept<'p> {
    /// Makes the kernel ready for a launch, with a plan if `planned`.
    pub(super) fn ready(&mut self, known: Known<'_>, grid: &Grid, planned: bool) -> Ready<'_, 'p> {
        // The key lists the constants of a plan; a prefix of it, the constants of the compiled
        // form.
        // So a new value may ask for a new plan while the compiled form stays.
        let open = self.mentions.open_in_plans(known.values);
        let key = self.mentions.key(known.values, open);
        let folded = key.as_ref().map(|key| &key[..self.mentions.folded]);
        let same =
            |one: &Key, other: Option<&[Option<i64>]>| other.is_some() && one.as_deref() == other;
        let compiled = (self.code.as_ref()).is_some_and(|(values, _)| same(values, folded));
        if !compiled {
            let folded = folded.map(<[_]>::to_vec);
            let registers = &self.mentions.parameters[self.mentions.folded..];
            let values = self.mentions.masked(known.values, registers);
            let code = compile::kernel(self.program, &values, known.extents, self.kernel);
            self.code = Some((folded, code));
        }
        let (_, code) = self.code.as_ref().expect("compiled just now");
        // A plan for exactly this grid wins over one for more MPs.
        let mut found = None;
        for (at, kept) in self.plans.iter().enumerate() {
            if !same(&kept.key, key.as_deref()) {
                continue;
            }
            if kept.mps == grid.ranges {
                found = Some(at);
                break;
            }
            if found.is_none() && kept.serves_fewer(&grid.ranges) {
                found = Some(at);
            }
        }
        let at = match found {
            _ if !planned => None,
            Some(at) => Some(at),
            None if grid.mps == 1 && self.is_slight() => None,
            None => {
                let values = self.mentions.masked(known.values, open);
                let launched = Launched {
                    known: Known {
                        values: &values,
                        ..known
                    },
                    open,
                    kernel: self.kernel,
                    mps: &grid.ranges,
                };
                let plan = plan::plan(&launched, code);
                self.effort = plan.as_ref().map(|plan| plan.effort.into());
                self.plans.push_back(KeptPlan {
                    key,
                    mps: grid.ranges.clone(),
                    plan,
                });
                forget_oldest(&mut self.plans);
                Some(self.plans.len() - 1)
            }
        };
        let plan = at.and_then(|at| self.plans[at].plan.as_ref());
        Ready {
            code,
            plan,
            operations: self.operations.or(plan.map(|plan| plan.operations)),
        }
    }

    /// True if a single MP does less work than planning for it would take.
    fn is_slight(&self) -> bool {
        let (effort, operations) = (self.effort, self.operations);
        effort.is_some_and(|effort| operations.is_some_and(|most| most <= 4 * effort))
    }

    /// Records the average operations of a core in a launch.
    pub(super) fn note(&mut self, lane_operations: u128, lanes: u128) {
        let each = lane_operations / lanes.max(1);
        self.operations = u64::try_from(each).ok();
    }
}

fn forget_oldest(plans: &mut VecDeque<KeptPlan>) {
    let statements = |kept: &KeptPlan| kept.plan.as_ref().map_or(1, |plan| plan.effort.into());
    let mut held: u64 = plans.iter().map(statements).sum();
    while plans.len() > MOST_PLANS || (held > MOST_STATEMENTS && plans.len() > 1) {
        held -= plans.pop_front().as_ref().map_or(0, statements);
    }
}

/// Parameters that a kernel mentions and a launch may change.
#[derive(Debug, Default)]
struct Mentions {
    /// The constants of the compiled form come first, then registers of it that are constants of
    /// plans, last the parameters that plans leave open too.
    parameters: Vec<ParamId>,
    /// Number of constants of the compiled form.
    folded: usize,
    /// Number of constants of plans.
    planned: usize,
}

/// The form in which a kernel's text needs a parameter, the weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Need {
    /// Part of a written value: a slot can hold it.
    Value,
    /// Part of a decision, an index or a bound: a register can hold it.
    Register,
    /// A constant only.
    Constant,
}

impl Mentions {
    fn of(kernel: &Kernel, fixed: &[Option<Value>]) -> Mentions {
        let mut needs: Vec<(ParamId, Need)> = Vec::new();
        let mut visit = |expr: Expr<'_>, least: Need| {
            each_mention(expr, least, &mut |parameter, need| {
                if fixed[parameter.0 as usize].is_some() {
                    return;
                }
                match needs.iter_mut().find(|(known, _)| *known == parameter) {
                    Some((_, most)) => *most = need.max(*most),
                    None => needs.push((parameter, need)),
                }
            });
        };
        for stmt in &kernel.body {
            if let WrapperStmt::Let(binding) = stmt {
                visit((&binding.value).into(), Need::Register);
            }
        }
        for stmt in kernel.statements() {
            let parts = stmt.kind.parts();
            let of_values = match parts.write {
                Some(_) => Need::Value,
                None => Need::Register,
            };
            parts
                .values
                .iter()
                .for_each(|value| visit(*value, of_values));
            let indices = parts.places().flat_map(|word| &word.indices);
            indices.for_each(|index| visit(index.into(), Need::Register));
            if let Some(bound) = parts.at_most {
                visit(bound.into(), Need::Register);
            }
        }
        needs.sort_by_key(|(_, need)| std::cmp::Reverse(*need));
        let of = |least: Need| needs.iter().filter(|(_, need)| *need >= least).count();
        Mentions {
            folded: of(Need::Constant),
            planned: of(Need::Register),
            parameters: needs.iter().map(|(parameter, _)| *parameter).collect(),
        }
    }

    /// Returns the parameters that a plan leaves open at these values: all candidates if each is a
    /// word of moderate size, else none.
    fn open_in_plans(&self, values: &[Option<Value>]) -> &[ParamId] {
        let open = &self.parameters[self.planned..];
        let fits = |parameter: &ParamId| match &values[parameter.0 as usize] {
            Some(Value::Whole(whole)) => plan::may_stay_open(*whole),
            Some(Value::Exact(_) | Value::Float(_)) | None => false,
        };
        if open.iter().all(fits) { open } else { &[] }
    }

    /// Returns the key of a plan that leaves `open` open.
    fn key(&self, values: &[Option<Value>], open: &[ParamId]) -> Key {
        let value = |parameter: &ParamId| match &values[parameter.0 as usize] {
            None => Some(None),
            Some(Value::Whole(whole)) => Some(Some(*whole)),
            Some(Value::Exact(_) | Value::Float(_)) => None,
        };
        let held = self.parameters.len() - open.len();
        self.parameters[..held].iter().map(value).collect()
    }

    /// Returns the values without the words among `open`.
    fn masked<'v>(
        &self,
        values: &'v [Option<Value>],
        open: &[ParamId],
    ) -> Cow<'v, [Option<Value>]> {
        let mut masked = Cow::Borrowed(values);
        for parameter in open {
            let at = parameter.0 as usize;
            if matches!(values[at], Some(Value::Whole(_))) {
                masked.to_mut()[at] = None;
            }
        }
        masked
    }
}

/// Calls `visit` on every parameter in an expression with the need for it there, which is at
/// least `least`. The need is `Constant` except under sums, products, whole quotients, choices
/// and comparisons of exact numbers.
fn each_mention(expr: Expr<'_>, least: Need, visit: &mut dyn FnMut(ParamId, Need)) {
    let of_words = |number: &Number| match number.ty {
        Type::Float => Need::Constant,
        Type::Number | Type::Int => least,
    };
    let least = match expr {
        Expr::Number(number) => match &number.kind {
            NumberKind::Parameter(parameter) => {
                return visit(*parameter, of_words(number));
            }
            // The parameters in its indices decide which word is read.
            NumberKind::Word(_) => Need::Register,
            NumberKind::Floor(of) | NumberKind::Ceil(of) if is_quotient(of) => {
                let least = of_words(number);
                return Expr::Number(of)
                    .each_operand(&mut |operand| each_mention(operand, least, visit));
            }
            NumberKind::Negate(_)
            | NumberKind::Min(_)
            | NumberKind::Max(_)
            | NumberKind::Abs(_)
            | NumberKind::Select { .. }
            | NumberKind::Bits { .. }
            | NumberKind::Bracket(_) => of_words(number),
            NumberKind::Binary { operator, .. } if is_of_words(*operator) => of_words(number),
            NumberKind::Integer(_)
            | NumberKind::Float(_)
            | NumberKind::Ceil(_)
            | NumberKind::Floor(_)
            | NumberKind::Math { .. }
            | NumberKind::Binary { .. }
            | NumberKind::Log { .. }
            | NumberKind::Only(_) => Need::Constant,
        },
        Expr::Condition(condition) => match &condition.kind {
            ConditionKind::Compare {
                operands,
                operators,
            } => {
                let is_order = |operator: &Comparison| {
                    !matches!(operator, Comparison::Divides | Comparison::PowerOf)
                };
                if operators.iter().all(is_order)
                    && operands.iter().all(|operand| operand.ty != Type::Float)
                {
                    least
                } else {
                    Need::Constant
                }
            }
            ConditionKind::And(..)
            | ConditionKind::Or(..)
            | ConditionKind::Not(_)
            | ConditionKind::Only(_) => least,
        },
    };
    expr.each_operand(&mut |operand| each_mention(operand, least, visit));
}

/// True if the operation gives a word for any words.
fn is_of_words(operator: Arithmetic) -> bool {
    match operator {
        Arithmetic::Add
        | Arithmetic::Subtract
        | Arithmetic::Multiply
        | Arithmetic::FloorDivide
        | Arithmetic::Modulo => true,
        Arithmetic::Divide | Arithmetic::Power => false,
    }
}

fn is_quotient(number: &Number) -> bool {
    matches!(&number.kind, NumberKind::Binary { operator: Arithmetic::Divide, .. } if number.ty != Type::Float)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;
    use crate::program::{HostStmt, nested_on_host};
    use crate::syntax;
    use crate::text::Source;

    /// A program that launches one kernel with these lines.
    fn program(lines: &str) -> Program {
        let text = format!(
            "algorithm T(n)
  global a[n]
  shared _x[b]
  shared float _f[b]
  for t = 1 → 9 do
    let u = t mod 3
    for all mp_i ∈ MP[0..t] in parallel do
      for all c_{{i,j}} ∈ C_i in parallel do
        {lines}
      end for
    end for
  end for
"
        );
        let source = Source::new("test", text.as_str());
        let algorithm = syntax::parse(&source).algorithm.expect("it parses");
        let checked = check::check(&source, &algorithm);
        checked.program.expect("it is sound")
    }

    fn kernel(program: &Program) -> &Kernel {
        let found = nested_on_host(&program.body).find_map(|stmt| match stmt {
            HostStmt::Kernel(kernel) => Some(kernel),
            _ => None,
        });
        found.expect("a kernel")
    }

    /// Which of `t` and `u` are constants, and which are left open.
    fn mentioned(lines: &str) -> (Vec<String>, Vec<String>) {
        let program = program(lines);
        let fixed = vec![None; program.parameters.len()];
        let mentions = Mentions::of(kernel(&program), &fixed);
        let (folded, open) = mentions.parameters.split_at(mentions.folded);
        let names = |list: &[ParamId]| {
            let names = list.iter().map(|id| program.parameter(*id).name.clone());
            names.filter(|name| name == "t" || name == "u").collect()
        };
        (names(folded), names(open))
    }

    #[test]
    fn what_stands_in_sums_and_whole_quotients_is_left_open() {
        let none: Vec<String> = Vec::new();
        let (t, u) = (vec!["t".to_owned()], vec!["u".to_owned()]);
        assert_eq!(mentioned("_x[j] ⇐ a[ib + j]"), (none.clone(), none.clone()));
        assert_eq!(mentioned("_x[j] ⇐ a[ib + j*t]"), (none.clone(), t.clone()));
        let guarded = "if j + t mod 2 < 5 then\n_x[⌊j/u⌋] ← 1\nend if";
        assert_eq!(
            mentioned(guarded),
            (none.clone(), vec!["t".to_owned(), "u".to_owned()])
        );
        assert_eq!(mentioned("_x[j] ← 2^t + u"), (t.clone(), u));
        assert_eq!(mentioned("_f[j] ← t*0.5"), (t.clone(), none.clone()));
        // Where it is needed as a constant anywhere, it is one everywhere.
        assert_eq!(mentioned("_x[j + t] ← 2^t"), (t, none));
    }

    /// Calls `launch` with `t`, `u` and a number of MPs, of a kernel with these lines: it says whether
    /// there was a plan, and how many are kept.
    fn launched(lines: &str, test: impl FnOnce(&mut dyn FnMut(i64, i64, i64) -> (bool, usize))) {
        let program = program(lines);
        let fixed = vec![None; program.parameters.len()];
        let extents: Vec<Vec<usize>> = (program.variables.iter())
            .map(|variable| vec![8; variable.dimensions.len()])
            .collect();
        let admitted = vec![None; program.variables.len()];
        let mut prepared = Prepared::default();
        let mut launch = |t: i64, u: i64, mps: i64| {
            let values = program.parameters.iter().map(|known| match &*known.name {
                "t" => Some(Value::Whole(t)),
                "u" => Some(Value::Whole(u)),
                _ => None,
            });
            let values: Vec<Option<Value>> = values.collect();
            let known = Known {
                program: &program,
                cores: 8,
                values: &values,
                extents: &extents,
                admitted: &admitted,
            };
            let grid = Grid::new(&[(0, mps - 1)]).expect("few");
            let kept = prepared.of(&program, &fixed, kernel(&program));
            let is_planned = kept.ready(known, &grid, true).plan.is_some();
            kept.note(u128::from(grid.mps) * 8, u128::from(grid.mps) * 8);
            (is_planned, kept.plans.len())
        };
        test(&mut launch);
    }

    #[test]
    fn plans_serve_launches_that_know_the_same() {
        launched("_x[(j + u) mod 8] ← j\n_x[j] ← _x[j] + u", |launch| {
            assert_eq!(launch(1, 1, 1), (true, 1));
            assert_eq!(launch(4, 1, 1), (true, 1), "it does not mention t");
            assert_eq!(launch(4, 1, 2), (true, 2), "more MPs");
            assert_eq!(launch(4, 1, 1), (true, 2), "fewer");
            assert_eq!(launch(5, 2, 2), (true, 3), "another u");
            assert_eq!(launch(6, 1, 2), (true, 3), "the first u again");
            assert_eq!(launch(7, 7, 1), (false, 3), "less to do than to plan");
            for u in 0..40 {
                launch(1, u, 3);
            }
            assert_eq!(launch(1, 39, 3), (true, MOST_PLANS));
        });
    }

    #[test]
    fn plans_serve_launches_that_write_other_values() {
        launched("_x[j] ← select(_x[j] = u, t·u, t)", |launch| {
            assert_eq!(launch(1, 1, 1), (true, 1));
            assert_eq!(launch(4, 9, 1), (true, 1), "other values");
            assert_eq!(
                launch(4, 1 << 50, 1),
                (false, 1),
                "too large, and little to do"
            );
            assert_eq!(launch(4, 1 << 50, 2), (true, 2), "too large");
            assert_eq!(launch(5, 1 << 50, 2), (true, 3), "so t is held as well");
        });
        launched("if _x[j] = u then\n_x[j] ← t\nend if", |launch| {
            assert_eq!(launch(1, 1, 1), (true, 1));
            assert_eq!(launch(4, 1, 1), (true, 1), "another value");
            assert_eq!(launch(4, 2, 2), (true, 2), "u decides which cores go on");
        });
    }
}
