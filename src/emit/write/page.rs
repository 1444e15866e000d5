//! Lines of text, indented.

/// Columns of a line.
const WIDTH: usize = 100;

/// A text being written.
#[derive(Debug, Default)]
pub(crate) struct Page {
    text: String,
    depth: usize,
}

impl Page {
    /// A text that will stand inside a function.
    pub(crate) fn inside() -> Page {
        Page {
            text: String::new(),
            depth: 1,
        }
    }

    /// A line at the depth reached.
    pub(crate) fn line(&mut self, line: &str) {
        if !line.is_empty() {
            self.text.push_str(&"    ".repeat(self.depth));
            self.text.push_str(line);
        }
        self.text.push('\n');
    }

    /// A line of the program.
    pub(crate) fn comment(&mut self, line: &str) {
        self.line(&format!("// {line}"));
    }

    /// A line that opens a block.
    pub(crate) fn open(&mut self, line: &str) {
        self.line(line);
        self.depth += 1;
    }

    /// The end of a block.
    pub(crate) fn close(&mut self) {
        self.depth -= 1;
        self.line("}");
    }

    /// The end of a block that something follows on the same line.
    pub(crate) fn close_with(&mut self, rest: &str) {
        self.depth -= 1;
        self.line(&format!("}}{rest}"));
    }

    /// A text that will stand in this one, at the same depth.
    pub(crate) fn beside(&self) -> Page {
        Page {
            text: String::new(),
            depth: self.depth,
        }
    }

    /// A text made beside this one, in brackets where it declares anything.
    pub(crate) fn around(&mut self, inner: Page) {
        let is_declaring = |line: &str| line.contains(" = ") && !line.contains("error = ");
        if !inner.text.lines().any(is_declaring) {
            return self.text.push_str(&inner.text);
        }
        self.open("{");
        for line in inner.text.lines() {
            self.text.push_str(&format!("    {line}\n"));
        }
        self.close();
    }

    /// The head of a function, its arguments on lines of their own where they are too long for one.
    pub(crate) fn signature(&mut self, head: &str, arguments: &[String]) {
        let line = format!("{head}({})", arguments.join(", "));
        if line.chars().count() <= WIDTH {
            return self.line(&line);
        }
        self.open(&format!("{head}("));
        let mut row = String::new();
        for (at, argument) in arguments.iter().enumerate() {
            let end = if at + 1 < arguments.len() { "," } else { ")" };
            if !row.is_empty() && row.chars().count() + argument.chars().count() + 6 > WIDTH {
                self.line(row.trim_end());
                row.clear();
            }
            row += &format!("{argument}{end} ");
        }
        self.line(row.trim_end());
        self.depth -= 1;
    }

    /// A line, broken behind a separator where it is too long.
    pub(crate) fn wrapped(&mut self, line: &str, separator: &str) {
        let mut row = String::new();
        for (at, part) in line.split(separator).enumerate() {
            if at > 0 {
                row += separator;
                if row.chars().count() + part.chars().count() + 4 * self.depth > WIDTH {
                    self.line(row.trim_end());
                    row = "    ".to_owned();
                }
            }
            row += part;
        }
        self.line(&row);
    }

    /// A line one level further in.
    pub(crate) fn within(&mut self, line: &str) {
        self.depth += 1;
        self.line(line);
        self.depth -= 1;
    }

    /// One more level without a bracket, for a single line.
    pub(crate) fn under(&mut self, head: &str, line: &str) {
        self.open(head);
        self.line(line);
        self.depth -= 1;
    }

    /// Text as it is.
    pub(crate) fn text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }
}

/// Numbers of parameters, int words and float words.
pub(super) fn types(whole: &str, word: &str, is_single: bool) -> String {
    let real = if is_single { "float" } else { "double" };
    format!("typedef {whole} whole;\ntypedef {word} word;\ntypedef {real} real;\n")
}
