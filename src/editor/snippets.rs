//! Beginnings of statements with their blocks, to be filled in. `${1:k}` is the first place to fill in, and
//! shows k until then. The cursor ends at `$0`.

/// A piece of program.
pub(super) struct Snippet {
    /// The word that finds it.
    pub word: &'static str,
    /// The text.
    pub text: &'static str,
    /// A few words about it.
    pub detail: &'static str,
}

/// All pieces. The parser decides where each may stand.
pub(super) static SNIPPETS: [Snippet; 16] = [
    Snippet {
        word: "algorithm",
        text: "algorithm ${1:Name}(${2:n})\n  input ${3:A}[n]\n  output ${4:C}[n]\n  global a[n]\n  shared _x[b]\n\n  $0\nend algorithm",
        detail: "a whole program",
    },
    Snippet {
        word: "require",
        text: "require ${1:b ∣ n}",
        detail: "what is given",
    },
    Snippet {
        word: "ensure",
        text: "ensure ∀ ${1:x} ∈ 0..${2:n-1} : ${3:C[x] = A[x]}",
        detail: "what the result is",
    },
    Snippet {
        word: "claim",
        text: "claim ${1:time} = ${2:1}",
        detail: "what is to be proved",
    },
    Snippet {
        word: "input",
        text: "input ${1:A}[${2:n}]",
        detail: "data on the host",
    },
    Snippet {
        word: "output",
        text: "output ${1:C}[${2:n}]",
        detail: "results on the host",
    },
    Snippet {
        word: "global",
        text: "global ${1:a}[${2:n}]",
        detail: "an array in global memory",
    },
    Snippet {
        word: "shared",
        text: "shared ${1:_x}[${2:b}]",
        detail: "an array in shared memory",
    },
    Snippet {
        word: "let",
        text: "let ${1:k} = ${2:1}",
        detail: "a name of a value",
    },
    Snippet {
        word: "kernel",
        text: "kernel ${1:Name}(${2:global x})\n  for all mp_i ∈ MP[0..${3:0}] in parallel do\n    for all c_{i,j} ∈ C_i in parallel do\n      $0\n    end for\n  end for\nend kernel",
        detail: "a named kernel",
    },
    Snippet {
        word: "for all",
        text: "for all mp_i ∈ MP[0..${1:0}] in parallel do\n  for all c_{i,j} ∈ C_i in parallel do\n    $0\n  end for\nend for",
        detail: "a kernel: all MPs, all their cores",
    },
    Snippet {
        word: "for all",
        text: "for all mp_{y,x} ∈ MP[0..${1:0}, 0..${2:0}] in parallel do\n  for all c_{y,x,j} ∈ C_{y,x} in parallel do\n    $0\n  end for\nend for",
        detail: "a kernel of MPs with two numbers",
    },
    Snippet {
        word: "for",
        text: "for ${1:v} = ${2:0} → ${3:1} do\n  $0\nend for",
        detail: "a loop",
    },
    Snippet {
        word: "while",
        text: "while ${1:1 = 1} at most ${2:1} do\n  $0\nend while",
        detail: "a loop with a bound",
    },
    Snippet {
        word: "if",
        text: "if ${1:j < 1} then\n  $0\nend if",
        detail: "for the cores that it holds for",
    },
    Snippet {
        word: "end algorithm",
        text: "end algorithm",
        detail: "",
    },
];

/// Returns the text with its placeholders as they show before anybody fills them in.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(inner) = rest.strip_prefix('{') {
            let end = inner.find('}').unwrap_or(inner.len());
            let (_, shown) = inner[..end].split_once(':').unwrap_or(("", ""));
            out.push_str(shown);
            rest = inner.get(end + 1..).unwrap_or("");
        } else {
            rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_to_write_at_come_out_as_what_stands_there() {
        assert_eq!(
            plain("for ${1:v} = ${2:0} do\n  $0\nend"),
            "for v = 0 do\n  \nend"
        );
        assert_eq!(plain("none"), "none");
    }
}
