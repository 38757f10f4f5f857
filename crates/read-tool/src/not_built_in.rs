//! Readers that exist but are left out of this build: what they would read is named, instead of called binary.

use read_core::{
    ErrorCode, Match, Outcome, Probe, ReadContext, ReadError, Reader, ReaderHelp, Source, Strength,
    TargetReader,
};

/// Recognises what a reader of another build would read.
struct NotBuiltIn {
    name: &'static str,
    /// What the message calls it.
    kind: &'static str,
    media_type: &'static str,
    recognises: fn(&[u8]) -> bool,
}

impl TargetReader for NotBuiltIn {
    fn name(&self) -> &'static str {
        self.name
    }

    fn package(&self) -> &'static str {
        env!("CARGO_PKG_NAME")
    }

    fn help(&self) -> ReaderHelp {
        // Not a word of it in a tool description: it cannot be read.
        ReaderHelp::new("", "")
    }

    fn priority(&self) -> i32 {
        // Any reader that a host links itself goes first.
        i32::MIN
    }

    fn probe(&self, probe: &Probe<'_>) -> Option<Match> {
        let found = Match::new(Strength::Extension, self.media_type);
        (self.recognises)(probe.head()).then_some(found)
    }

    fn read(&self, source: &Source, rest: &str, _: &ReadContext<'_>) -> Result<Outcome, ReadError> {
        use read_core::selector::{Classified, Selector, classify};
        if matches!(
            classify(rest),
            Classified::Selector(Selector::Bytes(_) | Selector::Hex(_) | Selector::Stat)
        ) {
            return Ok(Outcome::Decline);
        }
        Err(ReadError::new(
            ErrorCode::NotBuiltIn,
            format!(
                "{} reads are not built into this host. Use :hex or :stat for the file's own bytes.",
                self.kind
            ),
        )
        .with_suggestions([format!("{}:stat", source.path())]))
    }
}

/// The readers that this build leaves out.
pub(crate) fn left_out() -> impl Iterator<Item = Reader> {
    LEFT_OUT.iter().map(|reader| reader as Reader)
}

static LEFT_OUT: &[NotBuiltIn] = &[
    #[cfg(not(feature = "archive"))]
    NotBuiltIn {
        name: "archive (not built in)",
        kind: "Archive",
        media_type: "application/zip",
        recognises: |head| {
            head.starts_with(b"PK\x03\x04")
                || head.starts_with(b"PK\x05\x06")
                || head.starts_with(b"\x1f\x8b")
                || head.get(257..262) == Some(b"ustar")
        },
    },
    #[cfg(not(feature = "image"))]
    NotBuiltIn {
        name: "image (not built in)",
        kind: "Image",
        media_type: "image/*",
        recognises: |head| {
            const SIGNATURES: &[&[u8]] = &[
                b"\x89PNG\r\n\x1a\n",
                b"\xff\xd8\xff",
                b"GIF87a",
                b"GIF89a",
                b"II*\0",
                b"MM\0*",
                b"\0\0\x01\0",
            ];
            // Two letters alone would take texts for bitmaps: the length of the header that follows tells.
            let is_bmp = head.starts_with(b"BM")
                && matches!(head.get(14..18), Some([12 | 40 | 52 | 56 | 64 | 108 | 124, 0, 0, 0]));
            SIGNATURES.iter().any(|signature| head.starts_with(signature))
                || (head.starts_with(b"RIFF") && head.get(8..12) == Some(b"WEBP"))
                || is_bmp
        },
    },
    #[cfg(not(feature = "sqlite"))]
    NotBuiltIn {
        name: "sqlite (not built in)",
        kind: "SQLite",
        media_type: "application/vnd.sqlite3",
        recognises: |head| head.starts_with(b"SQLite format 3\0"),
    },
];
