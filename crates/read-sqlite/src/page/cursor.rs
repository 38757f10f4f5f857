//! How pages go on: by what the last row shown holds, so that a page far behind takes no longer than the first.

use crate::database::Database;
use crate::expression;
use crate::limits::CONDITION_TEXT;
use crate::schema::{Key, Table};
use crate::sql::{is_plain, quoted};
use crate::value::Value;

use super::Page;

/// The columns by which the rows of a page lie in order.
#[derive(Debug)]
pub(super) struct Cursor {
    /// The column that the caller named, where that is not the first of the key.
    order: Option<Column>,
    /// The columns of the key; at least one.
    key: Vec<Column>,
    descending: bool,
}

#[derive(Debug)]
struct Column {
    /// Its name in SQL.
    name: String,
    /// Its place among the columns shown; `None`: it is the number of the row.
    at: Option<usize>,
}

/// A piece of a condition: text, or any literal.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Literal,
}

impl Cursor {
    /// The cursor of a page; `None` where its rows have no key.
    pub(super) fn of(page: &Page, table: &Table) -> Option<Self> {
        let at = |name: &str| table.shown().position(|column| column.name == name);
        let column = |name: &str| Some(Column { name: in_sql(name), at: Some(at(name)?) });
        let key = match (&table.key, &table.rowid) {
            (Key::Rowid(name), Some(_)) if at(name).is_some() => vec![column(name)?],
            (_, Some(rowid)) => {
                let name = if table.column(rowid).is_some() { in_sql(rowid) } else { rowid.clone() };
                vec![Column { name, at: None }]
            }
            (Key::Column(name), None) => vec![column(name)?],
            (Key::Composite(names), None) => {
                names.iter().map(|name| column(name)).collect::<Option<Vec<_>>>()?
            }
            (Key::Rowid(_) | Key::None, None) => return None,
        };
        let (order, descending) = match &page.order {
            None => (None, false),
            Some(order) => {
                let wanted = Some(order.column.as_str());
                // The number of a row may be named by another name than its column's.
                let is_first = match key.first()? {
                    Column { at: Some(at), .. } => {
                        table.shown().nth(*at).map(|column| column.name.as_str()) == wanted
                            || table.rowid.as_deref() == wanted
                    }
                    Column { at: None, .. } => table.rowid.as_deref() == wanted,
                };
                (if is_first { None } else { Some(column(&order.column)?) }, order.descending)
            }
        };
        Some(Self { order, key, descending })
    }

    /// The condition of the rows behind one; `None` where it holds something that cannot be written.
    pub(super) fn behind(&self, row: &[Value], rowid: Option<i64>, database: &Database) -> Option<String> {
        let value = |column: &Column| match column.at {
            Some(at) => row.get(at).cloned(),
            None => rowid.map(Value::Integer),
        };
        let literals = |columns: &[Column]| {
            columns.iter().map(|column| literal(&value(column)?, database)).collect::<Option<Vec<_>>>()
        };
        let mut written = literals(&self.key)?;
        let is_null = match &self.order {
            None => false,
            Some(order) => match value(order)? {
                Value::Null => true,
                other => {
                    written.insert(0, literal(&other, database)?);
                    false
                }
            },
        };
        let mut literals = written.into_iter();
        let mut condition = String::new();
        for piece in self.pieces(is_null) {
            match piece {
                Piece::Text(text) => condition.push_str(&text),
                Piece::Literal => condition.push_str(&literals.next()?),
            }
        }
        Some(condition)
    }

    /// What the condition of the rows behind one is made of. NULLs come before all other values.
    fn pieces(&self, is_null: bool) -> Vec<Piece> {
        let Some(order) = self.order.as_ref().map(|order| &order.name) else {
            return self.tuple(false);
        };
        let text = |text: String| vec![Piece::Text(text)];
        match (is_null, self.descending) {
            (false, false) => self.tuple(true),
            (false, true) => {
                [text("(".into()), self.tuple(true), text(format!(" OR {order} IS NULL)"))].concat()
            }
            (true, descending) => {
                let rest = if descending { ")".into() } else { format!(" OR {order} IS NOT NULL)") };
                [text(format!("({order} IS NULL AND ")), self.tuple(false), text(rest)].concat()
            }
        }
    }

    /// `a>1`, or `(a,b)>(1,2)`.
    fn tuple(&self, with_order: bool) -> Vec<Piece> {
        let beyond = if self.descending { "<" } else { ">" };
        let order = self.order.iter().filter(|_| with_order);
        let names: Vec<&str> = order.chain(&self.key).map(|column| column.name.as_str()).collect();
        if let [name] = names.as_slice() {
            return vec![Piece::Text(format!("{name}{beyond}")), Piece::Literal];
        }
        let mut pieces = vec![Piece::Text(format!("({}){beyond}(", names.join(","))), Piece::Literal];
        for _ in names.iter().skip(1) {
            pieces.extend([Piece::Text(",".into()), Piece::Literal]);
        }
        pieces.push(Piece::Text(")".into()));
        pieces
    }

    /// A filter without the condition that an earlier page added at its end: `(asked)`, or nothing.
    pub(super) fn before_paging<'a>(&self, filter: &'a str) -> &'a str {
        let is_added = |text: &str| [false, true].iter().any(|is_null| matches(&self.pieces(*is_null), text));
        if is_added(filter) {
            return "";
        }
        for (at, between) in filter.rmatch_indices(" AND ") {
            let (asked, rest) = filter.split_at_checked(at).unwrap_or((filter, ""));
            if asked.starts_with('(')
                && asked.ends_with(')')
                && is_added(rest.strip_prefix(between).unwrap_or_default())
                && expression::refusal(inner(asked)).is_none()
            {
                return asked;
            }
        }
        filter
    }

    /// A filter with the condition of the rows behind one.
    pub(super) fn filtered(&self, filter: Option<&str>, condition: &str) -> String {
        match filter.map(|filter| (filter, self.before_paging(filter))) {
            None | Some((_, "")) => condition.to_owned(),
            Some((filter, asked)) if asked != filter => format!("{asked} AND {condition}"),
            Some((filter, _)) => format!("({filter}) AND {condition}"),
        }
    }

    /// The key column, where it is one and numbers the rows.
    pub(super) fn number(&self) -> Option<&str> {
        match self.key.as_slice() {
            [one] if self.order.is_none() => Some(&one.name),
            _ => None,
        }
    }

    /// The number in the condition that an earlier page added to a filter.
    pub(super) fn number_in(&self, filter: &str) -> Option<i64> {
        let beyond = if self.descending { '<' } else { '>' };
        let (_, number) = filter.rsplit_once(&format!("{}{beyond}", self.number()?))?;
        number.parse().ok()
    }

    /// Whether rows come from the last to the first.
    pub(super) fn is_descending(&self) -> bool {
        self.descending
    }
}

/// A name, in quotes where it needs them.
fn in_sql(name: &str) -> String {
    if is_plain(name) { name.to_owned() } else { quoted(name) }
}

fn inner(parenthesised: &str) -> &str {
    parenthesised.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or_default()
}

/// A value as SQL writes it; `None` for what is long, or cannot be written so that it is the same value.
fn literal(value: &Value, database: &Database) -> Option<String> {
    match value {
        Value::Integer(n) => Some(n.to_string()),
        Value::Real(n) if n.is_finite() => {
            let literal = value.shown().text;
            let is_it = database.one(&format!("SELECT ?1 = {literal}"), [n], |row| row.integer(0) == Some(1));
            matches!(is_it, Ok(Some(true))).then_some(literal)
        }
        Value::Text { head, total } if head.len() as u64 == *total && head.len() <= CONDITION_TEXT => {
            let text = std::str::from_utf8(head).ok()?;
            // A literal of SQL ends at a NUL.
            let parts: Vec<String> =
                text.split('\0').map(|part| format!("'{}'", part.replace('\'', "''"))).collect();
            Some(parts.join("||char(0)||"))
        }
        _ => None,
    }
}

/// Whether `text` is these pieces and nothing more.
fn matches(pieces: &[Piece], text: &str) -> bool {
    let mut rest = text;
    for piece in pieces {
        let after = match piece {
            Piece::Text(piece) => rest.strip_prefix(piece.as_str()),
            Piece::Literal => after_literal(rest),
        };
        match after {
            Some(after) => rest = after,
            None => return false,
        }
    }
    rest.is_empty()
}

/// What follows the literal at the start of `text`.
fn after_literal(text: &str) -> Option<&str> {
    if !text.starts_with('\'') {
        let end = text
            .find(|c: char| !(c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e')))
            .unwrap_or(text.len());
        let (number, after) = text.split_at_checked(end)?;
        return number.parse::<f64>().ok().map(|_| after);
    }
    let mut rest = text;
    loop {
        rest = rest.strip_prefix('\'')?;
        let (_, after) = rest.split_once('\'')?;
        rest = after;
        if rest.starts_with('\'') {
            continue;
        }
        match rest.strip_prefix("||char(0)||") {
            Some(after) => rest = after,
            None => return Some(rest),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str) -> Column {
        Column { name: name.into(), at: Some(0) }
    }

    fn by_id() -> Cursor {
        Cursor { order: None, key: vec![column("id")], descending: false }
    }

    #[test]
    fn a_condition_of_an_earlier_page_is_replaced() {
        for (filter, want) in [
            ("id>20", ""),
            ("id>-20", ""),
            ("(age > 5) AND id>20", "(age > 5)"),
            ("(a) OR (b) AND id>20", "(a) OR (b) AND id>20"),
            ("id>20 OR 1", "id>20 OR 1"),
            ("age > 5", "age > 5"),
            ("id>'a''b'", ""),
            ("id>'a'||char(0)||'b'", ""),
            ("id>'a' OR 'b'", "id>'a' OR 'b'"),
            ("x AND id>5", "x AND id>5"),
            ("(x = 'a AND id>5') AND id>5", "(x = 'a AND id>5')"),
        ] {
            assert_eq!(by_id().before_paging(filter), want, "{filter}");
        }
    }

    #[test]
    fn conditions_of_every_form_are_replaced() {
        for (descending, order, is_null) in [
            (false, false, false),
            (false, true, false),
            (false, true, true),
            (true, true, false),
            (true, true, true),
        ] {
            let cursor = Cursor {
                order: order.then(|| column("\"or'der\"")),
                key: vec![column("a"), column("b")],
                descending,
            };
            let text: String = cursor
                .pieces(is_null)
                .into_iter()
                .map(|piece| match piece {
                    Piece::Text(text) => text,
                    Piece::Literal => "'x'' AND (1)'".into(),
                })
                .collect();
            assert_eq!(cursor.before_paging(&text), "", "{text}");
            assert_eq!(cursor.before_paging(&format!("(n = ' AND ') AND {text}")), "(n = ' AND ')", "{text}");
        }
    }
}
