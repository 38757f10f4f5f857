//! What the format of database files fixes: sizes and places that several modules need.
//! <https://www.sqlite.org/fileformat2.html>

/// Where the header states the size of a page, in two bytes.
pub(crate) const PAGE_SIZE_AT: u64 = 16;
/// Where the header says by which journal the file is written and read (1: rollback journal, 2: write-ahead log).
pub(crate) const VERSIONS_AT: [u64; 2] = [18, 19];
/// Where the header states how text lies in the file, in four bytes.
pub(crate) const ENCODING_AT: u64 = 56;
/// Bytes of the header, which precedes that of the first page.
pub(crate) const FILE_HEADER: u64 = 100;
/// The first byte that locks are taken on; the page that holds it is never used.
pub(crate) const LOCK_BYTE: u32 = 0x4000_0000;

/// The size of a page as the header states it; `None` where it is none.
pub(crate) fn page_size(stated: [u8; 2]) -> Option<u32> {
    let size = match u16::from_be_bytes(stated) {
        1 => 65_536,
        size => u32::from(size),
    };
    is_page_size(size).then_some(size)
}

/// Whether pages can have that size.
pub(crate) fn is_page_size(size: u32) -> bool {
    size.is_power_of_two() && (512..=65_536).contains(&size)
}

/// The big-endian words that `bytes` begin with; `None` where there are fewer.
pub(crate) fn words<const N: usize>(bytes: &[u8]) -> Option<[u32; N]> {
    let (words, _) = bytes.as_chunks::<4>();
    Some(words.first_chunk::<N>()?.map(u32::from_be_bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_pages() {
        for (stated, size) in [
            ([0x10, 0], Some(4096)),
            ([2, 0], Some(512)),
            ([0, 1], Some(65_536)),
            ([1, 0], None),
            ([0, 0], None),
            ([0x10, 1], None),
        ] {
            assert_eq!(page_size(stated), size, "{stated:?}");
        }
    }

    #[test]
    fn words_are_as_many_as_asked_for() {
        let bytes = [0, 0, 0, 1, 0, 0, 1, 0, 9];
        assert_eq!(words(&bytes), Some([1, 256]));
        assert_eq!(words(&bytes), Some([1]));
        assert_eq!(words::<3>(&bytes), None);
    }
}
