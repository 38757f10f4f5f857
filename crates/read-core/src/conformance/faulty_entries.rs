//! Directories whose listing goes wrong on purpose.

use std::fmt;
use std::sync::Arc;

use super::fault::{Fault, Plan};
use crate::error::ReadError;
use crate::source::{Entries, Entry};

/// A directory under a plan: each listing is a call.
pub struct FaultyEntries {
    inner: Arc<dyn Entries>,
    plan: Plan,
}

impl fmt::Debug for FaultyEntries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FaultyEntries").field("plan", &self.plan).finish_non_exhaustive()
    }
}

impl FaultyEntries {
    /// `inner` under `plan`.
    pub fn new(inner: Arc<dyn Entries>, plan: Plan) -> Self {
        Self { inner, plan }
    }
}

impl Entries for FaultyEntries {
    fn list(&self) -> Result<Vec<Entry>, ReadError> {
        let mut entries = match self.plan.step() {
            Some(Fault::Fail(kind)) => return Err(ReadError::io("directory", (*kind).into())),
            Some(Fault::End) => return Ok(Vec::new()),
            Some(Fault::Stall(time)) => {
                std::thread::sleep(*time);
                return self.inner.list();
            }
            Some(Fault::Cancel(cancel)) => {
                cancel.cancel();
                return self.inner.list();
            }
            None => return self.inner.list(),
            Some(Fault::Short) => {
                let mut entries = self.inner.list()?;
                entries.truncate(1);
                return Ok(entries);
            }
            Some(Fault::Flip | Fault::Swap(_)) => self.inner.list()?,
        };
        for byte in entries.iter_mut().flat_map(|entry| &mut entry.name) {
            // Names stay names: what an ASCII letter becomes is no separator.
            *byte = !*byte | 0x80;
        }
        Ok(entries)
    }
}
