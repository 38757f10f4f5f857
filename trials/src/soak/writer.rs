//! The ways in which files change.

use std::fs::File;
use std::io::{Cursor, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use image::{ImageFormat, Rgb, RgbImage};
use rusqlite::Connection;

use super::proof;
use super::zoo::{MEMBERS, ROWS, side};
use crate::make::zip::{Member, archive};
use crate::make::{crc, gzipped, tar};
use crate::random::Random;

/// What is written at once, when a file is rewritten where it lies.
const PIECE: usize = 16 << 10;

/// Puts another file in its place: whoever has the old one open keeps it.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    std::fs::write(&name, bytes)?;
    Ok(std::fs::rename(&name, path)?)
}

/// Writes over the file from its start on, a piece at a time, and then cuts or grows it. Each state in between is the new
/// version up to some place, and the old one from there.
pub(super) fn rewrite(path: &Path, bytes: &[u8], random: &mut Random) -> Result<()> {
    let mut file = File::options().write(true).create(true).truncate(false).open(path)?;
    for piece in bytes.chunks(PIECE) {
        file.write_all(piece)?;
        // Longer than the clock of the file system ticks, so that each piece can be told from the one before.
        std::thread::sleep(Duration::from_millis(random.below(3) as u64 * 10));
    }
    Ok(file.set_len(bytes.len() as u64)?)
}

fn member(file: &str, member: &str, version: u64) -> String {
    proof::text(&format!("{file}:{member}"), version)
}

pub(super) fn zip(file: &str, version: u64) -> Result<Vec<u8>> {
    let mut members = Vec::new();
    for (index, name) in MEMBERS.iter().enumerate() {
        let text = member(file, name, version);
        let stored = (version + index as u64).is_multiple_of(2);
        members.push(if stored {
            Member::stored(name, text.as_bytes())
        } else {
            Member::deflated(name, text.as_bytes())?
        });
    }
    archive(&members)
}

pub(super) fn tar_gz(file: &str, version: u64) -> Result<Vec<u8>> {
    let members = MEMBERS.map(|name| tar::member(name, b'0', "", member(file, name, version).as_bytes()));
    gzipped(&tar::end(members.concat()))
}

/// What a row proves beside its number and version.
pub(super) fn row_proof(id: u64, version: u64) -> String {
    format!("{:08x}", crc(format!("{id} {version}").as_bytes()))
}

/// Gives all rows another version, in one transaction.
pub(super) fn update(path: &Path, file: &str, version: u64) -> Result<()> {
    let mut database = Connection::open(path)?;
    database.busy_timeout(Duration::from_secs(60))?;
    // The odd databases keep a log, and the even ones a journal.
    if file.starts_with("d1") && version == 1 {
        database.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    }
    let transaction = database.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    {
        let mut insert = transaction.prepare("INSERT OR REPLACE INTO t VALUES (?1, ?2, ?3, ?4)")?;
        for id in 1..=ROWS {
            let line = proof::line(file, version, id);
            insert.execute((i64::try_from(id)?, i64::try_from(version)?, row_proof(id, version), line))?;
        }
    }
    transaction.commit().context("not committed")
}

/// The colour of a version.
pub(super) fn colour(version: u64) -> [u8; 3] {
    let [a, b, ..] = version.to_le_bytes();
    [a, b, 0x5A]
}

pub(super) fn image(version: u64) -> Result<Vec<u8>> {
    let picture = RgbImage::from_pixel(side(version), side(version), Rgb(colour(version)));
    let mut out = Cursor::new(Vec::new());
    picture.write_to(&mut out, ImageFormat::Png)?;
    Ok(out.into_inner())
}
