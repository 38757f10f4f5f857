//! The user guide shows what the program prints. `READ_TOOL_BLESS=1` writes it anew.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder that the guide speaks of.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    fs::create_dir(path("src")).unwrap();
    fs::write(path("src/server.rs"), "use std::net::TcpListener;\n\nfn main() -> std::io::Result<()> {\n    let listener = TcpListener::bind(\"127.0.0.1:8080\")?;\n    println!(\"listening on {}\", listener.local_addr()?);\n    Ok(())\n}\n").unwrap();
    fs::write(path("src/util2.rs"), "").unwrap();
    fs::write(path("src/util10.rs"), "").unwrap();
    let log: String = (1..=2_400).map(|n| format!("{n:04} request served\n")).collect();
    // As much as the guide can show of a long file: a few lines, and one that is long.
    fs::write(path("app.log"), log).unwrap();
    let mut zip = zip::ZipWriter::new(fs::File::create(path("dist.zip")).unwrap());
    let options = zip::write::SimpleFileOptions::default();
    for (name, text) in [("docs/notes.txt", "one\ntwo\nthree\nfour\n"), ("readme.txt", "hello\n")] {
        zip.start_file(name, options).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap();
    let database = rusqlite::Connection::open(path("shop.db")).unwrap();
    database
        .execute_batch(
            "CREATE TABLE orders(id INTEGER PRIMARY KEY, customer TEXT NOT NULL, total REAL, note TEXT);
             INSERT INTO orders VALUES (1, 'Ada', 12.5, NULL), (2, 'Bob', 40.0, 'gift wrap'), (3, 'Cleo', 21.75, NULL), (4, 'Dan', 99.0, 'call first');
             CREATE VIEW large AS SELECT * FROM orders WHERE total > 20;",
        )
        .unwrap();
    fs::write(path("dot.png"), PIXEL).unwrap();
    dir
}

/// One white pixel.
const PIXEL: &[u8] =
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0:~\x9bU\0\0\0\nIDATx\x9cc\xf8\x0f\0\x01\x01\x01\0\xb18\xf6\x14\0\0\0\0IEND\xaeB`\x82";

/// The words of a command line, with single quotes as a shell has them.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for (nth, part) in line.split('\'').enumerate() {
        let quoted = nth % 2 == 1;
        for (index, piece) in part.split(' ').enumerate() {
            if index > 0 && !quoted {
                words.push(String::new());
            } else if index > 0 {
                words.last_mut().unwrap().push(' ');
            }
            words.last_mut().unwrap().push_str(piece);
        }
    }
    words
}

/// Lines of an answer that the guide shows; the middle of a longer one is left out.
const SHOWN: usize = 14;

fn printed(folder: &Path, command: &str) -> String {
    let words = words(command);
    assert_eq!(words[0], "read-tool", "{command}");
    let output =
        Command::new(env!("CARGO_BIN_EXE_read-tool")).args(&words[1..]).current_dir(folder).output().unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    let lines: Vec<_> = text.trim_end().lines().collect();
    if lines.len() <= SHOWN {
        return format!("{}\n", lines.join("\n"));
    }
    let (head, tail) = (lines[..4].join("\n"), lines[lines.len() - 4..].join("\n"));
    format!("{head}\n⋮\n{tail}\n")
}

/// The page with what the commands print now.
fn renewed(page: &str, folder: &Path) -> String {
    let mut text = String::new();
    let mut console = false;
    for line in page.lines() {
        if line.starts_with("```") {
            console = line == "```console";
        }
        let command = line.strip_prefix("$ ").filter(|_| console);
        if let Some(command) = command {
            let _ = write!(text, "{line}\n{}", printed(folder, command));
        } else if !console || line == "```console" {
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

#[test]
fn the_guide_shows_what_is_printed() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide.md");
    let page = fs::read_to_string(&path).unwrap();
    let folder = folder();
    let renewed = renewed(&page, folder.path());
    assert!(renewed.matches("\n$ read-tool ").count() > 15, "the guide has commands");
    if std::env::var_os("READ_TOOL_BLESS").is_some() {
        fs::write(&path, &renewed).unwrap();
    } else {
        assert_eq!(page, renewed, "run again with READ_TOOL_BLESS=1");
    }
}

#[test]
fn words_are_those_of_a_shell() {
    assert_eq!(words("read-tool 'a b?c=d e' f"), ["read-tool", "a b?c=d e", "f"]);
}
