//! What follows a `?` in a target: keys and values.

use std::borrow::Cow;

use crate::value::is_hidden;

/// One key with its value, decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair<'a> {
    pub(crate) key: &'a str,
    pub(crate) value: Cow<'a, str>,
}

/// The pairs of a query string, without its `?`. All after `q=` is the query; an `&` inside quotes ends nothing.
pub(crate) fn pairs(text: &str) -> Vec<Pair<'_>> {
    let mut pairs = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let key_end = rest.find(['=', '&']).unwrap_or(rest.len());
        let (key, after) = rest.split_at_checked(key_end).unwrap_or((rest, ""));
        let Some(after) = after.strip_prefix('=') else {
            if !key.is_empty() {
                pairs.push(Pair { key, value: Cow::Borrowed("") });
            }
            rest = after.strip_prefix('&').unwrap_or(after);
            continue;
        };
        if key.eq_ignore_ascii_case("q") {
            pairs.push(Pair { key, value: decoded(after) });
            break;
        }
        let (value, after) = after.split_at_checked(value_end(after)).unwrap_or((after, ""));
        pairs.push(Pair { key, value: decoded(value) });
        rest = after.strip_prefix('&').unwrap_or(after);
    }
    pairs
}

/// Where the first `&` outside quotes stands.
fn value_end(text: &str) -> usize {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (c, quote) {
            ('&', None) => return at,
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            _ => {}
        }
    }
    text.len()
}

/// Whether a value shows by a character that no encoded one has that it is meant as it is written.
fn is_as_written(value: &str) -> bool {
    value.contains(|c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '<' | '>'))
}

/// A value form-decoded, unless it is meant as it is written. What is no escape stays as it is.
fn decoded(value: &str) -> Cow<'_, str> {
    if is_as_written(value) || !value.contains(['+', '%']) {
        return Cow::Borrowed(value);
    }
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match first {
            b'+' => bytes.push(b' '),
            b'%' => {
                match after.split_first_chunk::<2>().and_then(|(digits, after)| Some((hex(*digits)?, after)))
                {
                    Some((byte, after)) => {
                        bytes.push(byte);
                        rest = after;
                    }
                    None => bytes.push(b'%'),
                }
            }
            byte => bytes.push(*byte),
        }
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

fn hex(digits: [u8; 2]) -> Option<u8> {
    let digit = |c: u8| char::from(c).to_digit(16);
    let [high, low] = digits;
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

/// `value` as it stands in a target so that [`pairs`] gives it back, as readable as it can be.
pub(crate) fn encoded(value: &str) -> Cow<'_, str> {
    let plain = is_as_written(value) || !value.contains(['+', '%']);
    // What stands behind it must not seem to be quoted.
    let ends = value_end(&format!("{value}&")) == value.len();
    if plain && ends && !value.contains(is_hidden) {
        return Cow::Borrowed(value);
    }
    let mut out = String::with_capacity(value.len() * 2);
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~*(),=!".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            for digit in [byte >> 4, byte & 15] {
                out.extend(char::from_digit(u32::from(digit), 16));
            }
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Vec<(String, String)> {
        pairs(text).into_iter().map(|pair| (pair.key.to_owned(), pair.value.into_owned())).collect()
    }

    fn list(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn values_are_decoded_unless_they_are_meant_as_written() {
        for (text, want) in [
            ("limit=5&offset=10", list(&[("limit", "5"), ("offset", "10")])),
            ("where=name%20LIKE%20%27%25o%25%27", list(&[("where", "name LIKE '%o%'")])),
            ("where=a+b", list(&[("where", "a b")])),
            ("where=name LIKE '%a+b%'", list(&[("where", "name LIKE '%a+b%'")])),
            ("where=id>20", list(&[("where", "id>20")])),
            ("where=x='a&b'&limit=1", list(&[("where", "x='a&b'"), ("limit", "1")])),
            ("where=x=\"a'&b\"&limit=1", list(&[("where", "x=\"a'&b\""), ("limit", "1")])),
            ("q=SELECT 1 & 2", list(&[("q", "SELECT 1 & 2")])),
            ("q=SELECT%201", list(&[("q", "SELECT 1")])),
            ("limit=1&q=SELECT '%41' & 1", list(&[("limit", "1"), ("q", "SELECT '%41' & 1")])),
            ("a&b=&=c&&", list(&[("a", ""), ("b", ""), ("", "c")])),
            ("where=100%&x=%e9", list(&[("where", "100%"), ("x", "\u{fffd}")])),
            ("", list(&[])),
        ] {
            assert_eq!(read(text), want, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_encoded_reads_back(value in "[a-z0-9 '\"<>&+%=?:é\n\\\\]{0,24}", other in "[a-z]{1,5}") {
            let text = format!("where={}&limit={other}", encoded(&value));
            prop_assert_eq!(read(&text), list(&[("where", &value), ("limit", &other)]));
        }

        #[test]
        fn any_text_is_cut_into_pairs(text in any::<String>()) {
            pairs(&text);
        }
    }
}
