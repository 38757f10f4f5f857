//! Which columns are shown.

use csv::{ByteRecord, ReaderBuilder};
use read_core::{ErrorCode, ReadError, printed};

/// Columns that are shown at most, so that one row stays readable.
pub(crate) const MAX_COLUMNS: usize = 64;

/// Names that an error lists.
const NAMES_LISTED: usize = 20;

/// The positions of the columns that are asked for, in the caller's order. `asked` is a record of its own, so that a name with
/// a comma is quoted; `#3` is the third column.
pub(crate) fn chosen(asked: &str, header: &ByteRecord, path: &str) -> Result<Vec<usize>, ReadError> {
    let mut names = ByteRecord::new();
    let mut reader = ReaderBuilder::new().has_headers(false).from_reader(asked.as_bytes());
    // Bytes in memory do not fail, and a record of bytes has no wrong form.
    let _ = reader.read_byte_record(&mut names);
    let chosen: Vec<usize> =
        names.iter().map(|name| position(name, header, path)).collect::<Result<_, _>>()?;
    if chosen.len() > MAX_COLUMNS {
        return Err(ReadError::new(
            ErrorCode::InvalidQuery,
            format!("'{path}': at most {MAX_COLUMNS} columns are shown at once. Name fewer in ?cols=."),
        ));
    }
    Ok(chosen)
}

fn position(name: &[u8], header: &ByteRecord, path: &str) -> Result<usize, ReadError> {
    let number = || {
        let number: usize = std::str::from_utf8(name.strip_prefix(b"#")?).ok()?.parse().ok()?;
        number.checked_sub(1).filter(|at| *at < header.len())
    };
    let exactly = || header.iter().position(|column| column == name);
    let alike = || {
        let mut alike = header.iter().enumerate().filter(|(_, column)| column.eq_ignore_ascii_case(name));
        alike.next().filter(|_| alike.next().is_none()).map(|(at, _)| at)
    };
    exactly().or_else(alike).or_else(number).ok_or_else(|| {
        let names: Vec<_> = header.iter().take(NAMES_LISTED).map(|name| read_core::shortened(name)).collect();
        let more = if header.len() > NAMES_LISTED { ", …" } else { "" };
        ReadError::new(
            ErrorCode::InvalidQuery,
            format!(
                "'{path}' has no column '{}'. Use some of: {}{more}; or #1 to #{}.",
                printed(name),
                names.join(", "),
                header.len()
            ),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(asked: &str) -> Result<Vec<usize>, String> {
        let header = ByteRecord::from(vec!["id", "Name", "a,b", "name"]);
        chosen(asked, &header, "f").map_err(|error| error.message().to_owned())
    }

    #[test]
    fn columns_are_chosen_by_name_or_number() {
        assert_eq!(choose("name,id"), Ok(vec![3, 0]));
        assert_eq!(choose("ID,\"a,b\",#2"), Ok(vec![0, 2, 1]));
        let error = choose("NAME").unwrap_err();
        assert_eq!(error, "'f' has no column 'NAME'. Use some of: id, Name, a,b, name; or #1 to #4.");
        assert!(choose("#0").is_err() && choose("#5").is_err());
    }
}
