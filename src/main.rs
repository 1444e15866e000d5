//! The `atgpu` command: a thin layer over the library of the same name.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
