//! The `read-tool` program, as its own package builds it.

use std::process::ExitCode;

fn main() -> ExitCode {
    read_tool::cli::run()
}
