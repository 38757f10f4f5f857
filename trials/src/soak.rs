//! A soak: one server, eight clients, a million reads, while the files change.

mod clients;
mod growth;
mod judge;
mod proof;
mod reads;
mod writer;
mod zoo;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Args;

use self::clients::{Client, Clients};
use self::growth::Growth;
use self::judge::Said;
use self::reads::Read;
use self::zoo::Zoo;
use crate::random::Random;
use crate::server::{self, Server};
use crate::table::{Table, grouped, mebibytes, time};

/// So long may an answer take; longer is a deadlock.
const PATIENCE: Duration = Duration::from_secs(30);
/// Findings that are told; a soak that has found so many stops.
const FINDINGS: usize = 50;

/// Reads through one server for long, by eight clients, while files are replaced and rewritten.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// How many reads.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    reads: u64,

    /// How long, instead.
    #[arg(long, value_name = "N")]
    minutes: Option<f64>,

    /// Clients at once.
    #[arg(long, value_name = "N", default_value_t = 8)]
    clients: u64,

    /// Decides what is read and how files change; when they do is the clock's.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,

    /// The program whose server is tried [default: the `read-tool` beside this program].
    #[arg(long, value_name = "PROGRAM")]
    tool: Option<PathBuf>,

    /// Print the table as Markdown.
    #[arg(long)]
    markdown: bool,
}

/// What all clients add to.
#[derive(Debug, Default)]
struct Tally {
    done: AtomicU64,
    /// How often each thing was said: an answer, one with a notice, an error by its code.
    said: Mutex<BTreeMap<String, u64>>,
    findings: Mutex<Vec<String>>,
    worst: Mutex<Duration>,
}

impl Tally {
    fn add(&self, said: &Said, took: Duration) {
        *lock(&self.said).entry(said.word.clone()).or_default() += 1;
        let mut worst = lock(&self.worst);
        *worst = took.max(*worst);
        lock(&self.findings).extend(said.wrong.clone());
    }

    fn is_enough(&self) -> bool {
        lock(&self.findings).len() >= FINDINGS
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads, and tells what came of it; fails where a byte was wrong, an answer missing, or something grew.
pub(crate) fn run(options: &Options) -> Result<()> {
    let program = server::program(options.tool.as_deref())?;
    let folder = tempfile::tempdir().context("no folder for the files")?;
    let root = folder.path().canonicalize().context("the folder of the files has no path")?;
    let zoo = Zoo::make(&root)?;
    let mut server = Server::start(&program, &root, PATIENCE)?;
    let growth = Growth::new(server.process());
    let clients = Clients::new(&mut server)?;
    let tally = Tally::default();
    let end = options.minutes.map(|minutes| Instant::now() + Duration::from_secs_f64(minutes * 60.0));
    let begun = Instant::now();
    // 1,000 parts of the way that is gone.
    let gone = |done: u64| match options.minutes {
        Some(minutes) => begun.elapsed().as_secs_f64() / (minutes * 60.0),
        #[allow(clippy::cast_precision_loss, reason = "a share needs no more")]
        None => done as f64 / options.reads.max(1) as f64,
    };
    let is_over =
        |done: u64| tally.is_enough() || end.map_or(done >= options.reads, |end| Instant::now() >= end);
    let (failed, samples) = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..options.clients.max(1))
            .map(|index| {
                let client = clients.client();
                let (zoo, tally, is_over) = (&zoo, &tally, &is_over);
                scope.spawn(move || {
                    drive(&client, zoo, tally, is_over, &mut Random::new(&[options.seed, index]))
                })
            })
            .collect();
        let changer = scope.spawn(|| {
            let mut random = Random::new(&[options.seed, u64::MAX]);
            let mut changes = 0_u64;
            while !is_over(tally.done.load(Ordering::Relaxed)) {
                zoo.change(&mut random)?;
                changes += 1;
                std::thread::sleep(Duration::from_millis(10 + random.below(100) as u64));
            }
            Ok::<u64, anyhow::Error>(changes)
        });
        let mut growth = growth;
        while !threads.iter().all(std::thread::ScopedJoinHandle::is_finished) {
            growth.sample(gone(tally.done.load(Ordering::Relaxed)));
            std::thread::sleep(Duration::from_millis(200));
        }
        let mut failed = None;
        for thread in threads {
            if let Err(error) = thread.join().unwrap_or_else(|_| Err(anyhow::anyhow!("a client failed"))) {
                failed = Some(error);
            }
        }
        let changes = changer.join().unwrap_or_else(|_| Err(anyhow::anyhow!("the changer failed")));
        (
            failed.or(changes.as_ref().err().map(|error| anyhow::anyhow!("{error:#}"))),
            (growth, changes.unwrap_or(0)),
        )
    });
    let (mut growth, changes) = samples;
    growth.sample(1.0);
    let ended = server.ended();
    report(options, &tally, &growth, changes, begun.elapsed());
    let mut faults = std::mem::take(&mut *lock(&tally.findings));
    faults.extend(failed.map(|error| format!("{error:#}")));
    faults.extend(ended.map(|status| format!("the server ended with {status}")));
    // A short soak never comes to rest.
    if tally.done.load(Ordering::Relaxed) >= growth::ENOUGH {
        faults.extend(growth.faults());
    }
    if faults.is_empty() {
        return Ok(());
    }
    bail!("{} faults:\n  {}", faults.len(), faults.join("\n  "))
}

/// What one client does.
fn drive(
    client: &Client,
    zoo: &Zoo,
    tally: &Tally,
    is_over: &impl Fn(u64) -> bool,
    random: &mut Random,
) -> Result<()> {
    while !is_over(tally.done.load(Ordering::Relaxed)) {
        let read = Read::choose(zoo, random);
        let start = Instant::now();
        let answer = client
            .call(&read.arguments(), PATIENCE)
            .with_context(|| format!("{} was not answered", read.arguments()))?;
        tally.add(&judge::judge(&read, &answer), start.elapsed());
        tally.done.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

fn report(options: &Options, tally: &Tally, growth: &Growth, changes: u64, took: Duration) {
    let done = tally.done.load(Ordering::Relaxed);
    let mut table = Table::new(&["what", "figure"]);
    let mut row = |what: &str, figure: String| table.row(vec![what.to_owned(), figure]);
    row("reads", grouped(done));
    row("clients", options.clients.to_string());
    row("changes of files", grouped(changes));
    row("time", time(took));
    #[allow(clippy::cast_precision_loss, reason = "a rate needs no more")]
    row("reads per second", format!("{:.0}", done as f64 / took.as_secs_f64()));
    row("worst read", time(*lock(&tally.worst)));
    for (word, count) in &*lock(&tally.said) {
        row(word, grouped(*count));
    }
    row("memory after warm-up", mebibytes(growth.settled.memory));
    row("memory at the end", mebibytes(growth.last.memory));
    row("peak of memory", mebibytes(growth.peak));
    row("descriptors after warm-up", growth.settled.descriptors.to_string());
    row("descriptors at the end", growth.last.descriptors.to_string());
    row("findings", lock(&tally.findings).len().to_string());
    println!("{}", table.text(options.markdown));
}
