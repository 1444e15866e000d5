//! Lines of text, indented.

/// A text being written.
#[derive(Debug, Default)]
pub(crate) struct Page {
    text: String,
    depth: usize,
}

impl Page {
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
