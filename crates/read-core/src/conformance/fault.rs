//! Reads that go wrong on purpose, at a step of one's choice.

use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::meter::Cancel;
use crate::source::ReadAt;

/// What goes wrong in one call.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Fault {
    /// It fails with this kind of error.
    Fail(io::ErrorKind),
    /// It takes this long, then goes well.
    Stall(Duration),
    /// It gives one byte (or one entry), however many are asked for.
    Short,
    /// It says that the end is reached; a file system says that nothing is there.
    End,
    /// It gives other bytes than there are: each with all its bits turned.
    Flip,
    /// It gives the bytes of another content.
    Swap(Arc<[u8]>),
    /// It cancels a read, then goes well.
    Cancel(Cancel),
}

impl Fault {
    /// A read into `buf` at `offset` under this fault, where `read` is what a good one does.
    fn apply(
        &self,
        buf: &mut [u8],
        offset: u64,
        read: impl FnOnce(&mut [u8]) -> io::Result<usize>,
    ) -> io::Result<usize> {
        match self {
            Self::Fail(kind) => Err((*kind).into()),
            Self::Stall(time) => {
                std::thread::sleep(*time);
                read(buf)
            }
            Self::Short => read(buf.get_mut(..1).unwrap_or_default()),
            Self::End => Ok(0),
            Self::Flip => {
                let n = read(buf)?;
                buf.iter_mut().take(n).for_each(|byte| *byte = !*byte);
                Ok(n)
            }
            Self::Swap(bytes) => bytes.read_at(buf, offset),
            Self::Cancel(cancel) => {
                cancel.cancel();
                read(buf)
            }
        }
    }
}

/// Which calls go wrong, and how. Calls are counted from 0; clones share the count.
#[derive(Clone, Debug)]
pub struct Plan {
    fault: Option<Fault>,
    first: u64,
    last: u64,
    calls: Arc<AtomicU64>,
}

impl Plan {
    /// Nothing goes wrong; calls are counted.
    pub fn none() -> Self {
        Self { fault: None, first: 0, last: 0, calls: Arc::default() }
    }

    /// Call `step` goes wrong, and no other.
    pub fn at(step: u64, fault: Fault) -> Self {
        Self { fault: Some(fault), first: step, last: step, calls: Arc::default() }
    }

    /// Call `step` goes wrong, and every later one.
    pub fn since(step: u64, fault: Fault) -> Self {
        Self { last: u64::MAX, ..Self::at(step, fault) }
    }

    /// How many calls there were.
    pub fn calls(&self) -> u64 {
        self.calls.load(Relaxed)
    }

    /// Counts a call; gives its fault.
    pub(super) fn step(&self) -> Option<&Fault> {
        let call = self.calls.fetch_add(1, Relaxed);
        self.fault.as_ref().filter(|_| (self.first..=self.last).contains(&call))
    }
}

/// A stream under a plan: each `read` is a call.
#[derive(Debug)]
pub struct FaultyRead<R> {
    inner: R,
    plan: Plan,
    position: u64,
}

impl<R> FaultyRead<R> {
    /// `inner` under `plan`.
    pub fn new(inner: R, plan: Plan) -> Self {
        Self { inner, plan, position: 0 }
    }
}

impl<R: Read> Read for FaultyRead<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = match self.plan.step() {
            None => self.inner.read(buf),
            Some(fault) => {
                let inner = &mut self.inner;
                fault.apply(buf, self.position, |buf| inner.read(buf))
            }
        }?;
        self.position = self.position.saturating_add(n as u64);
        Ok(n)
    }
}

/// Positioned reads under a plan: each `read_at` is a call.
pub struct FaultyReadAt {
    inner: Arc<dyn ReadAt>,
    plan: Plan,
}

impl fmt::Debug for FaultyReadAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FaultyReadAt").field("plan", &self.plan).finish_non_exhaustive()
    }
}

impl FaultyReadAt {
    /// `inner` under `plan`.
    pub fn new(inner: Arc<dyn ReadAt>, plan: Plan) -> Self {
        Self { inner, plan }
    }
}

impl ReadAt for FaultyReadAt {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        match self.plan.step() {
            None => self.inner.read_at(buf, offset),
            Some(fault) => fault.apply(buf, offset, |buf| self.inner.read_at(buf, offset)),
        }
    }

    fn as_file(&self) -> Option<&std::fs::File> {
        self.inner.as_file()
    }
}

/// A content over and over, without end.
#[derive(Clone, Debug)]
pub struct Endless(Arc<[u8]>);

impl Endless {
    /// `bytes` without end; zeros when there are none.
    pub fn new(bytes: impl Into<Arc<[u8]>>) -> Self {
        let bytes: Arc<[u8]> = bytes.into();
        Self(if bytes.is_empty() { Arc::from([0_u8; 64].as_slice()) } else { bytes })
    }
}

impl ReadAt for Endless {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let length = self.0.len() as u64;
        let mut done = 0;
        while let Some(rest) = buf.get_mut(done..).filter(|rest| !rest.is_empty()) {
            // The content is not empty, so neither is what is left of it at a remainder.
            let at = offset.saturating_add(done as u64).checked_rem(length).unwrap_or(0);
            done = done.saturating_add(self.0.read_at(rest, at)?);
        }
        Ok(done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(plan: &Plan) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        let mut stream = FaultyRead::new(b"abcdef".as_slice(), plan.clone());
        let mut buf = [0; 2];
        loop {
            match stream.read(&mut buf)? {
                0 => return Ok(all),
                n => all.extend_from_slice(&buf[..n]),
            }
        }
    }

    #[test]
    fn one_call_goes_wrong_or_all_since() {
        assert_eq!(read(&Plan::none()).unwrap(), b"abcdef");
        let failing = Plan::at(1, Fault::Fail(io::ErrorKind::PermissionDenied));
        assert_eq!(read(&failing).unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        assert_eq!(failing.calls(), 2);
        assert_eq!(read(&Plan::at(1, Fault::Short)).unwrap(), b"abcdef");
        assert_eq!(read(&Plan::since(2, Fault::End)).unwrap(), b"abcd");
        assert_eq!(read(&Plan::at(0, Fault::Flip)).unwrap(), b"\x9e\x9dcdef");
        assert_eq!(read(&Plan::at(1, Fault::Swap(b"ABCD".as_slice().into()))).unwrap(), b"abCDcdef");
        let cancel = Cancel::new();
        assert_eq!(read(&Plan::at(3, Fault::Cancel(cancel.clone()))).unwrap(), b"abcdef");
        assert!(cancel.is_cancelled());
        assert_eq!(read(&Plan::at(0, Fault::Stall(Duration::ZERO))).unwrap(), b"abcdef");
    }

    #[test]
    fn positioned_reads_go_wrong_alike() {
        let bytes: Arc<[u8]> = b"abcdef".as_slice().into();
        let at = FaultyReadAt::new(Arc::new(bytes), Plan::at(1, Fault::End));
        let mut buf = [0; 3];
        assert_eq!((at.read_at(&mut buf, 3).unwrap(), &buf), (3, b"def"));
        assert_eq!(at.read_at(&mut buf, 0).unwrap(), 0);
        assert_eq!((at.read_at(&mut buf, 0).unwrap(), &buf), (3, b"abc"));
    }

    #[test]
    fn the_endless_has_no_end() {
        let endless = Endless::new(*b"abc");
        let mut buf = [0; 8];
        assert_eq!((endless.read_at(&mut buf, 1 << 40).unwrap(), &buf), (8, b"bcabcabc"));
        assert_eq!(Endless::new([]).read_at(&mut buf, 0).unwrap(), 8);
    }
}
