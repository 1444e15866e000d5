//! Programs with a made-up expression of every operator in every place that a program has for one.

use std::fmt::Write;

use crate::emit::expressions::tree::{Made, Scope, Sort};
use crate::emit::expressions::{CORES, POINTS};

/// Everything that is made up from a seed.
pub fn programs(seed: u64) -> Vec<String> {
    let makers: [fn(&mut Writer); 7] = [
        host_numbers,
        host_loops,
        host_conditions,
        launches,
        transfers,
        sizes,
        kernel_loops,
    ];
    let kernels: [fn(&mut Writer); 3] = [kernel_values, kernel_places, kernel_conditions];
    let makers = makers.into_iter().chain(kernels).enumerate();
    let programs = makers.map(|(number, maker)| {
        let mut writer = Writer {
            made: Made::new(seed * 100 + number as u64),
            scope: Scope::new(["n", "m"], &POINTS, CORES),
            header: String::new(),
            body: String::new(),
            noted: 0,
        };
        maker(&mut writer);
        writer.program(&format!("Made{seed}{number}"))
    });
    programs.collect()
}

/// A program that is being made.
struct Writer {
    made: Made,
    /// Where only formals are known, and b.
    scope: Scope,
    header: String,
    body: String,
    /// How many words of H and D are taken.
    noted: usize,
}

impl Writer {
    fn program(&self, name: &str) -> String {
        let many = self.noted.max(1);
        format!(
            "algorithm {name}(n, m)\n  require n ≥ 0 ∧ m ≥ 0\n  input A[64] in -3..3, I[{many}], J[64, 8]\n  \
             output H[{many}], D[64, 8]\n  global a[64], h[{many}], d[64, 8]\n  host K[1]\n  global k0[1]\n  \
             shared _h, _x[b], _y[b], _v[b]\n{}{KERNELS}  a ⇚ A\n  h ⇚ I\n  d ⇚ J\n  execute Set(0)\n{}  H ⇚ h\n  D ⇚ d\n",
            self.header, self.body
        )
    }

    /// A number for each operator, in the range given, as far as that operator comes to one.
    fn numbers(&mut self, scope: &Scope, ends: (i64, i64)) -> Vec<String> {
        self.all(scope, Sort::Number, ends)
    }

    /// A condition for each operator, with the values given: between 0 and 1 it is sometimes one, sometimes the other.
    fn conditions(&mut self, scope: &Scope, ends: (i64, i64)) -> Vec<String> {
        self.all(scope, Sort::Condition, ends)
    }

    fn all(&mut self, scope: &Scope, sort: Sort, ends: (i64, i64)) -> Vec<String> {
        let (mut found, mut missing) = (Vec::new(), Vec::new());
        for operator in scope.operators(sort) {
            match self.made.with_root(scope, operator, ends) {
                Some(text) => found.push(text),
                None => missing.push(operator.written),
            }
        }
        // `2^x` and the like may not come to what is wanted; all else does.
        assert!(missing.len() < 4, "{missing:?}");
        found
    }

    fn line(&mut self, line: &str) {
        writeln!(self.body, "  {line}").expect("a text takes lines");
    }

    /// The next word of h.
    fn next(&mut self) -> usize {
        self.noted += 1;
        self.noted - 1
    }

    /// A kernel with these lines for each core of two MPs, of which each has a word `_v[j]` to end with.
    fn kernel(&mut self, before: &str, lines: &[String]) {
        let mut text = String::new();
        for chunk in lines.chunks(12) {
            text += "  for all mp_i ∈ MP[0..1] in parallel do\n";
            text += before;
            text += "    for all c_{i,j} ∈ C_i in parallel do\n";
            text += "      _x[j] ⇐ a[ib + j]\n";
            for lines in chunk {
                let at = self.noted;
                self.noted += 2 * CORES as usize;
                text += "      _v[j] ← 0\n";
                for line in lines.lines() {
                    writeln!(text, "      {line}").expect("a text takes lines");
                }
                writeln!(text, "      h[{at} + ib + j] ⇐ _v[j]").expect("a text takes lines");
            }
            text += "    end for\n  end for\n";
        }
        self.body += &text;
    }
}

/// What programs call: `h[at]` takes in a value, behind others; k0 is set; d is filled, and changed a bit.
const KERNELS: &str = "  kernel Note(place, value)
    for all mp_x ∈ MP[0..0] in parallel do
      for all c_{x,j} ∈ C_x in parallel do
        if j = 0 then
          _h ⇐ h[place]
          _h ← (_h·31 + value) mod 1000003
          h[place] ⇐ _h
        end if
      end for
    end for
  end kernel
  kernel Set(value)
    for all mp_x ∈ MP[0..0] in parallel do
      for all c_{x,j} ∈ C_x in parallel do
        if j = 0 then
          _h ← value
          k0[0] ⇐ _h
        end if
      end for
    end for
  end kernel
  kernel Count()
    for all mp_x ∈ MP[0..0] in parallel do
      for all c_{x,j} ∈ C_x in parallel do
        if j = 0 then
          _h ⇐ k0[0]
          _h ← _h + 1
          k0[0] ⇐ _h
        end if
      end for
    end for
  end kernel
  kernel Change(value)
    for all mp_{y, i} ∈ MP[0..63, 0..1] in parallel do
      for all c_{y, i, j} ∈ C_{y, i} in parallel do
        _v[j] ⇐ d[y, ib + j]
        _v[j] ← _v[j]·3 mod 10007 + y·8 + ib + j + value
        d[y, ib + j] ⇐ _v[j]
      end for
    end for
  end kernel
";

/// Values of `let`s and of arguments, small and large.
fn host_numbers(writer: &mut Writer) {
    let scope = writer.scope.clone();
    for ends in [(-9, 9), (-(1 << 40), 1 << 40)] {
        for number in writer.numbers(&scope, ends) {
            let at = writer.next();
            writer.line(&format!("let v{at} = {number}"));
            writer.line(&format!("execute Note({at}, v{at})"));
        }
        for number in writer.numbers(&scope, ends) {
            let at = writer.next();
            writer.line(&format!("execute Note({at}, {number})"));
        }
    }
}

/// Both ends of loops, up and down, also of loops in loops.
fn host_loops(writer: &mut Writer) {
    let scope = writer.scope.clone();
    let inner = scope.with("r", 0..3);
    for way in ["→", "downto"] {
        for number in writer.numbers(&scope, (-4, 6)) {
            let (at, other) = (writer.next(), writer.made.number(&scope, (-4, 6)));
            for (from, to) in [(&number, &other), (&other, &number)] {
                writer.line(&format!("for r = {from} {way} {to} do"));
                writer.line(&format!("execute Note({at}, r)"));
                writer.line("end for");
            }
        }
        writer.line("for r = 0 → 2 do");
        for number in writer.numbers(&inner, (-4, 6)) {
            let at = writer.next();
            writer.line(&format!("for q = 1 {way} {number} do"));
            writer.line(&format!("execute Note({at}, q + r)"));
            writer.line("end for");
        }
        writer.line("end for");
    }
}

/// Conditions that end loops, and that loops go on for; how often at most.
fn host_conditions(writer: &mut Writer) {
    let scope = writer.scope.clone();
    for condition in writer.conditions(&scope.with("r", 0..6), (0, 1)) {
        let at = writer.next();
        writer.line(&format!("for r = 0 → 5 until {condition} do"));
        writer.line(&format!("execute Note({at}, r)"));
        writer.line("end for");
    }
    let counted = scope.with_data("K[0]", 0..4);
    let conditions = writer.conditions(&counted, (0, 1));
    let bounds = writer.numbers(&scope, (4, 90));
    for (condition, bound) in conditions.iter().zip(bounds.iter().cycle()) {
        let at = writer.next();
        writer.line("execute Set(0)");
        writer.line("K ⇚ k0");
        // It ends where the condition is met, or after four times.
        writer.line(&format!(
            "while ({condition}) ∧ K[0] < 4 at most {bound} do"
        ));
        writer.line(&format!("execute Note({at}, 5)"));
        writer.line("execute Count()");
        writer.line("K ⇚ k0");
        writer.line("end while");
    }
    for bound in bounds {
        let at = writer.next();
        writer.line("execute Set(0)");
        writer.line("K ⇚ k0");
        writer.line(&format!("while K[0] < 4 at most {bound} do"));
        writer.line(&format!("execute Note({at}, 5)"));
        writer.line("execute Count()");
        writer.line("K ⇚ k0");
        writer.line("end while");
    }
}

/// Numbers of MPs, in one dimension and two.
fn launches(writer: &mut Writer) {
    let scope = writer.scope.clone();
    for number in writer.numbers(&scope, (0, 20)) {
        let other = writer.made.number(&scope, (0, 20));
        for (low, high) in [(&number, &other), (&other, &number)] {
            writer.line(&format!("for all mp_i ∈ MP[{low}..{high}] in parallel do"));
            writer.line("for all c_{i,j} ∈ C_i in parallel do");
            writer.line("_v[j] ⇐ d[i, j]");
            writer.line("_v[j] ← _v[j]·3 mod 10007 + i + 1");
            writer.line("d[i, j] ⇐ _v[j]");
            writer.line("end for");
            writer.line("end for");
        }
        let high = writer.made.number(&scope, (0, 1));
        writer.line(&format!(
            "for all mp_{{y, i}} ∈ MP[{number}..{other}, 0..{high}] in parallel do"
        ));
        writer.line("for all c_{y, i, j} ∈ C_{y, i} in parallel do");
        writer.line("_v[j] ⇐ d[y, ib + j]");
        writer.line("_v[j] ← _v[j]·3 mod 10007 + y + i");
        writer.line("d[y, ib + j] ⇐ _v[j]");
        writer.line("end for");
        writer.line("end for");
    }
}

/// Words, rows, slices and blocks of what is moved.
fn transfers(writer: &mut Writer) {
    let scope = writer.scope.clone();
    writer.header += "  output E[64, 8], F[64, 8], W[64]\n";
    for number in writer.numbers(&scope, (0, 7)) {
        let other = writer.made.number(&scope, (0, 7));
        writer.line(&format!("W[{number}] ⇚ d[{other}, {number}]"));
        writer.line(&format!("E[{other}, {number}] ⇚ d[{number}, {other}]"));
        for (low, high) in [(&number, &other), (&other, &number)] {
            writer.line(&format!("D[{low}..{high}] ⇚ d[{low}..{high}]"));
            writer.line(&format!(
                "E[{other}, {low}..{high}] ⇚ d[{number}, {low}..{high}]"
            ));
            writer.line(&format!("F[{low}..{high}, 2..3] ⇚ d[{low}..{high}, 4..5]"));
            writer.line(&format!("F[5..6, {low}..{high}] ⇚ d[1..2, {low}..{high}]"));
        }
        writer.line(&format!("execute Change({number})"));
    }
}

/// Sizes of arrays and what of them follows; ranges of data; what is required.
fn sizes(writer: &mut Writer) {
    let scope = writer.scope.clone();
    let (ones, others) = (
        writer.numbers(&scope, (1, 9)),
        writer.numbers(&scope, (2, 6)),
    );
    for (at, (one, other)) in ones.iter().zip(&others).enumerate() {
        writer.header += &format!("  output P{at}[{one}], Q{at}[3, {other}, {one}]\n");
        writer.header +=
            &format!("  global q{at}[3, {other}, {one}]\n  shared _q{at}[{other}, {one}]\n");
        writer.line("for all mp_x ∈ MP[0..0] in parallel do");
        writer.line("for all c_{x,j} ∈ C_x in parallel do");
        writer.line("if j = 1 then");
        writer.line(&format!("_q{at}[1, 0] ← {other} + 10·{one}"));
        writer.line(&format!("q{at}[2, 1, 0] ⇐ _q{at}[1, 0]"));
        writer.line("end if");
        writer.line("end for");
        writer.line("end for");
        writer.line(&format!("Q{at}[2, 1, 0] ⇚ q{at}[2, 1, 0]"));
    }
    for (at, number) in writer.numbers(&scope, (-9, 9)).iter().enumerate() {
        let below = writer.made.number(&scope, (-20, -9));
        let above = writer.made.number(&scope, (9, 30));
        writer.header +=
            &format!("  input S{at}[8] in {below}..{number}, T{at}[8] in {number}..{above}\n");
        writer.header += &format!("  output U{at}[8], V{at}[8]\n  global u{at}[8], v{at}[8]\n");
        for (from, word, to) in [("S", "u", "U"), ("T", "v", "V")] {
            writer.line(&format!("{word}{at} ⇚ {from}{at}"));
            writer.line(&format!("{to}{at} ⇚ {word}{at}"));
        }
    }
    for condition in writer.conditions(&scope, (1, 1)) {
        writer.header += &format!("  require {condition}\n");
    }
}

/// Both ends of loops that all cores run alike, that each runs its own way, and that data decide.
fn kernel_loops(writer: &mut Writer) {
    let even = writer.scope.with("i", 0..2);
    let own = even.with("j", 0..CORES);
    let data = own.with_data("_x[j]", -3..4);
    let mut lines = Vec::new();
    for scope in [even, own, data] {
        for way in ["→", "downto"] {
            for number in writer.numbers(&scope, (-4, 6)) {
                let other = writer.made.number(&scope, (-4, 6));
                let body = "_v[j] ← (_v[j]·7 + s + 1) mod 10007\nend for";
                lines.push(format!(
                    "for s = {number} {way} {other} do\n{body}\nfor s = {other} {way} {number} do\n{body}"
                ));
            }
        }
    }
    writer.kernel("", &lines);
}

/// Values of `let`s outside and inside, of shared words, of updates.
fn kernel_values(writer: &mut Writer) {
    let even = writer.scope.with("i", 0..2);
    let data = even.with("j", 0..CORES).with_data("_x[j]", -3..4);
    for (at, number) in writer
        .numbers(&even, (-(1 << 40), 1 << 40))
        .into_iter()
        .enumerate()
    {
        let before = format!("  let w{at} = {number}\n");
        let line = format!("_v[j] ← w{at} mod 1000003");
        writer.kernel(&before, &[line]);
    }
    let mut lines = Vec::new();
    for ends in [(-9, 9), (-(1 << 40), 1 << 40)] {
        for number in writer.numbers(&data, ends) {
            let at = lines.len();
            lines.push(format!("let u{at} = {number}\n_v[j] ← u{at} mod 1000003"));
        }
    }
    for number in writer.numbers(&data, (-(1 << 30), 1 << 30)) {
        lines.push(format!("_v[j] ← {number}"));
    }
    for operator in ["+", "·"] {
        for number in writer.numbers(&data, (-9, 9)) {
            lines.push(format!(
                "_v[j] ← j + 1\natomic _v[j] ← _v[j] {operator} ({number})"
            ));
        }
    }
    for function in ["min", "max"] {
        for number in writer.numbers(&data, (-9, 9)) {
            lines.push(format!(
                "_v[j] ← j\natomic _v[j] ← {function}(_v[j], {number})"
            ));
        }
    }
    for number in writer.numbers(&data, (-9, 9)) {
        lines.push(format!("_v[j] ← j\natomic _v[j] ← _v[j] + j - ({number})"));
    }
    writer.kernel("", &lines);
}

/// Indices of shared words and of global ones.
fn kernel_places(writer: &mut Writer) {
    let own = writer.scope.with("i", 0..2).with("j", 0..CORES);
    let data = own.with_data("_x[j]", -3..4);
    let mut lines = Vec::new();
    for scope in [&own, &data] {
        for number in writer.numbers(scope, (0, CORES - 1)) {
            lines.push(format!("_y[j] ← 10·_x[j] + j\n_v[j] ← _y[{number}]·3"));
        }
        for number in writer.numbers(scope, (0, 63)) {
            lines.push(format!("_v[j] ⇐ a[{number}]"));
        }
        for number in writer.numbers(scope, (0, 7)) {
            lines.push(format!("_y[j] ⇐ d[{number}, j]\n_v[j] ← _y[j]"));
            lines.push(format!("_y[j] ⇐ d[j, {number}]\n_v[j] ← _y[j]"));
        }
        for number in writer.numbers(scope, (0, CORES - 1)) {
            lines.push(format!(
                "_y[j] ← 0\natomic _y[{number}] ← _y[{number}] + j + 1\n_v[j] ← _y[j]"
            ));
        }
    }
    writer.kernel("", &lines);
}

/// Conditions of `if`, `until` and `while`, and of `select` and brackets in what is written.
fn kernel_conditions(writer: &mut Writer) {
    let even = writer.scope.with("i", 0..2);
    let own = even.with("j", 0..CORES);
    let data = own.with_data("_x[j]", -3..4);
    let mut lines = Vec::new();
    for scope in [&even, &own, &data] {
        for condition in writer.conditions(scope, (0, 1)) {
            lines.push(format!("if {condition} then\n_v[j] ← 1\nend if"));
            lines.push(format!(
                "_v[j] ← select({condition}, 5, 7) + 10·[{condition}]"
            ));
            lines.push(format!(
                "_v[j] ← (3 - [{condition}]·100000·100000) mod 1000003"
            ));
        }
    }
    let counted = data.with_data("_v[j]", 0..4);
    for condition in writer.conditions(&counted, (0, 1)) {
        lines.push(format!(
            "for s = 0 → 3 until {condition} do\n_v[j] ← min(_v[j] + 1, 3)\nend for"
        ));
        lines.push(format!(
            "while ({condition}) ∧ _v[j] < 3 do\n_v[j] ← _v[j] + 1\nend while"
        ));
    }
    writer.kernel("", &lines);
}
