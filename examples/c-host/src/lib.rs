//! What a host in C calls. `main.c` is that host; `cargo xtask ci embedding` links and runs it.
//!
//! Another linker than Rust's takes from a static library only the objects that something needs, and nothing needs those
//! that register a reader before `main`. So a host of this kind names its readers, as the feature `named` does.
// Exporting a name is unsafe, because two of them may clash; there is no other unsafe code here.
#![allow(unsafe_code, reason = "names are exported to C")]

use read_core::{Cancel, MemoryFileSystem, Pipeline, Registry, Request};

/// The readers, named: found whatever the linker does.
#[cfg(feature = "named")]
fn registry() -> Registry {
    Registry::core().with(csv_reader::READER)
}

/// The readers that registered themselves: those that the linker left in.
#[cfg(not(feature = "named"))]
fn registry() -> Registry {
    use csv_reader as _;
    Registry::discovered()
}

/// Reads a table; how many lines it is shown in, 0 when no reader took it for a table.
#[unsafe(no_mangle)]
pub extern "C" fn read_host_table_lines() -> usize {
    let files = MemoryFileSystem::new().with("t.csv", "a,b\n1,2\n3,4\n");
    let pipeline = Pipeline::new(files).with_registry(registry());
    match pipeline.read("t.csv", &Request::default(), Cancel::new()) {
        Ok(output) if output.details.reader == "csv" => output.to_text().lines().count(),
        _ => 0,
    }
}
