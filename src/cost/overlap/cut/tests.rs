//! Which kernels wait for others, and which transfers could overlap, on small programs.

use crate::cost::overlap::cut::Cut;
use crate::machine::Machine;

/// The lines that read words of other chunks, each with the line that wrote them.
fn follows(host: &str) -> Vec<(usize, usize)> {
    let kernel = |to: &str, index: &str, from: &str| {
        format!(
            "  for all mp_i ∈ MP[0..⌈n/b⌉-1] in parallel do\n    for all c_{{i,j}} ∈ C_i in parallel do\n      \
             if ib + j < n then\n        _x[j] ⇐ {from}[{index}]\n        {to}[ib + j] ⇐ _x[j]\n      \
             end if\n    end for\n  end for\n"
        )
    };
    let text = format!(
        "algorithm T(n)\n  require n ≥ 1\n  input A[n] in 0..9\n  output C[n]\n  host D[n]\n  \
         global a[n], c[n]\n  shared _x[b]\n  a ⇚ A\n{host}"
    );
    let text = text.replace("OWN", &kernel("c", "ib + j", "a"));
    let text = text.replace("BACKWARD", &kernel("c", "n - 1 - (ib + j)", "a"));
    let program = crate::program(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let card = Machine::built_in("titan").expect("built in");
    let cut = Cut::of(
        &program,
        &program.at(&card, [("n", 1024)]).expect("admitted"),
    );
    let follows = cut.follows.iter();
    follows.map(|found| (found.line, found.written)).collect()
}

#[test]
fn words_that_come_back_from_the_host_were_written_all_the_same() {
    assert_eq!(follows("OWN  D ⇚ c\n  a ⇚ D\nOWN  C ⇚ c\n"), []);
    assert_eq!(
        follows("OWN  D ⇚ c\n  a ⇚ D\nBACKWARD  C ⇚ c\n"),
        [(22, 13)]
    );
    let part = "OWN  D[0..n-2] ⇚ c[0..n-2]\n  a[1..n-1] ⇚ D[0..n-2]\nOWN  C ⇚ c\n";
    assert_eq!(follows(part), [(22, 13)]);
}

/// Levels of a reduction: the first reads its own chunks, the last has one MP.
#[test]
fn the_first_level_of_a_reduction_could_overlap_and_the_last_could_not() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/programs/paper1/reduction_any_n.atgpu"
    );
    let text = std::fs::read_to_string(file).expect("it is there");
    let program = crate::program(&text).expect("sound");
    let card = Machine::built_in("titan").expect("built in");
    let cut = Cut::of(
        &program,
        &program.at(&card, [("n", 1 << 20)]).expect("admitted"),
    );
    assert!(!cut.is_possible());
    assert_eq!((cut.first, cut.last), (vec!["a".to_owned()], Vec::new()));
    let held = cut
        .held
        .iter()
        .map(|held| (held.array.as_str(), held.is_inward));
    assert_eq!(held.collect::<Vec<_>>(), [("a", false)]);
}

#[test]
fn what_ends_a_loop_is_there_after_all_chunks() {
    let until = "  for r = 1 → 3 until D[0] > 3 do\nOWN  D ⇚ c\n  end for\n  C ⇚ c\n";
    assert_eq!(follows(until), [(9, 14)]);
    let endless = "  D ⇚ a\n  while D[0] > 3 at most n do\nOWN  D ⇚ c\n  end while\n  C ⇚ c\n";
    assert_eq!(follows(endless), [(10, 15)]);
    let fixed = "  for r = 1 → 3 do\nOWN  D ⇚ c\n  end for\n  C ⇚ c\n";
    assert_eq!(follows(fixed), []);
}
