//! What a stream failed with: whether that is the read's end, the host's failure, or what the content is like.

use std::error::Error as StdError;
use std::fmt;
use std::io;

use crate::error::{ErrorCode, ReadError};
use crate::meter::Trip;
use crate::names::size;
use crate::output::{Notice, Rank};

/// What a stream failed with. An error comes up through decoders, which wrap it as they like; this finds what is behind it.
/// A reader shows what precedes a fault of the [format](Self::Format), and says so with [`damage_notices`]; every other fault
/// is the end of the read.
///
/// ```
/// use read_core::StreamFault;
/// use std::io;
///
/// assert!(StreamFault::is_damage(&io::Error::new(io::ErrorKind::InvalidData, "a wrong checksum")));
/// // The disk failed, whatever decoder hands it on.
/// let disk = io::Error::from_raw_os_error(5);
/// assert!(matches!(StreamFault::of(io::Error::other(disk)), StreamFault::Host(_)));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum StreamFault {
    /// The meter stopped it.
    Stopped(Trip),
    /// A reader of a level above gave an error of its own.
    Error(ReadError),
    /// The operating system, or whatever else the host reads from, failed.
    Host(io::Error),
    /// The content is not what its format promises.
    Format(io::Error),
}

impl StreamFault {
    /// What `error`, which a stream gave, says.
    pub fn of(error: io::Error) -> Self {
        if let Some(trip) = behind(&error).find_map(|one| one.downcast_ref::<Trip>()) {
            return Self::Stopped(trip.clone());
        }
        if behind(&error).any(<dyn StdError>::is::<ReadError>) {
            return match error.downcast::<ReadError>() {
                Ok(own) => Self::Error(own),
                Err(error) => Self::Error(copied(error)),
            };
        }
        if is_of_host(&error) { Self::Host(error) } else { Self::Format(error) }
    }

    /// Whether `error` is the content's own, so that what precedes it is worth showing: a fault of its format, be it found by
    /// the decoder or told by a reader above.
    pub fn is_damage(error: &io::Error) -> bool {
        let is_trip = behind(error).any(<dyn StdError>::is::<Trip>);
        let told = behind(error).find_map(|one| one.downcast_ref::<ReadError>());
        match told {
            _ if is_trip => false,
            Some(error) => error.code() == ErrorCode::Corrupt,
            None => !is_of_host(error),
        }
    }

    /// The error of a read that ends here; `path` is what was read, printable.
    pub fn into_error(self, path: &str) -> ReadError {
        match self {
            Self::Stopped(trip) => trip.into(),
            Self::Error(error) => error,
            Self::Host(error) | Self::Format(error) => ReadError::io(path, error),
        }
    }
}

/// The error of ours somewhere behind `error`, which holds on to it.
fn copied(error: io::Error) -> ReadError {
    let copy = behind(&error).find_map(|one| one.downcast_ref::<ReadError>()).map(|own| {
        ReadError::new(own.code(), own.message()).with_suggestions(own.suggestions().iter().cloned())
    });
    copy.unwrap_or_else(|| ReadError::new(ErrorCode::Io, error.to_string())).with_cause(error)
}

/// `error` and what is behind it.
fn behind(error: &io::Error) -> impl Iterator<Item = &(dyn StdError + 'static)> {
    // Of an I/O error around another error `source` skips that one.
    fn next<'a>(one: &'a (dyn StdError + 'static)) -> Option<&'a (dyn StdError + 'static)> {
        match one.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => one.source(),
        }
    }
    std::iter::successors(Some(error as &(dyn StdError + 'static)), |one| next(*one))
}

/// Whether the operating system is behind it, or one of its words: no decoder says that permission is denied.
fn is_of_host(error: &io::Error) -> bool {
    use io::ErrorKind;
    behind(error).filter_map(|one| one.downcast_ref::<io::Error>()).any(|error| {
        error.raw_os_error().is_some()
            || matches!(
                error.kind(),
                ErrorKind::NotFound
                    | ErrorKind::PermissionDenied
                    | ErrorKind::ConnectionReset
                    | ErrorKind::ConnectionAborted
                    | ErrorKind::NotConnected
                    | ErrorKind::BrokenPipe
                    | ErrorKind::TimedOut
                    | ErrorKind::StaleNetworkFileHandle
                    | ErrorKind::StorageFull
            )
    })
}

/// What is said where a stream failed after the first `after` bytes of what `path` addresses, or before what was asked for:
/// that, and the decoder's own words.
pub fn damage_notices(path: &str, after: Option<u64>, damage: &dyn fmt::Display) -> [Notice; 2] {
    let text = match after {
        Some(after) => format!("{path} is damaged or cut after {}; what precedes is shown", size(after)),
        None => format!("{path} is damaged or cut before that"),
    };
    // A decoder's own words name what it met: a wrong checksum, a size that is a lie.
    [Notice::new(Rank::LeftOut, text), Notice::new(Rank::Odd, format!("Damage: {damage}"))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("a decoder failed")]
    struct Wrapped(#[source] io::Error);

    fn wrapped(error: io::Error) -> [io::Error; 2] {
        let again = || io::Error::new(error.kind(), error.to_string());
        let inner = match error.raw_os_error() {
            Some(code) => io::Error::from_raw_os_error(code),
            None => again(),
        };
        [error, io::Error::other(Wrapped(inner))]
    }

    #[test]
    fn a_disk_that_fails_is_no_damage_however_deep_it_lies() {
        for error in wrapped(io::Error::from_raw_os_error(5)) {
            assert!(!StreamFault::is_damage(&error), "{error:?}");
            assert!(matches!(StreamFault::of(error), StreamFault::Host(_)));
        }
        for error in wrapped(io::Error::new(io::ErrorKind::UnexpectedEof, "cut")) {
            assert!(StreamFault::is_damage(&error), "{error:?}");
            assert!(matches!(StreamFault::of(error), StreamFault::Format(_)));
        }
    }

    #[test]
    fn what_stops_a_read_and_what_a_reader_says_come_through() {
        let trip = || io::Error::from(Trip::Cancelled);
        for error in [trip(), io::Error::other(trip()), io::Error::other(Wrapped(trip()))] {
            assert!(!StreamFault::is_damage(&error));
            assert!(matches!(StreamFault::of(error), StreamFault::Stopped(Trip::Cancelled)));
        }
        let denied = || io::Error::other(ReadError::new(ErrorCode::Denied, "no"));
        for error in [denied(), io::Error::other(denied()), io::Error::other(Wrapped(denied()))] {
            assert!(!StreamFault::is_damage(&error));
            let error = StreamFault::of(error).into_error("a");
            assert_eq!((error.code(), error.message()), (ErrorCode::Denied, "no"));
        }
        let corrupt = io::Error::other(ReadError::new(ErrorCode::Corrupt, "cut"));
        assert!(StreamFault::is_damage(&corrupt));
    }
}
