//! Arguments as models send them: right ones, nearly right ones, and anything that is JSON, or nearly.

use serde_json::{Map, Value, json};

use super::grammar;
use super::mutate::mutate;
use crate::random::Random;

const KEYS: [&str; 14] = [
    "path",
    "path",
    "file_path",
    "filePath",
    "offset",
    "limit",
    "start_line",
    "end_line",
    "encoding",
    "hashline",
    "ofset",
    "",
    "\0",
    "recursive",
];

const TEXTS: [&str; 16] = [
    "a.txt",
    "utf-8",
    "gbk",
    "utf-16le",
    "no-such-label",
    "true",
    "10",
    "10.0",
    "-1",
    "1e3",
    "1e999",
    "0x10",
    " 5 ",
    "",
    "null",
    "\u{202e}",
];

/// Arguments in JSON.
pub(super) fn bytes(random: &mut Random) -> Vec<u8> {
    let mut bytes = arguments(random).to_string().into_bytes();
    if random.one_in(5) {
        mutate(&mut bytes, br#"{"path":["a.txt"],"limit":1e400}"#, random);
    }
    bytes
}

fn arguments(random: &mut Random) -> Value {
    if random.one_in(12) {
        return value(random, 4);
    }
    let mut map = Map::new();
    if !random.one_in(10) {
        map.insert("path".to_owned(), Value::String(grammar::target(random)));
    }
    for _ in 0..random.length(5) {
        let key = random.word(&KEYS).to_owned();
        let value = if random.one_in(3) { value(random, 3) } else { number(random) };
        map.insert(key, value);
    }
    Value::Object(map)
}

fn number(random: &mut Random) -> Value {
    match random.below(9) {
        0 => json!(0),
        1 => json!(-1),
        2 => json!(1.5),
        3 => json!(1e300),
        4 => json!(u64::MAX),
        5 => json!(i64::MIN),
        6 => json!(10.0),
        7 => json!(random.next()),
        _ => json!(1 + random.below(40)),
    }
}

fn value(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth == 0 { 4 } else { 6 }) {
        0 => Value::Null,
        1 => Value::Bool(random.one_in(2)),
        2 => number(random),
        3 => json!(random.word(&TEXTS)),
        4 => (0..random.length(4)).map(|_| value(random, depth - 1)).collect(),
        _ => {
            (0..random.length(4)).map(|_| (random.word(&KEYS).to_owned(), value(random, depth - 1))).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use read_tool::Arguments;

    #[test]
    fn some_are_taken_and_some_are_not() {
        let (mut taken, mut refused, mut none) = (0, 0, 0);
        for seed in 0..500 {
            match serde_json::from_slice::<Value>(&bytes(&mut Random::new(&[seed]))) {
                Ok(value) if Arguments::from_json(&value).is_ok() => taken += 1,
                Ok(_) => refused += 1,
                Err(_) => none += 1,
            }
        }
        assert!(taken > 50 && refused > 50 && none > 10, "{taken} {refused} {none}");
    }
}
