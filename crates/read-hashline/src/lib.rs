//! Content tags, anchored lines and a snapshot store, so that an edit tool can trust what a read tool showed.
//!
//! A read tool that prints lines behind their numbers, under a header with the *tag* of the text they are from,
//!
//! ```text
//! [src/main.rs#86DC]
//! 3:c
//! 4:d
//! ```
//!
//! lets an edit say "lines 3 to 4 of `86DC`", and lets the edit tool find out whether these lines are still there,
//! were ever shown, or have moved:
//!
//! ```
//! use read_hashline::{Check, Header, LineRange, LineSet, Printed, SnapshotStore, write_line};
//!
//! // The read tool: take the text as it streams by, remember what is shown, print it.
//! let store = SnapshotStore::default();
//! let mut capture = store.capture();
//! for piece in ["a\nb\nc", "\nd\ne\n"] {
//!     capture.update(piece);
//! }
//! let shown: LineSet = LineRange::new(3, 4).into_iter().collect();
//! let tag = store.record("f.txt", &capture.finish()?, &shown)?;
//! let mut output = format!("{}\n", Header::new("f.txt", tag)?);
//! write_line(&mut output, 3, "c")?;
//! write_line(&mut output, 4, "d")?;
//! assert_eq!(output, "[f.txt#86DC]\n3:c\n4:d\n");
//!
//! // The edit tool: read it back, and ask before anything is changed.
//! let printed = Printed::parse(&output)?;
//! let header = printed.header().ok_or("no tag")?;
//! let check = |lines: &[LineRange], live| store.check(header.path(), header.tag(), lines, live);
//! let lines = [LineRange::new(3, 4).ok_or("no lines")?];
//! assert_eq!(check(&lines, "a\nb\nc\nd\ne\n"), Check::Fresh);
//! assert!(matches!(check(&lines, "a\nc\nd\n"), Check::Drifted { moved } if moved[0].to == LineRange::new(2, 3)));
//! let first = [LineRange::line(1).ok_or("no line")?];
//! assert_eq!(check(&first, "a\nb\nc\nd\ne\n"), Check::Unseen(first[0].into()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | wanted | type |
//! | --- | --- |
//! | the tag of a text that streams by | [`Tagger`], [`Digest`], [`Tag`] |
//! | the text behind a tag | [`Capture`], [`NormalText`], [`normalize`] |
//! | output, printed and read back | [`Header`], [`Line`], [`write_line`], [`Anchor`], [`Printed`], [`NoTag`] |
//! | what was shown, and whether it still holds | [`SnapshotStore`], [`Snapshot`], [`Check`], [`locate`] |
//! | sets of lines | [`LineRange`], [`LineSet`] |
//!
//! What a store keeps is bounded by [`Limits`].
//!
//! The crate reads no files and depends on no reader. It takes text that is decoded already.

#![forbid(unsafe_code)]

mod blanks;
mod check;
mod drift;
mod given;
mod header;
mod limits;
mod line;
mod lines;
mod no_tag;
mod normalize;
mod printed;
mod snapshots;
mod squeeze;
mod store;
mod tag;
mod tagger;
mod text;

pub use check::{Check, Moved};
pub use drift::locate;
pub use header::{Header, HeaderError};
pub use limits::Limits;
pub use line::{Anchor, Line, LineError, write_line};
pub use lines::{LineRange, LineSet};
pub use no_tag::NoTag;
pub use normalize::normalize;
pub use printed::{GAP, Printed, PrintedError};
pub use snapshots::Snapshot;
pub use store::SnapshotStore;
pub use tag::{DIGEST_DIGITS, Digest, TAG_DIGITS, Tag, TagError};
pub use tagger::Tagger;
pub use text::{Capture, NormalText};

/// Runs the examples of the readme.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
