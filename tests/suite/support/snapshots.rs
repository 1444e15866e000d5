//! Snapshots of a folder's files, which lie in its `snapshots/`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crate::support::programs::{files, path};

/// Runs a test that asserts a snapshot of each file under this folder of `tests/suite/`, and tells of
/// all that differ. Each file has one snapshot, and each snapshot a file.
///
/// `insta::glob!` counts failures for the whole process: of two tests at the same time, one failed
/// for the other, and without what differs.
pub fn each(folder: &str, extension: &str, mut test: impl FnMut(&Path)) {
    let folder = format!("tests/suite/{folder}");
    let root = path(&folder);
    let all = files(&folder, extension);
    let mut differ = 0;
    for file in &all {
        let name = file.strip_prefix(&root).expect("it lies there");
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(root.join("snapshots"));
        settings.set_snapshot_suffix(name.to_str().expect("names are text"));
        settings.set_input_file(file);
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        let held = settings.bind(|| catch_unwind(AssertUnwindSafe(|| test(file))));
        differ += usize::from(held.is_err());
    }
    let all = all.len();
    assert_eq!(
        differ, 0,
        "of {all} files in {folder} so many fail: see above"
    );
}
