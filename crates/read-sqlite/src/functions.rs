//! Functions in place of some of SQLite's own, with the same answers.
//!
//! A deadline does not reach into a function: SQLite looks at its progress handler between the steps of a statement only,
//! and one call of `instr` over two long values takes half a minute. So those whose time is not in proportion to the
//! length of their arguments are done here, in time that is, or with looks at the watch. (What that costs: SQLite turns a
//! `LIKE` or `GLOB` that begins with plain text into a range of an index only where the function is its own.)

mod pattern;
mod substring;
mod trim;
mod unhex;
mod utf8;

use std::sync::{Mutex, PoisonError};

use crate::limits::MAX_PATTERN;
use crate::vfs::{Answer, Call, Function, Hosted, Kind};
use pattern::{Pattern, Style};

/// Steps of a loop between two looks at the watch.
const STEPS: u32 = 4096;

/// Counts the steps of a loop, and says when to leave it.
struct Steps<'a> {
    must_stop: &'a dyn Fn() -> bool,
    left: u32,
    over: bool,
}

impl<'a> Steps<'a> {
    fn new(must_stop: &'a dyn Fn() -> bool) -> Self {
        Self { must_stop, left: STEPS, over: false }
    }

    /// One more step; true when it is time to stop.
    fn step(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        if self.left > 0 {
            return false;
        }
        self.left = STEPS;
        self.over |= (self.must_stop)();
        self.over
    }

    /// Whether it was time to stop.
    fn are_over(&self) -> bool {
        self.over
    }
}

/// Sets all of them.
pub(crate) fn set(hosted: &mut Hosted) -> rusqlite::Result<()> {
    hosted.set_function(c"instr", 2, Box::new(instr))?;
    hosted.set_function(c"replace", 3, Box::new(replace))?;
    for (name, ends) in
        [(c"ltrim", trim::Ends::Left), (c"rtrim", trim::Ends::Right), (c"trim", trim::Ends::Both)]
    {
        for arguments in [1, 2] {
            hosted.set_function(name, arguments, Box::new(move |call| trim(call, ends)))?;
        }
    }
    hosted.set_function(c"like", 2, matching(Style::Like))?;
    hosted.set_function(c"like", 3, matching(Style::Like))?;
    hosted.set_function(c"glob", 2, matching(Style::Glob))?;
    hosted.set_function(c"unhex", 2, Box::new(unhex))?;
    // Its size is that of the indentation times the depth times the elements, and it is bounded only once it is made.
    let refused = "json_pretty() with an indentation of its own is not available here";
    hosted.set_function(c"json_pretty", 2, Box::new(move |_| Answer::Error(refused)))?;
    Ok(())
}

fn instr(call: &Call<'_>) -> Answer {
    let place = match (call.kind(0), call.kind(1)) {
        (Kind::Null, _) | (_, Kind::Null) => return Answer::Null,
        (Kind::Blob, Kind::Blob) => substring::place(call.blob(0), call.blob(1), false),
        _ => match (call.text(0), call.text(1)) {
            (Some(text), Some(part)) => substring::place(&text, &part, true),
            _ => return Answer::Null,
        },
    };
    Answer::Integer(i64::try_from(place).unwrap_or(i64::MAX))
}

fn replace(call: &Call<'_>) -> Answer {
    let (Some(text), Some(part)) = (call.text(0), call.text(1)) else { return Answer::Null };
    if part.first().is_none_or(|first| *first == 0) {
        return Answer::Text(text.into_owned());
    }
    let Some(other) = call.text(2) else { return Answer::Null };
    substring::replaced(&text, &part, &other, call.longest()).map_or(Answer::TooBig, Answer::Text)
}

fn trim(call: &Call<'_>, ends: trim::Ends) -> Answer {
    let Some(text) = call.text(0) else { return Answer::Null };
    let characters = if call.len() == 1 { Some(b" ".as_slice().into()) } else { call.text(1) };
    let Some(characters) = characters else { return Answer::Null };
    let must_stop = || call.must_stop();
    trim::trimmed(&text, &characters, ends, &mut Steps::new(&must_stop))
        .map_or(Answer::Stopped, |text| Answer::Text(text.to_vec()))
}

fn unhex(call: &Call<'_>) -> Answer {
    let (Some(text), Some(passed)) = (call.text(0), call.text(1)) else { return Answer::Null };
    unhex::bytes(&text, &passed).map_or(Answer::Null, Answer::Blob)
}

/// The pattern of the call before.
struct Last {
    written: Vec<u8>,
    escape: Option<u32>,
    read: Pattern,
}

/// `like(pattern, text)`, `like(pattern, text, escape)` and `glob(pattern, text)`. The pattern is most often the same from
/// row to row.
fn matching(style: Style) -> Function {
    let last: Mutex<Option<Last>> = Mutex::new(None);
    Box::new(move |call| {
        let Some(pattern) = call.text(0) else {
            // A wrong escape is an error all the same.
            return escape(call).err().unwrap_or(Answer::Null);
        };
        if pattern.len() > MAX_PATTERN {
            return Answer::Error("LIKE or GLOB pattern too complex");
        }
        let escape = match escape(call) {
            Ok(escape) => escape,
            Err(answer) => return answer,
        };
        let Some(text) = call.text(1) else { return Answer::Null };
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if !last.as_ref().is_some_and(|last| last.written == *pattern && last.escape == escape) {
            let read = Pattern::new(&pattern, style, escape);
            *last = Some(Last { written: pattern.to_vec(), escape, read });
        }
        let must_stop = || call.must_stop();
        let matches = last.as_ref().map(|last| last.read.matches(&text, &mut Steps::new(&must_stop)));
        match matches {
            Some(Some(matches)) => Answer::Integer(i64::from(matches)),
            _ => Answer::Stopped,
        }
    })
}

/// The character behind ESCAPE.
fn escape(call: &Call<'_>) -> Result<Option<u32>, Answer> {
    if call.len() < 3 {
        return Ok(None);
    }
    let Some(escape) = call.text(2) else { return Err(Answer::Null) };
    match utf8::characters(utf8::until_nul(&escape)).as_slice() {
        [one] => Ok(Some(*one)),
        _ => Err(Answer::Error("ESCAPE expression must be a single character")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rusqlite::Connection;
    use rusqlite::types::Value;
    use std::time::Duration;

    use crate::vfs::tests::{connect, connect_with};
    use crate::watch::Watch;

    /// Bytes among which there are matches, NULs, brackets, halves of characters.
    fn texts(longest: usize) -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            8 => "[abAB%_*?]".prop_map(String::into_bytes),
            3 => r"[\[\]^\-\\x0-9]".prop_map(String::into_bytes),
            3 => "[é日😀 ]".prop_map(String::into_bytes),
            1 => prop::collection::vec(any::<u8>(), 1..3),
        ];
        prop::collection::vec(piece, 0..longest).prop_map(|pieces| pieces.concat())
    }

    /// An argument: text or BLOB of those bytes, a number, NULL.
    fn arguments() -> impl Strategy<Value = (&'static str, Value)> {
        prop_oneof![
            8 => texts(12).prop_map(|bytes| ("CAST(? AS TEXT)", Value::Blob(bytes))),
            2 => texts(12).prop_map(|bytes| ("?", Value::Blob(bytes))),
            1 => any::<i64>().prop_map(|n| ("?", Value::Integer(n % 1000))),
            1 => any::<f64>().prop_map(|n| ("?", Value::Real(n))),
            1 => Just(("?", Value::Null)),
        ]
    }

    /// What a call gives: its type and bytes, or the error.
    fn answer(connection: &Connection, name: &str, arguments: &[(&str, Value)]) -> Result<String, String> {
        let list: Vec<&str> = arguments.iter().map(|(sql, _)| *sql).collect();
        let sql = format!("SELECT typeof(x) || ' ' || hex(x) FROM (SELECT {name}({}) AS x)", list.join(", "));
        let values = arguments.iter().map(|(_, value)| value);
        connection
            .query_row(&sql, rusqlite::params_from_iter(values), |row| row.get::<_, Option<String>>(0))
            .map(Option::unwrap_or_default)
            .map_err(|error| error.to_string())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3_000))]

        #[test]
        fn answers_are_those_of_sqlites_own(
            name in prop::sample::select(vec!["instr", "replace", "trim", "ltrim", "rtrim", "like", "glob", "unhex"]),
            given in prop::collection::vec(arguments(), 3),
            one in any::<bool>(),
        ) {
            let count = match name {
                "replace" => 3,
                "like" if one => 3,
                "trim" | "ltrim" | "rtrim" if one => 1,
                _ => 2,
            };
            let mut ours = connect(1 << 20);
            set(&mut ours).unwrap();
            let theirs = Connection::open_in_memory().unwrap();
            prop_assert_eq!(
                answer(&ours, name, &given[..count]),
                answer(&theirs, name, &given[..count]),
                "{}({:?})", name, &given[..count]
            );
        }

        #[test]
        fn patterns_match_what_sqlites_own_match(
            pattern in "[aAb%_*?é\\[\\]^-]{0,10}", against in "[aAbé%\\]-]{0,14}", escape in "[a%_\\\\]",
        ) {
            let mut ours = connect(1 << 20);
            set(&mut ours).unwrap();
            let theirs = Connection::open_in_memory().unwrap();
            let text = |text: &str| ("?", Value::Text(text.to_owned()));
            for (name, given) in [
                ("like", vec![text(&pattern), text(&against)]),
                ("glob", vec![text(&pattern), text(&against)]),
                ("like", vec![text(&pattern), text(&against), text(&escape)]),
            ] {
                prop_assert_eq!(answer(&ours, name, &given), answer(&theirs, name, &given), "{}({:?})", name, given);
            }
        }
    }

    #[test]
    fn long_values_take_their_time_and_no_longer() {
        let mut database = connect(1 << 20);
        set(&mut database).unwrap();
        for sql in [
            "instr(hex(zeroblob(1000000)), hex(zeroblob(500000)) || '1')",
            "length(replace(hex(zeroblob(1000000)), hex(zeroblob(500000)) || '1', 'x'))",
            "length(trim(hex(zeroblob(1000000)), replace(hex(zeroblob(300000)), '0', 'x') || '0'))",
            "length(unhex(hex(zeroblob(1000000)) || replace(hex(zeroblob(300000)), '0', 'x'), hex(zeroblob(300000)) || 'x'))",
        ] {
            database.query_row(&format!("SELECT {sql}"), [], |row| row.get::<_, Option<i64>>(0)).unwrap();
        }
    }

    #[test]
    fn what_takes_long_is_stopped() {
        let watch = Watch::start(read_core::Meter::unbounded(), Duration::from_millis(300));
        let mut database = connect_with(watch);
        set(&mut database).unwrap();
        let pattern = format!("'%{}b%'", "a".repeat(40_000));
        let sql = format!("SELECT replace(hex(zeroblob(8000000)), '0', 'a') LIKE {pattern}");
        assert!(database.query_row(&sql, [], |row| row.get::<_, i64>(0)).is_err());
    }

    #[test]
    fn a_result_is_no_longer_than_a_value_may_be() {
        let mut database = connect(1 << 20);
        set(&mut database).unwrap();
        database.set_limit(rusqlite::limits::Limit::SQLITE_LIMIT_LENGTH, 1000).unwrap();
        let sql = "SELECT replace(hex(zeroblob(400)), '0', 'xy')";
        let error = database.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap_err();
        assert!(error.to_string().contains("too big"), "{error}");
    }
}
