//! The rule by which the blocks of a line were counted: facts, and their words (language.md §4.2).

use std::fmt;

use crate::sym::Expr;

/// Longest formula, in characters, that is written into a rule.
const LONGEST_SHOWN: usize = 24;

/// The rule by which the blocks touched by the active cores were counted. It displays as a few words.
///
/// ```
/// let program = atgpu::examples::vector_addition();
/// let line = &program.derive()?.rounds[0].lines[0];
/// let rule = line.rule.as_ref().expect("a global access");
/// assert_eq!(rule.to_string(), "unit stride, aligned: 1 block");
/// # Ok::<(), atgpu::Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum BlockRule {
    /// All cores access one word.
    OneWord,
    /// All words lie in one block. Holds the movement with the core, if it is even.
    OneBlock(Option<Moves>),
    /// All blocks from the first core's to the last core's.
    FirstToLast,
    /// The stride is so wide that each core has its own block.
    Apart(Expr),
    /// Rows of cores, `j div h` and `j mod h`: the cores in a row, and an upper bound on the blocks of a row.
    Rows(Expr, Expr),
    /// Words that move evenly with the core, and the number of their blocks.
    Even(Moves, Expr),
    /// An upper bound, and nothing else is known.
    AtMost(Expr),
    /// The rules of a line that is counted in several ways.
    Either(Vec<BlockRule>),
    /// The rules of a kernel that alternates between rounds.
    InTurn(Vec<BlockRule>),
}

/// The movement of an access with the core.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Moves {
    /// One word a core, starting at a block boundary.
    Aligned,
    /// One word a core, starting this many words behind a block boundary.
    Unaligned(Expr),
    /// A stride: this many words a core.
    By(Expr),
}

impl Moves {
    fn map(&self, change: &dyn Fn(&Expr) -> Expr) -> Moves {
        match self {
            Moves::Aligned => Moves::Aligned,
            Moves::Unaligned(by) => Moves::Unaligned(change(by)),
            Moves::By(stride) => Moves::By(change(stride)),
        }
    }
}

impl BlockRule {
    /// Applies `change` to every form in the rule.
    pub(crate) fn map(&self, change: &dyn Fn(&Expr) -> Expr) -> BlockRule {
        let all = |rules: &[BlockRule]| rules.iter().map(|rule| rule.map(change)).collect();
        match self {
            BlockRule::OneWord => BlockRule::OneWord,
            BlockRule::OneBlock(moves) => {
                BlockRule::OneBlock(moves.as_ref().map(|moves| moves.map(change)))
            }
            BlockRule::FirstToLast => BlockRule::FirstToLast,
            BlockRule::Apart(stride) => BlockRule::Apart(change(stride)),
            BlockRule::Rows(cores, blocks) => BlockRule::Rows(change(cores), change(blocks)),
            BlockRule::Even(moves, blocks) => BlockRule::Even(moves.map(change), change(blocks)),
            BlockRule::AtMost(most) => BlockRule::AtMost(change(most)),
            BlockRule::Either(rules) => BlockRule::Either(all(rules)),
            BlockRule::InTurn(rules) => BlockRule::InTurn(all(rules)),
        }
    }

    /// Joins two rules. Rules with equal wording are listed once.
    pub(crate) fn or(self, other: &BlockRule) -> BlockRule {
        if self.to_string() == other.to_string() {
            return self;
        }
        let mut rules = match self {
            BlockRule::Either(rules) => rules,
            rule => vec![rule],
        };
        rules.push(other.clone());
        BlockRule::Either(rules)
    }

    /// Joins the rules of alternating rounds. Rules with equal wording are listed once.
    pub(crate) fn in_turn<'r>(rules: impl Iterator<Item = &'r BlockRule>) -> Option<BlockRule> {
        let mut distinct: Vec<BlockRule> = Vec::new();
        for rule in rules {
            let is_known = |known: &BlockRule| known.to_string() == rule.to_string();
            if !distinct.iter().any(is_known) {
                distinct.push(rule.clone());
            }
        }
        match distinct.len() {
            0 | 1 => distinct.pop(),
            _ => Some(BlockRule::InTurn(distinct)),
        }
    }
}

impl fmt::Display for BlockRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, rules: &[BlockRule], between: &str| {
            let rules: Vec<String> = rules.iter().map(BlockRule::to_string).collect();
            f.write_str(&rules.join(between))
        };
        match self {
            BlockRule::OneWord => f.write_str("one word: 1 block"),
            BlockRule::OneBlock(None) => f.write_str("within a block: 1 block"),
            BlockRule::OneBlock(Some(Moves::Aligned)) => {
                f.write_str("unit stride, aligned: 1 block")
            }
            BlockRule::OneBlock(Some(moves)) => write!(f, "{moves}: 1 block"),
            BlockRule::FirstToLast => f.write_str("from the first core's block to the last's"),
            BlockRule::Apart(stride) => write!(f, "stride {stride} ≥ b: 1 block a core"),
            BlockRule::Rows(cores, blocks) => {
                write!(f, "rows of {cores} cores")?;
                match short(blocks) {
                    Some(_) if blocks.is_one() => f.write_str(": 1 block each"),
                    Some(blocks) => write!(f, ": {blocks} blocks each at most"),
                    None => Ok(()),
                }
            }
            BlockRule::Even(moves, blocks) if blocks.is_one() => write!(f, "{moves}: 1 block"),
            BlockRule::Even(moves, blocks) => match short(blocks) {
                Some(blocks) => write!(f, "{moves}: {blocks} blocks"),
                None => write!(f, "{moves}: from the first core's block to the last's"),
            },
            BlockRule::AtMost(most) => match short(most) {
                Some(most) => write!(f, "1 to {most} blocks"),
                None => f.write_str("1 block to 1 a core"),
            },
            BlockRule::Either(rules) => list(f, rules, "; or "),
            BlockRule::InTurn(rules) => list(f, rules, ", or "),
        }
    }
}

impl fmt::Display for Moves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Moves::Aligned => f.write_str("unit stride"),
            Moves::Unaligned(by) => match short(by) {
                Some(by) => write!(f, "unaligned by {by}"),
                None => f.write_str("unit stride, unaligned"),
            },
            Moves::By(stride) => write!(f, "stride {stride}"),
        }
    }
}

/// Prints a formula if it is short enough for a rule.
fn short(formula: &Expr) -> Option<String> {
    let text = formula.to_string();
    (text.chars().count() <= LONGEST_SHOWN).then_some(text)
}
