//! Core names no format.

use super::{Check, Exception, Violation, except};
use crate::workspace::Workspace;

pub(super) const CHECKS: &[Check] = &[Check {
    name: "formats-unnamed",
    holds: "The code of read-core names no file format: formats are the business of plugins.",
    invariant: true,
    find,
}];

/// Words that name a format, as parts of identifiers and of literals.
const FORMATS: [&str; 27] = [
    "avif", "bmp", "bzip2", "docx", "gif", "gz", "gzip", "heic", "ico", "jar", "jpeg", "jpg", "lzma",
    "parquet", "pdf", "png", "rusqlite", "sqlite", "sqlite3", "svg", "tar", "tgz", "tiff", "webp", "xz",
    "zip", "zstd",
];

const EXCEPTIONS: &[Exception] = &[];

fn find(workspace: &Workspace) -> Vec<Violation> {
    let mut found = Vec::new();
    for (file, rust) in workspace.sources().filter(|(file, _)| file.path.starts_with("crates/read-core/src/"))
    {
        for (at, line) in rust.spoken.lines().enumerate() {
            // Iterators are zipped, which names no format.
            let line = line.replace(".zip(", "(").replace("iter::zip", "iter");
            let named = words(&line).into_iter().find(|word| FORMATS.contains(&word.as_str()));
            found.extend(named.map(|word| {
                let message = format!("'{word}' names a format; core knows none, a plugin does");
                Violation::of_line(&file.path, at.saturating_add(1), message)
            }));
        }
    }
    except(found, EXCEPTIONS, "xtask/src/tidy/formats.rs")
}

/// The words of `line` in lower case: `ZipFile`, `zip_file` and `"a.zip"` all have `zip`.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut previous = ' ';
    for c in line.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && !previous.is_uppercase()) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        previous = c;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<Option<usize>> {
        let workspace =
            Workspace::sample(&[("crates/read-core/src/a.rs", text), ("crates/read-zip/src/a.rs", text)]);
        find(&workspace).into_iter().map(|one| one.line).collect()
    }

    #[test]
    fn a_named_format_is_found() {
        assert_eq!(found("fn a() {}\nfn zip_member() {}\n"), [Some(2)]);
        assert_eq!(
            found("struct TarEntry;\nconst A: &str = \"image/png\";\nenum E { PNG }\n"),
            [Some(1), Some(2), Some(3)]
        );
    }

    #[test]
    fn comments_tests_and_other_words_pass() {
        assert_eq!(
            found(
                "//! A zip, for example.\n/// Or a tar.\nfn start_target() { a.zip(b); iter::zip(a, b).zipped() }\n"
            ),
            []
        );
        assert_eq!(found("#[cfg(test)]\nmod tests { const A: &str = \"a.zip\"; }\n"), []);
    }
}
