//! What is small on the disk and large when it is unpacked.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::make::zip::{self, Member};
use crate::make::{gzipped, tar};

const MIB: usize = 1 << 20;
/// Bytes of a flat bomb.
const FLAT: u64 = 4 << 30;

fn gzip_of(out: impl Write, length: u64, block: &[u8]) -> Result<()> {
    let mut encoder = GzEncoder::new(out, Compression::best());
    for _ in 0..length / block.len() as u64 {
        encoder.write_all(block)?;
    }
    encoder.finish()?.flush()?;
    Ok(())
}

pub(super) fn flat_gzip(path: &Path, byte: u8) -> Result<()> {
    gzip_of(BufWriter::new(File::create(path)?), FLAT, &vec![byte; MIB])
}

pub(super) fn twice_gzip(path: &Path) -> Result<()> {
    let mut once = Vec::new();
    gzip_of(&mut once, FLAT, &vec![0; MIB])?;
    Ok(std::fs::write(path, gzipped(&once)?)?)
}

pub(super) fn deep_gzip(path: &Path) -> Result<()> {
    let mut bytes = b"bottom\n".to_vec();
    for _ in 0..1_000 {
        bytes = gzipped(&bytes)?;
    }
    Ok(std::fs::write(path, bytes)?)
}

pub(super) fn svgz(path: &Path) -> Result<()> {
    let shape = b"<path d='M0 0L10 10L20 20L30 30L40 40L50 50L60 60z'/><g id='layer'/>\n";
    let mut block = shape.repeat(MIB / shape.len());
    block.resize(MIB, b' ');
    let mut encoder = GzEncoder::new(BufWriter::new(File::create(path)?), Compression::best());
    encoder.write_all(b"<svg xmlns='http://www.w3.org/2000/svg'>\n")?;
    for _ in 0..1_024 {
        encoder.write_all(&block)?;
    }
    encoder.write_all(b"</svg>\n")?;
    encoder.finish()?.flush()?;
    Ok(())
}

pub(super) fn overlapping_zip(path: &Path) -> Result<()> {
    Ok(std::fs::write(path, zip::overlapping(60_000, 64 * MIB)?)?)
}

pub(super) fn flat_zip(path: &Path) -> Result<()> {
    let mut gzip = Vec::new();
    gzip_of(&mut gzip, FLAT, &vec![0; MIB])?;
    // Between a header of ten bytes and a trailer of eight lies what a zip holds, too.
    let (body, trailer) = gzip.split_at_checked(gzip.len() - 8).context("too short")?;
    let crc = trailer.iter().take(4).rev().fold(0_u32, |crc, byte| (crc << 8) | u32::from(*byte));
    let data = body.get(10..).context("too short")?.to_vec();
    let member = Member { data, size: FLAT, crc, method: 8, wide: true, ..Member::stored("zeros", b"") };
    Ok(std::fs::write(path, zip::archive(&[member])?)?)
}

pub(super) fn lying_zip(path: &Path) -> Result<()> {
    let large = Member::deflated("x", &vec![b'\n'; 600 * MIB])?;
    let members = [
        Member { name: b"more".to_vec(), size: 10, ..large.clone() },
        Member { name: b"less".to_vec(), size: u64::from(u32::MAX - 1), ..Member::stored("", b"short\n") },
        Member { name: b"huge".to_vec(), size: 1 << 62, wide: true, ..large },
    ];
    Ok(std::fs::write(path, zip::archive(&members)?)?)
}

pub(super) fn nested_zip(path: &Path) -> Result<()> {
    Ok(std::fs::write(path, zip::nested(16, 6, 400 * MIB)?)?)
}

pub(super) fn claiming_tar(path: &Path) -> Result<()> {
    let mut bytes = tar::member("before.txt", b'0', "", b"before\n");
    bytes.extend(tar::header(b"huge", b'0', b"", 1 << 63));
    bytes.extend(tar::member("after.txt", b'0', "", b"after\n"));
    Ok(std::fs::write(path, tar::end(bytes))?)
}

fn many(mut out: impl Write) -> Result<()> {
    for index in 0..200_000 {
        out.write_all(&tar::header(format!("d{}/f{index:06}", index % 10).as_bytes(), b'0', b"", 0))?;
    }
    out.write_all(&tar::end(Vec::new()))?;
    Ok(out.flush()?)
}

pub(super) fn many_tar(path: &Path) -> Result<()> {
    many(BufWriter::new(File::create(path)?))
}

pub(super) fn many_tar_gz(path: &Path) -> Result<()> {
    let mut encoder = GzEncoder::new(BufWriter::new(File::create(path)?), Compression::default());
    many(&mut encoder)?;
    encoder.finish()?.flush()?;
    Ok(())
}

pub(super) fn pax_tar(path: &Path) -> Result<()> {
    let long = "x".repeat(50_000_000);
    let mut bytes = tar::pax(b'x', &[("comment", &long)]);
    bytes.extend(tar::member("after.txt", b'0', "", b"after\n"));
    Ok(std::fs::write(path, tar::end(bytes))?)
}

pub(super) fn sparse_tar(path: &Path) -> Result<()> {
    let mut bytes = tar::gnu_sparse("old", 1 << 30, (8 << 30) - 1);
    bytes.extend(tar::pax_sparse("new", 8_000_000_000, 8_000_000_100));
    Ok(std::fs::write(path, tar::end(bytes))?)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn gzip_holds_what_it_says() {
        let mut bytes = Vec::new();
        gzip_of(&mut bytes, 3 << 20, &vec![b'\n'; MIB]).unwrap();
        let mut inside = Vec::new();
        flate2::read::GzDecoder::new(bytes.as_slice()).read_to_end(&mut inside).unwrap();
        assert!(inside.len() == 3 << 20 && inside.iter().all(|byte| *byte == b'\n'));
    }
}
