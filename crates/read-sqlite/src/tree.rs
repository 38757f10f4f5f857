//! How many rows a table has, by the headers of its pages alone: a count by SQL steps through every row.
//! <https://www.sqlite.org/fileformat2.html#b_tree_pages>

use crate::format::FILE_HEADER;
use crate::pages::Pages;
use crate::watch::Watch;

/// Bytes of a page's header up to where an inner page's last child is named.
const HEADER: usize = 12;
/// How deep a tree may be: SQLite's own bound.
const DEEPEST: usize = 20;

/// What a page is, and how many entries it has.
struct Node {
    /// Whether pages lie below it.
    is_inner: bool,
    /// Whether its entries are in the order of an index: then inner pages hold rows too.
    is_index: bool,
    entries: u16,
    last_child: u32,
    /// Where its header begins.
    at: u64,
}

/// A walk over the pages of one table.
struct Walk<'a> {
    pages: &'a Pages,
    page_size: u32,
    watch: &'a Watch,
    count: u64,
    /// Where to stop.
    enough: u64,
    /// Pages that may still be looked at: there are no more than the file has.
    left: u64,
}

/// The rows of the table whose tree begins at page `root`, counted up to `enough` and a little more; `None` where pages are
/// not what they should be, or it is time to stop.
pub(crate) fn rows(pages: &Pages, page_size: u32, root: u32, enough: u64, watch: &Watch) -> Option<u64> {
    let left = pages.len() / u64::from(page_size.max(1));
    let mut walk = Walk { pages, page_size, watch, count: 0, enough, left };
    walk.page(root, 0)?;
    Some(walk.count)
}

impl Walk<'_> {
    fn page(&mut self, number: u32, depth: usize) -> Option<()> {
        if self.count >= self.enough {
            return Some(());
        }
        if depth > DEEPEST || self.watch.must_stop() {
            return None;
        }
        self.left = self.left.checked_sub(1)?;
        let page = self.header(number)?;
        if page.is_index || !page.is_inner {
            self.count = self.count.saturating_add(u64::from(page.entries));
        }
        if !page.is_inner {
            return Some(());
        }
        let mut pointers = vec![0; usize::from(page.entries) * 2];
        self.read(&mut pointers, page.at.saturating_add(HEADER as u64))?;
        let start = self.start(number)?;
        for pointer in pointers.as_chunks::<2>().0 {
            let mut child = [0; 4];
            self.read(&mut child, start.saturating_add(u64::from(u16::from_be_bytes(*pointer))))?;
            self.page(u32::from_be_bytes(child), depth + 1)?;
            if self.count >= self.enough {
                return Some(());
            }
        }
        self.page(page.last_child, depth + 1)
    }

    fn header(&self, number: u32) -> Option<Node> {
        let at = self.start(number)?.saturating_add(if number == 1 { FILE_HEADER } else { 0 });
        let mut header = [0; HEADER];
        self.read(&mut header, at)?;
        let [kind, _, _, high, low, _, _, _, last_child @ ..] = header;
        let (is_inner, is_index) = match kind {
            2 => (true, true),
            5 => (true, false),
            10 => (false, true),
            13 => (false, false),
            _ => return None,
        };
        let entries = u16::from_be_bytes([high, low]);
        // Each takes two bytes at the least.
        let fits = u32::from(entries).saturating_mul(2) < self.page_size;
        fits.then_some(Node { is_inner, is_index, entries, last_child: u32::from_be_bytes(last_child), at })
    }

    fn start(&self, number: u32) -> Option<u64> {
        Some(u64::from(number.checked_sub(1)?).saturating_mul(u64::from(self.page_size)))
    }

    fn read(&self, buf: &mut [u8], at: u64) -> Option<()> {
        (self.pages.read(buf, at).ok()? == buf.len()).then_some(())
    }
}
