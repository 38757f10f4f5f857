//! What a tool costs that stays: reads in this process, the first of them and those that find an index.

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use read_hashline::{Tagger, normalize};
use read_tool::{LocalFileSystem, ReadTool};
use sha2::{Digest, Sha256};

use crate::inputs::{Inputs, Scale};
use crate::median::median;
use crate::process::Line;
use crate::row::{Measured, Row};

/// A way to do a task; given the number of the run, so that no two need ask the same.
type Work = Box<dyn Fn(u64) -> Result<Duration>>;

/// Two ways in this process.
pub(crate) struct Task {
    pub(crate) name: String,
    ours: Work,
    beside: &'static str,
    theirs: Work,
    bar: f64,
}

impl Task {
    /// Runs both in turn, `runs` times after one that warms the caches.
    pub(crate) fn compare(&self, runs: usize) -> Result<Row> {
        eprintln!("{} …", self.name);
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for run in 0..=runs as u64 {
            let (their, our) = ((self.theirs)(run)?, (self.ours)(run)?);
            if run > 0 {
                theirs.push(their);
                ours.push(our);
            }
        }
        let measured = |times| Measured { time: median(times), memory: None };
        Ok(Row {
            task: self.name.clone(),
            ours: measured(ours),
            beside: self.beside.to_owned(),
            theirs: measured(theirs),
            bar: Some(self.bar),
            memory_bar: None,
        })
    }
}

fn tool(inputs: &Inputs) -> Result<ReadTool> {
    let files = LocalFileSystem::builder().root(&inputs.folder).build()?;
    Ok(ReadTool::builder().workspace(files).build()?)
}

fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<Duration> {
    let start = Instant::now();
    black_box(work()?);
    Ok(start.elapsed())
}

/// Reads of a tool that stays, one after another, that make up a run: one alone would show how cold the other contender left the
/// processor's caches.
const READS: u32 = 20;

/// The time of one of [`READS`] reads, no two of which in any run are of the same number.
fn each(run: u64, read: impl Fn(u64) -> Result<()>) -> Result<Duration> {
    let reads = u64::from(READS);
    let all = timed(|| (run * reads..(run + 1) * reads).try_for_each(&read))?;
    Ok(all / READS)
}

fn read(tool: &ReadTool, target: &str) -> Result<()> {
    black_box(tool.read(target)?);
    Ok(())
}

/// Everything that is measured in this process.
pub(crate) fn all(inputs: &Inputs, program: &Path) -> Result<Vec<Task>> {
    let scale = inputs.scale;
    let line = move |run: u64| format!("{}:{}+100", Inputs::text(scale), scale.lines() / 11 * 5 + run * 997);
    let member = |name: fn(Scale) -> String| {
        move |run: u64| format!("{}:{}", name(scale), Inputs::member(scale.members() - 1 - run % 50))
    };
    let mut tasks = vec![
        again(inputs, program, "text: another window, resident", line, 0.01)?,
        again(inputs, program, "zip: another member, resident", member(Inputs::zip), 0.125)?,
        again(inputs, program, "tar.gz: another member, resident", member(Inputs::tar_gz), 0.05)?,
        keyed(inputs)?,
        small(inputs)?,
    ];
    for (name, end) in [("clean text", "\n"), ("CRLF", "\r\n"), ("blanks at each end of line", "   \n")] {
        tasks.extend(tags(name, end));
    }
    Ok(tasks)
}

/// A read that finds what an earlier one left, beside a process that reads it first.
fn again(
    inputs: &Inputs,
    program: &Path,
    name: &str,
    target: impl Fn(u64) -> String + Copy + 'static,
    bar: f64,
) -> Result<Task> {
    let kept = tool(inputs)?;
    let (folder, program) = (inputs.folder.clone(), program.to_owned());
    Ok(Task {
        name: name.to_owned(),
        ours: Box::new(move |run| each(run, |nth| read(&kept, &target(nth)))),
        beside: "a first read, as a process",
        theirs: Box::new(move |run| Line::new(&folder, &program, &[&target(run + 1)]).time()),
        bar,
    })
}

/// A page after a key, which the notice of a page by offset offers.
fn keyed(inputs: &Inputs) -> Result<Task> {
    let (by_key, by_offset) = (tool(inputs)?, tool(inputs)?);
    let (file, half) = (Inputs::database_name(inputs.scale), inputs.scale.rows() / 2);
    let other = file.clone();
    Ok(Task {
        name: "SQLite: page after a key, resident".to_owned(),
        ours: Box::new(move |run| {
            each(run, |nth| read(&by_key, &format!("{file}:t?where=id>{}&limit=20", half + nth)))
        }),
        beside: "the same page by offset",
        theirs: Box::new(move |run| {
            timed(|| Ok(by_offset.read(&format!("{other}:t?limit=20&offset={}", half + run))?))
        }),
        bar: 0.01,
    })
}

fn small(inputs: &Inputs) -> Result<Task> {
    let (kept, path) = (tool(inputs)?, inputs.path(Inputs::SOURCE));
    Ok(Task {
        name: "text: a source file, resident".to_owned(),
        ours: Box::new(move |run| each(run, |_| read(&kept, Inputs::SOURCE))),
        beside: "read, validate and copy it",
        theirs: Box::new(move |run| {
            each(run, |_| {
                let bytes = std::fs::read(&path)?;
                black_box(black_box(std::str::from_utf8(&bytes)?).to_owned());
                Ok(())
            })
        }),
        bar: 4.0,
    })
}

/// The tag of 4 MiB of text beside plain SHA-256 with one pass that normalises; clean text, as most is, beside SHA-256 alone.
fn tags(name: &str, end: &str) -> Vec<Task> {
    let mut text = String::new();
    while text.len() < 4 * 1024 * 1024 {
        text.extend(std::iter::repeat_n("let x = y; ", text.len() % 6 + 1));
        text.push('}');
        text.push_str(end);
    }
    let tag = |text: String| -> Work {
        Box::new(move |_| {
            timed(|| {
                let mut tagger = Tagger::new();
                for piece in text.as_bytes().chunks(64 * 1024) {
                    tagger.update_bytes(piece);
                }
                Ok(tagger.finish())
            })
        })
    };
    let (plain, other) = (text.clone(), text.clone());
    let mut tasks = vec![Task {
        name: format!("tag of 4 MiB, {name}"),
        ours: tag(text.clone()),
        beside: "SHA-256 and a pass that normalises",
        theirs: Box::new(move |_| timed(|| Ok((Sha256::digest(&other), normalize(&other).len())))),
        bar: 1.15,
    }];
    if end == "\n" {
        tasks.push(Task {
            name: format!("tag of 4 MiB, {name}"),
            ours: tag(text),
            beside: "SHA-256 alone",
            theirs: Box::new(move |_| timed(|| Ok(Sha256::digest(&plain)))),
            bar: 1.0 / 0.9,
        });
    }
    tasks
}
