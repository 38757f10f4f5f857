//! What a database holds: its tables and views, their columns and keys.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use read_core::{ErrorCode, ReadError, printed};

use crate::database::Database;
use crate::limits::MAX_SELECTS;
use crate::sql::{Token, quoted, tokens};
use crate::weight::Definitions;

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ObjectKind {
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
    pub(crate) kind: ObjectKind,
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
        let mut rows = statement.rows([])?;
        let mut objects = Vec::new();
        let mut shadows = HashSet::new();
        let mut definitions = Definitions::default();
        let mut names_quadratic = false;
        while let Some(row) = rows.next()? {
            let is = |column| row.integer(column) == Some(1);
            let root = row.integer(2).and_then(|root| u32::try_from(root).ok()).unwrap_or(0);
            let name = row.text(0);
            let kind = match (is(1), root == 0) {
                (true, _) => ObjectKind::View,
                (_, true) => ObjectKind::Virtual,
                _ => ObjectKind::Table,
            };
            let sql = row.text(3);
            names_quadratic |= is(4);
            if kind == ObjectKind::Virtual {
                shadows.extend(shadow_names(&name, &sql));
            }
            if kind != ObjectKind::Table {
                definitions.add(&name, sql);
            }
            objects.push(Object { name, kind, root });
        }
        for object in objects.iter_mut().filter(|object| object.kind == ObjectKind::Table) {
            if shadows.contains(&object.name.to_ascii_lowercase()) {
                object.kind = ObjectKind::Shadow;
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
                    "'{}': the views or common tables named here come to more than {MAX_SELECTS} SELECTs once they are put in each \
                     other. Ask the tables below them.",
                    database.path
                ),
            ));
        }
        Ok(())
    }

    /// Whether a view or virtual table comes to more than SQLite can prepare in good time.
    pub(crate) fn is_too_heavy(&self, object: &Object) -> bool {
        object.kind != ObjectKind::Table && self.definitions.is_too_heavy(&object.name)
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
                kind: ObjectKind::Table,
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
    /// Its name as the caller spells it.
    pub(crate) spelling: String,
    pub(crate) columns: Vec<Column>,
    pub(crate) key: Key,
    /// The name by which SQL reaches the number of a row; `None` where there is none.
    pub(crate) rowid: Option<String>,
}

impl Table {
    /// Reads the columns and keys of `object`, which the caller calls `spelling`.
    pub(crate) fn read(database: &Database, object: &Object, spelling: String) -> Result<Self, ReadError> {
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
        Ok(Self { object: object.clone(), spelling, columns, key, rowid })
    }

    /// The target of the table in the database at `path`, as the caller spells it.
    pub(crate) fn target(&self, path: &str) -> String {
        format!("{path}:{}", printed(self.spelling.as_bytes()))
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
    if object.kind == ObjectKind::View {
        return None;
    }
    let free = |name: &&str| !columns.iter().any(|column| column.name.eq_ignore_ascii_case(name));
    let name = ROW_NUMBER.into_iter().find(free)?;
    let sql = format!("SELECT {name} FROM {} LIMIT 0", quoted(&object.name));
    database.why_not(&sql).is_none().then(|| name.to_owned())
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
fn module(sql: &str) -> Cow<'_, str> {
    let mut tokens = tokens(sql).filter(|token| !matches!(token, Token::Comment(_)));
    let is_using =
        |token: Token<'_>| matches!(token, Token::Word(word) if word.eq_ignore_ascii_case("using"));
    match tokens.by_ref().find(|token| is_using(*token)).and_then(|_| tokens.next()) {
        Some(Token::Word(word)) => Cow::Borrowed(word),
        Some(Token::Quoted(quoted)) => quoted.text(),
        _ => Cow::Borrowed(""),
    }
}

fn columns(database: &Database, table: &str) -> Result<Vec<Column>, ReadError> {
    let mut statement = database.prepare(&format!("PRAGMA table_xinfo({})", quoted(table)))?;
    let mut rows = statement.rows([])?;
    let mut columns = Vec::new();
    while let Some(row) = rows.next()? {
        let number = |column| row.integer(column).unwrap_or(0);
        columns.push(Column {
            name: row.text(1),
            declared: row.text(2),
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
    let mut rows = statement.rows([])?;
    while let Some(row) = rows.next()? {
        if row.text(3) == "pk" {
            return Ok(true);
        }
    }
    Ok(false)
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
