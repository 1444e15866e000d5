//! Loops of cores: one loop of all where they agree how often, else a loop until no core is left.

use crate::emit::barriers::Raw;
use crate::emit::form::{Act, Kind, Loop};
use crate::emit::lower::kernel::{Lowering, Result};
use crate::emit::term::Term;
use crate::program::{Condition, Expr, Number, ParamId, Stmt, StmtKind};
use crate::symbolic::symbols::Untranslatable;

/// The first and the last value of a loop's variable, and true for a loop that counts down.
type Ends<'p> = (&'p Number, &'p Number, bool);

impl<'p> Lowering<'_, 'p> {
    /// A loop while any core's condition holds; a mask says for which.
    pub(super) fn repeated_while(
        &mut self,
        condition: &'p Condition,
        body: &'p [Stmt],
        mask: Option<&str>,
        into: &mut Vec<Raw>,
    ) -> Result<()> {
        let name = self.fresh_mask();
        self.mask(&name, condition, mask, false, into)?;
        let outer = std::mem::take(&mut self.stale);
        let mut inside = self.block(body, Some(&name))?;
        self.stale = outer;
        inside.push(Raw::Line("again".to_owned()));
        self.mask(&name, condition, Some(&name), false, &mut inside)?;
        into.push(Raw::WhileAny {
            mask: name,
            body: inside,
        });
        Ok(())
    }

    /// A loop over a variable: one loop of all cores where they agree on its ends and none leaves early.
    pub(super) fn repeated(
        &mut self,
        variable: ParamId,
        (from, to, down): Ends<'p>,
        body: &'p [Stmt],
        mask: Option<&str>,
        into: &mut Vec<Raw>,
    ) -> Result<()> {
        let ends_early = matches!(
            body.last().map(|last| &last.kind),
            Some(StmtKind::Until { .. })
        );
        let (first, last) = (self.numbers.bounds_of(from), self.numbers.bounds_of(to));
        self.numbers.bind_between(variable, first, last, down);
        let is_even =
            self.numbers.is_uniform(Expr::from(from)) && self.numbers.is_uniform(Expr::from(to));
        if !is_even || ends_early {
            return self.uneven(variable, (from, to, down), body, mask, into);
        }
        let (from, to) = (self.numbers.whole(from)?, self.numbers.whole(to)?);
        let symbol = self.symbols.bind_symbol(variable);
        let outer = std::mem::replace(&mut self.stale, vec![symbol.clone()]);
        let body = self.block(body, mask)?;
        let stale = std::mem::replace(&mut self.stale, outer);
        self.stale.extend(stale.iter().cloned());
        let name = self.parameter_name(variable);
        let last = to.is_searched();
        let last = last.then(|| self.numbers.names.fresh(&format!("{name}_last")));
        let head = Loop {
            variable: name,
            from,
            to,
            last,
            down,
        };
        into.push(Raw::For {
            head,
            body,
            variable: symbol,
            stale,
        });
        Ok(())
    }

    /// A loop whose cores go their own number of times: until none is left.
    fn uneven(
        &mut self,
        variable: ParamId,
        (from, to, down): Ends<'p>,
        body: &'p [Stmt],
        mask: Option<&str>,
        into: &mut Vec<Raw>,
    ) -> Result<()> {
        let name = self.register_of(variable, Kind::Whole);
        let last = self.numbers.names.fresh(&format!("{name}_last"));
        let on = self.numbers.names.fresh("on");
        self.numbers.registers.insert(variable);
        self.registers.push((last.clone(), Kind::Whole));
        self.registers.push((on.clone(), Kind::Truth));
        let (reads_from, reads_to) = (self.reads(Expr::from(from)), self.reads(Expr::from(to)));
        let (first, end) = (self.numbers.whole(from)?, self.numbers.whole(to)?);
        let nowhere = Err(Untranslatable::Data(from.span));
        self.symbols.bind(variable, nowhere);
        let act = |mask: Option<&str>, act, reads| Raw::Act {
            mask: mask.map(str::to_owned),
            act,
            reads,
            writes: Vec::new(),
            held: None,
        };
        let register = |name: &str| Term::Register(name.to_owned());
        let compared = |operator| Term::infix(operator, register(&name), register(&last));
        // The last value may be the last there is.
        let [is_there, is_left] = if down {
            [">=", ">"].map(compared)
        } else {
            ["<=", "<"].map(compared)
        };
        // The last one first: the variable may shadow what its own bounds name.
        into.push(act(mask, Act::Set(last.clone(), end), reads_to));
        into.push(act(mask, Act::Set(name.clone(), first), reads_from));
        into.push(act(mask, Act::Mask(on.clone(), is_there), Vec::new()));
        let outer = std::mem::take(&mut self.stale);
        let mut inside = self.block(body, Some(&on))?;
        self.stale = outer;
        let step = Term::infix(
            if down { "-" } else { "+" },
            register(&name),
            Term::Whole(1),
        );
        inside.push(act(Some(&on), Act::Mask(on.clone(), is_left), Vec::new()));
        inside.push(act(Some(&on), Act::Set(name, step), Vec::new()));
        into.push(Raw::WhileAny {
            mask: on,
            body: inside,
        });
        Ok(())
    }
}
