//! Release builds of this workspace's programs.

use std::path::PathBuf;

use anyhow::Result;

use crate::process;
use crate::workspace::Workspace;

/// Builds the program `name`, of the package of that name; where it is.
pub(crate) fn built(workspace: &Workspace, name: &str) -> Result<PathBuf> {
    let arguments = ["build", "--locked", "--release", "--package", name, "--bin", name];
    process::run(process::command(workspace, "cargo", &arguments))?;
    Ok(workspace.target.join("release").join(name))
}

/// Builds `read-tool`, and `name`, which looks for it beside itself, by `build`; runs that. One by one: built together, each
/// would get the features of the other's dependencies.
pub(crate) fn run_beside_the_tool(
    workspace: &Workspace,
    build: fn(&Workspace, &str) -> Result<PathBuf>,
    name: &str,
    arguments: &[&str],
) -> Result<()> {
    build(workspace, "read-tool")?;
    let program = build(workspace, name)?;
    process::run(process::command(workspace, &program.to_string_lossy(), arguments))
}
