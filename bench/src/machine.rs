//! What the numbers were measured on.

use std::fs;
use std::process::Command;

/// Processors, memory, kernel, compiler and linking, as far as the machine tells.
pub(crate) fn facts() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let model = field("/proc/cpuinfo", "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let memory = field("/proc/meminfo", "MemTotal")
        .and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok())
        .map_or_else(String::new, |kib| format!(", {} GiB", kib.div_ceil(1024 * 1024)));
    let compiler = Command::new("rustc").arg("--version").output().ok();
    let compiler = compiler.and_then(|output| String::from_utf8(output.stdout).ok()).unwrap_or_default();
    // The tool beside this program is built as this one is.
    let linked = if cfg!(target_feature = "crt-static") { ", linked statically" } else { "" };
    format!("{cores} × {model}{memory}, {}, {}{linked}", std::env::consts::OS, compiler.trim())
}

fn field(file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_machine_is_described() {
        assert!(super::facts().contains(std::env::consts::OS));
    }
}
