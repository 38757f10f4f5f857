//! The home directory of whoever runs the program.

use std::path::PathBuf;

/// What `HOME` says. `std::env::home_dir` would ask the C library next, which asks name services and loads the machine's modules
/// for that: a program that is linked without shared libraries crashes then.
pub(super) fn directory() -> Option<PathBuf> {
    std::env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from)
}
