//! Reads SQLite databases for a read tool: the list of tables, a table's schema and pages, rows, cells and queries, always
//! from one committed state, and without ever writing or opening a path.
//!
//! | target | shows |
//! | --- | --- |
//! | `data.db` | tables with row counts, views, virtual tables |
//! | `data.db:users` | CREATE statement, indexes, foreign keys, 5 rows, how to page on |
//! | `data.db:users:42` | one row by primary key, or rowid |
//! | `data.db:users:42:avatar` | one cell, whole: text takes selectors, a BLOB is read by whatever reader knows it |
//! | `data.db:users?limit=&offset=&order=&where=` | a page of rows |
//! | `data.db?q=SELECT …` | a read-only query |
//!
//! The crate exports one [reader](READER), which a host registers explicitly or, with the feature `inventory`, finds by
//! linking this crate:
//!
//! ```
//! use read_core::{Cancel, MemoryFileSystem, Pipeline, Registry, Request};
//!
//! // A database of one table, as any program would have written it.
//! let database = include_bytes!("../tests/data/users.db");
//! let files = MemoryFileSystem::new().with("data.db", database.to_vec());
//! let pipeline = Pipeline::new(files).with_registry(Registry::core().with(read_sqlite::READER));
//!
//! let output = pipeline.read("data.db:users:2", &Request::default(), Cancel::new())?;
//! assert_eq!(output.to_text(), "id: 2\nname: bob\n");
//!
//! let refused = pipeline.read("data.db?q=DELETE FROM users", &Request::default(), Cancel::new()).unwrap_err();
//! assert_eq!(refused.code().as_str(), "invalid_query");
//! # Ok::<(), read_core::ReadError>(())
//! ```
//!
//! Every limit is in [`SqliteLimits`].

mod answer;
mod authorizer;
mod budget;
mod cell;
mod columns;
mod committed;
mod database;
mod describe;
mod expression;
mod fault;
mod format;
mod functions;
mod grid;
mod harden;
mod journal;
mod limits;
mod list;
mod page;
mod pages;
mod query;
mod query_string;
mod reader;
mod row;
mod schema;
mod sql;
mod target;
mod text;
mod tree;
mod value;
mod vfs;
mod wal;
mod watch;
mod weight;
mod words;

pub use limits::SqliteLimits;
pub use reader::{READER, SqliteReader};

#[cfg(feature = "inventory")]
read_core::register_reader!(READER);

/// Runs the examples of the readme.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
