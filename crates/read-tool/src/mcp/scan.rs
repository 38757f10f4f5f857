//! A look at JSON that no parser takes: cut off, nested without end, or with text in it that is none. It finds where values
//! begin and end, and judges none of them.

/// A place in the text.
#[derive(Debug)]
struct Scan<'a> {
    text: &'a [u8],
    at: usize,
}

/// The fields of an object, as far as it goes: raw names without their quotes, raw values.
pub(super) fn fields(object: &[u8]) -> Fields<'_> {
    let mut scan = Scan { text: object, at: 0 };
    let state = if scan.takes(b'{') { State::Next } else { State::Broken };
    Fields { scan, state }
}

/// What [`fields`] gives.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    scan: Scan<'a>,
    state: State,
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    Next,
    Whole,
    Broken,
}

impl Fields<'_> {
    /// Whether the object ended, and the text with it.
    pub(super) fn is_whole(&self) -> bool {
        self.state == State::Whole
    }

    fn end(&mut self) {
        let whole = self.scan.takes(b'}') && self.scan.is_at_end();
        self.state = if whole { State::Whole } else { State::Broken };
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        if self.state != State::Next {
            return None;
        }
        let field = self.scan.field();
        if field.is_none() || !self.scan.takes(b',') {
            self.end();
        }
        field
    }
}

/// The raw elements of an array that is whole.
pub(super) fn elements(array: &[u8]) -> Option<Vec<&[u8]>> {
    let mut scan = Scan { text: array, at: 0 };
    let mut elements = Vec::new();
    if !scan.takes(b'[') {
        return None;
    }
    if !scan.takes(b']') {
        loop {
            elements.push(scan.value()?);
            if !scan.takes(b',') {
                break;
            }
        }
        if !scan.takes(b']') {
            return None;
        }
    }
    scan.is_at_end().then_some(elements)
}

/// How deep the brackets go.
pub(super) fn depth(text: &[u8]) -> usize {
    let (mut depth, mut most) = (0_usize, 0);
    let mut scan = Scan { text, at: 0 };
    while let Some(byte) = scan.peek() {
        match byte {
            b'"' if scan.string().is_none() => break,
            b'"' => continue,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        most = most.max(depth);
        scan.at += 1;
    }
    most
}

/// The same text with U+FFFD for what is no character: bytes that are not UTF-8, escapes of half a surrogate pair.
pub(super) fn repaired(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let mut whole = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some((before, after)) = rest.split_once('\\') {
        whole.push_str(before);
        let (escape, after_it) = match unit(after) {
            Some(0xd800..0xdc00) => {
                let low = after.get(5..).and_then(|next| next.strip_prefix('\\')).and_then(unit);
                match low {
                    Some(0xdc00..0xe000) => after.split_at_checked(11).unwrap_or((after, "")),
                    _ => (REPLACEMENT, after.get(5..).unwrap_or_default()),
                }
            }
            Some(0xdc00..0xe000) => (REPLACEMENT, after.get(5..).unwrap_or_default()),
            _ => {
                let length = after.chars().next().map_or(0, char::len_utf8);
                after.split_at_checked(length).unwrap_or((after, ""))
            }
        };
        whole.push('\\');
        whole.push_str(escape);
        rest = after_it;
    }
    whole.push_str(rest);
    whole
}

/// The escape of U+FFFD.
const REPLACEMENT: &str = "ufffd";

/// The number of an escape: `u` and four hexadecimal digits.
fn unit(escape: &str) -> Option<u32> {
    let digits = escape.strip_prefix('u')?.get(..4)?;
    if digits.starts_with('+') { None } else { u32::from_str_radix(digits, 16).ok() }
}

impl<'a> Scan<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn takes(&mut self, byte: u8) -> bool {
        self.skip_space();
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn is_at_end(&mut self) -> bool {
        self.skip_space();
        self.peek().is_none()
    }

    fn field(&mut self) -> Option<(&'a [u8], &'a [u8])> {
        self.skip_space();
        let name = self.string()?;
        let name = name.get(1..name.len().checked_sub(1)?)?;
        if !self.takes(b':') {
            return None;
        }
        Some((name, self.value()?))
    }

    /// A string with its quotes.
    fn string(&mut self) -> Option<&'a [u8]> {
        let from = self.at;
        if self.peek() != Some(b'"') {
            return None;
        }
        self.at += 1;
        loop {
            match self.peek()? {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        self.text.get(from..self.at)
    }

    /// A value of any kind; brackets are counted, not matched.
    fn value(&mut self) -> Option<&'a [u8]> {
        self.skip_space();
        let from = self.at;
        let mut open = 0_usize;
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.string()?;
                }
                Some(b'{' | b'[') => {
                    open += 1;
                    self.at += 1;
                }
                Some(b'}' | b']') if open > 0 => {
                    open -= 1;
                    self.at += 1;
                }
                Some(b',' | b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n') | None if open == 0 => break,
                Some(_) => {
                    self.at += 1;
                    continue;
                }
                None => return None,
            }
            if open == 0 {
                break;
            }
        }
        self.text.get(from..self.at).filter(|value| !value.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(text: &[u8]) -> (Vec<(String, String)>, bool) {
        let mut fields = fields(text);
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let all = fields.by_ref().map(|(name, value)| (shown(name), shown(value))).collect();
        (all, fields.is_whole())
    }

    #[test]
    fn fields_are_found_as_far_as_the_object_goes() {
        for (text, wanted, whole) in [
            (r#" {"a": 1 ,"b":"x\"}" , "c":{"d":[1,{}]} } "#, "a=1 b=\"x\\\"}\" c={\"d\":[1,{}]}", true),
            (r#"{"a":[[[,"b":2"#, "", false),
            (r#"{"a":1,"#, "a=1", false),
            (r#"{"a":1}x"#, "a=1", false),
            (r#"{"a":1 2}"#, "a=1", false),
            (r#"{"id":1.5e3,"m":null}"#, "id=1.5e3 m=null", true),
            ("{}", "", true),
            ("[]", "", false),
            ("", "", false),
            (r#"{"a"#, "", false),
            (r#"{"a":"b\"#, "", false),
        ] {
            let (found, is_whole) = all(text.as_bytes());
            let found: Vec<_> = found.iter().map(|(name, value)| format!("{name}={value}")).collect();
            assert_eq!((found.join(" "), is_whole), (wanted.to_owned(), whole), "{text}");
        }
    }

    #[test]
    fn elements_are_those_of_a_whole_array() {
        let some: &[&[u8]] = &[b"{\"a\":[1]}", b"2", b"\"]\""];
        assert_eq!(elements(b" [ {\"a\":[1]} ,2, \"]\" ] ").as_deref(), Some(some));
        assert_eq!(elements(b"[]").as_deref(), Some(&[][..]));
        for broken in ["[", "[1", "[1,]", "[1]2", "{}", "[[1]"] {
            assert_eq!(elements(broken.as_bytes()), None, "{broken}");
        }
    }

    #[test]
    fn brackets_in_strings_are_not_deep() {
        assert_eq!(depth(br#"{"a":"[[[\"[","b":[[]]}"#), 3);
        assert_eq!(depth(&b"[".repeat(100_000)), 100_000);
    }

    #[test]
    fn what_is_no_character_is_replaced() {
        for (text, wanted) in [
            (r"a\ud800b", r"a\ufffdb"),
            (r"\udc00\ud83d\ude00", r"\ufffd\ud83d\ude00"),
            (r"\ud800\ud800\udc00", r"\ufffd\ud800\udc00"),
            (r"\\ud800", r"\\ud800"),
            (r"\ud8", r"\ud8"),
            (r"\", r"\"),
            (r"\é\n", r"\é\n"),
        ] {
            assert_eq!(repaired(text.as_bytes()), wanted);
        }
        assert_eq!(repaired(b"a\xffb"), "a\u{fffd}b");
    }

    proptest! {
        #[test]
        fn every_text_is_looked_at_to_its_end(text in "[\\[\\]{}\",:\\\\ud8c0 a1é]{0,60}") {
            let _ = (all(text.as_bytes()), elements(text.as_bytes()), depth(text.as_bytes()));
            prop_assert!(repaired(text.as_bytes()).len() <= text.len());
        }

        #[test]
        fn what_a_parser_takes_is_found(name in "[a-z\"\\\\]{0,5}", number in any::<i64>(), text in any::<String>()) {
            let value = serde_json::json!({ "n": number, "t": [text], name: null });
            let line = value.to_string();
            let (found, whole) = all(line.as_bytes());
            prop_assert!(whole);
            prop_assert_eq!(found.len(), value.as_object().unwrap().len());
            for (name, value_found) in found {
                let name: String = serde_json::from_str(&format!("\"{name}\"")).unwrap();
                prop_assert_eq!(&value[&name], &serde_json::from_str::<serde_json::Value>(&value_found).unwrap());
            }
        }
    }
}
