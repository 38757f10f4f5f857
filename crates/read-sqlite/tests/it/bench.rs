//! What the tests work on: a folder with databases, and reads that prove that they change nothing.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use read_core::{
    Cancel, Details, ErrorCode, Limits, LocalFileSystem, MemoryFileSystem, Pipeline, ReadError, ReadOutput,
    Registry, Request,
};

use read_sqlite::{SqliteLimits, SqliteReader};

/// The reader with time for a machine that is busy with other things: what is shown must not hang on that.
pub(crate) static PATIENT: SqliteReader = {
    let mut limits = SqliteLimits::DEFAULT;
    limits.timeout = Duration::from_secs(600);
    limits.list_time = Duration::from_secs(600);
    limits.count_time = Duration::from_secs(600);
    SqliteReader::with_limits(limits)
};

/// A throw-away folder that is a workspace.
pub(crate) struct Bench {
    folder: tempfile::TempDir,
    pipeline: Pipeline,
}

/// Name, content and time of change of every file in a folder.
type State = BTreeMap<PathBuf, (Vec<u8>, SystemTime)>;

/// Whether the `sqlite3` program is there; said aloud where it is not, since nothing is tested then.
pub(crate) fn has_sqlite3() -> bool {
    let found =
        Command::new("sqlite3").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !found {
        eprintln!("SKIPPED: the sqlite3 program is not installed");
    }
    found
}

/// The pipeline over a folder.
pub(crate) fn pipeline(folder: &Path) -> Pipeline {
    let files = LocalFileSystem::builder().root(folder).build().unwrap();
    patient(Pipeline::new(files))
}

fn patient(pipeline: Pipeline) -> Pipeline {
    let mut limits = Limits::default();
    limits.timeout = None;
    pipeline.with_registry(Registry::core().with(&PATIENT)).with_limits(limits)
}

impl Bench {
    /// An empty folder; `None` without the `sqlite3` program.
    pub(crate) fn new() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let pipeline = pipeline(folder.path());
        has_sqlite3().then_some(Self { folder, pipeline })
    }

    /// A folder with a database `d.db` that `sql` made.
    pub(crate) fn with(sql: &str) -> Option<Self> {
        let bench = Self::new()?;
        bench.sqlite3("d.db", sql);
        Some(bench)
    }

    /// The same read through another pipeline.
    pub(crate) fn with_pipeline(mut self, change: impl FnOnce(Pipeline) -> Pipeline) -> Self {
        self.pipeline = change(pipeline(self.folder.path()));
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs `sql` in the `sqlite3` program, and gives what it prints.
    pub(crate) fn sqlite3(&self, database: &str, sql: &str) -> String {
        self.sqlite3_with(&[], database, sql)
    }

    pub(crate) fn sqlite3_with(&self, options: &[&str], database: &str, sql: &str) -> String {
        let mut program = Command::new("sqlite3");
        let output = program.arg("-batch").args(options).arg(self.path(database)).arg(sql).output().unwrap();
        assert!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn state(&self) -> State {
        let entries = fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().path());
        entries
            .map(|path| {
                let changed = fs::metadata(&path).unwrap().modified().unwrap();
                (path.clone(), (fs::read(&path).unwrap(), changed))
            })
            .collect()
    }

    /// Reads, and checks that nothing in the folder was created or touched.
    pub(crate) fn try_read(&self, target: &str) -> Result<ReadOutput, ReadError> {
        self.try_read_with(target, &Request::default())
    }

    pub(crate) fn try_read_with(&self, target: &str, request: &Request) -> Result<ReadOutput, ReadError> {
        let before = self.state();
        let output = self.read_unchecked(target, request);
        assert!(self.state() == before, "{target} changed the folder");
        output
    }

    /// Reads while others may write.
    pub(crate) fn read_unchecked(&self, target: &str, request: &Request) -> Result<ReadOutput, ReadError> {
        self.pipeline.read(target, request, Cancel::new())
    }

    pub(crate) fn read(&self, target: &str) -> String {
        self.output(target).to_text()
    }

    pub(crate) fn output(&self, target: &str) -> ReadOutput {
        self.try_read(target).unwrap_or_else(|error| panic!("{target}: {error}"))
    }

    pub(crate) fn details(&self, target: &str) -> Details {
        self.output(target).details
    }

    pub(crate) fn error(&self, target: &str) -> ReadError {
        match self.try_read(target) {
            Ok(output) => panic!("{target} gave\n{}", output.to_text()),
            Err(error) => error,
        }
    }

    /// Checks that a read fails with that code, and gives the message.
    pub(crate) fn fails(&self, target: &str, code: ErrorCode) -> String {
        let error = self.error(target);
        assert_eq!(error.code(), code, "{target}: {error}");
        error.to_string()
    }
}

/// A pipeline over files in memory.
pub(crate) fn memory(files: impl IntoIterator<Item = (&'static str, Vec<u8>)>) -> Pipeline {
    let memory = MemoryFileSystem::new();
    for (name, bytes) in files {
        memory.insert(name, bytes);
    }
    patient(Pipeline::new(memory))
}

/// The call that a notice offers.
pub(crate) fn next(text: &str) -> Option<String> {
    let (_, call) = text.rsplit_once("Use ")?;
    Some(call.strip_suffix(" to continue.]")?.to_owned())
}

/// The rows of a table that was printed, without its header.
pub(crate) fn rows(text: &str) -> Vec<String> {
    text.lines().filter(|line| line.starts_with('|')).skip(2).map(ToOwned::to_owned).collect()
}
