//! Files of a folder as seeds, each for the targets that it may be.

use std::path::Path;

use anyhow::Result;

use super::{Seed, Target};

/// A larger file makes a slow seed.
const MOST: u64 = 1 << 20;

pub(super) fn seeds(target: Target, folder: &Path) -> Result<Vec<Seed>> {
    let mut entries = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    let mut seeds = Vec::new();
    for entry in entries {
        let kind = entry.file_type()?;
        if kind.is_dir() {
            seeds.extend(self::seeds(target, &entry.path())?);
        } else if kind.is_file() && entry.metadata()?.len() <= MOST {
            let bytes = std::fs::read(entry.path())?;
            if of(&bytes) == target {
                seeds.push(Seed::new(bytes));
            }
        }
    }
    Ok(seeds)
}

/// The target that a file is a seed of.
fn of(bytes: &[u8]) -> Target {
    const IMAGES: [&[u8]; 9] = [
        b"\x89PNG",
        b"\xFF\xD8\xFF",
        b"GIF8",
        b"RIFF",
        b"BM",
        b"II*\0",
        b"MM\0*",
        b"\0\0\x01\0",
        b"\0\0\x02\0",
    ];
    if bytes.starts_with(b"PK") || bytes.ends_with(&[0; 2]) && contains(bytes, b"PK\x05\x06") {
        Target::Zip
    } else if bytes.starts_with(b"\x1F\x8B") {
        Target::Gzip
    } else if bytes.starts_with(b"SQLite format 3\0") {
        Target::Sqlite
    } else if bytes.get(257..262) == Some(b"ustar") {
        Target::Tar
    } else if IMAGES.iter().any(|magic| bytes.starts_with(magic)) {
        Target::Image
    } else {
        Target::Text
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_seeds_of_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("below")).unwrap();
        std::fs::write(folder.path().join("b.png"), b"\x89PNG and more").unwrap();
        std::fs::write(folder.path().join("below/a.png"), b"GIF89a").unwrap();
        std::fs::write(folder.path().join("c"), b"text").unwrap();
        let images = seeds(Target::Image, folder.path()).unwrap();
        assert_eq!(images, [Seed::new(&b"\x89PNG and more"[..]), Seed::new(&b"GIF89a"[..])]);
        assert_eq!(seeds(Target::Text, folder.path()).unwrap(), [Seed::new(&b"text"[..])]);
        assert!(seeds(Target::Zip, Path::new("no-such-folder")).is_err());
    }
}
