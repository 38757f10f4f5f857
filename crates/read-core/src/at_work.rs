//! Who is at work in a read, for whoever must say which reader went wrong.

use std::any::Any;
use std::cell::RefCell;

use crate::error::{ErrorCode, ReadError};
use crate::meter::Trip;
use crate::names::printed;
use crate::registry::Reader;

/// The readers that a read has come through, the one at work last.
#[derive(Default)]
pub(crate) struct AtWork(RefCell<Vec<Reader>>);

impl AtWork {
    /// `reader` is at work, behind those of the `depth` levels above.
    pub(crate) fn set(&self, depth: usize, reader: Reader) {
        let mut readers = self.0.borrow_mut();
        readers.truncate(depth);
        readers.push(reader);
    }

    /// Nobody is at work yet behind those of the `depth` levels above.
    pub(crate) fn clear(&self, depth: usize) {
        self.0.borrow_mut().truncate(depth);
    }

    /// The name of the one at work.
    pub(crate) fn reader(&self) -> &'static str {
        self.0.borrow().last().map_or("core", |reader| reader.name())
    }

    /// Whether the one at work is core's own.
    pub(crate) fn is_core(&self) -> bool {
        self.0.borrow().last().is_none_or(is_core)
    }

    /// All of them: `'a', 'b'`.
    pub(crate) fn all(&self) -> Vec<String> {
        self.names(|_| true)
    }

    /// The error of a read that the meter stopped. It names the readers that are not core's own: where a read goes wrong, the
    /// host wants to know whose they are.
    pub(crate) fn tripped(&self, trip: Trip) -> ReadError {
        let strangers = self.names(|reader| !is_core(reader));
        if strangers.is_empty() {
            return trip.into();
        }
        let message = format!("{trip} (Read by {}.)", strangers.join(", "));
        ReadError::new(ReadError::from(trip.clone()).code(), message).with_cause(trip)
    }

    /// The error of a reader that panicked.
    pub(crate) fn panicked(&self, panic: &(dyn Any + Send)) -> ReadError {
        let said = panic
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        let said = printed(said.unwrap_or("it panicked").as_bytes()).chars().take(200).collect::<String>();
        // A stream's decoder runs when a later reader reads it: then any of them may have failed.
        let who = match self.all().as_slice() {
            [one] => format!("The reader {one}"),
            [] => "The reader 'core'".to_owned(),
            several => format!("One of the readers {}", several.join(", ")),
        };
        ReadError::new(
            ErrorCode::ReaderFailed,
            format!("{who} failed on this content ({said}). Use :hex to see its bytes."),
        )
    }

    /// Those that pass `is_named`; of neighbours with one name, one.
    fn names(&self, is_named: impl Fn(&Reader) -> bool) -> Vec<String> {
        let readers = self.0.borrow();
        let named = readers.iter().filter(|reader| is_named(reader));
        let mut names: Vec<_> = named.map(|reader| format!("'{}'", reader.name())).collect();
        names.dedup();
        names
    }
}

/// Whether a reader is one of this crate.
fn is_core(reader: &Reader) -> bool {
    reader.package() == env!("CARGO_PKG_NAME")
}
