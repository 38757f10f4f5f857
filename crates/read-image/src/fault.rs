//! What is wrong with an image, before it is known which source it is.

use std::io;

use read_core::{ErrorCode, ReadError, Trip, size};

use crate::cursor::of_source;

/// Why an image is not shown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    /// Over a limit; the figures.
    #[error("{0}")]
    TooLarge(String),
    /// Damaged, cut or contradictory.
    #[error("{0}")]
    Corrupt(String),
    /// Sound, but with something that is not decoded.
    #[error("{0}")]
    Unsupported(String),
    /// Reading failed.
    #[error(transparent)]
    Io(io::Error),
}

impl Fault {
    pub(crate) fn corrupt(what: impl Into<String>) -> Self {
        Self::Corrupt(what.into())
    }

    /// The data ends at `end` where more must follow.
    pub(crate) fn cut(end: u64, what: &str) -> Self {
        Self::Corrupt(format!("it ends after {}, before {what}", size(end)))
    }

    /// What a decoder said.
    pub(crate) fn decoder(error: impl std::fmt::Display) -> Self {
        Self::Corrupt(plain(&error.to_string()))
    }

    /// The same for the model: about the source at `path`.
    pub(crate) fn into_error(self, path: &str, kind: &str) -> ReadError {
        let (code, message) = match self {
            Self::TooLarge(why) => (
                ErrorCode::TooLarge,
                format!(
                    "'{path}' is too large to show: {why}. Read a smaller copy of it, or use :hex for its bytes."
                ),
            ),
            Self::Corrupt(why) => (
                ErrorCode::Corrupt,
                format!("'{path}' is a damaged {kind} image: {why}. Use :hex to see its bytes."),
            ),
            Self::Unsupported(why) => (
                ErrorCode::UnsupportedContent,
                format!(
                    "'{path}' is a {kind} image with {why}, which is not decoded here. Convert it to PNG or JPEG to see it."
                ),
            ),
            Self::Io(error) => return ReadError::io(path, error),
        };
        ReadError::new(code, message).with_suggestions([format!("{path}:hex")])
    }
}

/// Decoders report damage as an error of input, too; only what the source itself said is one.
impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        match of_source(error) {
            Ok(failed) => Self::Io(failed),
            Err(damage) if damage.kind() == io::ErrorKind::UnexpectedEof => Self::corrupt("it ends early"),
            Err(damage) => Self::decoder(damage),
        }
    }
}

impl From<Trip> for Fault {
    fn from(trip: Trip) -> Self {
        Self::Io(trip.into())
    }
}

impl From<image::ImageError> for Fault {
    fn from(error: image::ImageError) -> Self {
        match error {
            image::ImageError::IoError(error) => error.into(),
            image::ImageError::Limits(error) => Self::TooLarge(error.to_string()),
            image::ImageError::Unsupported(error) => Self::Unsupported(error.to_string()),
            other => Self::decoder(other),
        }
    }
}

impl From<png::DecodingError> for Fault {
    fn from(error: png::DecodingError) -> Self {
        match error {
            png::DecodingError::IoError(error) => error.into(),
            png::DecodingError::LimitsExceeded => {
                Self::TooLarge("decoding it takes more memory than this host allows".into())
            }
            other => Self::decoder(other),
        }
    }
}

impl From<gif::DecodingError> for Fault {
    fn from(error: gif::DecodingError) -> Self {
        match error {
            gif::DecodingError::Io(error) => error.into(),
            gif::DecodingError::MemoryLimit | gif::DecodingError::OutOfMemory => {
                Self::TooLarge("decoding it takes more memory than this host allows".into())
            }
            other => Self::decoder(other),
        }
    }
}

impl From<tiff::TiffError> for Fault {
    fn from(error: tiff::TiffError) -> Self {
        match error {
            tiff::TiffError::IoError(error) => error.into(),
            tiff::TiffError::UnsupportedError(error) => Self::Unsupported(error.to_string()),
            tiff::TiffError::LimitsExceeded => {
                Self::TooLarge("decoding it takes more memory than this host allows".into())
            }
            other => Self::decoder(other),
        }
    }
}

/// A decoder's message as a sentence: without its full stop, and with the name of a chunk where `png` prints its value.
fn plain(message: &str) -> String {
    let mut text = message.trim_end_matches('.').to_owned();
    while let Some((before, rest)) = text.split_once("ChunkType {")
        && let Some((value, after)) = rest.split_once('}')
    {
        let name = value.split_once("type: ").map_or("", |(_, name)| name);
        let name = name.split(',').next().unwrap_or_default().trim();
        text = format!("{before}{name}{after}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_is_named_and_not_printed_as_a_value() {
        assert_eq!(
            plain(
                "CRC error: expected 0x1 have 0x2 while decoding ChunkType { type: IDAT, critical: true } chunk."
            ),
            "CRC error: expected 0x1 have 0x2 while decoding IDAT chunk"
        );
        assert_eq!(plain("odd ChunkType {"), "odd ChunkType {");
    }

    #[test]
    fn a_decoder_s_error_of_input_is_damage() {
        let made_up = io::Error::other("Decode Error");
        assert!(matches!(Fault::from(made_up), Fault::Corrupt(_)));
    }
}
