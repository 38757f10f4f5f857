//! URIs of directories.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// The directory that a URI names: `file:///home/me/my%20project`, `file:/home/me`, `file://localhost/home/me` (RFC 8089).
pub(super) fn path(uri: &str) -> Option<PathBuf> {
    let (scheme, rest) = uri.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    let path = match rest.strip_prefix("//") {
        None => rest,
        Some(rest) => {
            let (host, path) = rest.split_at_checked(rest.find('/')?)?;
            (host.is_empty() || host.eq_ignore_ascii_case("localhost")).then_some(path)?
        }
    };
    if !path.starts_with('/') {
        return None;
    }
    let end = path.find(['?', '#']).unwrap_or(path.len());
    let mut bytes = Vec::with_capacity(end);
    let mut left = path.get(..end)?.bytes();
    while let Some(byte) = left.next() {
        bytes.push(if byte == b'%' { hex(left.next()?)? << 4 | hex(left.next()?)? } else { byte });
    }
    (!bytes.contains(&0)).then(|| PathBuf::from(OsString::from_vec(bytes)))
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    #[test]
    fn uris_are_directories_of_this_machine() {
        for (uri, path) in [
            ("file:///a/b", Some("/a/b")),
            ("FILE:///a%20b/%C3%A9", Some("/a b/é")),
            ("file://localhost/a", Some("/a")),
            ("file:///a?x#y", Some("/a")),
            ("file://LOCALHOST/a", Some("/a")),
            ("file:/a/b", Some("/a/b")),
            ("File:/a%20b", Some("/a b")),
            ("file:a", None),
            ("file://localhost", None),
            ("file://localhostess/a", None),
            ("file://elsewhere/a", None),
            ("file:///a%2", None),
            ("file:///a%zz", None),
            ("file:///a%00b", None),
            ("file://", None),
            ("https://example.org/a", None),
            ("é", None),
            ("", None),
        ] {
            assert_eq!(super::path(uri).as_deref(), path.map(Path::new), "{uri}");
        }
    }
}
