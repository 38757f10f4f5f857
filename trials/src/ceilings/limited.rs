//! A program under limits, and what it used.
//!
//! Three processes stand behind one read: one that measures and has no other child, one that takes the limits upon itself,
//! and the program that it then becomes.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::{Value, json};

use super::case::{Case, Kind, Run, SEARCH};

/// Descriptors that may be open at once.
const FILES: u64 = 64;
/// Address space: far above what may be resident, so that it is the measure that fails and not the limit, and far below what
/// would hurt the machine.
const ADDRESS_SPACE: u64 = 3 << 30;
/// Seconds of processor time after which the system ends it.
const CPU: u64 = 20;
/// How long it may take by the clock, on a machine that does other things.
const PATIENCE: Duration = Duration::from_secs(120);
/// Bytes of its output that are looked at.
const SHOWN: usize = 4_096;

/// A program to be run under limits.
#[derive(Debug, Clone, Args)]
pub(crate) struct Limited {
    /// The program and its arguments.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    program: Vec<OsString>,
}

/// A program to be measured, as the only child.
#[derive(Debug, Clone, Args)]
pub(crate) struct Measured {
    /// The program and its arguments.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    program: Vec<OsString>,
}

/// Takes the limits upon this process, and becomes the program.
#[cfg(target_os = "linux")]
pub(crate) fn exec(limited: &Limited) -> Result<()> {
    use nix::sys::resource::{Resource, setrlimit};
    use std::os::unix::process::CommandExt;
    let limits = [
        (Resource::RLIMIT_AS, ADDRESS_SPACE),
        (Resource::RLIMIT_CPU, CPU),
        (Resource::RLIMIT_NOFILE, FILES),
        (Resource::RLIMIT_CORE, 0),
    ];
    for (resource, limit) in limits {
        setrlimit(resource, limit, limit).context("a limit cannot be set")?;
    }
    let (program, arguments) = limited.program.split_first().context("no program is named")?;
    let error = std::process::Command::new(program).args(arguments).exec();
    Err(error).with_context(|| format!("{} cannot be started", program.display()))
}

/// Takes the limits upon this process, and becomes the program.
#[cfg(not(target_os = "linux"))]
pub(crate) fn exec(limited: &Limited) -> Result<()> {
    bail!("no limits here for {:?}: {ADDRESS_SPACE} bytes, {CPU} s, {FILES} descriptors", limited.program)
}

/// Runs the program as the only child of this process, under limits, and prints what became of it.
#[cfg(unix)]
pub(crate) fn measure(measured: &Measured) -> Result<()> {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeValLike;
    use std::io::Read;
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Command, Stdio};
    let this = std::env::current_exe().context("this program's own path is not known")?;
    let mut command = Command::new(this);
    command.arg("limited").arg("--").args(&measured.program);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().context("the trial cannot start itself")?;
    let output = child.stdout.take().context("no output")?;
    let reader = std::thread::spawn(move || {
        let mut output = output;
        let mut head = Vec::new();
        let _ = output.by_ref().take(SHOWN as u64).read_to_end(&mut head);
        // The rest is let through, so that nobody waits.
        let _ = std::io::copy(&mut output, &mut std::io::sink());
        head
    });
    let end = std::time::Instant::now() + PATIENCE;
    let status = loop {
        if let Some(status) = child.try_wait().context("no end")? {
            break status;
        }
        if std::time::Instant::now() > end {
            child.kill().context("it cannot be ended")?;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let head = reader.join().unwrap_or_default();
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).context("the system does not tell")?;
    let cpu = usage.user_time() + usage.system_time();
    let told = json!({
        "code": status.code(), "signal": status.signal(), "said": String::from_utf8_lossy(&head),
        "cpu_us": cpu.num_microseconds(), "peak": usage.max_rss().saturating_mul(1024),
    });
    println!("{told}");
    Ok(())
}

/// Runs the program as the only child of this process, under limits, and prints what became of it.
#[cfg(not(unix))]
pub(crate) fn measure(measured: &Measured) -> Result<()> {
    bail!("no measure here for {:?}: {PATIENCE:?}, {SHOWN} bytes", measured.program)
}

/// Reads the target of a case.
pub(super) fn run(tool: &Path, folder: &Path, case: &Case) -> Result<Run> {
    let this = std::env::current_exe().context("this program's own path is not known")?;
    let mut command = std::process::Command::new(this);
    command.arg("measured").arg("--").arg(tool).current_dir(folder);
    if case.kind == Kind::Search {
        command.args(["--timeout", SEARCH]);
    }
    command.args(["--json", case.target.as_str()]);
    let output = command.output().context("the trial cannot start itself")?;
    if !output.status.success() {
        bail!("{} cannot be measured: {}", case.name, String::from_utf8_lossy(&output.stderr));
    }
    let told: Value = serde_json::from_slice(&output.stdout).context("the measure is none")?;
    let number = |name: &str| told.get(name).and_then(Value::as_i64);
    let code = number("code").and_then(|code| i32::try_from(code).ok());
    let exit = match (code, number("signal")) {
        (Some(code), _) => code.to_string(),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "no status".to_owned(),
    };
    let said = said(told.get("said").and_then(Value::as_str).unwrap_or_default());
    let unsigned = |name: &str| number(name).and_then(|number| u64::try_from(number).ok()).unwrap_or(0);
    Ok(Run { exit, code, said, cpu: Duration::from_micros(unsigned("cpu_us")), peak: unsigned("peak") })
}

/// The error's code and message, or how the answer begins: the head of a JSON object, which may be cut.
fn said(head: &str) -> String {
    if let Some(error) = serde_json::from_str::<Value>(head).ok().and_then(|said| said.get("error").cloned())
    {
        let text = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        return format!("{}: {}", text("code"), text("message"));
    }
    let text = head.split_once("\"text\":\"").map_or(head, |(_, text)| text);
    text.split("\\n").find(|line| !line.is_empty()).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_told_in_a_line() {
        let error = r#"{"error":{"code":"too_large","message":"it is","correctable":true,"suggestions":[]}}"#;
        assert_eq!(said(error), "too_large: it is");
        assert_eq!(said(r#"{"content":[{"type":"text","text":"\nfirst\nsecond"#), "first");
        assert_eq!(said(""), "");
    }
}
