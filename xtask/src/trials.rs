//! `fuzz`, `ceilings` and `soak`: whether untrusted files can break a process that reads them.

use anyhow::Result;

use crate::workspace::Workspace;
use crate::{Command, release};

pub(crate) const FUZZ: Command = Command {
    name: "fuzz",
    arguments: "[OPTION…]",
    about: "Builds release and reads generated inputs in processes of their own: no panic, no hang, no flood, no lie.\n\
            --minutes N, --only TARGET, --seeds FOLDER, --seed NUMBER, --json FILE, --markdown; --replay FILE reads a\n\
            kept finding again. `cargo run -p read-trials -- fuzz --help` tells all.",
    run: |workspace, arguments| run(workspace, "fuzz", arguments),
};

pub(crate) const CEILINGS: Command = Command {
    name: "ceilings",
    arguments: "[OPTION…]",
    about: "Builds release and reads bombs and endless inputs, made under target/ceilings, under limits of memory, time\n\
            and descriptors. --only TEXT, --markdown. Linux only.",
    run: |workspace, arguments| run(workspace, "ceilings", arguments),
};

pub(crate) const SOAK: Command = Command {
    name: "soak",
    arguments: "[OPTION…]",
    about: "Builds release and reads through one server for long, by eight clients, while files change: no wrong byte,\n\
            no growth. --reads N or --minutes N.",
    run: |workspace, arguments| run(workspace, "soak", arguments),
};

fn run(workspace: &Workspace, command: &str, arguments: &[String]) -> Result<()> {
    let arguments: Vec<&str> = std::iter::once(command).chain(arguments.iter().map(String::as_str)).collect();
    release::run_beside_the_tool(workspace, release::built, "read-trials", &arguments)
}
