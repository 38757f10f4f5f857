//! Hosts without Rust's linker, and targets without an operating system.

use anyhow::{Context, Result, bail};

use super::Report;
use crate::process;
use crate::workspace::Workspace;

/// What Rust's standard library needs of the system, on the systems where this is tried.
const SYSTEM: [&str; 4] = ["-lpthread", "-ldl", "-lm", "-lgcc_s"];

/// A target that has neither files nor threads: what read-core needs of them is a host's to give.
const BARE: &str = "wasm32-unknown-unknown";

pub(super) fn run(workspace: &Workspace, report: &mut Report) -> Result<()> {
    c_host(workspace, report)?;
    bare_target(workspace, report)
}

/// Links the example's static library into a program in C. Named readers must be there; those that registered themselves
/// are lost where the linker takes objects one by one, which the docs say.
fn c_host(workspace: &Workspace, report: &mut Report) -> Result<()> {
    let has_compiler = process::output(process::command(workspace, "cc", &["--version"])).is_ok();
    if !cfg!(target_os = "linux") || !has_compiler {
        report.skip("the host in C (it is tried on Linux with a C compiler)".to_owned());
        return Ok(());
    }
    if table_lines(workspace, &[])? == 0 {
        bail!("a reader that was named is missing in a host in C");
    }
    let discovered = table_lines(workspace, &["--no-default-features"])? > 0;
    let outcome = if discovered { "there, too, with this linker" } else { "lost, as the docs say" };
    println!("a host in C: named readers are there; those registered by linking are {outcome}");
    Ok(())
}

/// What the host in C prints when its library is built with these arguments.
fn table_lines(workspace: &Workspace, arguments: &[&str]) -> Result<u64> {
    let build = [&["build", "--locked", "--package", "c-host"], arguments].concat();
    process::run(process::command(workspace, "cargo", &build))?;
    let built = workspace.target.join("debug");
    let program = built.join("c-host").to_string_lossy().into_owned();
    let library = built.join("libc_host.a").to_string_lossy().into_owned();
    let link = [&["examples/c-host/main.c", &library, "-o", &program], SYSTEM.as_slice()].concat();
    process::run(process::command(workspace, "cc", &link))?;
    let printed = process::output(process::command(workspace, &program, &[]))?;
    printed.trim().parse().with_context(|| format!("the host in C printed '{}'", printed.trim()))
}

fn bare_target(workspace: &Workspace, report: &mut Report) -> Result<()> {
    let installed =
        process::output(process::command(workspace, "rustup", &["target", "list", "--installed"]));
    if !installed.unwrap_or_default().lines().any(|line| line.trim() == BARE) {
        report.skip(format!("read-core on {BARE} (not installed here): run 'rustup target add {BARE}'"));
        return Ok(());
    }
    let arguments = [
        "check",
        "--locked",
        "--package",
        "read-core",
        "--package",
        "read-selector",
        "--no-default-features",
        "--target",
        BARE,
    ];
    process::run(process::command(workspace, "cargo", &arguments))
}
