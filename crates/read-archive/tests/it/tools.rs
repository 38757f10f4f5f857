//! Archives made by real tools read as those tools read them.

use std::collections::BTreeMap;
use std::path::Path;

use crate::support::{on_disk, output, printed, run};

/// A folder of files that compress, do not, are empty, and have names that hurt.
fn fill(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let noise: Vec<u8> =
        (0..20_000_u32).flat_map(|n| format!("{:x}\n", n.wrapping_mul(2_654_435_761)).into_bytes()).collect();
    let files: [(&str, Vec<u8>); 7] = [
        ("a.txt", b"one\ntwo\n".to_vec()),
        ("empty", Vec::new()),
        ("dir/deep/noise.txt", noise),
        ("dir/same.txt", b"same line\n".repeat(5_000)),
        ("dir/with space.txt", b"space\n".to_vec()),
        ("dir/ünïcode.txt", "ünïcode\n".into()),
        ("dir/a:1-2", b"like a selector\n".to_vec()),
    ];
    for (name, content) in &files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    std::fs::create_dir(folder.join("dir/hollow")).unwrap();
    files.into_iter().map(|(name, content)| (name.to_owned(), content)).collect()
}

/// Every file of the folder reads from the archive as it is, verbatim, and the listings have just them.
fn compare(folder: &Path, archive: &str, files: &BTreeMap<String, Vec<u8>>) {
    let pipeline = on_disk(folder);
    for (name, content) in files {
        let target = format!("{archive}:{name}:raw");
        let mut limits = read_core::Limits::default();
        (limits.max_bytes, limits.max_lines) = (None, None);
        let read = output(&on_disk(folder).with_limits(limits), &target)
            .unwrap_or_else(|error| panic!("{target}: {error}"));
        let bytes: Vec<u8> = read
            .blocks
            .iter()
            .flat_map(|block| match block {
                read_core::Block::Text(read_core::Text::Raw(bytes)) => bytes.clone(),
                _ => Vec::new(),
            })
            .collect();
        assert!(bytes == *content, "{target}");
    }
    let listed = |directory: &str| output(&pipeline, &format!("{archive}:{directory}")).unwrap().to_text();
    assert_eq!(listed("."), "dir/\na.txt (8B)\nempty (0B)\n", "{archive}");
    assert_eq!(
        listed("dir"),
        "deep/\nhollow/\na:1-2 (16B)\nsame.txt (48.8KB)\nwith space.txt (6B)\nünïcode.txt (10B)\n",
        "{archive}"
    );
    assert_eq!(listed("dir/hollow"), "(empty archive directory)\n", "{archive}");
}

#[test]
fn zips_of_zip_python_and_bsdtar() {
    let temp = tempfile::tempdir().unwrap();
    let inner = temp.path().join("in");
    std::fs::create_dir(&inner).unwrap();
    let files = fill(&inner);
    let made: [(&str, &str, &[&str]); 5] = [
        ("default.zip", "zip", &["-qr", "../default.zip", "."]),
        ("stored.zip", "zip", &["-q0r", "../stored.zip", "."]),
        ("nodirs.zip", "zip", &["-q9rX", "../nodirs.zip", "."]),
        ("bsd.zip", "bsdtar", &["-a", "-cf", "../bsd.zip", "a.txt", "dir", "empty"]),
        ("py.zip", "python3", &["-m", "zipfile", "-c", "../py.zip", "a.txt", "dir", "empty"]),
    ];
    for (archive, tool, args) in made {
        if run(&inner, tool, args) {
            compare(temp.path(), archive, &files);
        }
    }
}

#[test]
fn a_zip_written_to_a_pipe_has_descriptors() {
    let temp = tempfile::tempdir().unwrap();
    let inner = temp.path().join("in");
    std::fs::create_dir(&inner).unwrap();
    let files = fill(&inner);
    if run(&inner, "sh", &["-c", "zip -qr - . | cat > ../piped.zip"]) {
        compare(temp.path(), "piped.zip", &files);
    }
}

#[test]
fn tars_of_gnu_tar_bsdtar_and_python() {
    let temp = tempfile::tempdir().unwrap();
    let inner = temp.path().join("in");
    std::fs::create_dir(&inner).unwrap();
    let files = fill(&inner);
    let names = ["a.txt", "dir", "empty"];
    let with = |args: &[&'static str]| [args, &names[..]].concat();
    let made = [
        ("gnu.tar", "tar", with(&["--format=gnu", "-cf", "../gnu.tar"])),
        ("pax.tar", "tar", with(&["--format=pax", "-cf", "../pax.tar"])),
        ("ustar.tar", "tar", with(&["--format=ustar", "-cf", "../ustar.tar"])),
        ("v7.tar", "tar", with(&["--format=v7", "-cf", "../v7.tar"])),
        ("label.tar", "tar", with(&["-V", "a label", "-cf", "../label.tar"])),
        ("dot.tgz", "tar", vec!["-czf", "../dot.tgz", "."]),
        ("bsd.tgz", "bsdtar", with(&["-czf", "../bsd.tgz"])),
        ("py.tar", "python3", with(&["-m", "tarfile", "-c", "../py.tar"])),
    ];
    for (archive, tool, args) in made {
        if run(&inner, tool, &args) {
            compare(temp.path(), archive, &files);
        }
    }
}

#[test]
fn sparse_files_of_gnu_tar_are_expanded() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path();
    let made = run(
        folder,
        "sh",
        &["-c", "printf head > sp; truncate -s 3M sp; printf tail >> sp; printf 'after\\n' > z"],
    );
    if !made {
        return;
    }
    let whole = std::fs::read(folder.join("sp")).unwrap();
    for format in [
        "--format=gnu",
        "--format=pax --sparse-version=0.0",
        "--format=pax --sparse-version=0.1",
        "--format=pax --sparse-version=1.0",
    ] {
        let script = format!("rm -f s.tar && tar {format} -S -cf s.tar sp z");
        if !run(folder, "sh", &["-c", &script]) {
            return;
        }
        let pipeline = on_disk(folder);
        assert_eq!(output(&pipeline, "s.tar").unwrap().to_text(), "sp (3.0MB)\nz (6B)\n", "{format}");
        let from = whole.len() - 20;
        let dump = output(&pipeline, &format!("s.tar:sp:hex:@{from}+20")).unwrap().to_text();
        let plain = output(&pipeline, &format!("sp:hex:@{from}+20")).unwrap().to_text();
        assert_eq!(dump, plain, "{format}");
        assert_eq!(output(&pipeline, "s.tar:z").unwrap().to_text(), "after\n", "{format}");
    }
}

#[test]
fn names_are_those_that_unzip_and_tar_print() {
    let temp = tempfile::tempdir().unwrap();
    let inner = temp.path().join("in");
    std::fs::create_dir(&inner).unwrap();
    fill(&inner);
    let list = |archive: &str| {
        let pipeline = on_disk(temp.path());
        let mut names = Vec::new();
        let mut queue = vec![".".to_owned()];
        while let Some(directory) = queue.pop() {
            let listed = output(&pipeline, &format!("{archive}:{directory}")).unwrap().to_text();
            for line in listed.lines().filter(|line| !line.starts_with('(')) {
                let path = |leaf: &str| {
                    if directory == "." { leaf.to_owned() } else { format!("{directory}/{leaf}") }
                };
                match line.strip_suffix('/') {
                    Some(leaf) => queue.push(path(leaf)),
                    None => names.push(path(line.rsplit_once(" (").unwrap().0)),
                }
            }
        }
        names.sort();
        names
    };
    let theirs = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).unwrap();
        let mut names: Vec<_> = text.lines().filter(|line| !line.ends_with('/')).map(str::to_owned).collect();
        names.sort();
        names
    };
    if run(&inner, "zip", &["-qr", "../n.zip", "a.txt", "dir", "empty"])
        && let Some(names) = printed(temp.path(), "zipinfo", &["-1", "n.zip"])
    {
        assert_eq!(list("n.zip"), theirs(names));
    }
    if run(&inner, "tar", &["-cf", "../n.tar", "a.txt", "dir", "empty"])
        && let Some(names) = printed(temp.path(), "tar", &["--quoting-style=literal", "-tf", "n.tar"])
    {
        assert_eq!(list("n.tar"), theirs(names));
    }
}
