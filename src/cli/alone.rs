//! Work on one file of several, where a fault of ours costs the answer of that file and no other. A
//! panic can be caught; the end of the stack cannot, so deep work needs its room.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use atgpu::diag::Diagnostic as Fault;
use miette::Diagnostic;
use thiserror::Error;

use crate::cli::reply::Finding;

/// Work that panicked.
#[derive(Debug, Error, Diagnostic)]
#[error("{file} has no answer, by a fault of atgpu itself: {what}")]
#[diagnostic(
    code(atgpu::internal::panic),
    help("please report it with the program; all other files have their answers")
)]
struct Panicked {
    file: String,
    /// As the panic says it.
    what: String,
}

/// Does the work on one file of so many. A panic is a finding about the file. If it is the only file,
/// nothing is left to answer, and the panic goes on.
pub fn one_of<T>(files: usize, file: &str, work: impl FnOnce() -> T) -> Result<T, Box<Finding>> {
    if files == 1 {
        return Ok(work());
    }
    caught(file, work).map_err(|fault| Box::new(Finding::bare(fault)))
}

/// Does the work on a file. A panic becomes a diagnostic. Whatever the work was changing is of this file
/// alone, and the caller drops it.
pub fn caught<T>(file: &str, work: impl FnOnce() -> T) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let file = file.to_owned();
        let what = words_of(&*panic);
        Fault::of(&Panicked { file, what })
    })
}

/// Returns the words of a panic.
fn words_of(panic: &(dyn Any + Send)) -> String {
    let words = panic.downcast_ref::<String>().map(String::as_str);
    let words = words.or_else(|| panic.downcast_ref::<&str>().copied());
    words.unwrap_or("a panic without words").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::threads;

    #[test]
    fn a_panic_is_the_fault_of_one_file() {
        let files = ["a.atgpu", "b.atgpu", "c.atgpu"];
        let work = |file: &str| {
            assert!(file != "b.atgpu", "no word of {file}");
            file.len()
        };
        let answers = threads::each(files.to_vec(), |file| {
            one_of(files.len(), file, || work(file))
        });
        assert!(matches!(&answers[..], [Ok(7), Err(_), Ok(7)]));
        let fault = answers[1].as_ref().expect_err("it panicked");
        let told = fault.diagnostic.message.to_string();
        assert_eq!(fault.diagnostic.code.short_name(), "internal::panic");
        assert!(told.contains("b.atgpu has no answer"), "{told}");
        assert!(told.ends_with("no word of b.atgpu"), "{told}");
    }

    #[test]
    #[should_panic(expected = "as it was")]
    fn the_panic_of_the_only_file_goes_on() {
        let _ = one_of(1, "a.atgpu", || panic!("as it was"));
    }
}
