//! The `read-tool` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    read_tool::cli::run()
}
