//! The list of a database's tables and views.

use read_core::selector::{LineRange, LineRanges, Lines};
use read_core::{
    Answer, Block, Details, ErrorCode, Notice, Rank, ReadContext, ReadError, Text, Truncated, TruncatedBy,
    shortened,
};
use rusqlite::types::ValueRef;

use crate::database::{Database, said};
use crate::reader::MEDIA_TYPE;
use crate::schema::{Kind, Object, Schema, quoted};
use crate::words::count;

/// How the caller asked for a window, and so how the next one is worded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Worded {
    Selector,
    Arguments,
}

/// Lists what `lines` pick.
pub(crate) fn list(
    database: &Database,
    schema: &Schema,
    lines: &Lines,
    worded: Worded,
    cx: &ReadContext<'_>,
) -> Result<Answer, ReadError> {
    let objects = schema.objects();
    let total = objects.len() as u64;
    if total == 0 {
        return Ok(answer("(no tables)\n".into(), total, Vec::new(), None, Vec::new()));
    }
    let tail;
    let wanted = match lines {
        Lines::All => &LineRanges::all(),
        Lines::Ranges(ranges) => ranges,
        Lines::Tail(n) => {
            let first = total.saturating_sub(n.get()).saturating_add(1);
            tail = LineRange::open(first).map_or_else(LineRanges::all, LineRanges::from);
            &tail
        }
    };
    let first = wanted.first().start();
    if first > total {
        return beyond_end(first, total, worded);
    }
    let (max_entries, max_bytes) =
        (cx.limits().max_entries.unwrap_or(u64::MAX), cx.limits().max_bytes.unwrap_or(u64::MAX));
    database.watch.begin_part(database.options.list_time);
    let mut text = String::new();
    let mut shown: Vec<[u64; 2]> = Vec::new();
    let mut truncated = None;
    let mut notices = Vec::new();
    for (number, object) in (1..).zip(objects).filter(|(number, _)| wanted.contains(*number)) {
        let line = line(database, schema, object)?;
        let written: u64 = shown.iter().map(|[first, last]| last - first + 1).sum();
        let by = if written >= max_entries {
            TruncatedBy::Entries
        } else if !text.is_empty() && (text.len() + line.len()) as u64 > max_bytes {
            TruncatedBy::Bytes
        } else {
            text.push_str(&line);
            match shown.last_mut() {
                Some([_, last]) if *last + 1 == number => *last = number,
                _ => shown.push([number, number]),
            }
            continue;
        };
        let left = wanted.from_line(number).map_or_else(|| format!("{number}-"), |left| left.to_string());
        let call = match worded {
            Worded::Selector => format!(":{left}"),
            Worded::Arguments => match wanted.last().end() {
                Some(end) => {
                    format!("offset={number}, limit={}", end.saturating_sub(number).saturating_add(1))
                }
                None => format!("offset={number}"),
            },
        };
        let page = format!("Showing entries {first}-{} of {total}. Use {call} to continue.", number - 1);
        notices.push(Notice::new(Rank::Continue, page));
        truncated =
            Some(Truncated { by, next: number, next_target: Some(format!("{}:{left}", database.path)) });
        break;
    }
    database.watch.end_part();
    database.watch.check()?;
    let last = wanted.last().end().map_or(total, |end| end.min(total));
    if truncated.is_none() && last < total && wanted.is_single().is_some() {
        let call = match worded {
            Worded::Selector => format!(":{}-", last + 1),
            Worded::Arguments => format!("offset={}", last + 1),
        };
        let more = count(total - last, "more entry", "more entries");
        notices.push(Notice::new(Rank::Continue, format!("{more} in listing. Use {call} to continue.")));
    }
    Ok(answer(text, total, shown, truncated, notices))
}

fn answer(
    text: String,
    total: u64,
    shown: Vec<[u64; 2]>,
    truncated: Option<Truncated>,
    notices: Vec<Notice>,
) -> Answer {
    let mut details = Details::default();
    details.media_type = Some(MEDIA_TYPE.into());
    details.total_lines = Some(total);
    details.shown = Some(shown);
    details.truncated = truncated;
    Answer { blocks: vec![Block::Text(Text::Shown(text))], details, notices }
}

fn beyond_end(first: u64, total: u64, worded: Worded) -> Result<Answer, ReadError> {
    let entries = count(total, "entry", "entries");
    if worded == Worded::Arguments {
        return Err(ReadError::new(
            ErrorCode::InvalidArguments,
            format!("Offset {first} is beyond end of listing ({entries} total). Use offset=1 to {total}."),
        ));
    }
    let text = format!(
        "Entry {first} is beyond end of listing ({entries} total). Use :1 to list from the start, or :{total} for the last entry."
    );
    let notice = Notice::detail(Rank::LeftOut, text.clone());
    Ok(answer(text, total, Vec::new(), None, vec![notice]))
}

/// One line of the list.
fn line(database: &Database, schema: &Schema, object: &Object) -> Result<String, ReadError> {
    let name = match object.name.as_str() {
        "" => "\"\"".into(),
        name => shortened(name.as_bytes()),
    };
    let what = match object.kind {
        Kind::Table => rows(database, object)?,
        Kind::View => broken(database, schema, object)
            .map_or_else(|| "view".into(), |reason| format!("view, broken: {reason}")),
        Kind::Virtual => broken(database, schema, object)
            .map_or_else(|| "virtual".into(), |reason| format!("virtual, broken: {reason}")),
        Kind::Shadow => "shadow".into(),
    };
    Ok(format!("{name} ({what})\n"))
}

/// How many rows a table has, as far as they are counted.
fn rows(database: &Database, object: &Object) -> Result<String, ReadError> {
    if database.watch.part_is_over() {
        return Ok("not counted".into());
    }
    let cap = database.options.count_rows;
    // What of a damaged schema cannot be parsed is for SQLite to say.
    let is_intact = database.notices.is_empty();
    if let Some(n) = database.rows_in_tree(object.root, cap.saturating_add(1)).filter(|_| is_intact) {
        return Ok(if n > cap { format!("{cap}+ rows") } else { count(n, "row", "rows") });
    }
    let count_by = |how: &str| {
        let limit = cap.saturating_add(1);
        let sql = format!("SELECT count(*) FROM (SELECT 1 FROM {}{how} LIMIT {limit})", quoted(&object.name));
        database.connection().query_row(&sql, [], |row| match row.get_ref(0)? {
            ValueRef::Integer(n) => Ok(u64::try_from(n).unwrap_or(0)),
            _ => Ok(0),
        })
    };
    // SQLite counts by an index where there is one, which may be damaged when the table is not.
    let counted = count_by("")
        .or_else(|error| if database.watch.part_is_over() { Err(error) } else { count_by(" NOT INDEXED") });
    match counted {
        Ok(n) if n > cap => Ok(format!("{cap}+ rows")),
        Ok(n) => Ok(count(n, "row", "rows")),
        Err(_) if database.watch.part_is_over() => {
            database.watch.check()?;
            Ok("not counted".into())
        }
        Err(error) => Ok(format!("not counted: {}", said(&error))),
    }
}

/// Why a view or a virtual table cannot be read; `None` when it can, or when there is no time to see.
fn broken(database: &Database, schema: &Schema, object: &Object) -> Option<String> {
    if database.watch.part_is_over() {
        return None;
    }
    if schema.is_too_heavy(object) {
        return Some("it names too many others".into());
    }
    let sql = format!("SELECT * FROM {} LIMIT 0", quoted(&object.name));
    let error = database.connecting(|| database.connection().prepare(&sql).err())?;
    (!database.watch.part_is_over()).then(|| shortened(said(&error).as_bytes()).into_owned())
}
