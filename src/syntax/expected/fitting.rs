//! The constructs that the grammar could have gone on with, in the user's words.

use crate::syntax::parser::Form;

/// The constructs that could have stood at the furthest place, sorted.
pub(super) struct Fitting {
    /// A whole statement.
    pub statement: bool,
    /// An operator, and so an operand just ended.
    pub operator: bool,
    /// An operand of an expression.
    pub operand: bool,
    /// Terminals and smaller constructs in the user's words, without repetition.
    words: Vec<String>,
}

impl Fitting {
    pub(super) fn of(forms: &[Form]) -> Fitting {
        let mut fitting = Fitting {
            statement: forms.contains(&Form::move_line),
            operator: false,
            operand: false,
            words: Vec::new(),
        };
        for form in forms {
            match fit(*form) {
                Fit::Operator => fitting.operator = true,
                Fit::Operand => fitting.operand = true,
                Fit::Word(word) if !fitting.words.contains(&word) => fitting.words.push(word),
                Fit::Word(_) | Fit::Silent => {}
            }
        }
        // Behind a complete operand a further factor would fit too, and behind a name an index.
        // Nobody
        // wants to hear of those.
        let noise: &[&str] = if fitting.has("a name") && !fitting.operator {
            &["`int` or `float`"]
        } else if fitting.operator {
            &[
                "a name", "`=`", "`≤`", "`≥`", "`(`", "`[`", "`⌈`", "`⌊`", "`{`",
            ]
        } else if fitting.has("`←`") {
            &["`[`"]
        } else {
            &[]
        };
        fitting.words.retain(|word| !noise.contains(&word.as_str()));
        fitting.words.sort_by_key(|word| word == END_OF_LINE);
        fitting
    }

    /// Returns true if this terminal, in the user's words, would have fitted.
    pub(super) fn has(&self, word: &str) -> bool {
        self.words.iter().any(|fitting| fitting == word)
    }

    /// Iterates over the words of the grammar among them.
    pub(super) fn keywords(&self) -> impl Iterator<Item = &str> {
        let unquoted = self.words.iter().filter_map(|word| {
            let word = word.strip_prefix('`')?.strip_suffix('`')?;
            word.starts_with(char::is_alphabetic).then_some(word)
        });
        unquoted.filter(|word| !word.contains(' '))
    }

    /// Returns the phrase that follows `expected`.
    pub(super) fn phrase(&self) -> String {
        if self.statement {
            return "a statement".to_owned();
        }
        let mut words = Vec::new();
        match (self.operator, self.operand) {
            (true, _) => words.push("an operator".to_owned()),
            (false, true) => words.push("an expression".to_owned()),
            (false, false) => {}
        }
        words.extend(self.words.iter().cloned());
        match words.split_last() {
            None => "something else".to_owned(),
            Some((last, [])) => last.clone(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
        }
    }
}

/// The name of the missing token at the end of a line.
pub(super) const END_OF_LINE: &str = "the end of the line";

enum Fit {
    Operator,
    Operand,
    Word(String),
    Silent,
}

/// Returns the name of a terminal or construct in messages.
fn fit(form: Form) -> Fit {
    let word = |text: &str| Fit::Word(text.to_owned());
    match form {
        Form::power
        | Form::times
        | Form::divide
        | Form::floor_divide
        | Form::modulo
        | Form::plus
        | Form::minus
        | Form::not_equal
        | Form::about
        | Form::less
        | Form::greater
        | Form::divides
        | Form::power_of
        | Form::and
        | Form::or
        | Form::implies => Fit::Operator,
        // In a claim these three stand alone, elsewhere beside all other operators.
        Form::equal => word("`=`"),
        Form::at_most => word("`≤`"),
        Form::at_least => word("`≥`"),
        Form::expression
        | Form::number
        | Form::variable
        | Form::group
        | Form::call
        | Form::ceil
        | Form::floor
        | Form::iverson
        | Form::negate
        | Form::not
        | Form::quantified
        | Form::log_two
        | Form::log_braced
        | Form::log_word
        | Form::log_bare
        | Form::range
        | Form::subscript => Fit::Operand,
        Form::name | Form::declaration | Form::binder | Form::place => word("a name"),
        Form::quantity => word("a quantity such as `time` or `io`"),
        Form::word_type => word("`int` or `float`"),
        Form::property => word("`sorted`, `permutation` or `list`"),
        Form::big_o | Form::omega | Form::theta => word("`O(…)`, `Ω(…)` or `Θ(…)`"),
        Form::claim_equal => word("`=`"),
        Form::claim_at_most => word("`≤`"),
        Form::claim_at_least => word("`≥`"),
        Form::claim_order => word("`∈ O(…)`"),
        Form::mp_index => word("an MP's index such as `mp_i`"),
        Form::core_index => word("a core's index such as `c_{i,j}`"),
        Form::core_set | Form::core_set_mark => word("the cores `C_i`"),
        Form::mp_set => word("`MP[lo..hi]`"),
        Form::mp_from_to | Form::mp_ranges | Form::mp_bound => {
            word("the numbers of the MPs such as `0..k-1` or `mp_0, …, mp_{k-1}`")
        }
        Form::set_word | Form::braced_names | Form::braced_expressions | Form::whole_number => {
            word("an index")
        }
        Form::transfer_arrow => word("`⇚`"),
        Form::global_arrow => word("`⇐`"),
        Form::shared_arrow => word("`←`"),
        Form::swap_arrow => word("`↔`"),
        Form::upto => word("`→`"),
        Form::element_of => word("`∈`"),
        Form::declared_range => word("`in`"),
        Form::assign => word("`=`"),
        Form::dots => word("`..`"),
        Form::colon | Form::own_type => word("`:`"),
        Form::comma => word("`,`"),
        Form::open_paren | Form::formals => word("`(`"),
        Form::close_paren => word("`)`"),
        Form::open_bracket | Form::dimensions => word("`[`"),
        Form::close_bracket => word("`]`"),
        Form::open_brace | Form::braced_base => word("`{`"),
        Form::close_brace => word("`}`"),
        Form::open_ceil => word("`⌈`"),
        Form::close_ceil => word("`⌉`"),
        Form::open_floor => word("`⌊`"),
        Form::close_floor => word("`⌋`"),
        Form::at_most_clause => word("`at most`"),
        Form::until_clause => word("`until`"),
        Form::declared_property => word("`as`"),
        Form::formal => word("a formal such as `w` or `global x`"),
        Form::EOI => word(END_OF_LINE),
        Form::comment | Form::label | Form::WHITESPACE => Fit::Silent,
        other => match format!("{other:?}").strip_prefix("kw_") {
            Some(keyword) => Fit::Word(format!("`{keyword}`")),
            None => Fit::Silent,
        },
    }
}
