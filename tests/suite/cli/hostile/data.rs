//! Data files that lie.

use crate::cli::hostile::{ONE_MORE, atgpu, folder_with, status, told};

const HEAD: &str = "{'descr': '<i8', 'fortran_order': False, 'shape': (4,), }\n";

/// A .npy file of version 1 or 2, whose header claims a length.
fn npy(version: u8, header: &str, claims: usize, words: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    match version {
        1 => bytes.extend((claims as u16).to_le_bytes()),
        _ => bytes.extend((claims as u32).to_le_bytes()),
    }
    bytes.extend(header.as_bytes());
    bytes.extend(words);
    bytes
}

fn answers(name: &str, bytes: &[u8], expected: i32, code: &str) {
    let folder = folder_with(&[("x.atgpu", ONE_MORE.as_bytes()), (name, bytes)]);
    let input = format!("A={name}");
    let args = ["run", "x.atgpu", "-D", "n=4", "--input", &input];
    let found = atgpu(folder.path(), &args);
    let shown = String::from_utf8_lossy(bytes);
    assert_eq!(status(&found), expected, "{shown:?}: {}", told(&found));
    assert!(told(&found).contains(code), "{shown:?}: {}", told(&found));
}

#[test]
fn arrays_with_lying_headers_are_refused() {
    let words = [1_u8; 32];
    let file = |header: &str, words: &[u8]| npy(1, header, header.len(), words);
    answers("x.npy", &file(HEAD, &words), 0, "");
    let malformed = |bytes: Vec<u8>| answers("x.npy", &bytes, 2, "data::malformed");
    malformed(file(HEAD, &words[..25]));
    malformed(file(HEAD, &[1; 40]));
    let shapes = [
        "(4611686018427387904,4611686018427387904)",
        "(1152921504606846975,)",
        "(99999999999999999999999,)",
        "(-4,)",
        "4",
        "(4",
        "()()",
    ];
    for shape in shapes {
        malformed(file(&HEAD.replace("(4,)", shape), &words));
    }
    for kind in [
        "'|O'",
        "'<U4'",
        "'<c16'",
        "'|b1'",
        "'<i3'",
        "''",
        "[('a','<i8')]",
        "'<u8",
    ] {
        malformed(file(&HEAD.replace("'<i8'", kind), &[0xff; 32]));
    }
    malformed(file(&HEAD.replace("<i8", "<u8"), &[0xff; 32]));
    for header in [
        "",
        "((((((((",
        "{'shape':(4,)}",
        "{'descr': '<i8",
        "{}",
        "\0",
    ] {
        malformed(file(header, &words));
    }
    malformed(file(&format!("{{'descr': {}", "(".repeat(60_000)), &words));
    malformed(npy(1, HEAD, 65_535, b""));
    malformed(npy(2, HEAD, u32::MAX as usize, b""));
    malformed(npy(9, HEAD, HEAD.len(), &words));
    malformed(b"\x93NUMPY".to_vec());
    malformed(Vec::new());
    let two = file(&HEAD.replace("(4,)", "(2, 2)"), &words);
    answers("x.npy", &two, 1, "access::shape");
    let floats = file(&HEAD.replace("<i8", "<f8"), &words);
    answers("x.npy", &floats, 1, "type::mismatch");
    let empty = file(&HEAD.replace("(4,)", "(18446744073709551615,0)"), b"");
    answers("x.npy", &empty, 1, "access::shape");
}

#[test]
fn tables_are_read_whole_or_refused() {
    for sound in [
        "1\n2\n3\n4\n",
        "\u{feff}1\n2\n3\n4\n",
        "1\r\n2\r\n3\r\n4",
        "words\n1\n2\n3\n4\n",
    ] {
        answers("x.csv", sound.as_bytes(), 0, "");
    }
    for broken in [
        "1,2\n3\n",
        "1\n2\nx\n4\n",
        "99999999999999999999\n1\n1\n1\n",
        "1.5\n1\n1\n1\n",
        "1e400\n1\n1\n1\n",
        "nan\n1\n2\n3\n",
    ] {
        answers("x.csv", broken.as_bytes(), 2, "data::malformed");
    }
    answers("x.csv", b"1\n\xff\n3\n4\n", 2, "data::malformed");
    for short in ["", "\n\n\n", "1\n2\n3\n", "\"1\n2\n3\n4\n"] {
        let folder = folder_with(&[
            ("x.atgpu", ONE_MORE.as_bytes()),
            ("x.csv", short.as_bytes()),
        ]);
        let args = ["run", "x.atgpu", "-D", "n=4", "--input", "A=x.csv"];
        let found = atgpu(folder.path(), &args);
        assert!(
            [1, 2].contains(&status(&found)),
            "{short:?}: {}",
            told(&found)
        );
    }
}

/// A link to a device without end is read as far as the sizes ask, and no further than 256 MiB where data tell the sizes.
#[cfg(target_os = "linux")]
#[test]
fn data_without_end_are_not_read_on() {
    let folder = folder_with(&[("x.atgpu", ONE_MORE.as_bytes())]);
    for name in ["x.csv", "x.npy"] {
        std::os::unix::fs::symlink("/dev/zero", folder.path().join(name)).expect("a link");
        let input = format!("A={name}");
        let given: [(&[&str], &str); 2] = [(&["-D", "n=4"], "64 MiB"), (&[], "256 MiB")];
        for (sizes, limit) in given {
            let args = [&["run", "x.atgpu", "--input", &input][..], sizes].concat();
            let found = atgpu(folder.path(), &args);
            assert_eq!(status(&found), 2, "{}", told(&found));
            let expected = format!("{name} is longer than {limit}, and is not read");
            assert!(told(&found).contains(&expected), "{}", told(&found));
        }
    }
}

/// A field of a megabyte is not repeated.
#[test]
fn quotes_are_short() {
    let long = "9x".repeat(500_000);
    for text in [format!("{long}\n1\n2\n3\n"), format!("1\n{long}\n2\n3\n")] {
        let folder = folder_with(&[("x.atgpu", ONE_MORE.as_bytes()), ("x.csv", text.as_bytes())]);
        for format in ["text", "json"] {
            let args = [
                "run", "x.atgpu", "-D", "n=4", "--input", "A=x.csv", "--format", format,
            ];
            let found = atgpu(folder.path(), &args);
            let all = told(&found) + &String::from_utf8_lossy(&found.stdout);
            assert_eq!(status(&found), 2, "{}", all.len());
            assert!(all.contains("9x9x") && all.contains('…'), "{}", all.len());
            assert!(all.len() < 2_000, "{} bytes", all.len());
        }
    }
}
