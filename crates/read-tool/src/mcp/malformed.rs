//! Lines that are no message of the protocol: who waits for an answer to one, and what to answer.

use read_core::{ErrorCode as ReadErrorCode, ReadError};
use rmcp::model::{ErrorCode, ErrorData};
use serde_json::Value;

use super::lines::LONGEST;
use super::scan::{depth, fields, repaired};

/// Brackets that may be open at once in a message.
const DEEPEST: usize = 127;

/// A line that is no message.
#[derive(Debug)]
pub(super) struct Malformed {
    /// What is wrong with it, for a sentence about it.
    pub(super) why: String,
    pub(super) due: Due,
}

/// What a malformed line is owed.
#[derive(Debug)]
pub(super) enum Due {
    /// Nothing: a notification.
    Nothing,
    /// It was to be an answer, to the request with this id.
    Nobody(Option<Value>),
    /// An error, for the request with this id as JSON, or for nobody in particular.
    Error(Id, ErrorData),
    /// The result of a call that failed.
    Result(Id, ReadError),
}

/// An id as it was written, or `null` where none could be made out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Id(String);

impl Id {
    const UNKNOWN: &'static str = "null";

    fn written(raw: Option<&[u8]>) -> Self {
        let text = raw
            .and_then(|raw| std::str::from_utf8(raw).ok())
            .filter(|text| matches!(serde_json::from_str(text), Ok(Value::Number(_) | Value::String(_))));
        Self(text.unwrap_or(Self::UNKNOWN).to_owned())
    }

    pub(super) fn as_json(&self) -> &str {
        &self.0
    }
}

impl From<&rmcp::model::RequestId> for Id {
    fn from(id: &rmcp::model::RequestId) -> Self {
        Self(id.clone().into_json_value().to_string())
    }
}

/// What the fields of a line say, as far as they can be made out.
struct Outline<'a> {
    id: Option<&'a [u8]>,
    method: Option<&'a [u8]>,
    answers: bool,
    whole: bool,
}

impl<'a> Outline<'a> {
    fn of(line: &'a [u8]) -> Self {
        let mut outline = Self { id: None, method: None, answers: false, whole: false };
        let mut fields = fields(line);
        for (name, value) in fields.by_ref() {
            match name {
                b"id" => outline.id = Some(value),
                b"method" => outline.method = Some(value),
                b"result" | b"error" => outline.answers = true,
                _ => {}
            }
        }
        outline.whole = fields.is_whole();
        outline
    }

    fn is_call(&self) -> bool {
        self.method == Some(b"\"tools/call\"")
    }

    fn id(&self) -> Id {
        Id::written(self.id)
    }
}

/// Looks at a line that the SDK did not take.
pub(super) fn malformed(line: &[u8]) -> Malformed {
    let outline = Outline::of(line);
    let parsed = serde_json::from_slice::<Value>(line);
    let (code, why) = match &parsed {
        Ok(message) => wrong(message),
        Err(error) => (ErrorCode::PARSE_ERROR, unreadable(line, error)),
    };
    if outline.method.is_none() && outline.answers {
        let id = outline.id.and_then(|id| serde_json::from_slice(id).ok());
        return Malformed { why, due: Due::Nobody(id) };
    }
    if outline.whole && outline.method.is_some() && outline.id.is_none() {
        return Malformed { why, due: Due::Nothing };
    }
    let due = if parsed.is_err() && outline.whole && outline.is_call() {
        let message = format!("The call cannot be read: {why}. Send {{\"path\": \"…\"}}, as JSON in UTF-8.");
        Due::Result(outline.id(), ReadError::new(ReadErrorCode::InvalidArguments, message))
    } else {
        Due::Error(outline.id(), ErrorData::new(code, capitalised(&why), None))
    };
    Malformed { why, due }
}

/// Looks at the beginning of a line that is too long.
pub(super) fn too_long(head: &[u8]) -> Malformed {
    let outline = Outline::of(head);
    let why = format!("it is longer than {}", read_core::size(u64::try_from(LONGEST).unwrap_or(u64::MAX)));
    let due = if outline.is_call() && outline.id.is_some() {
        let message = format!("The call cannot be read: {why}. Send {{\"path\": \"…\"}}.");
        Due::Result(outline.id(), ReadError::new(ReadErrorCode::InvalidArguments, message))
    } else {
        Due::Error(outline.id(), ErrorData::invalid_request(capitalised(&why), None))
    };
    Malformed { why, due }
}

/// A batch with nothing in it, or an array that does not end.
pub(super) fn no_batch(line: &[u8], empty: bool) -> Malformed {
    let (code, why) = match serde_json::from_slice::<Value>(line) {
        _ if empty => (ErrorCode::INVALID_REQUEST, "it is a batch of no messages".to_owned()),
        Ok(_) => (ErrorCode::INVALID_REQUEST, "it is no message".to_owned()),
        Err(error) => (ErrorCode::PARSE_ERROR, unreadable(line, &error)),
    };
    let error = ErrorData::new(code, capitalised(&why), None);
    Malformed { why, due: Due::Error(Id::written(None), error) }
}

/// What keeps an `initialize` from being one.
pub(super) fn no_handshake(params: Option<&Value>) -> ErrorData {
    let missing = match params {
        None => "params",
        Some(params) => {
            let client = &params["clientInfo"];
            [
                ("params.protocolVersion", params["protocolVersion"].is_string()),
                ("params.capabilities", params["capabilities"].is_object()),
                ("params.clientInfo", client.is_object()),
                ("params.clientInfo.name", client["name"].is_string()),
                ("params.clientInfo.version", client["version"].is_string()),
            ]
            .into_iter()
            .find_map(|(name, there)| (!there).then_some(name))
            .unwrap_or("a part of params")
        }
    };
    ErrorData::invalid_params(format!("initialize: {missing} is missing, or of the wrong type."), None)
}

/// What keeps JSON from being a message.
fn wrong(message: &Value) -> (ErrorCode, String) {
    let Value::Object(fields) = message else {
        return (ErrorCode::INVALID_REQUEST, "it is no object".to_owned());
    };
    let whole = |id: &Value| id.as_i64().is_some() || id.as_f64().is_some_and(|id| id.fract() == 0.0);
    let params = fields.get("params");
    let invalid = |why: &str| (ErrorCode::INVALID_REQUEST, why.to_owned());
    match (fields.get("method"), fields.get("id")) {
        _ if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") => {
            invalid("its jsonrpc is not \"2.0\"")
        }
        (None, _) if fields.contains_key("result") || fields.contains_key("error") => {
            invalid("it is no answer of the protocol")
        }
        (None, _) => invalid("it has no method"),
        (Some(method), _) if !method.is_string() => invalid("its method is no string"),
        (_, Some(id)) if !id.is_string() && !whole(id) => invalid("its id is no string and no whole number"),
        (_, Some(id)) if !id.is_string() && id.as_i64().is_none() => invalid("its id is too large a number"),
        _ if fields.contains_key("result") || fields.contains_key("error") => {
            invalid("it is a request and an answer at once")
        }
        _ if params.is_some_and(|params| !params.is_object()) => {
            (ErrorCode::INVALID_PARAMS, "its params are no object".to_owned())
        }
        _ if params.and_then(|params| params.get("_meta")).is_some_and(|meta| !meta.is_object()) => {
            (ErrorCode::INVALID_PARAMS, "its params._meta is no object".to_owned())
        }
        _ => invalid("it is no message of the protocol"),
    }
}

/// What keeps text from being JSON.
fn unreadable(line: &[u8], error: &serde_json::Error) -> String {
    if std::str::from_utf8(line).is_err() {
        "it has bytes in it that are not UTF-8".to_owned()
    } else if depth(line) > DEEPEST {
        format!("it is nested more than {DEEPEST} deep")
    } else if serde_json::from_str::<Value>(&repaired(line)).is_ok() {
        "it has half of a surrogate pair in it, which is no character".to_owned()
    } else {
        format!("it is no JSON ({error})")
    }
}

fn capitalised(why: &str) -> String {
    let mut letters = why.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn error(line: &[u8]) -> (String, i32, String) {
        match malformed(line).due {
            Due::Error(id, error) => (id.0, error.code.0, error.message.into_owned()),
            other => panic!("{}: {other:?}", String::from_utf8_lossy(line)),
        }
    }

    #[test]
    fn whoever_waits_is_told_what_was_wrong() {
        for (line, id, code, message) in [
            (r#"{"id":"a","method":"ping"}"#, r#""a""#, -32600, "Its jsonrpc is not \"2.0\"."),
            (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, "1", -32600, "Its jsonrpc"),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, "1.5", -32600, "Its id is no"),
            (
                r#"{"jsonrpc":"2.0","id":99999999999999999999,"method":"ping"}"#,
                "99999999999999999999",
                -32600,
                "Its id is too",
            ),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, "null", -32600, "Its id is no"),
            (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, "null", -32600, "Its id is no"),
            (r#"{"jsonrpc":"2.0","id":1,"method":5}"#, "1", -32600, "Its method is no string"),
            (r#"{"jsonrpc":"2.0","id":1}"#, "1", -32600, "It has no method"),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#,
                "1",
                -32602,
                "Its params are no object",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":5}}"#,
                "1",
                -32602,
                "Its params._meta",
            ),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#, "1", -32600, "It is a request and"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","#, "1", -32700, "It is no JSON ("),
            (r#"{"jsonrpc":"2.0","id":1,"method":"\ud800"}"#, "1", -32700, "It has half of a surrogate"),
            (r#"{"method":"tools/call","params":{"arguments":{}},"id":7"#, "7", -32700, "It is no JSON"),
            ("{}", "null", -32600, "Its jsonrpc"),
            ("5", "null", -32600, "It is no object"),
            ("}{", "null", -32700, "It is no JSON"),
            ("\0", "null", -32700, "It is no JSON"),
        ] {
            let told = error(line.as_bytes());
            assert_eq!((&*told.0, told.1), (id, code), "{line}: {}", told.2);
            assert!(told.2.starts_with(message), "{line}: {}", told.2);
        }
    }

    #[test]
    fn a_call_whose_arguments_cannot_be_read_is_a_call_that_failed() {
        let call = |path: &[u8]| {
            let head = br#"{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"read","arguments":{"path":"#;
            [&head[..], path, b"}}}"].concat()
        };
        let deep = ["[".repeat(200), "]".repeat(200)].concat().into_bytes();
        for (path, why) in [
            (&br#""h\ud800.txt""#[..], "half of a surrogate pair"),
            (b"\"h\xff.txt\"", "not UTF-8"),
            (&deep, "nested more than 127 deep"),
            (b"nul", "no JSON"),
        ] {
            let Due::Result(id, error) = malformed(&call(path)).due else { panic!("{why}") };
            assert_eq!((id.as_json(), error.code()), (r#""c""#, ReadErrorCode::InvalidArguments));
            assert!(error.message().contains(why), "{error}");
        }
        let Due::Result(id, _) = too_long(&call(b"\"aaaa")).due else { panic!("too long") };
        assert_eq!(id.as_json(), r#""c""#);
        assert!(matches!(too_long(b"xxxx").due, Due::Error(..)));
    }

    #[test]
    fn nobody_waits_for_answers_to_answers_and_notifications() {
        let answer = malformed(br#"{"jsonrpc":"2.0","id":3,"result":{"a":"\ud800"}}"#);
        assert!(matches!(answer.due, Due::Nobody(Some(id)) if id == 3));
        assert!(matches!(malformed(br#"{"jsonrpc":"1.0","result":{}}"#).due, Due::Nobody(None)));
        assert!(matches!(malformed(br#"{"method":"notifications/x"}"#).due, Due::Nothing));
    }

    #[test]
    fn a_handshake_says_what_it_lacks() {
        let whole = serde_json::json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "a", "version": "1" },
        });
        for (pointer, name) in [
            ("/protocolVersion", "params.protocolVersion"),
            ("/capabilities", "params.capabilities"),
            ("/clientInfo", "params.clientInfo"),
            ("/clientInfo/version", "params.clientInfo.version"),
        ] {
            let mut params = whole.clone();
            *params.pointer_mut(pointer).unwrap() = Value::Null;
            let error = no_handshake(Some(&params));
            assert!(error.message.contains(&format!(" {name} is missing")), "{}", error.message);
        }
        assert!(no_handshake(None).message.contains("params is missing"));
    }

    proptest! {
        #[test]
        fn every_id_that_is_one_comes_back(line in "[\\[\\]{}\",:\\\\ud8c0 a1é]{0,60}") {
            let looked = malformed(line.as_bytes());
            if let Due::Error(id, _) | Due::Result(id, _) = looked.due {
                prop_assert!(serde_json::from_str::<Value>(id.as_json()).is_ok());
            }
        }
    }
}
