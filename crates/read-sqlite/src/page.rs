//! Pages of a table: the rows that are asked for, how many follow, and the call that shows them.

mod cursor;
mod fetch;
mod past;
mod request;

use read_core::{
    Answer, Details, ErrorCode, Notice, Rank, ReadContext, ReadError, Source, Truncated, TruncatedBy, count,
    printed,
};

use crate::answer::{details, not_utf8};
use crate::columns;
use crate::database::Database;
use crate::grid::{Grid, Room, Written};
use crate::query_string::encoded;
use crate::row::{self, Asked};
use crate::schema::{Key, Table};
use crate::value::Value;
use cursor::Cursor;
use fetch::{PageRows, fetch};
pub(crate) use request::Page;

/// How many rows follow a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum More {
    None,
    Exactly(u64),
    AtLeast(u64),
}

/// What follows the rows that are shown of a page.
struct Following {
    more: More,
    /// The condition of the rows behind the last one shown, where it can be written.
    behind: Option<String>,
}

/// What is shown of a page.
pub(crate) struct ShownPage {
    pub(crate) written: Written,
    pub(crate) details: Details,
    pub(crate) notices: Vec<Notice>,
}

/// A page of a table that is to be shown, and how it goes on.
pub(crate) struct Paging<'a> {
    database: &'a Database,
    source: &'a Source,
    table: &'a Table,
    page: &'a Page,
    /// How many rows the call to continue asks for.
    further: u64,
    cursor: Option<Cursor>,
}

/// A page as an answer.
pub(crate) fn answer(
    database: &Database,
    source: &Source,
    table: &Table,
    page: &Page,
    cx: &ReadContext<'_>,
) -> Result<Answer, ReadError> {
    let further = page.limit.unwrap_or(database.limits.page_rows).min(database.limits.max_page_rows);
    let shown = Paging::new(database, source, table, page, further).show(Room::of(cx))?;
    Ok(Answer::shown(shown.written.text, shown.details, shown.notices))
}

impl<'a> Paging<'a> {
    /// `page` of `table`. `further` is how many rows the call to continue asks for.
    pub(crate) fn new(
        database: &'a Database,
        source: &'a Source,
        table: &'a Table,
        page: &'a Page,
        further: u64,
    ) -> Self {
        Self { database, source, table, page, further, cursor: Cursor::of(page, table) }
    }

    /// Shows the rows, as many as there is room for.
    pub(crate) fn show(&self, room: Room) -> Result<ShownPage, ReadError> {
        let most = self.database.limits.max_page_rows;
        let limit = self.page.limit.unwrap_or(self.database.limits.page_rows);
        let rows = fetch(self.database, self.table, self.page, limit.min(most))
            .map_err(|error| self.with_way_past(error))?;
        let first = self.page.offset.saturating_add(1);
        let mut written = Grid { columns: &rows.names, rows: &rows.rows, first }.write(room);
        if written.rows == 0 {
            written.text.push_str(if self.page.offset > 0 {
                "(no rows from there on)\n"
            } else {
                "(no rows)\n"
            });
        }
        let following = self.following(&rows, &written);
        let mut details = self.details(&rows, &written, following.more);
        let mut notices = Vec::new();
        if limit > most {
            let text = format!("limit={limit} is over what a page shows; showing {most} rows at most");
            notices.push(Notice::new(Rank::LeftOut, text));
        }
        notices.extend(columns::said(&rows.unreadable).map(|text| Notice::new(Rank::Odd, text)));
        notices.extend(self.said_of_values(&written, &rows));
        if following.more != More::None {
            let call = self.call_behind(written.rows as u64, following.behind.as_deref());
            let rest = following.more.said();
            notices.push(Notice::new(Rank::Continue, format!("{rest}. Use {call} to continue.")));
            let by_room = written.rows < rows.rows.len();
            // A window that the caller set is no cap.
            if self.page.limit.is_none() || self.page.capped || limit > most || by_room {
                let by = if by_room { TruncatedBy::Bytes } else { TruncatedBy::Rows };
                let next = self.page.offset.saturating_add(written.rows as u64).saturating_add(1);
                details.truncated = Some(Truncated::new(by, next, Some(call)));
            }
        } else if let Some(ended) = &rows.ended {
            notices.push(self.said_of_end(ended, &rows));
        }
        Ok(ShownPage { written, details, notices })
    }

    /// What follows the rows that were written.
    fn following(&self, rows: &PageRows, written: &Written) -> Following {
        if !rows.more && written.rows >= rows.rows.len() {
            return Following { more: More::None, behind: None };
        }
        let behind = || {
            let last = written.rows.checked_sub(1)?;
            let number = rows.numbers.get(last).copied().flatten();
            let cursor = self.cursor.as_ref()?;
            let condition = cursor.behind(rows.rows.get(last)?, number, self.database)?;
            // In a damaged table the last row may not be behind the one that this page began behind: no key leads on then.
            let leads_on = Some(cursor.filtered(self.page.filter.as_deref(), &condition)) != self.page.filter;
            leads_on.then_some(condition)
        };
        let behind = behind();
        Following { more: self.count_behind(written.rows as u64, behind.as_deref()), behind }
    }

    /// How many rows follow the first `shown` ones: those that meet `behind`, where that is known.
    fn count_behind(&self, shown: u64, behind: Option<&str>) -> More {
        let (database, table, page) = (self.database, self.table.quoted(), self.page);
        let cap = database.limits.count_ahead;
        let (from, passed) = if let Some(behind) = behind {
            let filter = page.filter.as_ref().map_or_else(String::new, |filter| format!("({filter}) AND "));
            (format!("{table} WHERE {filter}{behind}"), 0)
        } else {
            (format!("{table}{}", page.filtered()), page.offset.saturating_add(shown))
        };
        let first = |sql: &str| -> Option<Option<u64>> {
            let mut statement = database.prepare_asked(sql).ok()?;
            let mut rows = statement.rows([]).ok()?;
            Some(rows.next().ok()?.and_then(|row| u64::try_from(row.integer(0)?).ok()))
        };
        database.watch.begin_part(database.limits.count_time);
        // To see that there are many takes half the steps of counting them, and most often there are.
        let many = first(&format!("SELECT 1 FROM {from} LIMIT 1 OFFSET {}", passed.saturating_add(cap)));
        let more = match many {
            Some(None) => {
                first(&format!("SELECT count(*) FROM (SELECT 1 FROM {from} LIMIT {cap} OFFSET {passed})"))
                    .flatten()
                    .filter(|n| *n > 0)
                    .map_or(More::AtLeast(1), More::Exactly)
            }
            Some(Some(_)) => More::AtLeast(cap),
            None => More::AtLeast(1),
        };
        database.watch.end_part();
        more
    }

    fn details(&self, rows: &PageRows, written: &Written, more: More) -> Details {
        let (offset, shown) = (self.page.offset, written.rows as u64);
        let last = offset.saturating_add(shown);
        let mut details = details();
        details.lossy = written.lossy > 0;
        details.shown = Some(if shown > 0 { vec![[offset.saturating_add(1), last]] } else { Vec::new() });
        details.total_lines = match more {
            More::None if rows.ended.is_some() => None,
            More::None => Some(last).filter(|_| shown > 0 || offset == 0),
            More::Exactly(n) => Some(last.saturating_add(n)),
            More::AtLeast(_) => None,
        };
        details
    }

    /// What is to be said of values that are not shown as they are.
    fn said_of_values(&self, written: &Written, rows: &PageRows) -> Vec<Notice> {
        let mut notices = Vec::new();
        if written.lossy > 0 {
            notices.push(not_utf8(written.lossy));
        }
        if let Some((row, column)) = written.cut {
            let whole = self
                .whole_value(rows, row, column)
                .map_or_else(String::new, |target| format!("; {target} reads one whole"));
            notices.push(Notice::new(Rank::LeftOut, format!("Values that end in … are cut{whole}")));
        }
        notices
    }

    /// What is to be said of what ended the rows before their end.
    fn said_of_end(&self, ended: &ReadError, rows: &PageRows) -> Notice {
        let last = rows.numbers.last().copied().flatten();
        let way = self.cursor.as_ref().zip(last).and_then(|(cursor, last)| self.way_past(cursor, last));
        let (what, rank) = match way {
            Some(call) => (format!(" Use {call} for rows behind that."), Rank::Continue),
            None => (String::new(), Rank::LeftOut),
        };
        let kind = if ended.code() == ErrorCode::Corrupt { "damaged" } else { "not readable" };
        Notice::new(rank, format!("The rows that follow are {kind}: {}{what}", ended.message()))
    }

    /// The target of a value, where there is one that works.
    fn whole_value(&self, rows: &PageRows, row: usize, column: usize) -> Option<String> {
        let name = rows.names.get(column)?;
        let key = match &self.table.key {
            Key::Rowid(_) => rows.numbers.get(row).copied().flatten()?.to_string(),
            Key::Column(key) => {
                let at = self.table.shown().position(|column| column.name == *key)?;
                match rows.rows.get(row)?.get(at)? {
                    Value::Integer(n) => n.to_string(),
                    Value::Text { head, total } if head.len() as u64 == *total => printed(head).into_owned(),
                    _ => return None,
                }
            }
            Key::Composite(_) | Key::None => return None,
        };
        // It is asked as the caller would ask it.
        match row::find(self.database, self.table, &format!("{key}:{name}")) {
            Ok(Asked::Cell { column: found, rest: "", .. }) if printed(found.name.as_bytes()) == *name => {
                Some(format!("{}:{key}:{name}", self.table.target(&self.database.path)))
            }
            _ => None,
        }
    }

    /// The target of the rows that follow the first `shown` ones: by key where there is one, so that it takes as long as the
    /// first page did.
    fn call_behind(&self, shown: u64, condition: Option<&str>) -> String {
        let page = self.page;
        let behind = self.cursor.as_ref().zip(condition);
        let filter = match behind {
            Some((cursor, condition)) => Some(cursor.filtered(page.filter.as_deref(), condition)),
            None => page.filter.clone(),
        };
        let mut parameters: Vec<String> =
            filter.iter().map(|filter| format!("where={}", encoded(filter))).collect();
        parameters.extend(page.order.as_ref().map(|order| {
            let direction = if order.descending { ":desc" } else { "" };
            format!("order={}{direction}", encoded(&order.column))
        }));
        if behind.is_none() {
            parameters.push(format!("offset={}", page.offset.saturating_add(shown)));
        }
        parameters.push(format!("limit={}", self.further));
        format!("{}?{}", self.table.target(self.source.path()), parameters.join("&"))
    }
}

impl More {
    fn said(self) -> String {
        match self {
            Self::Exactly(n) => count(n, "more row"),
            Self::AtLeast(n) if n > 1 => format!("{n}+ more rows"),
            Self::AtLeast(_) | Self::None => "More rows follow".into(),
        }
    }
}
