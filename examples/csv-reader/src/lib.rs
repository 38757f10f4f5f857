//! A reader of CSV and TSV files: rows as an aligned table, and a model asks for rows as it asks for lines elsewhere.
//!
//! ```
//! use read_core::{Cancel, MemoryFileSystem, Pipeline, Registry, Request};
//!
//! let files = MemoryFileSystem::new().with("people.csv", "name,born\nAda,1815\nAlan,1912\nGrace,1906\n");
//! let pipeline = Pipeline::new(files).with_registry(Registry::core().with(csv_reader::READER));
//! let output = pipeline.read("people.csv:2-2", &Request::default(), Cancel::new())?;
//! assert_eq!(
//!     output.to_text(),
//!     "| name | born |\n| ---- | ---- |\n| Alan | 1912 |\n\n[1 more row in file. Use :3- to continue.]"
//! );
//! # Ok::<(), read_core::ReadError>(())
//! ```
//!
//! The first record is the header; rows are counted from the one behind it. `:raw`, `:hex`, `:stat` and byte windows are
//! declined, so that core answers them. What is not UTF-8 is not claimed: core's text reader knows encodings.
//!
//! Rows are streamed: a window far into a file of any size takes the memory of one page.

mod asked;
mod columns;
mod delimiter;
mod notices;
mod page;
mod reader;
mod records;
mod table;

pub use reader::READER;
