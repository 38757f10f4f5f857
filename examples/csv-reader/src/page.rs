//! One page of a table: the rows that are asked for, as far as the caps let them.

use std::collections::VecDeque;

use csv::ByteRecord;
use read_core::selector::{LineRanges, Lines};
use read_core::{LineStyle, Outcome, ReadContext, ReadError, Slice, Source, Trip};

use crate::asked::Asked;
use crate::columns;
use crate::notices::{Filled, answer};
use crate::records::{Next, Records};
use crate::table::{self, Table};

/// Why the rows of a page end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// All that was asked for is shown.
    Asked,
    /// The source ends.
    End,
    /// The cap on lines.
    Rows,
    /// The cap on bytes.
    Bytes,
    /// The next row is too long to be one.
    TooLong {
        /// Where it begins, in bytes.
        offset: u64,
    },
    /// The decoder failed.
    Damage {
        /// Where, in bytes.
        offset: u64,
    },
}

/// How many rows there are, as far as that was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Totals {
    /// In all.
    pub(crate) exact: Option<u64>,
    /// That were met.
    pub(crate) at_least: u64,
    /// The bytes of the source, where they are a fact.
    pub(crate) length: Option<u64>,
    /// Bytes behind what was read.
    pub(crate) left: Option<u64>,
    /// Whether time or budget ended the counting.
    pub(crate) given_up: bool,
}

/// Reads the page that is asked for. A source without a record is declined: there is no table.
pub(crate) fn read(
    source: &Source,
    asked: &Asked,
    delimiter: u8,
    cx: &ReadContext<'_>,
) -> Result<Outcome, ReadError> {
    let mut records = Records::open(source, delimiter, cx)?;
    let header = match records.next()? {
        Next::Record(header) => header.clone(),
        Next::End | Next::TooLong | Next::Damage => return Ok(Outcome::Decline),
    };
    let chosen = match &asked.columns {
        Some(asked) => Some(columns::chosen(asked, &header, source.path())?),
        None => None,
    };
    let table = Table::new(&header, chosen, cx.request().style == LineStyle::Numbered);
    let mut page = Page { records, table, at: 0, fields: header.len(), ragged: 0, asked, source, cx };
    let all = LineRanges::all();
    let (stop, wanted, cut) = match asked.rows.lines() {
        Lines::All => (page.rows(&all)?, &all, None),
        Lines::Ranges(wanted) => (page.rows(wanted)?, wanted, None),
        Lines::Tail(n) => {
            let (stop, cut) = page.tail(n.get())?;
            (stop, &all, cut)
        }
    };
    let totals = page.totals(stop)?;
    let Page { table, ragged, .. } = page;
    let filled = Filled { table, ragged, delimiter, header: &header, asked, source, cx };
    Ok(answer(filled, stop, wanted, cut, totals)?.into())
}

/// A page that is being filled.
struct Page<'a> {
    records: Records<'a>,
    table: Table,
    /// The number of the last row that was read.
    at: u64,
    /// The fields of the header.
    fields: usize,
    /// Rows shown that have another number of fields.
    ragged: u64,
    asked: &'a Asked,
    source: &'a Source,
    cx: &'a ReadContext<'a>,
}

impl Page<'_> {
    /// Reads up to the end of `wanted`, and shows what lies in it.
    fn rows(&mut self, wanted: &LineRanges) -> Result<Stop, ReadError> {
        let max_rows = self.cx.limits().max_lines.unwrap_or(u64::MAX);
        let max_bytes = self.cx.limits().max_bytes.unwrap_or(u64::MAX);
        loop {
            if wanted.last().end().is_some_and(|end| self.at >= end) {
                return Ok(Stop::Asked);
            }
            let offset = self.records.offset();
            let record = match self.records.next()? {
                Next::Record(record) => record,
                Next::End => return Ok(Stop::End),
                Next::TooLong => return Ok(Stop::TooLong { offset }),
                Next::Damage => return Ok(Stop::Damage { offset }),
            };
            self.at = self.at.saturating_add(1);
            if !wanted.contains(self.at) {
                continue;
            }
            if self.table.len() >= max_rows {
                return Ok(Stop::Rows);
            }
            if !self.table.push(self.at, record, max_bytes) {
                return Ok(Stop::Bytes);
            }
            self.ragged = self.ragged.saturating_add(u64::from(record.len() != self.fields));
        }
    }

    /// Shows the last `n` rows, or as many of them as the caps let; gives the first that was asked for, where a cap cut it off. All
    /// rows are read: where one begins cannot be told from behind, as it may lie in quotes.
    fn tail(&mut self, n: u64) -> Result<(Stop, Option<u64>), ReadError> {
        let max_rows = self.cx.limits().max_lines.unwrap_or(u64::MAX).max(1);
        let max_bytes = self.cx.limits().max_bytes.unwrap_or(u64::MAX);
        let mut kept: VecDeque<ByteRecord> = VecDeque::new();
        let mut bytes = 0_u64;
        let stop = loop {
            let offset = self.records.offset();
            let record = match self.records.next()? {
                Next::Record(record) => table::shortened(record),
                Next::End => break Stop::End,
                Next::TooLong => break Stop::TooLong { offset },
                Next::Damage => break Stop::Damage { offset },
            };
            self.at = self.at.saturating_add(1);
            bytes = bytes.saturating_add(table::least_size(&record));
            kept.push_back(record);
            while kept.len() as u64 > n.min(max_rows) || (bytes > max_bytes && kept.len() > 1) {
                bytes = bytes.saturating_sub(kept.pop_front().map_or(0, |record| table::least_size(&record)));
            }
        };
        // The end is what a tail is for: rows give way at the front until the rest fits.
        while !self.fill(&kept, max_bytes) {
            kept.pop_front();
        }
        let first = self.at.saturating_sub(kept.len() as u64).saturating_add(1);
        let wanted = self.at.saturating_sub(n).saturating_add(1);
        Ok((stop, (first > wanted).then_some(wanted)))
    }

    /// Shows `rows`, which end at the last one read, all or none.
    fn fill(&mut self, rows: &VecDeque<ByteRecord>, max_bytes: u64) -> bool {
        self.table.clear();
        self.ragged = 0;
        let first = self.at.saturating_sub(rows.len() as u64);
        for (number, record) in (first.saturating_add(1)..).zip(rows) {
            if !self.table.push(number, record, max_bytes) {
                return false;
            }
            self.ragged = self.ragged.saturating_add(u64::from(record.len() != self.fields));
        }
        true
    }

    /// Counts the rows that are left, where they are few enough to be worth it.
    fn totals(&mut self, stop: Stop) -> Result<Totals, ReadError> {
        let limits = self.cx.limits();
        let length = self.source.slice().map(Slice::len);
        let length = length.map(|length| limits.max_read_bytes.map_or(length, |limit| limit.min(length)));
        let left = length.map(|length| length.saturating_sub(self.records.offset()));
        let mut totals = Totals { exact: None, at_least: self.at, length, left, given_up: false };
        let search = if self.asked.rows.is_whole() { limits.count_limit } else { limits.count_beyond };
        if matches!(stop, Stop::TooLong { .. } | Stop::Damage { .. })
            || left.is_some_and(|left| left > search)
        {
            return Ok(totals);
        }
        let from = self.records.offset();
        while self.records.offset().saturating_sub(from) <= search {
            match self.records.next() {
                Ok(Next::Record(_)) => totals.at_least = totals.at_least.saturating_add(1),
                Ok(Next::End) => {
                    totals.exact = Some(totals.at_least);
                    break;
                }
                Ok(Next::TooLong | Next::Damage) => break,
                // The page is there: time or budget that ends now only costs the count.
                Err(_) if is_spent(self.cx) => {
                    totals.given_up = true;
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(totals)
    }
}

/// Whether time or budget are used up; a caller who cancels wants no answer.
fn is_spent(cx: &ReadContext<'_>) -> bool {
    matches!(cx.meter().tripped(), Some(Trip::TimedOut { .. } | Trip::Budget { .. }))
}
