//! `bench`: speed and memory beside the programs that users would pick.

use anyhow::Result;

use crate::workspace::Workspace;
use crate::{Command, dist, release};

pub(crate) const COMMAND: Command = Command {
    name: "bench",
    arguments: "[OPTION…]",
    about: "Builds what `dist` builds, and measures it beside the programs that users would pick, with inputs of its own under\n\
            target/bench-data (2.4 GB). --quick tries it out; --growth, --only TEXT, --markdown, --json FILE,\n\
            --chart FILE; --check and --against FILE fail on ratios. `cargo run -p read-bench -- --help` tells all.",
    run,
};

fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    release::run_beside_the_tool(workspace, dist::built, "read-bench", &arguments)
}
