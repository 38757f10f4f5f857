//! Compression methods (APPNOTE 4.4.5): which of them this build reads.

/// A method of compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Method {
    number: u16,
    name: &'static str,
    /// The feature of this crate that reads it; none for those that are always read or never.
    feature: Option<&'static str>,
    readable: bool,
}

const fn always(number: u16, name: &'static str) -> Method {
    Method { number, name, feature: None, readable: true }
}

const fn by(number: u16, name: &'static str, feature: &'static str, readable: bool) -> Method {
    Method { number, name, feature: Some(feature), readable }
}

const fn never(number: u16, name: &'static str) -> Method {
    Method { number, name, feature: None, readable: false }
}

const METHODS: &[Method] = &[
    always(0, "stored"),
    by(1, "Shrink", "zip-legacy", cfg!(feature = "zip-legacy")),
    by(2, "Reduce 1", "zip-legacy", cfg!(feature = "zip-legacy")),
    by(3, "Reduce 2", "zip-legacy", cfg!(feature = "zip-legacy")),
    by(4, "Reduce 3", "zip-legacy", cfg!(feature = "zip-legacy")),
    by(5, "Reduce 4", "zip-legacy", cfg!(feature = "zip-legacy")),
    by(6, "Implode", "zip-legacy", cfg!(feature = "zip-legacy")),
    always(8, "deflate"),
    by(9, "Deflate64", "zip-deflate64", cfg!(feature = "zip-deflate64")),
    never(10, "PKWARE DCL Implode"),
    by(12, "BZIP2", "zip-bzip2", cfg!(feature = "zip-bzip2")),
    by(14, "LZMA", "zip-lzma", cfg!(feature = "zip-lzma")),
    never(16, "IBM z/OS CMPSC"),
    never(18, "IBM TERSE"),
    never(19, "IBM LZ77"),
    by(93, "Zstandard", "zip-zstd", cfg!(feature = "zip-zstd")),
    never(94, "MP3"),
    by(95, "XZ", "zip-xz", cfg!(feature = "zip-xz")),
    never(96, "JPEG variant"),
    never(97, "WavPack"),
    by(98, "PPMd", "zip-ppmd", cfg!(feature = "zip-ppmd")),
];

/// The number of the method that leaves data as it is.
pub(super) const STORED: u16 = 0;

/// The name of a method.
pub(super) fn name(number: u16) -> String {
    METHODS
        .iter()
        .find(|method| method.number == number)
        .map_or_else(|| format!("method {number}"), |method| method.name.to_owned())
}

/// Why members of a method cannot be read; `None` when they can.
pub(super) fn unsupported(number: u16) -> Option<String> {
    let name = name(number);
    match METHODS.iter().find(|method| method.number == number) {
        Some(method) if method.readable => None,
        Some(Method { feature: Some(feature), .. }) => Some(format!(
            "compressed with {name}, which this build does not read: it lacks the feature {feature}"
        )),
        _ => Some(format!("compressed with {name}, which is not read")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_named_with_their_feature() {
        assert_eq!(unsupported(8), None);
        assert_eq!(unsupported(97).unwrap(), "compressed with WavPack, which is not read");
        assert_eq!(unsupported(77).unwrap(), "compressed with method 77, which is not read");
        if !cfg!(feature = "zip-lzma") {
            assert!(unsupported(14).unwrap().ends_with("it lacks the feature zip-lzma"));
        }
    }
}
