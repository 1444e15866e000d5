//! What to say about a line that the grammar does not accept.
//!
//! Takes the furthest place the grammar reached and what would have fitted there; gives one
//! diagnostic in the user's words, and a guess at which block the line meant to open or close.

use crate::syntax::error::SyntaxError;
use crate::syntax::limits::{brackets_too_deep, is_word, without_comment};
use crate::syntax::parser::{Form, Stop};
use crate::text::{Source, Span, nearest};

/// What a faulty line seems to do to the blocks around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    Nothing,
    Algorithm,
    Kernel,
    Wrapper,
    CoreLoop,
    For,
    While,
    If,
    End,
}

impl Opening {
    /// Judges a line by its first words.
    pub fn of(line: &str) -> Opening {
        let line = line.trim_start();
        let line = line
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .trim_start()
            .strip_prefix(':')
            .unwrap_or(line);
        let mut words = line
            .split(|c: char| !is_word(c))
            .filter(|word| !word.is_empty());
        let first = words.next().unwrap_or("");
        match first {
            "algorithm" => Opening::Algorithm,
            "kernel" => Opening::Kernel,
            "while" => Opening::While,
            "if" => Opening::If,
            "end" | "endif" | "endfor" | "endwhile" | "endkernel" => Opening::End,
            "for" => match (words.next(), words.next()) {
                (Some("all"), Some(index)) if index.starts_with("mp") => Opening::Wrapper,
                (Some("all"), Some(index)) if index.starts_with("c_") => Opening::CoreLoop,
                _ => Opening::For,
            },
            _ => Opening::Nothing,
        }
    }
}

/// The diagnostic for a line that stopped the grammar.
pub(super) fn blame(source: &Source, line: Span, stop: Stop) -> SyntaxError {
    let (offset, fitting) = match stop {
        Stop::At { offset, fitting } => (offset, fitting),
        Stop::OutOfStack => {
            return brackets_too_deep(line);
        }
    };
    let code = without_comment(source.slice(line));
    let before = code.get(..offset - line.start).unwrap_or(code);
    let rest = code.get(offset - line.start..).unwrap_or("");
    let skipped = rest.len() - rest.trim_start().len();
    let token = token(rest.trim_start());
    let start = offset + skipped;
    let span = if token.is_empty() {
        // The end of the line: point behind the last thing that stands there.
        let end = line.start + before.trim_end().len();
        Span::new(end, end)
    } else {
        Span::new(start, start + token.len())
    };
    if fitting.contains(&Form::name) && is_reserved(token) {
        return SyntaxError::ReservedWord {
            word: token.to_owned(),
            span,
        };
    }
    if let Some((character, help)) = strange(token) {
        return SyntaxError::StrangeCharacter {
            character,
            help: help.map(str::to_owned),
            span,
        };
    }
    let fitting = Fitting::of(&fitting);
    let help = hint(before.trim(), token, rest, &fitting);
    SyntaxError::Unexpected {
        expected: fitting.phrase(),
        found: match token {
            "" => END_OF_LINE.to_owned(),
            _ => format!("`{token}`"),
        },
        help,
        span,
    }
}

/// What could have stood at the furthest place, sorted.
struct Fitting {
    statement: bool,
    operator: bool,
    operand: bool,
    /// Terminals and smaller constructs, in the user's words, without repetition.
    words: Vec<String>,
}

impl Fitting {
    fn of(forms: &[Form]) -> Fitting {
        let mut fitting = Fitting {
            statement: forms.contains(&Form::move_line),
            operator: false,
            operand: false,
            words: Vec::new(),
        };
        for form in forms {
            match kind(*form) {
                Kind::Operator => fitting.operator = true,
                Kind::Operand => fitting.operand = true,
                Kind::Word(word) if !fitting.words.contains(&word) => fitting.words.push(word),
                Kind::Word(_) | Kind::Silent => {}
            }
        }
        // Behind a complete operand a further factor would fit too, and behind a name an index;
        // nobody wants to hear it.
        let noise: &[&str] = if fitting.has("a name") && !fitting.operator {
            &["`int` or `float`"]
        } else if fitting.operator {
            &["a name", "`=`", "`≤`", "`(`", "`[`", "`⌈`", "`⌊`", "`{`"]
        } else if fitting.has("`←`") {
            &["`[`"]
        } else {
            &[]
        };
        fitting.words.retain(|word| !noise.contains(&word.as_str()));
        fitting.words.sort_by_key(|word| word == END_OF_LINE);
        fitting
    }

    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|fitting| fitting == word)
    }

    fn phrase(&self) -> String {
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

const END_OF_LINE: &str = "the end of the line";

enum Kind {
    Operator,
    Operand,
    Word(String),
    Silent,
}

/// How a terminal or construct is called in messages.
fn kind(form: Form) -> Kind {
    let word = |text: &str| Kind::Word(text.to_owned());
    match form {
        Form::power
        | Form::times
        | Form::divide
        | Form::floor_divide
        | Form::modulo
        | Form::plus
        | Form::minus
        | Form::not_equal
        | Form::at_least
        | Form::less
        | Form::greater
        | Form::divides
        | Form::power_of
        | Form::and
        | Form::or
        | Form::implies => Kind::Operator,
        // In a claim these two stand alone, elsewhere beside all the other operators.
        Form::equal => word("`=`"),
        Form::at_most => word("`≤`"),
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
        | Form::subscript => Kind::Operand,
        Form::name | Form::declaration | Form::binder | Form::place => word("a name"),
        Form::quantity => word("a quantity such as `time` or `io`"),
        Form::word_type => word("`int` or `float`"),
        Form::property => word("`sorted`, `permutation` or `list`"),
        Form::big_o | Form::theta => word("`O(…)` or `Θ(…)`"),
        Form::claim_equal => word("`=`"),
        Form::claim_at_most => word("`≤`"),
        Form::claim_order => word("`∈ O(…)`"),
        Form::mp_index => word("an MP's index such as `mp_i`"),
        Form::core_index => word("a core's index such as `c_{i,j}`"),
        Form::core_set => word("the cores `C_i`"),
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
        Form::declared_property => word("`as`"),
        Form::formal => word("a formal such as `w` or `global x`"),
        Form::EOI => word(END_OF_LINE),
        Form::comment | Form::label | Form::WHITESPACE => Kind::Silent,
        other => match format!("{other:?}").strip_prefix("kw_") {
            Some(keyword) => Kind::Word(format!("`{keyword}`")),
            None => Kind::Silent,
        },
    }
}

/// The token at the start of the text: a word, a number, or one mark.
fn token(text: &str) -> &str {
    const MARKS: [&str; 9] = ["<==", "<->", "...", "<=", ">=", "!=", "==", "<-", ".."];
    let Some(first) = text.chars().next() else {
        return "";
    };
    if is_word(first) {
        let end = text.find(|c: char| !is_word(c)).unwrap_or(text.len());
        return &text[..end];
    }
    let mark = MARKS.into_iter().find(|mark| text.starts_with(mark));
    &text[..mark.map_or(first.len_utf8(), str::len)]
}

/// Whether the grammar keeps a word for itself.
fn is_reserved(word: &str) -> bool {
    word.starts_with("log_") || RESERVED.contains(&word)
}

/// The reserved words of language.md §5, but for those that begin with `log_`.
const RESERVED: [&str; 59] = [
    "algorithm",
    "require",
    "input",
    "output",
    "host",
    "global",
    "shared",
    "let",
    "ensure",
    "claim",
    "kernel",
    "execute",
    "end",
    "for",
    "while",
    "if",
    "then",
    "do",
    "in",
    "to",
    "divides",
    "and",
    "or",
    "not",
    "implies",
    "forall",
    "exists",
    "sum",
    "mod",
    "div",
    "min",
    "max",
    "abs",
    "select",
    "sqrt",
    "exp",
    "ln",
    "sin",
    "cos",
    "bitand",
    "bitor",
    "bitxor",
    "shl",
    "shr",
    "ceil",
    "floor",
    "log",
    "log2",
    "is",
    "at",
    "as",
    "downto",
    "swap",
    "atomic",
    "else",
    "endif",
    "endfor",
    "endwhile",
    "endkernel",
];

/// A character that never stands in code, with what to write for those people try.
fn strange(token: &str) -> Option<(String, Option<&'static str>)> {
    let first = token.chars().next()?;
    let help = match first {
        _ if is_word(first) && token.is_ascii() => return None,
        _ if first.is_alphanumeric() => match first {
            '²' | '³' | '¹' | '⁰'..='⁹' => Some("write a power with `^`, such as `n^2`"),
            '₀'..='₉' => Some("write an index as `x_0` or, of an array, as `x[0]`"),
            _ => return None,
        },
        '=' | '<' | '>' | '!' | '+' | '-' | '*' | '/' | '^' | '|' | '(' | ')' | '[' | ']' | '{'
        | '}' | ',' | ':' | '.' | '\'' | '_' => return None,
        '≤' | '≥' | '≠' | '∧' | '∨' | '¬' | '·' | '⋅' | '×' | '∗' | '∀' | '∃' | 'Σ' | '∑' | 'Θ'
        | '⇒' | '∈' | '→' | '…' | '↔' | '⇚' | '⇐' | '←' | '⌈' | '⌉' | '⌊' | '⌋' | '∣' | '−'
        | '▷' | '′' => return None,
        ';' => Some("statements end with the line: put the next one on a line of its own"),
        '#' => Some("a comment starts with `▷` or `//`"),
        '&' => Some("write `∧` or `and`"),
        '%' => Some("write `mod` for the remainder of a division"),
        '"' | '\u{201c}' | '\u{201d}' => Some("programs have no strings"),
        '~' => Some("write `¬` or `not`"),
        '÷' => Some("write `/`"),
        '–' | '—' | '‐' | '‑' => Some("write `-` for minus"),
        '’' | '‘' | '`' => Some("write `'` for a prime"),
        '∞' => Some("there is no infinite number"),
        '⟵' | '⇽' => Some("write `←` or `<-`"),
        '⟸' => Some("write `⇐` or `<=`"),
        '⟶' | '↦' => Some("write `→` or `to`"),
        _ => None,
    };
    let character = if first.is_control() || first.is_whitespace() {
        format!("U+{:04X}", u32::from(first))
    } else {
        format!("`{first}`")
    };
    Some((character, help))
}

/// What to write instead, for the slips that people make.
fn hint(before: &str, token: &str, rest: &str, fitting: &Fitting) -> Option<String> {
    const FIRST_WORDS: [&str; 19] = [
        "algorithm",
        "require",
        "input",
        "output",
        "host",
        "global",
        "shared",
        "let",
        "ensure",
        "claim",
        "kernel",
        "execute",
        "end",
        "for",
        "while",
        "if",
        "swap",
        "atomic",
        "else",
    ];
    const ARROWS: [&str; 6] = ["⇚", "⇐", "←", "<==", "→", "↔"];
    let first = token_of_line(before).unwrap_or(token);
    let is_assignment = matches!(token, "=" | ":") && fitting.has("`←`");
    if is_assignment {
        return Some(
            "write `←` to compute in shared memory, `⇐` to access global memory, `⇚` to transfer, `let` for a parameter"
                .to_owned(),
        );
    }
    match first {
        "endif" => return Some("write `end if`".to_owned()),
        "endfor" => return Some("write `end for`".to_owned()),
        "endwhile" => return Some("write `end while`".to_owned()),
        "endkernel" => return Some("write `end kernel`".to_owned()),
        "elseif" | "elif" | "elsif" => {
            return Some("write a second `if` with a condition of its own".to_owned());
        }
        _ => {}
    }
    if (fitting.statement || fitting.has("`←`"))
        && let Some(keyword) = nearest(first, FIRST_WORDS)
        && first.chars().count() > 2
    {
        return Some(format!("did you mean `{keyword}`?"));
    }
    if fitting.operator {
        if token.starts_with(|c: char| c.is_ascii_digit()) {
            return Some(format!(
                "a number never follows a factor: write `·{token}` for a product"
            ));
        }
        if token == "[" {
            return Some("write `·[…]` to multiply by a bracket of Iverson".to_owned());
        }
        if matches!(token, ".." | "..." | "…") {
            return Some("a range stands in transfers, declarations and `MP[…]` only".to_owned());
        }
        if fitting.has(END_OF_LINE) && ARROWS.contains(&token) {
            return Some("put the second statement on a line of its own".to_owned());
        }
        let next = rest.trim_start();
        if before.ends_with(']') && (next.starts_with(is_word) || next.starts_with('(')) {
            return Some("write `·` to multiply".to_owned());
        }
    }
    if token == "=" && (before.ends_with('<') || before.ends_with("<=")) {
        return Some("write `≤` or `<=` to compare, `⇚` or `<==` to transfer".to_owned());
    }
    if fitting.has("`most`") {
        return Some("write `at most e`".to_owned());
    }
    match (first, before.contains(" all "), token) {
        ("for", false, "in" | "∈") => {
            Some("write `for v = lo → hi do`, or `hi downto lo`".to_owned())
        }
        ("for", true, ",") if before.ends_with(|c| is_word(c)) && fitting.has("`∈`") => {
            Some("write several indices in braces, such as `c_{i,j}`".to_owned())
        }
        ("for", true, ",") if fitting.has("`..`") => {
            Some("write `mp_0, …, mp_{k-1}`, or `0..k-1`".to_owned())
        }
        _ => None,
    }
}

/// The first word of a line, behind a label.
fn token_of_line(before: &str) -> Option<&str> {
    let code = match before.split_once(':') {
        Some((label, code)) if label.trim_end().chars().all(|c| c.is_ascii_digit()) => code,
        _ => before,
    };
    let word = token(code.trim_start());
    (!word.is_empty()).then_some(word)
}
