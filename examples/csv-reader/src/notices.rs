//! From a filled table to an answer: what was left out, and how to go on. The wording is core's, with rows for lines.

use csv::ByteRecord;
use read_core::selector::{LineRange, LineRanges};
use read_core::{
    Answer, Details, ErrorCode, Notice, Rank, ReadContext, ReadError, Source, Truncated, TruncatedBy, Window,
    size,
};

use crate::asked::Asked;
use crate::columns::MAX_COLUMNS;
use crate::page::{Stop, Totals};
use crate::reader::media_type;
use crate::records::MAX_RECORD;
use crate::table::Table;

/// Bytes of a record that is no row which the notice offers to look at.
const LOOK: u64 = 4_096;

/// A table with its rows, and what they came from.
pub(crate) struct Filled<'a> {
    pub(crate) table: Table,
    /// Rows shown that have another number of fields than the header.
    pub(crate) ragged: u64,
    pub(crate) delimiter: u8,
    pub(crate) header: &'a ByteRecord,
    pub(crate) asked: &'a Asked,
    pub(crate) source: &'a Source,
    pub(crate) cx: &'a ReadContext<'a>,
}

/// The answer. `cut` is the first row that a tail wanted, where a cap took it away.
pub(crate) fn answer(
    filled: Filled<'_>,
    stop: Stop,
    wanted: &LineRanges,
    cut: Option<u64>,
    totals: Totals,
) -> Result<Answer, ReadError> {
    let mut finish = Finish { notices: filled.asked.rows.notices().to_vec(), truncated: None, filled };
    finish.decoded();
    finish.odd(stop, totals);
    let is_beyond = finish.filled.table.len() == 0 && stop == Stop::End && totals.at_least > 0;
    if is_beyond {
        return finish.beyond_end(wanted.first().start(), totals.at_least);
    }
    match (wanted.is_single(), cut) {
        (_, Some(wanted)) => finish.cut_tail(wanted, totals),
        (Some(range), None) => finish.single(range, stop, totals),
        (None, None) => finish.several(wanted, stop, totals),
    }
    finish.stopped(stop);
    let text = finish.filled.table.to_text();
    Ok(finish.answer(text, totals))
}

struct Finish<'a> {
    filled: Filled<'a>,
    notices: Vec<Notice>,
    truncated: Option<Truncated>,
}

impl Finish<'_> {
    fn say(&mut self, rank: Rank, text: String) {
        self.notices.push(Notice::new(rank, text));
    }

    fn cap(&self) -> String {
        size(self.filled.cx.limits().max_bytes.unwrap_or(u64::MAX))
    }

    fn cut(&mut self, by: TruncatedBy, next: u64, selector: &str) {
        let target = format!("{}{selector}", self.filled.source.path());
        self.truncated = Some(Truncated::new(by, next, Some(target)));
    }

    /// How it was cut into fields.
    fn decoded(&mut self) {
        let is_expected = match self.filled.delimiter {
            b',' => true,
            b'\t' => media_type(self.filled.source.name()) != "text/csv",
            _ => false,
        };
        if !is_expected {
            let delimiter = char::from(self.filled.delimiter).escape_default();
            self.say(Rank::Decoded, format!("Columns split at '{delimiter}'"));
        }
    }

    /// What is odd about the table.
    fn odd(&mut self, stop: Stop, totals: Totals) {
        let noun = self.filled.source.noun().capitalized();
        if totals.at_least == 0 && stop == Stop::End {
            self.say(Rank::Odd, format!("{noun} has a header and no rows"));
        }
        match self.filled.ragged {
            0 => {}
            1 => self.say(Rank::Odd, "1 row has more or fewer fields than the header".to_owned()),
            n => self.say(Rank::Odd, format!("{n} rows have more or fewer fields than the header")),
        }
        if totals.given_up {
            let met = totals.at_least;
            self.say(
                Rank::LeftOut,
                format!("Rows beyond {met} were not counted: the read ran out of time or budget"),
            );
        }
        let hidden = self.filled.table.hidden();
        if hidden > 0 {
            let (columns, first) = (plural(hidden as u64, "column"), MAX_COLUMNS.saturating_add(1));
            self.say(
                Rank::LeftOut,
                format!("{columns} not shown. Use ?cols=#{first} and so on to choose columns"),
            );
        }
        let limits = self.filled.cx.limits();
        let is_longer = |limit: u64| self.filled.source.slice().is_some_and(|slice| slice.len() > limit);
        if let Some(limit) = limits.max_read_bytes.filter(|limit| is_longer(*limit)) {
            self.say(Rank::LeftOut, format!("{noun} truncated at {limit} bytes: this host reads no further"));
        }
    }

    /// One window.
    fn single(&mut self, wanted: LineRange, stop: Stop, totals: Totals) {
        let Some([first, last]) = self.filled.table.shown().first().copied() else { return };
        let next = last.saturating_add(1);
        let noun = self.filled.source.noun();
        let of = match (totals.exact, totals.length) {
            (Some(total), _) => total.to_string(),
            (None, Some(bytes)) => format!("a {} {noun}", size(bytes)),
            (None, None) => format!("at least {}", totals.at_least),
        };
        let call = self.filled.asked.next_call(next, wanted.end());
        let selector = self.filled.asked.selector(&Window::selector(next, wanted.end()));
        match stop {
            Stop::Rows => {
                self.cut(TruncatedBy::Rows, next, &selector);
                self.say(
                    Rank::Continue,
                    format!("Showing rows {first}-{last} of {of}. Use {call} to continue."),
                );
            }
            Stop::Bytes => {
                self.cut(TruncatedBy::Bytes, next, &selector);
                let cap = self.cap();
                self.say(
                    Rank::Continue,
                    format!("Showing rows {first}-{last} of {of} ({cap} limit). Use {call} to continue."),
                );
            }
            Stop::Asked => {
                let call = self.filled.asked.next_call(next, None);
                let more = match (totals.exact, totals.left) {
                    (Some(total), _) if total > last => plural(total.saturating_sub(last), "more row"),
                    (None, Some(left)) if left > 0 => format!("{} more", size(left)),
                    (None, None) if totals.at_least > last => {
                        format!("At least {}", plural(totals.at_least.saturating_sub(last), "more row"))
                    }
                    _ => return,
                };
                self.say(Rank::Continue, format!("{more} in {noun}. Use {call} to continue."));
            }
            Stop::End | Stop::TooLong { .. } | Stop::Damage { .. } => {}
        }
    }

    /// A tail that a cap cut at its front.
    fn cut_tail(&mut self, wanted: u64, totals: Totals) {
        let Some([first, last]) = self.filled.table.shown().first().copied() else { return };
        let before = self.filled.asked.selector(&Window::selector(wanted, Some(first.saturating_sub(1))));
        let cap = self.filled.cx.limits().max_lines;
        let is_full = cap.is_some_and(|cap| self.filled.table.len() >= cap);
        let by = if is_full { TruncatedBy::Rows } else { TruncatedBy::Bytes };
        self.cut(by, wanted, &before);
        let total = totals.exact.unwrap_or(totals.at_least);
        self.say(
            Rank::Continue,
            format!("Showing rows {first}-{last} of {total}. Use {before} for the rows before."),
        );
    }

    /// Several windows.
    fn several(&mut self, wanted: &LineRanges, stop: Stop, totals: Totals) {
        let noun = self.filled.source.noun();
        if stop == Stop::End {
            let total = totals.at_least;
            for beyond in wanted.iter().filter(|range| range.start() > total) {
                let rows = plural(total, "row");
                self.say(
                    Rank::LeftOut,
                    format!("Range {beyond} is beyond end of {noun} ({rows} total); skipped"),
                );
            }
            return;
        }
        let by = match stop {
            Stop::Rows => TruncatedBy::Rows,
            Stop::Bytes => TruncatedBy::Bytes,
            Stop::Asked | Stop::End | Stop::TooLong { .. } | Stop::Damage { .. } => return,
        };
        let last = self.filled.table.shown().last().map_or(0, |range| range[1]);
        let Some(left) = wanted.from_line(last.saturating_add(1)) else { return };
        let shown = self.filled.table.len();
        let selected = match totals.exact {
            Some(total) => wanted.line_count_within(total).to_string(),
            None if wanted.last().end().is_some() => wanted.line_count().to_string(),
            None => format!("at least {shown}"),
        };
        let call = self.filled.asked.selector(&left.to_string());
        self.cut(by, left.first().start(), &call);
        self.say(
            Rank::Continue,
            format!("Output truncated: showing {shown} of {selected} selected rows. Use {call} to continue."),
        );
    }

    /// A source that cannot be read on.
    fn stopped(&mut self, stop: Stop) {
        let path = self.filled.source.path();
        match stop {
            Stop::TooLong { offset } => {
                let (bound, call) = (size(MAX_RECORD), format!(":@{offset}+{LOOK}"));
                let text = format!(
                    "What follows has a row over {bound}: a quote is not closed, or this is no table. Use {call} to see its bytes."
                );
                self.cut(TruncatedBy::Line, offset, &call);
                self.say(Rank::Continue, text);
            }
            Stop::Damage { offset } => {
                let text = format!("{path} is damaged or cut after {}; what precedes is shown", size(offset));
                self.say(Rank::LeftOut, text);
            }
            Stop::Asked | Stop::End | Stop::Rows | Stop::Bytes => {}
        }
    }

    /// The answer when every row lies before the window.
    fn beyond_end(mut self, row: u64, total: u64) -> Result<Answer, ReadError> {
        let (noun, rows) = (self.filled.source.noun(), plural(total, "row"));
        if self.filled.asked.rows.is_by_arguments() {
            return Err(ReadError::new(
                ErrorCode::InvalidArguments,
                format!("Offset {row} is beyond end of {noun} ({rows} total). Use offset=1 to {total}."),
            ));
        }
        let text = format!(
            "Row {row} is beyond end of {noun} ({rows} total). Use :1 to read from the start, or :{total} to read the last row."
        );
        self.notices.push(Notice::detail(Rank::LeftOut, text.clone()));
        let totals =
            Totals { exact: Some(total), at_least: total, length: None, left: None, given_up: false };
        Ok(self.answer(text, totals))
    }

    fn answer(self, text: String, totals: Totals) -> Answer {
        let mut details = Details::default();
        details.media_type = Some(media_type(self.filled.source.name()).to_owned());
        details.encoding = Some("UTF-8");
        details.total_lines = totals.exact;
        details.shown = Some(self.filled.table.shown());
        details.truncated = self.truncated;
        details.member.insert("columns", self.filled.header.len().to_string());
        Answer::shown(text, details, self.notices)
    }
}

/// `1 row`, `2 rows`.
fn plural(n: u64, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}
