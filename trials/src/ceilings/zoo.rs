//! The zoo: every case, and the making of what is not there yet.

use std::path::Path;

use anyhow::{Context, Result};

use super::case::{Case, Kind};
use super::{bombs, pictures, tables, trees};

/// Changed when the inputs change, so that none of another making is used.
pub(super) const EDITION: &str = "edition-1";

/// A file, how it is made, and what is asked of it.
struct Animal {
    name: &'static str,
    file: &'static str,
    make: fn(&Path) -> Result<()>,
    kind: Kind,
    /// What follows the file in the targets.
    rests: &'static [&'static str],
}

const ANIMALS: &[Animal] = &[
    Animal {
        name: "gzip of 4 GiB of zeros",
        file: "zeros.gz",
        make: |path| bombs::flat_gzip(path, b'\0'),
        kind: Kind::Compressed,
        rests: &["", ":-5", ":5000000", ":stat", ":hex", ":@4000000000+10"],
    },
    Animal {
        name: "gzip of 4 GiB of line ends",
        file: "lines.gz",
        make: |path| bombs::flat_gzip(path, b'\n'),
        kind: Kind::Compressed,
        rests: &["", ":-5", ":5000000", ":4000000000-", ":stat", ":raw"],
    },
    Animal {
        name: "gzip in gzip of 4 GiB",
        file: "twice.gz",
        make: bombs::twice_gzip,
        kind: Kind::Compressed,
        rests: &["", ":-5", ":stat"],
    },
    Animal {
        name: "gzip, 1,000 deep",
        file: "deep.gz",
        make: bombs::deep_gzip,
        kind: Kind::Compressed,
        rests: &["", ":stat"],
    },
    Animal {
        name: "SVG of 1 GiB, gzipped",
        file: "bomb.svgz",
        make: bombs::svgz,
        kind: Kind::Compressed,
        rests: &["", ":-5"],
    },
    Animal {
        name: "zip of 60,000 overlapping members",
        file: "overlapping.zip",
        make: bombs::overlapping_zip,
        kind: Kind::Archive,
        rests: &["", ":59999", ":59999:-5", ":59999:stat"],
    },
    Animal {
        name: "zip with a member of 4 GiB",
        file: "flat.zip",
        make: bombs::flat_zip,
        kind: Kind::Archive,
        rests: &["", ":zeros", ":zeros:-5", ":zeros:stat", ":zeros:hex:@4000000000"],
    },
    Animal {
        name: "zip that lies about sizes",
        file: "lies.zip",
        make: bombs::lying_zip,
        kind: Kind::Archive,
        rests: &["", ":more", ":more:-5", ":less", ":less:stat", ":huge", ":huge:-1"],
    },
    Animal {
        name: "zip in zip, 16 to the 6th",
        file: "nested.zip",
        make: bombs::nested_zip,
        kind: Kind::Archive,
        rests: &[
            "",
            ":00-level-4.zip",
            ":00-level-4.zip:07-level-3.zip:01-level-2.zip:02-level-1.zip:03-level-0.zip:00-zeros.bin:-5",
        ],
    },
    Animal {
        name: "tar that claims 8 EiB",
        file: "claims.tar",
        make: bombs::claiming_tar,
        kind: Kind::Archive,
        rests: &["", ":huge", ":huge:-5", ":huge:@9000000000000000000+5", ":after.txt"],
    },
    Animal {
        name: "tar of 200,000 members",
        file: "many.tar",
        make: bombs::many_tar,
        kind: Kind::Index,
        rests: &["", ":-5", ":d7/f199997", ":nothing"],
    },
    Animal {
        name: "tar of 200,000 members, gzipped",
        file: "many.tar.gz",
        make: bombs::many_tar_gz,
        kind: Kind::Index,
        rests: &["", ":d7/f199997", ":nothing"],
    },
    Animal {
        name: "PAX header of 50 MB",
        file: "pax.tar",
        make: bombs::pax_tar,
        kind: Kind::Archive,
        rests: &["", ":after.txt"],
    },
    Animal {
        name: "sparse members of 8 GiB",
        file: "holes.tar",
        make: bombs::sparse_tar,
        kind: Kind::Archive,
        rests: &["", ":old", ":old:-5", ":new:hex:@8000000000", ":new:-1"],
    },
    Animal {
        name: "100 GB of nothing",
        file: "hole",
        make: trees::hole,
        kind: Kind::Text,
        rests: &["", ":hex:@99999999000", ":stat"],
    },
    Animal {
        name: "100 GB of nothing, searched for lines",
        file: "hole",
        make: trees::hole,
        kind: Kind::Search,
        rests: &[":-5", ":5"],
    },
    Animal {
        name: "100 GB with one line end",
        file: "hole-line",
        make: trees::hole_with_line,
        kind: Kind::Text,
        rests: &["", ":-1", ":-5", ":@99999999990", ":stat"],
    },
    Animal {
        name: "100 GB with one line end, searched for it",
        file: "hole-line",
        make: trees::hole_with_line,
        kind: Kind::Search,
        rests: &[":2"],
    },
    Animal {
        name: "a line of 1 GiB",
        file: "line.txt",
        make: trees::one_line,
        kind: Kind::Text,
        rests: &["", ":-1", ":1", ":2", ":stat", ":raw"],
    },
    Animal {
        name: "PNG of 30,000 × 30,000",
        file: "huge.png",
        make: pictures::huge_png,
        kind: Kind::Image,
        rests: &["", ":stat"],
    },
    Animal {
        name: "PNG of 100 megapixels",
        file: "large.png",
        make: pictures::large_png,
        kind: Kind::Image,
        rests: &[""],
    },
    Animal {
        name: "JPEG of 100 megapixels",
        file: "large.jpg",
        make: pictures::large_jpeg,
        kind: Kind::Image,
        rests: &[""],
    },
    Animal {
        name: "GIF of 100 megapixels",
        file: "large.gif",
        make: pictures::large_gif,
        kind: Kind::Image,
        rests: &[""],
    },
    Animal {
        name: "WebP of 100 megapixels",
        file: "large.webp",
        make: pictures::large_webp,
        kind: Kind::Image,
        rests: &[""],
    },
    Animal {
        name: "GIF of 10,000 frames",
        file: "frames.gif",
        make: pictures::many_frames,
        kind: Kind::Image,
        rests: &[""],
    },
    Animal {
        name: "TIFF of 60,000 pages",
        file: "pages.tif",
        make: pictures::many_pages,
        kind: Kind::Image,
        rests: &["", ":stat"],
    },
    Animal {
        name: "PNG with 64 MB of text",
        file: "text.png",
        make: pictures::texts_png,
        kind: Kind::Image,
        rests: &[""],
    },
    Animal {
        name: "SQLite: a view without end",
        file: "endless.db",
        make: tables::endless,
        kind: Kind::Endless,
        rests: &[
            "",
            ":v",
            ":v?limit=3&offset=1000000000",
            "?q=SELECT count(*) FROM v",
            "?q=SELECT * FROM t a, t b, t c, t d ORDER BY random()",
        ],
    },
    Animal {
        name: "SQLite: a cell of 60 MB",
        file: "cell.db",
        make: tables::large_cell,
        kind: Kind::Database,
        rests: &[
            "",
            ":t",
            ":t:1",
            ":t:1:x",
            ":t:1:x:-5",
            ":t:1:x:stat",
            "?q=SELECT x FROM t",
            "?q=SELECT x || x || x FROM t",
        ],
    },
    Animal {
        name: "SQLite: 1,000 tables",
        file: "tables.db",
        make: tables::many_tables,
        kind: Kind::Database,
        rests: &["", ":-3", ":t999", ":nothing"],
    },
    Animal {
        name: "SQLite: values without end",
        file: "endless.db",
        make: tables::endless,
        kind: Kind::Database,
        rests: &[
            "?q=SELECT zeroblob(2000000000)",
            "?q=SELECT hex(zeroblob(900000000))",
            "?q=SELECT printf('%1000000000d', 1)",
            "?q=SELECT group_concat(x, zeroblob(1000000)) FROM t",
        ],
    },
    Animal {
        name: "a directory of 100,000 entries",
        file: "many",
        make: trees::many_entries,
        kind: Kind::Text,
        rests: &["", ":-5", ":99999", "/nothing"],
    },
    Animal {
        name: "a FIFO",
        file: "fifo",
        make: trees::fifo,
        kind: Kind::Text,
        rests: &["", ":-5", ":stat", ":hex"],
    },
    Animal {
        name: "a link to /dev/zero",
        file: "zero",
        make: trees::zero,
        kind: Kind::Text,
        rests: &["", ":-5", ":stat", ":hex"],
    },
    Animal {
        name: "directories, 1,000 deep",
        file: "deep",
        make: trees::deep,
        kind: Kind::Text,
        rests: &["", DEEP_FILE, "/nothing/at/all"],
    },
];

/// Behind `deep`: filled in, since it is long.
const DEEP_FILE: &str = "{deep}";

/// Every case.
pub(super) fn cases() -> Vec<Case> {
    let case = |animal: &Animal, rest: &str| {
        let rest = if rest == DEEP_FILE {
            format!("{}/bottom.txt", "/d".repeat(trees::DEPTH))
        } else {
            rest.to_owned()
        };
        Case {
            name: animal.name,
            file: animal.file,
            target: format!("{}{rest}", animal.file),
            kind: animal.kind,
        }
    };
    ANIMALS.iter().flat_map(|animal| animal.rests.iter().map(move |rest| case(animal, rest))).collect()
}

/// Makes the file of a case, where it is not there yet. A half-made one never gets its name.
pub(super) fn make(folder: &Path, case: &Case) -> Result<()> {
    let path = folder.join(case.file);
    if path.symlink_metadata().is_ok() {
        return Ok(());
    }
    let animal = ANIMALS.iter().find(|animal| animal.file == case.file).context("nothing makes it")?;
    eprintln!("making {} …", case.file);
    let unfinished = folder.join(format!("{}.unfinished", case.file));
    let _ = std::fs::remove_file(&unfinished);
    let _ = std::fs::remove_dir_all(&unfinished);
    (animal.make)(&unfinished).with_context(|| format!("{} cannot be made", case.file))?;
    std::fs::rename(&unfinished, &path).with_context(|| format!("{} cannot be named", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_is_made_in_one_way() {
        for animal in ANIMALS {
            let same = ANIMALS.iter().filter(|other| other.file == animal.file);
            assert!(
                same.clone().all(|other| std::ptr::fn_addr_eq(other.make, animal.make)),
                "{}",
                animal.name
            );
            assert!(!animal.rests.is_empty());
        }
    }
}
