//! What stands between the fields.

use csv::{ByteRecord, ReaderBuilder};

/// The byte order mark of UTF-8.
pub(crate) const BOM: &[u8] = b"\xef\xbb\xbf";

/// What may stand between fields, the likelier first.
const CANDIDATES: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Records that are looked at.
const LOOKED_AT: usize = 20;

/// The delimiter: a tab by the name's extension, else what cuts each of the first records into most fields.
pub(crate) fn of(name: &[u8], head: &[u8]) -> u8 {
    let extension = name.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    if extension.eq_ignore_ascii_case(b"tsv") || extension.eq_ignore_ascii_case(b"tab") {
        return b'\t';
    }
    let head = head.strip_prefix(BOM).unwrap_or(head);
    let mut best = (1, b',');
    for delimiter in CANDIDATES {
        let fields = least_fields(head, delimiter);
        if fields > best.0 {
            best = (fields, delimiter);
        }
    }
    best.1
}

/// The fields that every one of the first records has at least. The last one may be cut, and counts only when it is alone.
fn least_fields(head: &[u8], delimiter: u8) -> usize {
    let mut reader =
        ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(head);
    let mut record = ByteRecord::new();
    let mut fields = Vec::new();
    while fields.len() <= LOOKED_AT && reader.read_byte_record(&mut record).is_ok_and(|is_one| is_one) {
        fields.push(record.len());
    }
    if fields.len() > 1 {
        fields.pop();
    }
    fields.into_iter().min().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn the_extension_or_the_first_records_decide() {
        for (name, head, delimiter) in [
            ("a.tsv", "a,b\n", b'\t'),
            ("a.csv", "a,b\n1,2\n", b','),
            ("a.csv", "preis;menge\n1,5;2\n2,5;3\n", b';'),
            ("a.csv", "\u{feff}a\tb\tc,d\n1\t2\t3\n", b'\t'),
            ("a.csv", "a|b\n1|2\n", b'|'),
            ("a.csv", "\"x;y;z\",b\n\"1;2;3\",4\n", b','),
            ("a.csv", "alone\nlines\n", b','),
            ("a.csv", "", b','),
        ] {
            assert_eq!(char::from(of(name.as_bytes(), head.as_bytes())), char::from(delimiter), "{head:?}");
        }
    }
}
