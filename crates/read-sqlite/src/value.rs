//! Values as they are shown.

use std::fmt::Write;

use read_core::selector::escape;
use read_core::size;
use rusqlite::types::ValueRef;

use crate::text::Encoding;

/// A value, or as much of it as is shown.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Null,
    Integer(i64),
    Real(f64),
    /// The first bytes of a text, and how many it has.
    Text {
        head: Vec<u8>,
        total: u64,
    },
    /// The bytes of a BLOB.
    Blob(u64),
    /// A value of a column that cannot be read.
    Unreadable,
}

/// A value in words.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) text: String,
    /// Whether the text goes on beyond it.
    pub(crate) cut: bool,
    /// Whether some of it is no UTF-8.
    pub(crate) lossy: bool,
}

impl Value {
    /// A value of a query's row; of a long text the first `keep` bytes.
    pub(crate) fn of(value: ValueRef<'_>, keep: usize) -> Self {
        match value {
            ValueRef::Null => Self::Null,
            ValueRef::Integer(n) => Self::Integer(n),
            ValueRef::Real(n) => Self::Real(n),
            ValueRef::Text(text) => {
                let head = text.get(..keep).filter(|head| head.len() < text.len()).map_or(text, head_of);
                Self::Text { head: head.to_vec(), total: text.len() as u64 }
            }
            ValueRef::Blob(bytes) => Self::Blob(bytes.len() as u64),
        }
    }

    /// A value that came through [`measured`] or [`with_head`]; of a long text the first `keep` bytes.
    pub(crate) fn of_measured(value: ValueRef<'_>, encoding: Encoding, keep: usize) -> Self {
        let ValueRef::Blob(tagged) = value else { return Self::of(value, keep) };
        let tagged = encoding.to_utf8(tagged.to_vec());
        let kind = tagged.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let (kind, size) = tagged.split_at_checked(kind).unwrap_or_default();
        let mut parts = size.splitn(2, |byte| *byte == b':');
        let (total, head) = (parts.next(), parts.next().unwrap_or_default());
        let total =
            total.and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok()).unwrap_or_default();
        match kind {
            b"text" => Self::Text { head: head_of(head).to_vec(), total },
            _ => Self::Blob(total),
        }
    }

    /// Bytes that it takes in memory.
    pub(crate) fn weight(&self) -> usize {
        match self {
            Self::Text { head, .. } => head.len() + 32,
            _ => 32,
        }
    }

    /// The value on one line.
    pub(crate) fn shown(&self) -> Shown {
        let plain = |text: String| Shown { text, cut: false, lossy: false };
        match self {
            Self::Null => plain("NULL".into()),
            Self::Unreadable => plain("<unreadable>".into()),
            Self::Integer(n) => plain(n.to_string()),
            Self::Real(n) => plain(real(*n)),
            Self::Blob(bytes) => plain(format!("<BLOB {}>", size(*bytes))),
            Self::Text { head, total } if head.is_empty() && *total > 0 => {
                Shown { text: format!("<TEXT {}>", size(*total)), cut: true, lossy: false }
            }
            Self::Text { head, total } => {
                let text = String::from_utf8_lossy(head);
                let lossy = matches!(text, std::borrow::Cow::Owned(_));
                Shown { text: on_one_line(&text), cut: (head.len() as u64) < *total, lossy }
            }
        }
    }
}

/// An expression that gives `expression` where it is a number or a text of at most `readable` bytes, and its type and size where
/// it is not, so that a long value is never read whole: as a BLOB `text5000`. (It stands in a statement once for each column,
/// and what SQLite takes to prepare it is most of a short read. NULL has no length, and comes out as NULL at the end.)
pub(crate) fn measured(expression: &str, readable: u64) -> String {
    format!("{} AS BLOB) END", tagged(expression, readable))
}

/// The same with the first `short` letters of a text that is longer than `short` bytes and no longer than `readable`, behind a
/// colon.
pub(crate) fn with_head(expression: &str, short: u64, readable: u64) -> String {
    let tagged = tagged(expression, short);
    format!(
        "{tagged}||':'||iif(typeof({expression})='blob' OR octet_length({expression})>{readable},'',substr({expression},1,{short})) AS BLOB) END"
    )
}

fn tagged(expression: &str, whole: u64) -> String {
    format!(
        "CASE WHEN octet_length({expression})<={whole} AND typeof({expression})<>'blob' THEN {expression} \
         ELSE CAST(typeof({expression})||octet_length({expression})"
    )
}

/// `bytes` without the part of a character at their end that was cut.
fn head_of(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => bytes.get(..error.valid_up_to()).unwrap_or(bytes),
        _ => bytes,
    }
}

/// A number as SQLite prints it: with a decimal point, and as few digits (from 15) as give the same number back.
fn real(n: f64) -> String {
    if n.is_infinite() {
        return if n > 0.0 { "Inf".into() } else { "-Inf".into() };
    }
    if n == 0.0 {
        return "0.0".into();
    }
    // Up to 15 digits, the shortest ones are those that trying finds, save where numbers are not as exact as that.
    let shortest = format!("{n:e}");
    let digits = shortest.bytes().take_while(|byte| *byte != b'e').filter(u8::is_ascii_digit).count();
    let text = if n.is_normal() && digits <= LEAST_DIGITS { shortest } else { tried(n) };
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if mantissa.starts_with('-') { "-" } else { "" };
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let digits = match digits.trim_end_matches('0') {
        "" => "0",
        digits => digits,
    };
    let split = |at: usize| {
        let whole: String = digits.chars().chain(std::iter::repeat('0')).take(at).collect();
        let rest: String = digits.chars().skip(at).collect();
        (whole, if rest.is_empty() { "0".into() } else { rest })
    };
    match exponent {
        0..15 => {
            let (whole, rest) = split(usize::try_from(exponent).unwrap_or(0) + 1);
            format!("{sign}{whole}.{rest}")
        }
        -4..0 => {
            let zeros = "0".repeat(usize::try_from(-exponent - 1).unwrap_or(0));
            format!("{sign}0.{zeros}{digits}")
        }
        _ => {
            let (whole, rest) = split(1);
            let (direction, exponent) = (if exponent < 0 { '-' } else { '+' }, exponent.unsigned_abs());
            format!("{sign}{whole}.{rest}e{direction}{exponent:02}")
        }
    }
}

/// The digits that SQLite shows at least of a number, apart from zeros at its end.
const LEAST_DIGITS: usize = 15;

/// With as few digits, from those on, as give the same number back.
fn tried(n: f64) -> String {
    let scientific = |digits: usize| format!("{n:.*e}", digits - 1);
    (LEAST_DIGITS..17).map(scientific).find(|text| text.parse() == Ok(n)).unwrap_or_else(|| scientific(17))
}

/// `text` with line ends, tabs and other control characters as escapes.
fn on_one_line(text: &str) -> String {
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0' => out.push('␀'),
            c if is_hidden(c) => {
                // Writing to a string does not fail.
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// Whether a character is escaped in a value: what breaks a line, acts on a terminal, or misleads the eye. What joins others
/// does not: letters and pictures are made by it.
pub(crate) fn is_hidden(c: char) -> bool {
    escape::is_hidden(c) && !matches!(c, '\u{200c}' | '\u{200d}' | '\u{ad}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reals_as_sqlite_prints_them() {
        // Half way between two of 16 digits: the even one.
        assert_eq!(real(653_066_998_236_525.0 + 0.25), "653066998236525.2");
        for (n, text) in [
            (1.0, "1.0"),
            (-0.0, "0.0"),
            (0.1, "0.1"),
            (-1.5, "-1.5"),
            (100_000_000_000_000.0, "100000000000000.0"),
            (1e15, "1.0e+15"),
            (1e300, "1.0e+300"),
            (1.25e-5, "1.25e-05"),
            (0.000_125, "0.000125"),
            (0.1 + 0.2, "0.30000000000000004"),
            (f64::MAX, "1.7976931348623157e+308"),
            (f64::INFINITY, "Inf"),
            (f64::NEG_INFINITY, "-Inf"),
            (9_223_372_036_854_775_808.0, "9.223372036854776e+18"),
            (5e-324, "4.94065645841247e-324"),
        ] {
            assert_eq!(real(n), text);
        }
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        let text = "é".repeat(10);
        let value = Value::of(ValueRef::Text(text.as_bytes()), 5);
        let shown = value.shown();
        assert_eq!((shown.text.as_str(), shown.cut, shown.lossy), ("éé", true, false));
    }

    #[test]
    fn measured_values_come_back() {
        let of = |bytes: &[u8]| Value::of_measured(ValueRef::Blob(bytes), Encoding::Utf8, 5);
        assert_eq!(of(b"blob12"), Value::Blob(12));
        assert_eq!(of(b"blob12:"), Value::Blob(12));
        assert_eq!(of(b"text5000"), Value::Text { head: Vec::new(), total: 5000 });
        assert_eq!(of(b"text5000:a:b"), Value::Text { head: b"a:b".to_vec(), total: 5000 });
        assert_eq!(
            of("text9:x\u{e9}".as_bytes().split_last().unwrap().1),
            Value::Text { head: b"x".to_vec(), total: 9 }
        );
        let ends_cut = Value::of_measured(ValueRef::Text(b"long\xc3"), Encoding::Utf8, 5);
        assert_eq!(
            ends_cut,
            Value::Text { head: b"long\xc3".to_vec(), total: 5 },
            "nothing was cut of it here"
        );
        let whole = Value::of_measured(ValueRef::Text(b"text9:long"), Encoding::Utf8, 5);
        assert_eq!(whole, Value::Text { head: b"text9".to_vec(), total: 10 });
    }

    proptest! {
        #[test]
        fn every_real_reads_back(bits in any::<u64>()) {
            let n = f64::from_bits(bits);
            prop_assume!(n.is_finite());
            prop_assert_eq!(real(n).parse::<f64>(), Ok(n));
        }

        #[test]
        fn short_digits_are_those_that_are_found_by_trying(mantissa in 1..10_u64.pow(15), power in -320..292_i32) {
            let n: f64 = format!("{mantissa}e{power}").parse().unwrap();
            let digits = |text: String| text.replace('.', "").split_once('e').map(|(digits, exponent)| {
                (digits.trim_end_matches('0').to_owned(), exponent.to_owned())
            });
            let shortest = digits(format!("{n:e}"));
            prop_assume!(n.is_normal());
            prop_assert!(shortest.as_ref().is_some_and(|(digits, _)| digits.len() <= LEAST_DIGITS));
            prop_assert_eq!(shortest, digits(tried(n)));
        }

        #[test]
        fn values_stay_on_one_line(text in any::<String>()) {
            prop_assert!(!on_one_line(&text).chars().any(char::is_control));
        }
    }
}
