//! Shows what a database holds, or whatever a target in it names:
//! `cargo run -p read-sqlite --example tables -- data.db:users?limit=3`.

use std::error::Error;
use std::time::Duration;

use read_core::{Cancel, LocalFileSystem, Pipeline, Registry, Request};
use read_sqlite::{SqliteLimits, SqliteReader};

/// The reader as the crate ships it, but with less patience.
static HASTY: SqliteReader = {
    let mut limits = SqliteLimits::DEFAULT;
    limits.timeout = Duration::from_secs(1);
    SqliteReader::with_limits(limits)
};

fn main() -> Result<(), Box<dyn Error>> {
    let target = std::env::args().nth(1).ok_or("usage: tables TARGET, as in data.db:users:42")?;
    let files = LocalFileSystem::builder().root(".").build()?;
    let pipeline = Pipeline::new(files).with_registry(Registry::core().with(&HASTY));
    let output = pipeline.read(&target, &Request::default(), Cancel::new())?;
    #[allow(clippy::print_stdout, reason = "it is what the program is for")]
    {
        println!("{}", output.to_text());
    }
    Ok(())
}
