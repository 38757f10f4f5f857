//! `bench`: speed and memory beside the programs that users would pick.

use anyhow::Result;

use crate::workspace::Workspace;
use crate::{Command, process};

pub(crate) const COMMAND: Command = Command {
    name: "bench",
    arguments: "[OPTION…]",
    about: "Builds release and measures it beside the programs that users would pick, with inputs of its own under\n\
            target/bench-data (2.4 GB). --quick tries it out; --growth, --only TEXT, --markdown, --json FILE,\n\
            --chart FILE; --check and --against FILE fail on ratios. `cargo run -p read-bench -- --help` tells all.",
    run,
};

fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    // One by one: built together, each would get the features of the other's dependencies.
    for package in ["read-tool", "read-bench"] {
        let build = ["build", "--locked", "--release", "--package", package, "--bin", package];
        process::run(process::command(workspace, "cargo", &build))?;
    }
    let program = workspace.target.join("release").join("read-bench");
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    process::run(process::command(workspace, &program.to_string_lossy(), &arguments))
}
