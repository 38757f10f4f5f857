//! The rollback journal that a crash left behind: the pages as they were before the transaction that was not finished.
//! <https://www.sqlite.org/fileformat2.html#the_rollback_journal>

use std::collections::HashMap;
use std::io;

use read_core::Slice;

use crate::format::{LOCK_BYTE, is_page_size, words};
use crate::pages::Overlay;
use crate::watch::Watch;

/// The first bytes of each header.
const MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
/// Bytes of a header that mean something; it is padded to a sector.
const HEADER: usize = 28;

/// A journal as it stands.
#[derive(Debug)]
pub(crate) enum Journal {
    /// The last transaction is finished: nothing to roll back.
    Cold,
    /// The pages that the unfinished transaction replaced.
    Hot(Overlay),
    /// It belongs to a transaction over several files, and one of the others says whether that was finished.
    OfSeveralFiles,
}

struct Header {
    records: u32,
    nonce: u32,
    pages: u32,
    sector: u32,
    page_size: u32,
}

/// Reads a journal that nobody writes to.
pub(crate) fn read(journal: &Slice, watch: &Watch) -> io::Result<Journal> {
    let mut first = [0; 1];
    if journal.read_full_at(&mut first, 0)? == 0 || first == [0] {
        return Ok(Journal::Cold);
    }
    if names_another_file(journal)? {
        return Ok(Journal::OfSeveralFiles);
    }
    let Some(header) = header_at(journal, 0)? else { return Ok(Journal::Cold) };
    let page_size = header.page_size;
    let is_sector = |size: u32| size.is_power_of_two() && (32..=65_536).contains(&size);
    if !is_page_size(page_size) || !is_sector(header.sector) {
        return Ok(Journal::Cold);
    }
    let (count, sector) = (header.pages, u64::from(header.sector));
    let record = u64::from(page_size).saturating_add(8);
    let mut at = HashMap::new();
    let mut page = vec![0; page_size as usize + 8];
    let mut next = Some(header);
    let mut position = 0_u64;
    'headers: while let Some(header) = next {
        position = position.saturating_add(sector);
        // A header that was never completed counts what the file has room for.
        let left = journal.len().saturating_sub(position) / record;
        let records = if header.records == u32::MAX { left } else { u64::from(header.records) };
        for _ in 0..records {
            if watch.must_stop() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            if journal.read_full_at(&mut page, position)? < page.len() {
                break 'headers;
            }
            let (Some((number, rest)), Some((body, sum))) =
                (page.split_first_chunk(), page.split_last_chunk())
            else {
                break 'headers;
            };
            let number = u32::from_be_bytes(*number);
            let body_len = body.len().saturating_sub(4);
            let body = rest.get(..body_len).unwrap_or_default();
            let lock_page = LOCK_BYTE / page_size + 1;
            if number == 0 || number == lock_page || checksum(header.nonce, body) != u32::from_be_bytes(*sum)
            {
                break 'headers;
            }
            // The first copy of a page is the oldest.
            if number <= count {
                at.entry(number).or_insert(position.saturating_add(4));
            }
            position = position.saturating_add(record);
        }
        position = position.div_ceil(sector).saturating_mul(sector);
        next = header_at(journal, position)?;
    }
    Ok(Journal::Hot(Overlay { page_size, count, at, log: journal.clone() }))
}

fn header_at(journal: &Slice, at: u64) -> io::Result<Option<Header>> {
    let mut bytes = [0; HEADER];
    if journal.read_full_at(&mut bytes, at)? < HEADER || !bytes.starts_with(&MAGIC) {
        return Ok(None);
    }
    let header = words(&bytes).map(|[_, _, records, nonce, pages, sector, page_size]| Header {
        records,
        nonce,
        pages,
        sector,
        page_size,
    });
    Ok(header)
}

/// Every two hundredth byte from the end, added up.
fn checksum(nonce: u32, page: &[u8]) -> u32 {
    let mut sum = nonce;
    let mut at = page.len().saturating_sub(200);
    while at > 0 {
        sum = sum.wrapping_add(u32::from(page.get(at).copied().unwrap_or_default()));
        at = at.saturating_sub(200);
    }
    sum
}

/// Whether the journal ends in the name of a super-journal, as it does for transactions over several files.
fn names_another_file(journal: &Slice) -> io::Result<bool> {
    let mut tail = [0; 16];
    let Some(at) = journal.len().checked_sub(16) else { return Ok(false) };
    if journal.read_full_at(&mut tail, at)? < 16 || tail.get(8..) != Some(&MAGIC) {
        return Ok(false);
    }
    let len = tail.first_chunk().map_or(0, |len| u32::from_be_bytes(*len));
    Ok(len > 0 && u64::from(len) <= at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use read_core::Meter;
    use std::time::Duration;

    fn parse(bytes: Vec<u8>) -> Journal {
        read(&Slice::from_bytes(bytes), &Watch::start(Meter::unbounded(), Duration::from_secs(60))).unwrap()
    }

    fn header(records: u32, pages: u32) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([records, 7, pages, 512, 512].into_iter().flat_map(u32::to_be_bytes));
        bytes.resize(512, 0);
        bytes
    }

    fn record(number: u32, fill: u8) -> Vec<u8> {
        let page = [fill; 512];
        let mut bytes = number.to_be_bytes().to_vec();
        bytes.extend(page);
        bytes.extend(checksum(7, &page).to_be_bytes());
        bytes
    }

    fn pages(journal: &Journal) -> Vec<(u32, u8)> {
        let Journal::Hot(overlay) = journal else { return Vec::new() };
        overlay.first_bytes()
    }

    #[test]
    fn the_oldest_copy_of_each_page_comes_back() {
        let mut bytes = [header(2, 4), record(1, b'a'), record(2, b'b')].concat();
        bytes.resize(bytes.len().next_multiple_of(512), 0);
        bytes.extend([header(u32::MAX, 4), record(2, b'x'), record(3, b'c'), record(9, b'y')].concat());
        assert_eq!(pages(&parse(bytes)), [(1, b'a'), (2, b'b'), (3, b'c')]);
    }

    #[test]
    fn a_torn_record_ends_it() {
        let mut bytes = [header(3, 4), record(1, b'a'), record(2, b'b'), record(3, b'c')].concat();
        let wrong = 512 + 520 + 4 + 312;
        bytes[wrong] ^= 1;
        assert_eq!(pages(&parse(bytes.clone())), [(1, b'a')]);
        bytes.truncate(512 + 300);
        assert_eq!(pages(&parse(bytes)), []);
    }

    #[test]
    fn a_finished_journal_is_cold() {
        for bytes in [Vec::new(), vec![0; 1024], b"something else".to_vec(), header(1, 1)[..20].to_vec()] {
            assert!(matches!(parse(bytes), Journal::Cold));
        }
    }

    #[test]
    fn a_super_journal_is_seen() {
        let name = b"/tmp/x-mj1";
        let mut bytes = [header(1, 1), record(1, b'a'), 5_u32.to_be_bytes().to_vec(), name.to_vec()].concat();
        bytes.extend(u32::try_from(name.len()).unwrap().to_be_bytes());
        bytes.extend(0_u32.to_be_bytes());
        bytes.extend(MAGIC);
        assert!(matches!(parse(bytes), Journal::OfSeveralFiles));
    }
}
