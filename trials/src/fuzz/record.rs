//! What a worker has come to, in a file: it is there whatever becomes of the worker.

use std::fs::File;
use std::io;
use std::path::Path;

use anyhow::{Context, Result};

/// Figures of one worker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Figures {
    /// The input that is being tried.
    pub(crate) number: u64,
    /// Reads begun in all: it stands still when one hangs.
    pub(crate) reads: u64,
    /// Inputs that are done.
    pub(crate) inputs: u64,
    pub(crate) answers: u64,
    pub(crate) errors: u64,
    /// The longest read, in microseconds.
    pub(crate) worst: u64,
    /// The input that it was of.
    pub(crate) worst_number: u64,
    /// Peak resident memory, in bytes.
    pub(crate) peak: u64,
    /// 1 when the worker has done all that it was to do.
    pub(crate) done: u64,
}

const FIELDS: usize = 9;

impl Figures {
    fn fields(self) -> [u64; FIELDS] {
        [
            self.number,
            self.reads,
            self.inputs,
            self.answers,
            self.errors,
            self.worst,
            self.worst_number,
            self.peak,
            self.done,
        ]
    }

    /// The figures of both, as of one worker.
    pub(crate) fn add(&mut self, other: &Self) {
        self.reads += other.reads;
        self.inputs += other.inputs;
        self.answers += other.answers;
        self.errors += other.errors;
        if other.worst > self.worst {
            (self.worst, self.worst_number) = (other.worst, other.worst_number);
        }
        self.peak = self.peak.max(other.peak);
    }
}

/// The file.
#[derive(Debug)]
pub(crate) struct Record(File);

impl Record {
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let file = File::create(path).with_context(|| format!("{} cannot be written", path.display()))?;
        Ok(Self(file))
    }

    /// Writes them at once: a reader sees these or the ones before.
    pub(crate) fn write(&self, figures: &Figures) -> io::Result<()> {
        let bytes: Vec<u8> = figures.fields().into_iter().flat_map(u64::to_le_bytes).collect();
        #[cfg(unix)]
        {
            use std::os::unix::fs::FileExt;
            self.0.write_all_at(&bytes, 0)
        }
        #[cfg(not(unix))]
        {
            use std::io::{Seek, SeekFrom, Write};
            let mut file = &self.0;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&bytes)
        }
    }
}

/// The figures in a record; none where the worker has not begun.
pub(crate) fn read(path: &Path) -> Option<Figures> {
    let bytes = std::fs::read(path).ok()?;
    let (fields, _) = bytes.as_chunks::<8>();
    let fields: Vec<u64> = fields.iter().map(|field| u64::from_le_bytes(*field)).collect();
    let [number, reads, inputs, answers, errors, worst, worst_number, peak, done] = fields.try_into().ok()?;
    Some(Figures { number, reads, inputs, answers, errors, worst, worst_number, peak, done })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record");
        assert_eq!(read(&path), None);
        let record = Record::create(&path).unwrap();
        assert_eq!(read(&path), None);
        let figures = Figures { number: 1, reads: 2, inputs: 3, worst: 4, done: 1, ..Figures::default() };
        record.write(&Figures::default()).unwrap();
        record.write(&figures).unwrap();
        assert_eq!(read(&path), Some(figures));
    }

    #[test]
    fn figures_add_up_and_the_worst_counts() {
        let mut sum = Figures { inputs: 1, worst: 5, worst_number: 50, peak: 9, ..Figures::default() };
        sum.add(&Figures { inputs: 2, worst: 4, worst_number: 40, peak: 10, ..Figures::default() });
        assert_eq!((sum.inputs, sum.worst, sum.worst_number, sum.peak), (3, 5, 50, 10));
    }
}
