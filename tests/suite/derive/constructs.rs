//! The suite of derivations: a file of `constructs/` shows one construct; its snapshot shows the
//! program, each line's counts, the totals, classes and claims, as `atgpu derive` prints them.

use std::fs;
use std::path::Path;

use crate::support::command;
use crate::support::snapshots;

#[test]
fn derivations_are_as_read_by_hand() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/derive/constructs");
    let mut snapshots = 0;
    snapshots::each("derive/constructs", "atgpu", |file| {
        let program = fs::read_to_string(file).expect("a program is text");
        let output = command::atgpu(&folder)
            .arg("derive")
            .arg(file.file_name().expect("a file has a name"))
            .output()
            .expect("the command starts");
        let shown = format!(
            "{program}\n──── status {}\n{}{}",
            output.status.code().expect("it exits by itself"),
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        insta::assert_snapshot!("derivation", shown);
        snapshots += 1;
    });
    assert!(snapshots >= 30, "only {snapshots} derivations");
}
