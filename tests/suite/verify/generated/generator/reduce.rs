//! Making a program that shows a fault smaller, line by line.

/// The smallest text, by taking away lines and whole blocks and simplifying what is left, of which
/// `fails` still holds. Which lines are good for what is not known here: a text that is no program
/// any more does not fail.
pub fn reduce(text: &str, fails: &dyn Fn(&str) -> bool) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    loop {
        let before = lines.clone();
        for at in (0..lines.len()).rev() {
            if at >= lines.len() {
                continue;
            }
            let candidates = [without_block(&lines, at), without_shell(&lines, at)];
            for candidate in candidates.into_iter().flatten() {
                if fails(&candidate.join("\n")) {
                    lines = candidate;
                    break;
                }
            }
        }
        for at in 0..lines.len() {
            for simpler in simpler_lines(&lines[at]) {
                let mut candidate = lines.clone();
                candidate[at] = simpler;
                if fails(&candidate.join("\n")) {
                    lines = candidate;
                }
            }
        }
        if lines == before {
            return lines.join("\n") + "\n";
        }
    }
}

/// Without a line, and all up to its end when it opens a block.
fn without_block(lines: &[String], at: usize) -> Option<Vec<String>> {
    let to = end_of(lines, at)?;
    Some([&lines[..at], &lines[to + 1..]].concat())
}

/// Without the head and the end of a block, whose inside stays.
fn without_shell(lines: &[String], at: usize) -> Option<Vec<String>> {
    let to = end_of(lines, at)?;
    (to > at).then(|| [&lines[..at], &lines[at + 1..to], &lines[to + 1..]].concat())
}

fn end_of(lines: &[String], at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (number, line) in lines.iter().enumerate().skip(at) {
        let line = line.trim();
        if line.starts_with("end ") {
            depth = depth.checked_sub(1)?;
        } else if line.ends_with(" do") || line.ends_with(" then") || line.starts_with("kernel ") {
            depth += 1;
        }
        if depth == 0 {
            return Some(number);
        }
    }
    None
}

/// Lines with one term, conjunct or whole bracket less.
fn simpler_lines(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for sign in [" + ", " ∧ ", " ∨ ", " - "] {
        let pieces: Vec<&str> = line.split(sign).collect();
        if pieces.len() == 1 {
            continue;
        }
        for (at, _) in line.match_indices(sign) {
            let behind = &line[at + sign.len()..];
            let stop = behind
                .find([' ', ']', ')', ',', '.'])
                .unwrap_or(behind.len());
            found.push(format!("{}{}", &line[..at], &behind[stop..]));
            let start = line[..at].rfind([' ', '[', '(']).map_or(0, |at| at + 1);
            found.push(format!("{}{behind}", &line[..start]));
        }
    }
    for (at, _) in line.match_indices('·') {
        let behind = &line[at + '·'.len_utf8()..];
        let stop = behind
            .find([' ', ']', ')', ',', '.'])
            .unwrap_or(behind.len());
        found.push(format!("{}{}", &line[..at], &behind[stop..]));
        let start = line[..at].rfind([' ', '[', '(']).map_or(0, |at| at + 1);
        found.push(format!("{}{behind}", &line[..start]));
    }
    found
}
