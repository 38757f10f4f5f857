//! From a written sheet to an answer: totals, notices, details, and what the taps add.

use super::document::Document;
use super::newline::Endings;
use super::scan::Scanner;
use super::sheet::Sheet;
use crate::context::LineStyle;
use crate::error::{ErrorCode, ReadError};
use crate::names::{count, size};
use crate::observer::{End, Imprint};
use crate::output::{Block, Details, Notice, Rank, Text, Truncated, TruncatedBy};
use crate::reader::Answer;
use crate::source::Noun;
use crate::stream_fault::damage_notices;
use crate::view::Asked;

/// How much text there is, as far as that was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Totals {
    /// Lines in all.
    pub(super) exact: Option<u64>,
    /// Lines that were met: all, where that is exact.
    pub(super) at_least: u64,
    /// The length in bytes.
    pub(super) file: Option<u64>,
    /// Bytes beyond the window.
    pub(super) left: Option<u64>,
}

impl Totals {
    /// For "of …": the lines in all, or what else is known.
    pub(super) fn of(&self, noun: Noun) -> String {
        match (self.exact, self.file) {
            (Some(total), _) => total.to_string(),
            (None, Some(bytes)) => format!("a {} {noun}", size(bytes)),
            (None, None) => format!("at least {}", self.at_least),
        }
    }

    /// Whether a line follows line `last`.
    pub(super) fn has_more_after(&self, last: u64) -> bool {
        match (self.exact, self.left) {
            (Some(total), _) => total > last,
            (None, Some(left)) => left > 0,
            (None, None) => self.at_least > last,
        }
    }

    /// What follows line `last`: `3 more lines`, `2.1GB more`.
    pub(super) fn more_after(&self, last: u64) -> String {
        match (self.exact, self.left) {
            (Some(total), _) => count(total.saturating_sub(last), "more line"),
            (None, Some(left)) => format!("{} more", size(left)),
            (None, None) => format!("At least {}", count(self.at_least.saturating_sub(last), "more line")),
        }
    }
}

/// Gathers what belongs to an answer about lines.
pub(super) struct Finish<'a> {
    pub(super) document: &'a Document<'a>,
    pub(super) raw: bool,
    pub(super) asked: &'a Asked,
    pub(super) notices: Vec<Notice>,
    truncated: Option<Truncated>,
    /// Whether line numbers are known.
    pub(super) numbered: bool,
}

impl<'a> Finish<'a> {
    pub(super) fn new(document: &'a Document<'a>, raw: bool, asked: &'a Asked) -> Self {
        Self { document, raw, asked, notices: Vec::new(), truncated: None, numbered: true }
    }

    /// The cap on bytes, as it holds for one line: what a line without end may take of memory, where there is no cap.
    pub(super) fn cap(&self) -> u64 {
        let limits = self.document.cx.limits();
        limits.max_bytes.unwrap_or(limits.max_buffered)
    }

    pub(super) fn noun(&self) -> Noun {
        self.document.source.noun()
    }

    /// A selector with its colon, verbatim where the read is.
    pub(super) fn selector(&self, lines: &str) -> String {
        if self.raw { format!(":raw:{lines}") } else { format!(":{lines}") }
    }

    /// Notes the cap that ended the output, and the lines that follow.
    pub(super) fn truncated(&mut self, by: TruncatedBy, next: u64, lines: &str) {
        let selector = self.selector(lines);
        self.truncated_at(by, next, selector.trim_start_matches(':'));
    }

    /// The same with a whole selector.
    pub(super) fn truncated_at(&mut self, by: TruncatedBy, next: u64, selector: &str) {
        let next_target = format!("{}:{selector}", self.document.source.path());
        self.truncated = Some(Truncated { by, next, next_target: Some(next_target) });
    }

    /// The notice that says how to go on.
    pub(super) fn go_on(&mut self, notice: String) {
        self.notices.push(Notice::new(Rank::Continue, notice));
    }

    /// The answer about a text without text.
    pub(super) fn empty(mut self, mut scan: Scanner) -> Result<Answer, ReadError> {
        scan.drain().map_err(|error| self.document.error(error))?;
        let notice = format!("{} is empty", self.noun().capitalized());
        self.notices.push(if self.raw {
            Notice::detail(Rank::Odd, notice)
        } else {
            Notice::new(Rank::Odd, notice)
        });
        let totals = Totals { exact: Some(0), at_least: 0, file: Some(0), left: Some(0) };
        let sheet = Sheet::new(self.document.manner(self.raw, 0), None, None);
        self.written(scan, sheet, totals)
    }

    /// The answer about a text that is only described.
    pub(super) fn described(
        mut self,
        mut scan: Scanner,
        totals: Totals,
        notice: String,
    ) -> Result<Answer, ReadError> {
        scan.drain().map_err(|error| self.document.error(error))?;
        self.go_on(notice);
        let sheet = Sheet::new(self.document.manner(false, 0), None, None);
        self.written(scan, sheet, totals)
    }

    /// The answer with what the sheet has.
    pub(super) fn written(
        mut self,
        scan: Scanner,
        sheet: Sheet,
        totals: Totals,
    ) -> Result<Answer, ReadError> {
        let document = self.document;
        let encoding = document.charset.name();
        document.refuse_misnamed(sheet.oddities().first_malformed)?;
        let endings = self.endings(&sheet, &totals);
        let mut opened = self.asked.notices.clone();
        // Bytes as they lie are not decoded.
        if encoding != "UTF-8" && !self.raw {
            opened.push(Notice::new(Rank::Decoded, format!("Decoded from {encoding}")));
        }
        opened.extend(sheet.oddities().notices(encoding));
        opened.append(&mut self.notices);
        self.notices = opened;
        self.note_source(&scan, &totals)?;

        let (shown, whole) = (sheet.shown().to_vec(), sheet.shown_whole().to_vec());
        let lossy = sheet.oddities().is_lossy() || sheet.is_raw_lossy();
        let changed = document.source.has_changed();
        let blocks = scan.into_blocks();
        let lossy_text = lossy || blocks.is_lossy();
        let end = End {
            shown: if self.numbered { &whole } else { &[] },
            total_lines: totals.exact,
            complete: blocks.has_ended() && blocks.damage().is_none() && !changed,
            lossy: lossy_text,
            read_limit: blocks.is_cut(),
        };
        let mut header = String::new();
        let mut tag = None;
        for tap in blocks.into_taps() {
            let imprint: Imprint = tap.end(&end);
            if let Some(line) = imprint.header.filter(|_| !self.raw) {
                header.push_str(&line);
                header.push('\n');
            }
            tag = tag.or(imprint.tag);
            self.notices.extend(imprint.notices);
        }
        let ranges = shown.iter().map(|range| [range.start(), range.end().unwrap_or(u64::MAX)]).collect();
        let details = Details {
            encoding: Some(encoding),
            line_ending: endings.name(),
            lossy,
            total_lines: totals.exact,
            shown: self.numbered.then_some(ranges),
            truncated: self.truncated,
            media_type: Some("text/plain".to_owned()),
            tag,
            ..Details::default()
        };
        let (text, bytes) = sheet.into_written();
        let block = if self.raw {
            // Verbatim bytes carry no notice; hosts that show text print the details' notices beside it.
            self.notices =
                self.notices.into_iter().map(|one| Notice::detail(one.rank(), one.text())).collect();
            Text::Raw(bytes)
        } else {
            Text::Shown(if header.is_empty() { text } else { header + &text })
        };
        Ok(Answer { blocks: vec![Block::Text(block)], details, notices: self.notices })
    }

    fn endings(&mut self, sheet: &Sheet, totals: &Totals) -> Endings {
        let mut endings = self.document.endings();
        let shown = sheet.oddities().endings;
        endings.lf |= shown.lf;
        endings.crlf |= shown.crlf;
        endings.lone_cr |= shown.lone_cr;
        // The first 64 KiB may be one long progress bar.
        endings.lf |= totals.exact.is_some_and(|total| total > 1) && endings.name() == Some("cr");
        if totals.exact == Some(1) && endings.name() == Some("cr") && !self.raw {
            let notice = format!("{} uses bare CR line ends; it is one line here", self.noun().capitalized());
            self.notices.push(Notice::new(Rank::Odd, notice));
        }
        endings
    }

    /// Notes what is odd about the source: damage, the read limit, a change while it was read.
    fn note_source(&mut self, scan: &Scanner, totals: &Totals) -> Result<(), ReadError> {
        let document = self.document;
        let path = document.source.path();
        if let Some(damage) = scan.blocks().damage() {
            if scan.offset() == 0 {
                return Err(ReadError::new(ErrorCode::Corrupt, format!("'{path}' is damaged: {damage}")));
            }
            self.notices.extend(damage_notices(path, Some(scan.offset()), damage));
        }
        let limit = document.cx.limits().max_read_bytes;
        let seen = if scan.blocks().is_cut() { limit.unwrap_or(0) } else { 0 };
        if let (Some(limit), Some(notice)) = (limit, document.read_limit_notice(seen)) {
            self.notices.push(notice);
            if self.truncated.is_none() && totals.exact.is_none_or(|_| scan.blocks().is_cut()) {
                self.truncated =
                    Some(Truncated { by: TruncatedBy::ReadLimit, next: limit, next_target: None });
            }
        }
        if document.source.has_changed() {
            self.notices.push(Notice::new(Rank::Odd, format!("{path} changed while it was read")));
        }
        Ok(())
    }

    /// Whether numbers must be known because they are printed.
    pub(super) fn prints_numbers(&self) -> bool {
        !self.raw && self.document.cx.request().style != LineStyle::Plain
    }
}
