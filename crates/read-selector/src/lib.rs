//! The target grammar of a read tool: cut a target such as `src/ui.zig:200-260` into a path and a rest, and
//! read that rest as a selector of lines or bytes.
//!
//! The crate does no I/O and knows no file system: a host walks [`cuts`] from the longest path to the
//! shortest, takes the first that exists, and gives what follows to [`classify`].
//!
//! ```
//! use read_selector::{Classified, Lines, Selector, classify, cuts};
//!
//! let exists = |path: &str| path == "src/ui.zig";
//! let cut = cuts("src/ui.zig:200-260").find(|cut| exists(cut.path)).expect("the path exists");
//! assert_eq!(cut.rest, "200-260");
//!
//! let Classified::Selector(Selector::Lines { lines: Lines::Ranges(ranges), raw: false }) = classify(cut.rest)
//! else {
//!     panic!("a line selector");
//! };
//! assert_eq!((ranges.first().start(), ranges.first().end()), (200, Some(260)));
//!
//! // What looks like a selector but is not one is an error, never a read of the whole file.
//! let Classified::Malformed(error) = classify("5-2") else { panic!("malformed") };
//! assert_eq!(error.to_string(), "Invalid range 5-2: end must be >= start.");
//! ```
//!
//! Every function takes any string, in time linear in its length (sorting a list of ranges aside), and never
//! panics. Numbers are `u64`; sums saturate.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod bytes;
mod classify;
mod cuts;
mod error;
pub mod escape;
mod excerpt;
mod parse;
mod range;
mod selector;
mod span;

pub use bytes::ByteSpan;
pub use classify::{Classified, classify, head};
pub use cuts::{Cut, Cuts, cuts, inner_cuts};
pub use error::{FORMS, SelectorError, SelectorErrorKind};
pub use excerpt::{EXCERPT_CHARS, Excerpt};
pub use range::{LineRange, LineRanges, LineRangesIter};
pub use selector::{Lines, Selector};

/// Runs the examples of the readme.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
