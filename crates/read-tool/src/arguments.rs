//! What a model sends: decoded and validated once.

use read_core::{ErrorCode, LineStyle, Near, ReadError, Request};
use serde_json::{Map, Value};

/// The arguments of one read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arguments {
    /// The target: a path plus whatever follows it.
    pub path: String,
    /// The first line, counted from 1.
    pub offset: Option<u64>,
    /// How many lines.
    pub limit: Option<u64>,
    /// A WHATWG label: decode as this.
    pub encoding: Option<String>,
    /// Anchored output, or none although the host's style is that one; nothing where it is not built in.
    pub hashline: Option<bool>,
}

/// The arguments by name, the names that models have learnt from other tools included.
const NAMES: &[&str] = &[
    "path",
    "file_path",
    "filePath",
    "offset",
    "start_line",
    "limit",
    "end_line",
    "encoding",
    #[cfg(feature = "hashline")]
    "hashline",
];

/// The arguments as they are offered.
const OFFERED: &str = if cfg!(feature = "hashline") {
    "path, offset, limit, encoding and hashline"
} else {
    "path, offset, limit and encoding"
};

impl Arguments {
    /// A whole read of `path`.
    pub fn new(path: impl Into<String>) -> Self {
        Self { path: path.into(), ..Self::default() }
    }

    /// Decodes the arguments that a model sent. Numbers may come as strings or as `10.0`, `null` means "not given",
    /// `file_path` and `filePath` are `path`, `start_line` is `offset`, `end_line` is the last line.
    ///
    /// # Errors
    ///
    /// `invalid_arguments`, which names the argument and what to send instead.
    pub fn from_json(arguments: &Value) -> Result<Self, ReadError> {
        let Value::Object(map) = arguments else {
            return Err(invalid("the arguments are no object. Send {\"path\": \"…\"}."));
        };
        if let Some(unknown) = map.keys().find(|key| !NAMES.contains(&key.as_str())) {
            return Err(unknown_argument(unknown));
        }
        let offset = once(map, &["offset", "start_line"], integer)?;
        let end = once(map, &["end_line"], integer)?;
        let mut limit = once(map, &["limit"], integer)?;
        if let Some(end) = end {
            let first = offset.unwrap_or(1).max(1);
            let Some(lines) = end.checked_sub(first).map(|more| more.saturating_add(1)) else {
                return Err(invalid(format!(
                    "end_line: {end} is before start_line {first}. Send an end_line of at least {first}."
                )));
            };
            if limit.is_some_and(|limit| limit != lines) {
                return Err(invalid("limit: it says another end than end_line does. Send one of the two."));
            }
            limit = Some(lines);
        }
        let path = once(map, &["path", "file_path", "filePath"], string)?;
        let arguments = Self {
            path: path
                .ok_or_else(|| invalid("path: it is missing. Send the path of a file or directory."))?,
            offset,
            limit,
            encoding: once(map, &["encoding"], string)?,
            hashline: once(map, &["hashline"], boolean)?,
        };
        arguments.check()?;
        Ok(arguments)
    }

    /// What holds for arguments however they came.
    pub(crate) fn check(&self) -> Result<(), ReadError> {
        if self.path.is_empty() {
            return Err(invalid("path: it is empty. Send the path of a file or directory."));
        }
        if self.limit == Some(0) {
            return Err(invalid("limit: 0 shows nothing. Send a number of at least 1, or leave it out."));
        }
        Ok(())
    }

    pub(crate) fn request(&self, style: LineStyle) -> Request {
        let mut request = Request::default();
        request.offset = self.offset;
        request.limit = self.limit;
        request.encoding.clone_from(&self.encoding);
        request.style = match (self.hashline, style) {
            (Some(true), _) => LineStyle::Anchored,
            (Some(false), LineStyle::Anchored) => LineStyle::Plain,
            _ => style,
        };
        request
    }
}

fn invalid(message: impl Into<String>) -> ReadError {
    ReadError::new(ErrorCode::InvalidArguments, message)
}

fn unknown_argument(name: &str) -> ReadError {
    let near = Near::new(name, None).among(NAMES.iter().copied()).best(1);
    let name = read_core::shortened(name.as_bytes());
    match near.first() {
        Some(known) => invalid(format!("'{name}' is no argument. Did you mean {known}?"))
            .with_suggestions([(*known).to_owned()]),
        None => invalid(format!("'{name}' is no argument. The arguments are {OFFERED}.")),
    }
}

/// The one value that is given under any of `names`; the same thing said twice must be the same.
fn once<T: PartialEq>(
    map: &Map<String, Value>,
    names: &[&str],
    decode: fn(&str, &Value) -> Result<T, ReadError>,
) -> Result<Option<T>, ReadError> {
    let mut found: Option<(&str, T)> = None;
    for name in names {
        let Some(value) = map.get(*name).filter(|value| !value.is_null()) else { continue };
        let value = decode(name, value)?;
        match &found {
            Some((before, first)) if *first != value => {
                return Err(invalid(format!(
                    "{name}: it says something else than {before} does. Send one of the two."
                )));
            }
            Some(_) => {}
            None => found = Some((name, value)),
        }
    }
    Ok(found.map(|(_, value)| value))
}

fn string(name: &str, value: &Value) -> Result<String, ReadError> {
    match value {
        Value::String(text) => Ok(text.clone()),
        other => Err(invalid(format!("{name}: {} is no string. Send a string.", kind(other)))),
    }
}

fn boolean(name: &str, value: &Value) -> Result<bool, ReadError> {
    match value {
        Value::Bool(flag) => Ok(*flag),
        Value::String(text) if text.eq_ignore_ascii_case("true") => Ok(true),
        Value::String(text) if text.eq_ignore_ascii_case("false") => Ok(false),
        other => Err(invalid(format!("{name}: {} is no boolean. Send true or false.", kind(other)))),
    }
}

/// Whole numbers up to here have a float of their own (2^53).
const EXACT: f64 = 9_007_199_254_740_992.0;

fn integer(name: &str, value: &Value) -> Result<u64, ReadError> {
    let text = match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.trim().to_owned(),
        other => return Err(invalid(format!("{name}: {} is no number. Send a whole number.", kind(other)))),
    };
    // `10.0` and `1e3` are whole numbers too, as far as a float tells them apart.
    let whole = text.parse::<u64>().ok().or_else(|| {
        let value = text.parse::<f64>().ok()?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole, not negative, below 2^53"
        )]
        ((0.0..=EXACT).contains(&value) && value.fract() == 0.0).then_some(value as u64)
    });
    whole.ok_or_else(|| {
        let shown = read_core::shortened(text.as_bytes()).chars().take(40).collect::<String>();
        invalid(format!("{name}: '{shown}' is no line count. Send a whole number of at least 1."))
    })
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn decoded(value: &Value) -> Result<Arguments, String> {
        Arguments::from_json(value).map_err(|error| {
            assert_eq!(error.code(), ErrorCode::InvalidArguments);
            assert!(error.is_correctable());
            error.message().to_owned()
        })
    }

    #[test]
    fn numbers_come_in_many_shapes() {
        let wanted = Arguments { offset: Some(10), limit: Some(5), ..Arguments::new("a") };
        for value in [
            json!({"path": "a", "offset": 10, "limit": 5}),
            json!({"path": "a", "offset": "10", "limit": 5.0}),
            json!({"file_path": "a", "start_line": 10.0, "end_line": "14"}),
            json!({"filePath": "a", "path": "a", "offset": 10, "limit": 5, "end_line": 14, "encoding": null}),
        ] {
            assert_eq!(decoded(&value).as_ref(), Ok(&wanted), "{value}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (value, part) in [
            (json!([]), "no object"),
            (json!({}), "path: it is missing"),
            (json!({"path": ""}), "path: it is empty"),
            (json!({"path": null}), "path: it is missing"),
            (json!({"path": 3}), "path: a number is no string"),
            (json!({"path": "a", "file_path": "b"}), "file_path: it says something else than path"),
            (json!({"path": "a", "offset": -1}), "offset: '-1'"),
            (json!({"path": "a", "offset": 1.5}), "offset: '1.5'"),
            (json!({"path": "a", "offset": [1]}), "offset: a list is no number"),
            (json!({"path": "a", "offset": 1e300}), "offset: "),
            (json!({"path": "a", "limit": 0}), "limit: 0 shows nothing"),
            (json!({"path": "a", "start_line": 5, "end_line": 2}), "end_line: 2 is before start_line 5"),
            (json!({"path": "a", "limit": 3, "end_line": 2}), "limit: it says another end"),
            (json!({"path": "a", "ofset": 3}), "Did you mean offset?"),
            (json!({"path": "a", "recursive": true}), "'recursive' is no argument. The arguments are"),
            (
                json!({"path": "a", "hashline": "maybe"}),
                if cfg!(feature = "hashline") {
                    "hashline: a string is no boolean"
                } else {
                    "'hashline' is no argument. The arguments are"
                },
            ),
        ] {
            let message = decoded(&value).unwrap_err();
            assert!(message.contains(part), "{value}: {message}");
        }
    }
}
