//! What every reader must do, as a test that any reader can run: core's, a plugin's, a stranger's.
//!
//! Give the suite the reader, one file or more that it reads, and some targets. It asks them in every way that a host, a
//! model or an enemy might, and lists what does not hold; [`Rule`] names what is asked for.
//!
//! ```
//! use read_core::conformance::Suite;
//!
//! # let registry = read_core::Registry::core();
//! # let my_reader = registry.get("text").ok_or("it is there")?;
//! Suite::new(my_reader).sample("notes.txt", "one\ntwo\nthree\n").target("notes.txt:2-3").run();
//! # Ok::<(), &str>(())
//! ```
//!
//! The faults that it injects stand here for tests of other things too: a [`FaultyFileSystem`] over any file system, a
//! [`FaultyRead`] and a [`FaultyReadAt`], each going wrong by a [`Plan`] at any step.

mod bench;
mod checks;
mod fault;
mod faulty_entries;
mod faulty_files;
mod report;
mod suite;
mod watch;

pub use fault::{Endless, Fault, FaultyRead, FaultyReadAt, Plan};
pub use faulty_entries::FaultyEntries;
pub use faulty_files::{FaultyFileSystem, Length};
pub use report::{Finding, Report, Rule};
pub use suite::Suite;
