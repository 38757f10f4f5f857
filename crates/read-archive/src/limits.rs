//! Every limit of this crate. None is configurable: where one is met the answer says so. Depth, decoded bytes, bytes held
//! whole and time are the host's [`Limits`](read_core::Limits).

/// The memory that one archive's index may take, all that is kept of its members together (192 MiB): some two million of
/// them. An archive with more is `too_large`.
pub(crate) const MAX_INDEX: u64 = 192 << 20;

/// The memory that the maps of all sparse members of one tar may take (32 MiB): two million pieces. A member whose map
/// comes later is listed without its size, and is `too_large` to be read.
pub(crate) const MAX_MAPS: u64 = 32 << 20;

/// Pieces of one sparse member. A map of more makes no sense.
pub(crate) const MAX_SEGMENTS: usize = 1 << 20;

/// The longest extended header of a tar, which is held whole (8 MiB). A longer one is damage.
pub(crate) const MAX_EXTENDED: u64 = 8 << 20;

/// Zeros that are passed over in search of a further tar behind the end of one (1 MiB): `cat a.tar b.tar` is read whole.
pub(crate) const MAX_ZEROS: u64 = 1 << 20;

/// A compressed tar that is longer than this, decoded, is not searched past the first member of a name (64 MiB).
pub(crate) const SEARCHED_WHOLE: u64 = 64 << 20;

/// Links that are followed on the way to one member. Further ones are `symlink_refused`.
pub(crate) const MAX_HOPS: usize = 16;

/// Links whose targets are read for one listing. Further ones are shown as links.
pub(crate) const LINKS_SHOWN: usize = 1_000;

/// The longest target of a link in a zip (4 KiB).
pub(crate) const MAX_LINK: u64 = 4 << 10;

/// Stored members of a zip up to this size have their checksum verified when they are opened (8 MiB): they are read at any
/// position, so that no end of a stream does it.
pub(crate) const VERIFIED: u64 = 8 << 20;

/// The most memory that a decoder of a zip member is given (64 MiB), which is what the strongest settings in use need.
pub(crate) const MAX_DECODER_MEMORY: u64 = 64 << 20;

/// The longest name or comment of a gzip header that is passed over (64 KiB).
pub(crate) const MAX_GZIP_TEXT: usize = 64 << 10;

/// Marks kept of one gzip stream. When there are more, every other one is let go. With their windows they take 8 MiB at
/// most.
pub(crate) const MAX_MARKS: usize = 256;

/// Bytes of names that a detector of encodings is shown (64 KiB).
pub(crate) const SAMPLED: usize = 64 << 10;

/// Names of one directory, or of the whole archive, that are compared in search of near ones.
pub(crate) const NEAR_COMPARED: usize = 10_000;

/// Names that are compared in search of one that differs in case alone.
pub(crate) const CASE_COMPARED: usize = 1 << 20;

/// Cuts of a target that are looked for in another case: for each, every member is looked at.
pub(crate) const CASE_CUTS: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gzip::WINDOW;

    #[test]
    fn the_page_of_limits_names_every_limit_with_its_value() {
        let page = include_str!("../../../docs/limits.md");
        let start = page.find("## Archives").expect("a section of its own");
        let section = page.get(start..).unwrap_or_default();
        let written = |what: &str| {
            let row = section.lines().find(|line| line.starts_with(&format!("| {what}")));
            row.and_then(|row| row.split('|').nth(2)).map_or_else(String::new, |cell| cell.replace(',', ""))
        };
        let mib = |bytes: u64| format!("{} MiB", bytes >> 20);
        let kib = |bytes: usize| format!("{} KiB", bytes >> 10);
        for (what, value) in [
            ("memory of one archive's index", mib(MAX_INDEX)),
            ("memory of the maps", mib(MAX_MAPS)),
            ("pieces of one sparse member", MAX_SEGMENTS.to_string()),
            ("an extended header of a tar", mib(MAX_EXTENDED)),
            ("zeros between two archives", mib(MAX_ZEROS)),
            ("a compressed tar that is searched", mib(SEARCHED_WHOLE)),
            ("links followed on the way", MAX_HOPS.to_string()),
            ("links whose targets a listing shows", LINKS_SHOWN.to_string()),
            ("the target of a link in a zip", format!("{} KiB", MAX_LINK >> 10)),
            ("a stored member of a zip whose checksum is verified", mib(VERIFIED)),
            ("memory that an LZMA, XZ, PPMd", mib(MAX_DECODER_MEMORY)),
            ("the name or comment in a gzip header", kib(MAX_GZIP_TEXT)),
            ("marks kept of one gzip stream", format!("{MAX_MARKS} of {} each", kib(WINDOW))),
            ("names that tell a legacy encoding", kib(SAMPLED)),
            ("names compared for near ones", format!("{NEAR_COMPARED} of 1 KiB each")),
            ("names compared for one in another case", format!("{CASE_COMPARED} for {CASE_CUTS} cuts")),
        ] {
            let cell = written(what);
            assert!(cell.trim().starts_with(&value), "{what}: {cell:?} is not {value}");
        }
    }
}
