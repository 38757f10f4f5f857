//! The readers of this build.

use read_core::Registry;

/// The built-in readers, by feature, and whatever else the program links; each name once. A host without life before `main`
/// (a C static library, WebAssembly) gets the built-in ones all the same, and adds others with [`Registry::with`].
pub fn registry() -> Registry {
    let registry = Registry::core();
    #[cfg(feature = "sqlite")]
    let registry = registry.with(read_sqlite::READER);
    #[cfg(feature = "image")]
    let registry = registry.with(read_image::READER);
    #[cfg(feature = "archive")]
    let registry = registry.with(read_archive::ZIP).with(read_archive::TAR).with(read_archive::GZIP);
    crate::not_built_in::left_out().fold(registry.with_discovered(), Registry::with)
}
