//! The words of the language, read off its grammar (`grammar/atgpu.pest`) and its table of functions
//! (`src/syntax/functions.rs`), so that no other list of them exists.

/// Words by what they do.
pub struct Words {
    /// `algorithm`, `require`, `input`: what a header line begins with.
    pub header: Vec<String>,
    /// `for`, `in`, `parallel`, `swap`: what makes blocks and statements.
    pub control: Vec<String>,
    /// `mod`, `and`, `forall`: operators and quantifiers.
    pub operators: Vec<String>,
    /// `min`, `sqrt`, `ceil`.
    pub functions: Vec<String>,
    /// `int`, `float`.
    pub types: Vec<String>,
    /// `sorted`, `permutation`, `list`.
    pub properties: Vec<String>,
}

impl Words {
    /// From the texts of the grammar and of the table of functions.
    pub fn of(grammar: &str, table: &str) -> Words {
        let section = |title: &str| {
            let start = grammar.find(&format!("// ---- {title} ----"));
            let rest = &grammar[start.expect("a section of the grammar") + 8..];
            &rest[..rest.find("// ---- ").unwrap_or(rest.len())]
        };
        let keywords = |title: &str| {
            let uses = section(title).split("kw_").skip(1);
            uses.map(|rest| rest.chars().take_while(char::is_ascii_alphabetic).collect())
                .collect::<Vec<String>>()
        };
        let rule = |name: &str| {
            let start = grammar.find(&format!("\n{name} = "));
            let rest = &grammar[start.expect("a rule of the grammar") + 1..];
            literals(&rest[..rest.find("\n}").or(rest.find('\n')).unwrap_or(rest.len())])
        };
        let line = |name: &str| {
            let start = grammar.find(&format!("\n{name} = "));
            let rest = &grammar[start.expect("a rule of the grammar") + 1..];
            literals(&rest[..rest.find('\n').unwrap_or(rest.len())])
        };
        let reserved = rule("reserved");
        let header = unique(keywords("Header lines"), &[]);
        let mut control = keywords("Blocks");
        control.extend(keywords("Statements"));
        control.extend(literals(section("Blocks")));
        // `to` and `in` are words for `→` and `∈`.
        control.extend(line("upto"));
        control.extend(line("element_of"));
        let is_word = |word: &String| word.chars().all(|c| c.is_ascii_alphabetic());
        control.retain(|word| is_word(word) && !word.starts_with("MP"));
        let control = unique(control, &header);
        let rows = table
            .lines()
            .filter(|line| line.trim_start().starts_with("row("));
        let mut functions: Vec<String> = rows
            .filter_map(|row| literals(row).into_iter().next())
            .collect();
        functions.extend(rule("function"));
        functions.extend(keywords("Expressions"));
        let functions = unique(functions, &[]);
        let known = [&header[..], &control, &functions].concat();
        let operators = reserved
            .into_iter()
            .filter(|word| is_word(word) && !known.contains(word));
        Words {
            operators: unique(operators.collect(), &[]),
            types: line("word_type"),
            properties: line("property"),
            header,
            control,
            functions,
        }
    }
}

/// What stands in quotes.
fn literals(text: &str) -> Vec<String> {
    text.split('"')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

fn unique(words: Vec<String>, without: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in words {
        if !found.contains(&word) && !without.contains(&word) {
            found.push(word);
        }
    }
    found
}
