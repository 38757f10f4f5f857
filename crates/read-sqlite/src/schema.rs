//! What a database holds: its tables and views, their columns and keys.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use read_core::{ErrorCode, ReadError};
use rusqlite::types::ValueRef;

use crate::database::Database;
use crate::weight::{Definitions, MOST};

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Table,
    View,
    Virtual,
    /// A table in which a virtual table keeps its content.
    Shadow,
}

/// A table or a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Object {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// The page at which its tree begins; 0 where it has none.
    pub(crate) root: u32,
}

/// The names by which SQL reaches the number of a row, where no column is called so.
pub(crate) const ROW_NUMBER: [&str; 3] = ["rowid", "_rowid_", "oid"];

/// The table that holds the schema, under its names.
const SCHEMA_TABLE: [&str; 2] = ["sqlite_schema", "sqlite_master"];

/// All tables and views, in the order in which they are listed.
#[derive(Debug)]
pub(crate) struct Schema {
    objects: Vec<Object>,
    /// Their places, by their names in lower case: SQLite compares names without regard to the case of ASCII letters.
    places: HashMap<String, usize>,
    /// What views and virtual tables are made of.
    definitions: Arc<Definitions>,
}

impl Schema {
    /// Reads the names of all tables and views.
    ///
    /// `PRAGMA table_list` would say more, but it prepares a query over every view, again and again: a few views that
    /// multiply each other keep it busy for minutes.
    pub(crate) fn read(database: &Database) -> Result<Self, ReadError> {
        let mut statement = database.prepare(
            "SELECT name, type = 'view', rootpage, CASE WHEN coalesce(rootpage, 0) = 0 THEN sql END, \
             sql LIKE '%json%\\_p%' ESCAPE '\\' FROM sqlite_schema WHERE type IN ('table', 'view')",
        )?;
        let mut rows = statement.raw_query();
        let mut objects = Vec::new();
        let mut shadows = HashSet::new();
        let mut definitions = Definitions::default();
        let mut names_quadratic = false;
        while let Some(row) = rows.next().map_err(|error| database.fault(&error))? {
            let is = |index| matches!(row.get_ref(index), Ok(ValueRef::Integer(1)));
            let root = match row.get_ref(2) {
                Ok(ValueRef::Integer(root)) => u32::try_from(root).unwrap_or(0),
                _ => 0,
            };
            let name = text(row.get_ref(0));
            let kind = match (is(1), root == 0) {
                (true, _) => Kind::View,
                (_, true) => Kind::Virtual,
                _ => Kind::Table,
            };
            let sql = text(row.get_ref(3));
            names_quadratic |= is(4);
            if kind == Kind::Virtual {
                shadows.extend(shadow_names(&name, &sql));
            }
            if kind != Kind::Table {
                definitions.add(&name, sql);
            }
            objects.push(Object { name, kind, root });
        }
        for object in objects.iter_mut().filter(|object| object.kind == Kind::Table) {
            if shadows.contains(&object.name.to_ascii_lowercase()) {
                object.kind = Kind::Shadow;
            }
        }
        objects.sort_by(|a, b| {
            let names = || read_core::natural_order(a.name.as_bytes(), b.name.as_bytes());
            a.kind.cmp(&b.kind).then_with(names)
        });
        let places =
            objects.iter().enumerate().map(|(at, object)| (object.name.to_ascii_lowercase(), at)).collect();
        let definitions = Arc::new(definitions);
        database.know(&definitions, names_quadratic);
        Ok(Self { objects, places, definitions })
    }

    /// Refuses `sql` where the views that it names come to more than SQLite can prepare in good time.
    pub(crate) fn weigh(&self, sql: &str, database: &Database) -> Result<(), ReadError> {
        if self.definitions.are_too_heavy(sql) {
            return Err(ReadError::new(
                ErrorCode::TooLarge,
                format!(
                    "'{}': the views or common tables named here come to more than {MOST} SELECTs once they are put in each \
                     other. Ask the tables below them.",
                    database.path
                ),
            ));
        }
        Ok(())
    }

    /// Whether a view or virtual table comes to more than SQLite can prepare in good time.
    pub(crate) fn is_too_heavy(&self, object: &Object) -> bool {
        object.kind != Kind::Table && self.definitions.is_too_heavy(&object.name)
    }

    /// The length of the longest name in bytes.
    pub(crate) fn longest_name(&self) -> usize {
        let names = self.objects.iter().map(|object| object.name.len());
        names.chain(SCHEMA_TABLE.map(str::len)).max().unwrap_or(0)
    }

    /// The tables and views: tables, views, virtual tables, shadow tables, each in natural order.
    pub(crate) fn objects(&self) -> &[Object] {
        &self.objects
    }

    /// The object of that name. The table of the schema itself is not listed, but found.
    pub(crate) fn find(&self, name: &str) -> Option<Object> {
        let lower = name.to_ascii_lowercase();
        let found = self.places.get(&lower).and_then(|at| self.objects.get(*at)).cloned();
        found.or_else(|| {
            let [schema, _] = SCHEMA_TABLE;
            SCHEMA_TABLE.contains(&lower.as_str()).then(|| Object {
                name: schema.to_owned(),
                kind: Kind::Table,
                root: 1,
            })
        })
    }
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: String,
    declared: String,
    /// Its place in the primary key, from 1.
    key: Option<u64>,
    /// Left out of `SELECT *`: a virtual table's own arguments.
    pub(crate) hidden: bool,
    /// Computed when it is read.
    pub(crate) computed: bool,
}

/// By what a row is addressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    /// The integer that numbers the rows, under this name.
    Rowid(String),
    /// One column.
    Column(String),
    /// Several columns.
    Composite(Vec<String>),
    /// Nothing: a view, or a table that hides its row numbers.
    None,
}

/// A table or a view with its columns.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) object: Object,
    pub(crate) columns: Vec<Column>,
    pub(crate) key: Key,
    /// The name by which SQL reaches the number of a row; `None` where there is none.
    pub(crate) rowid: Option<String>,
}

impl Table {
    /// Reads the columns and keys of `object`.
    pub(crate) fn read(database: &Database, object: &Object) -> Result<Self, ReadError> {
        let columns = database.connecting(|| columns(database, &object.name))?;
        let rowid = rowid(database, object, &columns);
        let mut keyed: Vec<_> = columns.iter().filter(|column| column.key.is_some()).collect();
        keyed.sort_by_key(|column| column.key);
        let key = match (keyed.as_slice(), &rowid) {
            ([], Some(rowid)) => Key::Rowid(rowid.clone()),
            ([], None) => Key::None,
            ([one], Some(_))
                if one.declared.eq_ignore_ascii_case("integer") && !has_key_index(database, object)? =>
            {
                Key::Rowid(one.name.clone())
            }
            ([one], _) => Key::Column(one.name.clone()),
            (several, _) => Key::Composite(several.iter().map(|column| column.name.clone()).collect()),
        };
        Ok(Self { object: object.clone(), columns, key, rowid })
    }

    /// The table's name in SQL.
    pub(crate) fn quoted(&self) -> String {
        quoted(&self.object.name)
    }

    /// The columns of `SELECT *`.
    pub(crate) fn shown(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(|column| !column.hidden)
    }

    /// The column of that name: exactly, or without regard to the case of ASCII letters.
    pub(crate) fn column(&self, name: &str) -> Option<&Column> {
        let exact = self.columns.iter().find(|column| column.name == name);
        exact.or_else(|| self.columns.iter().find(|column| column.name.eq_ignore_ascii_case(name)))
    }

    /// The expressions by which rows lie in the order of the table's key; empty where they have none.
    pub(crate) fn natural_order(&self) -> Vec<String> {
        match (&self.key, &self.rowid) {
            (_, Some(rowid)) => vec![self.rowid_in_sql(rowid)],
            (Key::Column(name), None) => vec![quoted(name)],
            (Key::Composite(names), None) => names.iter().map(|name| quoted(name)).collect(),
            (Key::Rowid(_) | Key::None, None) => Vec::new(),
        }
    }

    /// A name of the row number in SQL. It is no column, and quoted it would be taken for a text where it is not one.
    pub(crate) fn rowid_in_sql(&self, rowid: &str) -> String {
        if self.column(rowid).is_some() { quoted(rowid) } else { rowid.to_owned() }
    }
}

/// The name of the row number that no column hides; `None` for a view, and for a table without row numbers.
fn rowid(database: &Database, object: &Object, columns: &[Column]) -> Option<String> {
    if object.kind == Kind::View {
        return None;
    }
    let free = |name: &&str| !columns.iter().any(|column| column.name.eq_ignore_ascii_case(name));
    let name = ROW_NUMBER.into_iter().find(free)?;
    let sql = format!("SELECT {name} FROM {} LIMIT 0", quoted(&object.name));
    database.connection().prepare(&sql).is_ok().then(|| name.to_owned())
}

/// The tables in which a virtual table keeps its content, by the modules that SQLite has built in; in lower case.
fn shadow_names(table: &str, sql: &str) -> Vec<String> {
    let suffixes: &[&str] = match module(sql).to_ascii_lowercase().as_str() {
        "fts3" | "fts4" => &["content", "docsize", "segdir", "segments", "stat"],
        "fts5" => &["config", "content", "data", "docsize", "idx"],
        "rtree" | "rtree_i32" | "geopoly" => &["node", "parent", "rowid"],
        _ => &[],
    };
    let table = table.to_ascii_lowercase();
    suffixes.iter().map(|suffix| format!("{table}_{suffix}")).collect()
}

/// The module that a CREATE VIRTUAL TABLE statement names: the word behind the first USING outside quotes.
fn module(sql: &str) -> &str {
    let mut rest = sql;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = false;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        let close = match c {
            '"' | '`' | '\'' => c,
            '[' => ']',
            c if is_word(c) => {
                let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                let (word, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
                if found {
                    return word;
                }
                found = word.eq_ignore_ascii_case("using");
                rest = after;
                continue;
            }
            _ => {
                rest = after;
                continue;
            }
        };
        let (quoted, after) = after.split_once(close).unwrap_or((after, ""));
        if found {
            return quoted;
        }
        rest = after;
    }
    ""
}

fn columns(database: &Database, table: &str) -> Result<Vec<Column>, ReadError> {
    let mut statement = database.prepare(&format!("PRAGMA table_xinfo({})", quoted(table)))?;
    let mut rows = statement.raw_query();
    let mut columns = Vec::new();
    while let Some(row) = rows.next().map_err(|error| database.fault(&error))? {
        let number = |index| match row.get_ref(index) {
            Ok(ValueRef::Integer(n)) => n,
            _ => 0,
        };
        columns.push(Column {
            name: text(row.get_ref(1)),
            declared: text(row.get_ref(2)),
            key: u64::try_from(number(5)).ok().filter(|place| *place > 0),
            hidden: number(6) == 1,
            computed: number(6) == 2,
        });
    }
    Ok(columns)
}

/// Whether the primary key has an index of its own: then its column is not the row number itself.
fn has_key_index(database: &Database, object: &Object) -> Result<bool, ReadError> {
    let mut statement = database.prepare(&format!("PRAGMA index_list({})", quoted(&object.name)))?;
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next().map_err(|error| database.fault(&error))? {
        if text(row.get_ref(3)) == "pk" {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A name as SQL takes it, whatever is in it.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Words of SQL that are no names unless they are quoted.
/// <https://www.sqlite.org/lang_keywords.html>, and what reads as a literal.
const WORDS: [&str; 79] = [
    "add",
    "all",
    "alter",
    "and",
    "as",
    "autoincrement",
    "between",
    "case",
    "check",
    "collate",
    "commit",
    "constraint",
    "create",
    "cross",
    "current_date",
    "current_time",
    "current_timestamp",
    "default",
    "deferrable",
    "delete",
    "distinct",
    "drop",
    "else",
    "escape",
    "except",
    "exists",
    "false",
    "foreign",
    "from",
    "full",
    "group",
    "having",
    "if",
    "in",
    "index",
    "indexed",
    "inner",
    "insert",
    "intersect",
    "into",
    "is",
    "isnull",
    "join",
    "left",
    "limit",
    "materialized",
    "natural",
    "not",
    "nothing",
    "notnull",
    "null",
    "on",
    "or",
    "order",
    "outer",
    "primary",
    "references",
    "returning",
    "right",
    "select",
    "set",
    "table",
    "then",
    "to",
    "transaction",
    "true",
    "union",
    "unique",
    "update",
    "using",
    "values",
    "when",
    "where",
    "with",
    "within",
    "without",
    "raise",
    "replace",
    "cast",
];

/// Whether SQL reads a name as that without quotes.
pub(crate) fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !WORDS.iter().any(|word| name.eq_ignore_ascii_case(word))
}

/// Text of a row; empty where it is none.
#[allow(clippy::needless_pass_by_value, reason = "it is what `get_ref` gives")]
pub(crate) fn text(value: rusqlite::Result<ValueRef<'_>>) -> String {
    match value {
        Ok(ValueRef::Text(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_module_of_a_virtual_table() {
        for (sql, name) in [
            ("CREATE VIRTUAL TABLE ft USING fts5(body)", "fts5"),
            ("create virtual table \"using x\" using FTS4(a, b)", "FTS4"),
            ("CREATE VIRTUAL TABLE [a] USING\n\"rtree\"(id)", "rtree"),
            ("CREATE VIRTUAL TABLE", ""),
            ("", ""),
        ] {
            assert_eq!(module(sql), name, "{sql}");
        }
        assert_eq!(
            shadow_names("Rt", "CREATE VIRTUAL TABLE Rt USING rtree(id, a, b)"),
            ["rt_node", "rt_parent", "rt_rowid"]
        );
    }
}
