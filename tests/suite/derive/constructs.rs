//! The suite of derivations: a file of `constructs/` shows one construct; its snapshot shows the
//! program, each line's counts, the totals, classes and claims, as `atgpu derive` prints them.

use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn derivations_are_as_read_by_hand() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/derive/constructs");
    let mut snapshots = 0;
    insta::glob!("constructs/*.atgpu", |file| {
        let program = fs::read_to_string(file).expect("a program is text");
        let output = Command::new(env!("CARGO_BIN_EXE_atgpu"))
            .arg("derive")
            .arg(file.file_name().expect("a file has a name"))
            .current_dir(&folder)
            .env("NO_COLOR", "1")
            .output()
            .expect("the command starts");
        let shown = format!(
            "{program}\n──── status {}\n{}{}",
            output.status.code().expect("it exits by itself"),
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false, snapshot_path => "constructs/snapshots" }, {
            insta::assert_snapshot!("derivation", shown);
        });
        snapshots += 1;
    });
    assert!(snapshots >= 30, "only {snapshots} derivations");
}
