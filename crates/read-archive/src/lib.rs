//! Archive readers for [`read_core`]: any member, at any depth, without unpacking.
//!
//! [`ZIP`], [`TAR`] and [`GZIP`] are three readers that know nothing of each other. Each recognises a source by its
//! content and hands on an inner source, so that `a.zip:b.tar.gz:c/d.txt:10-20` is zip → gzip → tar → text.
//!
//! ```
//! use read_archive::{GZIP, TAR, ZIP};
//! use read_core::{Cancel, MemoryFileSystem, Pipeline, Registry, Request};
//!
//! // `printf 'one\ntwo\nthree\n' | gzip -n`
//! let gzipped = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\xcf\x4b\xe5\x2a\x29\xcf\xe7\x2a\xc9\x28\x4a\x4d\xe5\x02\
//!     \x00\xb6\xd5\xe6\x25\x0e\x00\x00\x00";
//! let files = MemoryFileSystem::new().with("notes.txt.gz", *gzipped);
//! let pipeline = Pipeline::new(files).with_registry(Registry::core().with(ZIP).with(TAR).with(GZIP));
//! let output = pipeline.read("notes.txt.gz:2-2", &Request::default(), Cancel::new())?;
//! assert_eq!(output.to_text(), "two\n\n[1 more line in file. Use :3- to continue.]");
//! # Ok::<(), read_core::ReadError>(())
//! ```
//!
//! Nothing is decoded that an answer does not need: a zip gives its central directory and one member, a tar in a file its
//! headers by seeking, a compressed stream is read forward as far as asked. Members are windowed in constant memory.
//!
//! # Limits
//!
//! | limit | default | how to change it |
//! | --- | --- | --- |
//! | containers within containers | 8 | [`Limits::max_depth`](read_core::Limits) |
//! | decoded bytes of one read | 256 MiB + 64 × the bytes read | `Limits::budget_base`, `budget_factor` |
//! | a zip inside a compressed member, which must be held whole | 64 MiB | `Limits::max_buffered` |
//! | memory of one archive's index | 192 MiB | fixed |
//! | memory of the maps of one archive's sparse members | 32 MiB | fixed |
//! | links followed inside an archive | 16 | fixed |
//! | a compressed tar that is searched for a later member of the same name | 64 MiB | fixed |
//! | marks kept of one gzip stream, so that it can be taken up again | 256 of 32 KiB | fixed |
//!
//! Past a fixed limit the answer says so. All of them are in the repository's `docs/limits.md`.

mod answer;
mod archive;
mod beside;
mod damage;
mod gzip;
mod limits;
mod listing;
mod lookup;
mod names;
mod near;
mod other_reading;
mod tar;
mod time;
mod tree;
mod zip;

pub use gzip::GZIP;
pub use tar::TAR;
pub use zip::ZIP;

/// Runs the examples of the readme.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
