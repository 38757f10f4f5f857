//! Memory and descriptors of the server over time.

/// Reads after which growth is judged: before, caches fill.
pub(super) const ENOUGH: u64 = 10_000;
/// The share of the way that is warm-up.
const WARM_UP: f64 = 0.05;
/// What memory may grow by, in 100 parts, and in bytes.
const FACTOR: u64 = 125;
const SLACK: u64 = 16 << 20;
/// What descriptors may grow by.
const DESCRIPTORS: u64 = 8;

/// What a process holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Held {
    /// Resident memory, in bytes.
    pub(super) memory: u64,
    pub(super) descriptors: u64,
}

/// What it held after warm-up, and what it holds.
#[derive(Debug)]
pub(super) struct Growth {
    process: u32,
    /// When warm-up was over.
    pub(super) settled: Held,
    pub(super) last: Held,
    pub(super) peak: u64,
    is_settled: bool,
}

impl Growth {
    pub(super) fn new(process: u32) -> Self {
        Self { process, settled: Held::default(), last: Held::default(), peak: 0, is_settled: false }
    }

    /// Looks, when this share of the way is gone.
    pub(super) fn sample(&mut self, gone: f64) {
        if let Some(held) = held(self.process) {
            self.take(gone, held);
        }
    }

    fn take(&mut self, gone: f64, held: Held) {
        self.last = held;
        self.peak = self.peak.max(held.memory);
        if gone >= WARM_UP && !self.is_settled {
            self.settled = held;
            self.is_settled = true;
        }
    }

    /// What has grown too far.
    pub(super) fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let (before, after) = (self.settled, self.last);
        if after.memory > before.memory / 100 * FACTOR + SLACK {
            faults.push(format!("memory grew from {} to {} bytes", before.memory, after.memory));
        }
        if after.descriptors > before.descriptors + DESCRIPTORS {
            faults.push(format!("descriptors grew from {} to {}", before.descriptors, after.descriptors));
        }
        faults
    }
}

/// What the process holds now; nothing where the system does not tell.
fn held(process: u32) -> Option<Held> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let memory = line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024;
    let descriptors = std::fs::read_dir(format!("/proc/{process}/fd")).ok()?.count() as u64;
    Some(Held { memory, descriptors })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_after_warm_up_is_a_fault() {
        let mut growth = Growth::new(0);
        let held = |mebibytes: u64, descriptors| Held { memory: mebibytes << 20, descriptors };
        growth.take(0.01, held(1, 1));
        growth.take(0.06, held(100, 20));
        growth.take(0.5, held(300, 90));
        growth.take(1.0, held(130, 28));
        assert_eq!(growth.faults(), [""; 0]);
        growth.take(1.0, held(145, 29));
        assert_eq!(growth.faults().len(), 2);
        assert_eq!(growth.peak, 300 << 20);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_holds_something() {
        let held = held(std::process::id()).unwrap();
        assert!(held.memory > 1 << 20 && held.descriptors > 2);
    }
}
