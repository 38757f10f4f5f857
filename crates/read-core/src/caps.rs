//! The caps on output as a last guard: whatever a reader answers, no more text than this goes out.
//!
//! Core's own readers count as they write and stop at a whole line. A reader of somebody else's owes the same; where it
//! forgets, its answer is cut here, and says so. A few lines and bytes over a cap are no flood: the frame of a table is not
//! counted by everybody, and a first row goes out whole.

use crate::limits::Limits;
use crate::names::{count, size};
use crate::output::{Block, Notice, Rank, Text, Truncated, TruncatedBy};
use crate::reader::Answer;

/// Lines by which an answer may be over the cap: a table's frame, a first row that has a line for each column.
const FRAME_LINES: u64 = 32;

/// Bytes by which an answer may be over the cap: a frame, a wide first row (8 KiB).
const FRAME_BYTES: u64 = 8 << 10;

/// Lines that stand between two blocks of an answer to several ranges.
const SEPARATOR_LINES: u64 = 3;

/// Bytes that stand there.
const SEPARATOR_BYTES: u64 = 8;

/// How the notice of a cut begins.
const CUT: &str = "Cut by the host's cap of ";

/// The caps as they hold for one answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Caps {
    lines: u64,
    bytes: u64,
    /// Ranges beyond the first that the answer says it shows.
    separators: u64,
}

/// How far text goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) lines: u64,
    pub(crate) bytes: u64,
}

impl Caps {
    /// The caps of an answer that says that it shows `shown`: ranges of lines, entries or rows. What kind of thing these
    /// are is the reader's to know; it is held to the wider of the two caps.
    pub(crate) fn of(limits: &Limits, shown: Option<&[[u64; 2]]>) -> Self {
        let lines = limits.max_lines.unwrap_or(u64::MAX);
        let units = if shown.is_some() { limits.max_entries.unwrap_or(u64::MAX) } else { 0 };
        Self {
            lines: lines.max(units),
            bytes: limits.max_bytes.unwrap_or(u64::MAX),
            separators: shown.map_or(0, |shown| shown.len().saturating_sub(1) as u64),
        }
    }

    /// Whether text of this extent is over a cap, by more than a frame.
    pub(crate) fn are_passed_by(self, extent: Extent) -> bool {
        let lines = self.separators.saturating_mul(SEPARATOR_LINES).saturating_add(FRAME_LINES);
        let bytes = self.separators.saturating_mul(SEPARATOR_BYTES).saturating_add(FRAME_BYTES);
        extent.lines > self.lines.saturating_add(lines) || extent.bytes > self.bytes.saturating_add(bytes)
    }
}

impl Extent {
    /// The extent of bytes of text.
    pub(crate) fn of(text: &[u8]) -> Self {
        let ends = memchr::memchr_iter(b'\n', text).count() as u64;
        let open = u64::from(text.last().is_some_and(|last| *last != b'\n'));
        Self { lines: ends.saturating_add(open), bytes: text.len() as u64 }
    }

    fn and(self, other: Self) -> Self {
        Self { lines: self.lines.saturating_add(other.lines), bytes: self.bytes.saturating_add(other.bytes) }
    }
}

/// Whether a notice is that of a cut that core had to make.
#[cfg(feature = "conformance")]
pub(crate) fn is_cut(notice: &str) -> bool {
    notice.starts_with(CUT)
}

/// Cuts the text of an answer that is over the caps, and says so. The next call is the reader's to name.
pub(crate) fn enforce(answer: &mut Answer, limits: &Limits) {
    let caps = Caps::of(limits, answer.details.shown.as_deref());
    let all = answer.blocks.iter().map(extent).fold(Extent::default(), Extent::and);
    if !caps.are_passed_by(all) {
        return;
    }
    let mut kept = Extent::default();
    for block in &mut answer.blocks {
        let room = Extent {
            lines: caps.lines.saturating_sub(kept.lines),
            bytes: caps.bytes.saturating_sub(kept.bytes),
        };
        // A line that alone is over the cap is cut where it stands; one behind others is left out.
        let is_first = kept.bytes == 0;
        match block {
            Block::Text(Text::Shown(text)) => {
                let mut end = fitting(text.as_bytes(), room, is_first);
                while !text.is_char_boundary(end) {
                    end = end.saturating_sub(1);
                }
                text.truncate(end);
            }
            Block::Text(Text::Raw(bytes)) => bytes.truncate(fitting(bytes, room, is_first)),
            Block::Image(_) => {}
        }
        kept = kept.and(extent(block));
    }
    let is_raw = answer.blocks.iter().any(|block| matches!(block, Block::Text(Text::Raw(_))));
    let (by, cap) = if kept.lines >= caps.lines && kept.lines < all.lines {
        (TruncatedBy::Lines, count(caps.lines, "line"))
    } else {
        (TruncatedBy::Bytes, size(caps.bytes))
    };
    let left =
        Extent { lines: all.lines.saturating_sub(kept.lines), bytes: all.bytes.saturating_sub(kept.bytes) };
    let left = match left.lines {
        0 => format!("{} more", size(left.bytes)),
        lines => format!("{} ({})", count(lines, "more line"), size(left.bytes)),
    };
    let text = format!("{CUT}{cap}: {left} of this answer not shown");
    let notice = if is_raw { Notice::detail } else { Notice::new };
    answer.notices.push(notice(Rank::LeftOut, text));
    // What the reader says it shows is not what goes out.
    answer.details.shown = None;
    let next = kept.lines.saturating_add(1);
    answer.details.truncated.get_or_insert(Truncated { by, next, next_target: None });
}

fn extent(block: &Block) -> Extent {
    match block {
        Block::Text(Text::Shown(text)) => Extent::of(text.as_bytes()),
        Block::Text(Text::Raw(bytes)) => Extent::of(bytes),
        Block::Image(_) => Extent::default(),
    }
}

/// The length of as many whole lines of `text` as there is room for, or of the start of its first one.
fn fitting(text: &[u8], room: Extent, is_first: bool) -> usize {
    let bytes = usize::try_from(room.bytes).unwrap_or(usize::MAX).min(text.len());
    let within = text.get(..bytes).unwrap_or_default();
    let lines = usize::try_from(room.lines).unwrap_or(usize::MAX);
    if lines == 0 {
        return 0;
    }
    if let Some(end) = memchr::memchr_iter(b'\n', within).nth(lines - 1) {
        return end.saturating_add(1);
    }
    if bytes == text.len() {
        return bytes;
    }
    match memchr::memrchr(b'\n', within) {
        Some(end) => end.saturating_add(1),
        None if is_first => bytes,
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Details;
    use proptest::prelude::*;

    fn limits(lines: u64, bytes: u64) -> Limits {
        Limits { max_lines: Some(lines), max_bytes: Some(bytes), ..Limits::default() }
    }

    fn cut(text: &str, limits: &Limits) -> (String, Answer) {
        let mut answer = Answer::text(text);
        enforce(&mut answer, limits);
        let Some(Block::Text(Text::Shown(text))) = answer.blocks.first() else { panic!() };
        (text.clone(), answer)
    }

    #[test]
    fn text_is_cut_at_a_line_end_and_says_what_is_left() {
        let (text, answer) = cut(&"name\n".repeat(2_100), &Limits::default());
        assert_eq!(text, "name\n".repeat(2_000));
        let said: Vec<_> = answer.notices.iter().map(Notice::text).collect();
        assert_eq!(
            said,
            ["Cut by the host's cap of 2000 lines: 100 more lines (500B) of this answer not shown"]
        );
        let truncated = answer.details.truncated.unwrap();
        assert_eq!((truncated.by, truncated.next), (TruncatedBy::Lines, 2_001));

        let (text, answer) = cut(&("x".repeat(99) + "\n").repeat(1_000), &Limits::default());
        assert_eq!(text.len(), 51_200 / 100 * 100);
        assert_eq!(answer.details.truncated.unwrap().by, TruncatedBy::Bytes);
    }

    #[test]
    fn one_long_line_is_cut_between_characters() {
        let (text, answer) = cut(&"é".repeat(20_000), &limits(10, 1_001));
        assert_eq!(text, "é".repeat(500));
        assert_eq!(
            answer.notices[0].text(),
            "Cut by the host's cap of 1001B: 38.1KB more of this answer not shown"
        );
    }

    #[test]
    fn a_frame_and_separators_are_no_flood() {
        let framed = "x\n".repeat(2_032);
        assert_eq!(cut(&framed, &Limits::default()).0, framed);
        let shown: Vec<[u64; 2]> = (0..1_000).map(|n| [2 * n + 1, 2 * n + 1]).collect();
        let blocks = vec!["x\n"; 1_000].join("\n…\n\n");
        let details = Details { shown: Some(shown), ..Details::default() };
        let mut answer = Answer { details, ..Answer::text(blocks) };
        let before = answer.clone();
        enforce(&mut answer, &limits(1_000, 2_000));
        assert_eq!(answer, before);
    }

    #[test]
    fn all_blocks_count_and_raw_bytes_carry_no_notice() {
        let mut answer = Answer::text("x\n".repeat(80));
        answer.blocks.push(Block::Text(Text::Raw(b"y\n".repeat(80))));
        enforce(&mut answer, &limits(100, 1 << 20));
        assert_eq!(answer.blocks[1], Block::Text(Text::Raw(b"y\n".repeat(20))));
        assert!(!answer.notices[0].is_in_text());
    }

    #[test]
    fn what_the_reader_says_of_the_next_call_stays() {
        let truncated = Truncated { by: TruncatedBy::Rows, next: 9, next_target: Some("a:9-".into()) };
        let details =
            Details { shown: Some(vec![[1, 8]]), truncated: Some(truncated.clone()), ..Details::default() };
        let mut answer = Answer { details, ..Answer::text("x\n".repeat(5_000)) };
        enforce(&mut answer, &Limits::default());
        assert_eq!((answer.details.truncated, answer.details.shown), (Some(truncated), None));
    }

    proptest! {
        #[test]
        fn what_goes_out_is_a_start_within_the_caps(
            text in "[aé\n]{0,400}",
            lines in 1_u64..40,
            bytes in 1_u64..9_000,
        ) {
            let text = text.repeat(60);
            let limits = limits(lines, bytes);
            let (kept, answer) = cut(&text, &limits);
            prop_assert!(text.starts_with(&kept));
            let caps = Caps::of(&limits, None);
            prop_assert!(!caps.are_passed_by(Extent::of(kept.as_bytes())));
            prop_assert_eq!(kept.len() < text.len(), !answer.notices.is_empty());
        }
    }
}
