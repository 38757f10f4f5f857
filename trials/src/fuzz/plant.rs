//! Faults that are planted, so that it is known that they would be found.

use std::time::Duration;

use clap::ValueEnum;

/// A fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Plant {
    /// A panic in the middle of a read.
    Panic,
    /// The end of the process.
    Abort,
    /// A read that does not end.
    Hang,
    /// More memory than there is.
    Memory,
}

impl Plant {
    /// Does it.
    pub(super) fn grow(self) {
        match self {
            #[allow(clippy::panic, reason = "it is what is planted")]
            Self::Panic => panic!("a planted panic"),
            Self::Abort => std::process::abort(),
            Self::Hang => std::thread::sleep(Duration::from_secs(3_600)),
            Self::Memory => {
                // Zeroed and never touched: it counts against the limit of the process, and not against the machine.
                let hoard: Vec<Vec<u8>> = (0..256).map(|_| vec![0_u8; 1 << 30]).collect();
                drop(hoard);
            }
        }
    }
}
