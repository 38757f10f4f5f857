//! What is read by whole processes, and beside what.

use std::path::Path;

use anyhow::Result;

use crate::inputs::{Inputs, Scale};
use crate::process::{Contender, Line, Task, is_installed};

const MIB: u64 = 1024 * 1024;

/// The programs and files of a run.
struct Bench<'a> {
    tool: &'a Path,
    yardstick: std::path::PathBuf,
    inputs: &'a Inputs,
    skipped: &'a mut Vec<String>,
}

impl Bench<'_> {
    fn ours(&self, target: &str) -> Line {
        Line::new(&self.inputs.folder, self.tool, &[target])
    }

    /// A program that users would pick; `None`, and said so, where it is not installed.
    fn program(&mut self, name: &str, program: &str, arguments: &[&str], bar: f64) -> Option<Contender> {
        if !is_installed(program) {
            self.skipped.push(format!("{name}: {program} is not installed"));
            return None;
        }
        let line = Line::new(&self.inputs.folder, program, arguments);
        Some(Contender { name: name.to_owned(), line, bar: Some(bar) })
    }

    fn shell(&mut self, script: &str, bar: f64) -> Option<Contender> {
        self.program(script, "sh", &["-c", script], bar)
    }

    fn bare(&self, name: &str, arguments: &[&str], bar: f64) -> Contender {
        let arguments: Vec<&str> = std::iter::once("yardstick").chain(arguments.iter().copied()).collect();
        let line = Line::new(&self.inputs.folder, &self.yardstick, &arguments);
        Contender { name: format!("bare: {name}"), line, bar: Some(bar) }
    }

    fn task<const N: usize>(
        &self,
        name: &str,
        target: &str,
        memory: u64,
        beside: [Option<Contender>; N],
    ) -> Task {
        Task {
            name: name.to_owned(),
            ours: self.ours(target),
            memory_bar: memory * MIB,
            contenders: beside.into_iter().flatten().collect(),
        }
    }
}

/// Everything that is measured as a whole process.
pub(crate) fn all(tool: &Path, inputs: &Inputs, skipped: &mut Vec<String>) -> Result<Vec<Task>> {
    let yardstick = std::env::current_exe()?;
    let mut bench = Bench { tool, yardstick, inputs, skipped };
    let mut tasks = text(&mut bench)?;
    tasks.extend(archives(&mut bench));
    tasks.extend(databases(&mut bench));
    tasks.extend(images(&mut bench));
    Ok(tasks)
}

fn text(bench: &mut Bench<'_>) -> Result<Vec<Task>> {
    let scale = bench.inputs.scale;
    let file = Inputs::text(scale);
    let line = scale.lines() / 11 * 5;
    // The bytes before the window: what even an ideal reader goes through.
    let size = std::fs::metadata(bench.inputs.path(&file))?.len();
    let before = (size / 11 * 5).to_string();
    let middle = size / 11 * 9;
    let window = [
        bench.shell(&format!("tail -n +{line} {file} | head -100"), 0.6),
        Some(bench.bare("reading these bytes in blocks", &["blocks", &file, &before], 1.4)),
    ];
    let page = [
        bench.program("wc -l", "wc", &["-l", &file], 1.0),
        Some(bench.bare("counting its lines in blocks", &["lines", &file], 1.3)),
    ];
    let tail = [bench.program("tail -n 100", "tail", &["-n", "100", &file], 2.0)];
    let bytes = [bench.program("tail -n 100", "tail", &["-n", "100", &file], 2.0)];
    let source = [bench.program("cat", "cat", &[Inputs::SOURCE], 3.0)];
    Ok(vec![
        bench.task("text: 100 lines from the middle", &format!("{file}:{line}+100"), 24, window),
        bench.task("text: first page, exact total", &file, 24, page),
        bench.task("text: last 100 lines", &format!("{file}:-100"), 24, tail),
        bench.task("text: 4 KiB from the middle", &format!("{file}:@{middle}+4096"), 24, bytes),
        bench.task("text: a source file", Inputs::SOURCE, 24, source),
    ])
}

fn archives(bench: &mut Bench<'_>) -> Vec<Task> {
    let scale = bench.inputs.scale;
    let (zip, tar, tar_gz) = (Inputs::zip(scale), Inputs::tar(scale), Inputs::tar_gz(scale));
    let last = Inputs::member(scale.members() - 1);
    let of_zip = [bench.program("unzip -p", "unzip", &["-p", &zip, &last], 1.0)];
    let of_tar = [
        bench.program("tar -xOf", "tar", &["-xOf", &tar, &last], 0.6),
        Some(bench.bare("going over its headers", &["headers", &tar], 2.0)),
    ];
    let of_tar_gz = [
        bench.program("tar -xzOf", "tar", &["-xzOf", &tar_gz, &last], 0.45),
        Some(bench.bare("inflating it", &["inflate", &tar_gz], 1.1)),
    ];
    vec![
        bench.task("zip: last member", &format!("{zip}:{last}"), 32, of_zip),
        bench.task("tar: last member", &format!("{tar}:{last}"), 32, of_tar),
        bench.task("tar.gz: last member", &format!("{tar_gz}:{last}"), 48, of_tar_gz),
    ]
}

fn databases(bench: &mut Bench<'_>) -> Vec<Task> {
    let scale = bench.inputs.scale;
    let file = Inputs::database_name(scale);
    let half = scale.rows() / 2;
    let mut sqlite3 =
        |sql: &str, bar| bench.program("sqlite3", "sqlite3", &["-readonly", "-box", &file, sql], bar);
    let list = [sqlite3("SELECT name FROM sqlite_schema; SELECT max(id) FROM t", 1.5)];
    let page = [sqlite3("SELECT * FROM t LIMIT 20; SELECT max(id) FROM t", 1.5)];
    let offset = [sqlite3(&format!("SELECT * FROM t LIMIT 20 OFFSET {half}"), 1.2)];
    let key = [sqlite3(&format!("SELECT * FROM t WHERE id = {half}"), 1.5)];
    vec![
        bench.task("SQLite: tables", &file, 64, list),
        bench.task("SQLite: first page", &format!("{file}:t"), 64, page),
        bench.task("SQLite: page by offset", &format!("{file}:t?limit=20&offset={half}"), 64, offset),
        bench.task("SQLite: row by key", &format!("{file}:t:{half}"), 64, key),
    ]
}

fn images(bench: &mut Bench<'_>) -> Vec<Task> {
    let scale = bench.inputs.scale;
    let (jpeg, png) = (Inputs::jpeg(scale), Inputs::png(scale));
    let mut fitted = |file: &str, magick: f64, bare: Option<f64>| {
        let arguments = [file, "-resize", "2000x2000>", "-quality", "80", "jpeg:-"];
        let bare = bare.map(|bar| bench.bare("decode, scale, encode", &["fit", file], bar));
        [bench.program("ImageMagick", "convert", &arguments, magick), bare]
    };
    let (of_jpeg, of_png) = (fitted(&jpeg, 0.3, Some(1.2)), fitted(&png, 0.4, None));
    let passed = [Some(bench.bare("reading and decoding it", &["decode", Inputs::SMALL_PNG], 1.3))];
    vec![
        bench.task("image: photograph, JPEG", &jpeg, 220, of_jpeg),
        bench.task("image: photograph, PNG", &png, 220, of_png),
        bench.task("image: a PNG within limits", Inputs::SMALL_PNG, 220, passed),
    ]
}

/// The reads whose growth is shown: a name, and the target at a scale.
pub(crate) fn growing(scale: Scale) -> Vec<(&'static str, String)> {
    let (text, rows, members) = (Inputs::text(scale), scale.rows() / 2, scale.members() - 1);
    let (last, table) = (Inputs::member(members), Inputs::database_name(scale));
    vec![
        ("text: 100 lines from the middle", format!("{text}:{}+100", scale.lines() / 11 * 5)),
        ("text: first page, exact total", text.clone()),
        ("text: last 100 lines", format!("{text}:-100")),
        ("text: 4 KiB from the middle", format!("{text}:@{}+4096", scale.lines() * 40)),
        ("zip: last member", format!("{}:{last}", Inputs::zip(scale))),
        ("tar: last member", format!("{}:{last}", Inputs::tar(scale))),
        ("tar.gz: last member", format!("{}:{last}", Inputs::tar_gz(scale))),
        ("SQLite: tables", table.clone()),
        ("SQLite: first page", format!("{table}:t")),
        ("SQLite: page by offset", format!("{table}:t?limit=20&offset={rows}")),
        ("SQLite: row by key", format!("{table}:t:{rows}")),
        ("image: photograph, JPEG", Inputs::jpeg(scale)),
        ("image: photograph, PNG", Inputs::png(scale)),
    ]
}
