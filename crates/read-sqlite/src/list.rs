//! The list of a database's tables and views.

use read_core::{Answer, Listing, ReadContext, ReadError, Window, count, shortened};

use crate::answer::MEDIA_TYPE;
use crate::database::Database;
use crate::schema::{Object, ObjectKind, Schema};
use crate::sql::quoted;

/// Lists what `window` picks.
pub(crate) fn list(
    database: &Database,
    schema: &Schema,
    window: &Window,
    cx: &ReadContext<'_>,
) -> Result<Answer, ReadError> {
    let objects = schema.objects();
    let listing = Listing::new(&database.path, objects.len() as u64, window)
        .empty("(no tables)\n")
        .media_type(MEDIA_TYPE);
    database.watch.begin_part(database.limits.list_time);
    let answer = listing.write(cx, |number| {
        let at = usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
        objects.get(at).map_or_else(|| Ok(String::new()), |object| line(database, schema, object))
    });
    database.watch.end_part();
    database.watch.check()?;
    answer
}

/// One line of the list.
fn line(database: &Database, schema: &Schema, object: &Object) -> Result<String, ReadError> {
    let name = match object.name.as_str() {
        "" => "\"\"".into(),
        name => shortened(name.as_bytes()),
    };
    let what = match object.kind {
        ObjectKind::Table => rows(database, object)?,
        ObjectKind::View => broken(database, schema, object)
            .map_or_else(|| "view".into(), |reason| format!("view, broken: {reason}")),
        ObjectKind::Virtual => broken(database, schema, object)
            .map_or_else(|| "virtual".into(), |reason| format!("virtual, broken: {reason}")),
        ObjectKind::Shadow => "shadow".into(),
    };
    Ok(format!("{name} ({what})\n"))
}

/// How many rows a table has, as far as they are counted.
fn rows(database: &Database, object: &Object) -> Result<String, ReadError> {
    if database.watch.part_is_over() {
        return Ok("not counted".into());
    }
    let cap = database.limits.count_rows;
    // What of a damaged schema cannot be parsed is for SQLite to say.
    let is_intact = database.notices.is_empty();
    if let Some(n) = database.rows_in_tree(object.root, cap.saturating_add(1)).filter(|_| is_intact) {
        return Ok(if n > cap { format!("{cap}+ rows") } else { count(n, "row") });
    }
    let count_by = |how: &str| {
        let limit = cap.saturating_add(1);
        let sql = format!("SELECT count(*) FROM (SELECT 1 FROM {}{how} LIMIT {limit})", quoted(&object.name));
        database.number_or_why(&sql)
    };
    // SQLite counts by an index where there is one, which may be damaged when the table is not.
    let counted = count_by("")
        .or_else(|error| if database.watch.part_is_over() { Err(error) } else { count_by(" NOT INDEXED") });
    match counted {
        Ok(n) if n > cap => Ok(format!("{cap}+ rows")),
        Ok(n) => Ok(count(n, "row")),
        Err(_) if database.watch.part_is_over() => {
            database.watch.check()?;
            Ok("not counted".into())
        }
        Err(why) => Ok(format!("not counted: {why}")),
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
    let why = database.connecting(|| database.why_not(&sql))?;
    (!database.watch.part_is_over()).then(|| shortened(why.as_bytes()).into_owned())
}
