//! What processes use, and what they may use.

use anyhow::Result;

/// Peak resident memory of this process and of its children that have ended, in bytes; 0 where the system does not tell.
#[cfg(unix)]
pub(crate) fn peak() -> Result<u64> {
    use anyhow::Context;
    use nix::sys::resource::{UsageWho, getrusage};
    // Linux counts kibibytes here, macOS bytes.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    let mut peak = 0;
    for who in [UsageWho::RUSAGE_SELF, UsageWho::RUSAGE_CHILDREN] {
        let usage = getrusage(who).context("the system does not tell")?;
        peak = u64::try_from(usage.max_rss()).unwrap_or(0).saturating_mul(unit).max(peak);
    }
    Ok(peak)
}

/// Peak resident memory of this process and of its children that have ended, in bytes; 0 where the system does not tell.
#[cfg(not(unix))]
pub(crate) fn peak() -> Result<u64> {
    Ok(0)
}

/// Bounds the address space of this process and of those that it starts, where the system can.
#[cfg(target_os = "linux")]
pub(crate) fn limit_address_space(bytes: u64) -> Result<()> {
    use anyhow::Context;
    use nix::sys::resource::{Resource, setrlimit};
    setrlimit(Resource::RLIMIT_AS, bytes, bytes).context("the address space cannot be bounded")
}

/// Bounds the address space of this process and of those that it starts, where the system can.
#[cfg(not(target_os = "linux"))]
pub(crate) fn limit_address_space(_: u64) -> Result<()> {
    Ok(())
}
