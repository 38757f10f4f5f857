//! The inputs: made once, the same on every machine, kept under `target`.

mod words;

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;
use image::codecs::jpeg::JpegEncoder;
use image::{Rgb, RgbImage};
use rusqlite::Connection;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use self::words::Words;

/// Changed when the inputs change, so that none of another making is used.
const EDITION: &str = "edition-1";
/// Bytes of a member of an archive.
const MEMBER: usize = 58_000;

/// How large an input is: in hundredths of its full size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Scale(u64);

impl Scale {
    /// A hundredth, a tenth, and all.
    pub(crate) const ALL: [Self; 3] = [Self(1), Self(10), Self(100)];
    const FULL: Self = Self(100);

    /// As a share of the full size.
    pub(crate) fn shown(self) -> String {
        format!("{}×", self.0)
    }

    /// Lines of the text: 11 million in the full one.
    pub(crate) fn lines(self) -> u64 {
        self.0 * 110_000
    }

    /// Members of an archive: 10,000 in the full one.
    pub(crate) fn members(self) -> u64 {
        self.0 * 100
    }

    /// Rows of the table: 2 million in the full one.
    pub(crate) fn rows(self) -> u64 {
        self.0 * 20_000
    }

    /// Sides of the photograph: 24 million pixels in the full one.
    fn sides(self) -> (u32, u32) {
        match self.0 {
            1 => (600, 400),
            10 => (1_900, 1_263),
            _ => (6_000, 4_000),
        }
    }
}

/// Files to read, by what they are.
#[derive(Debug)]
pub(crate) struct Inputs {
    pub(crate) folder: PathBuf,
    /// The size that tasks use.
    pub(crate) scale: Scale,
}

impl Inputs {
    /// Makes what is not there yet.
    pub(crate) fn make(folder: &Path, quick: bool) -> Result<Self> {
        let folder = folder.join(EDITION);
        fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        let folder = folder.canonicalize().context("the folder of the inputs has no path")?;
        let inputs = Self { folder, scale: if quick { Scale::ALL[0] } else { Scale::FULL } };
        for scale in Scale::ALL.into_iter().filter(|scale| *scale <= inputs.scale) {
            inputs.file(&Self::text(scale), |out| lines(out, scale.lines()))?;
            inputs.file(&Self::zip(scale), |out| zip_file(out, scale.members()))?;
            inputs.file(&Self::tar(scale), |out| tar_file(out, scale.members()))?;
            inputs.file(&Self::tar_gz(scale), |out| {
                tar_file(GzEncoder::new(out, Compression::default()), scale.members())
            })?;
            inputs.database(&Self::database_name(scale), scale.rows())?;
            inputs.file(&Self::jpeg(scale), |mut out| {
                let picture = photograph(scale.sides());
                JpegEncoder::new_with_quality(&mut out, 90).encode_image(&picture).context("JPEG")
            })?;
            inputs.file(&Self::png(scale), |out| png_file(out, &photograph(scale.sides())))?;
        }
        inputs.file(Self::SOURCE, |out| source(out, 2_000))?;
        inputs.file(Self::SMALL_PNG, |out| png_file(out, &photograph((420, 300))))?;
        Ok(inputs)
    }

    /// 2,000 lines as a programmer writes them.
    pub(crate) const SOURCE: &str = "source.rs";
    /// About 200 KB, within every provider's limits.
    pub(crate) const SMALL_PNG: &str = "small.png";

    pub(crate) fn text(scale: Scale) -> String {
        format!("lines-{}.txt", scale.0)
    }

    pub(crate) fn zip(scale: Scale) -> String {
        format!("members-{}.zip", scale.0)
    }

    pub(crate) fn tar(scale: Scale) -> String {
        format!("members-{}.tar", scale.0)
    }

    pub(crate) fn tar_gz(scale: Scale) -> String {
        format!("members-{}.tar.gz", scale.0)
    }

    pub(crate) fn database_name(scale: Scale) -> String {
        format!("rows-{}.db", scale.0)
    }

    pub(crate) fn jpeg(scale: Scale) -> String {
        format!("photograph-{}.jpg", scale.0)
    }

    pub(crate) fn png(scale: Scale) -> String {
        format!("photograph-{}.png", scale.0)
    }

    /// The name of a member of every archive.
    pub(crate) fn member(index: u64) -> String {
        format!("pkg/part-{:02}/file-{index:05}.txt", index % 50)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// A half-made file never gets its name.
    fn file(&self, name: &str, write: impl FnOnce(BufWriter<File>) -> Result<()>) -> Result<()> {
        self.made(name, |path| {
            let file = File::create(path).with_context(|| format!("{} cannot be written", path.display()))?;
            write(BufWriter::with_capacity(1 << 18, file))
        })
    }

    fn database(&self, name: &str, rows: u64) -> Result<()> {
        self.made(name, |path| table(path, rows))
    }

    fn made(&self, name: &str, write: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
        let path = self.path(name);
        if path.exists() {
            return Ok(());
        }
        eprintln!("making {name} …");
        let unfinished = self.path(&format!("{name}.unfinished"));
        if unfinished.exists() {
            fs::remove_file(&unfinished)
                .with_context(|| format!("{} cannot be removed", unfinished.display()))?;
        }
        write(&unfinished).with_context(|| format!("{name} cannot be made"))?;
        fs::rename(&unfinished, &path).with_context(|| format!("{} cannot be named", path.display()))
    }
}

/// Lines of about 97 bytes.
fn lines(mut out: BufWriter<File>, count: u64) -> Result<()> {
    let mut words = Words::new(1);
    let mut line = Vec::new();
    for number in 1..=count {
        line.clear();
        write!(line, "{number:08} ")?;
        let length = 20 + words.below(136);
        words.fill(&mut line, length);
        line.push(b'\n');
        out.write_all(&line)?;
    }
    Ok(out.flush()?)
}

/// Lines with indentation, names and punctuation.
fn source(mut out: BufWriter<File>, count: u64) -> Result<()> {
    let mut words = Words::new(2);
    let mut line = Vec::new();
    for number in 0..count {
        line.clear();
        line.extend(std::iter::repeat_n(b' ', 4 * words.below(4)));
        match number % 7 {
            0 => line.extend(b"fn "),
            3 => line.extend(b"// "),
            _ => line.extend(b"let "),
        }
        let length = 8 + words.below(48);
        words.fill(&mut line, length);
        line.extend(b";\n");
        out.write_all(&line)?;
    }
    Ok(out.flush()?)
}

/// What is in a member.
fn member(index: u64) -> Vec<u8> {
    let mut words = Words::new(index + 3);
    let mut text = Vec::with_capacity(MEMBER + 200);
    while text.len() < MEMBER {
        let length = 40 + words.below(60);
        words.fill(&mut text, length);
        text.push(b'\n');
    }
    text.truncate(MEMBER);
    text
}

fn zip_file(out: BufWriter<File>, members: u64) -> Result<()> {
    let mut archive = ZipWriter::new(out);
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    for index in 0..members {
        archive.start_file(Inputs::member(index), options)?;
        archive.write_all(&member(index))?;
    }
    Ok(archive.finish()?.flush()?)
}

fn tar_file(out: impl Write, members: u64) -> Result<()> {
    let mut archive = tar::Builder::new(out);
    for index in 0..members {
        let content = member(index);
        let mut header = tar::Header::new_ustar();
        header.set_size(content.len().try_into()?);
        header.set_mode(0o644);
        header.set_mtime(1_700_000_000);
        archive.append_data(&mut header, Inputs::member(index), content.as_slice())?;
    }
    Ok(archive.into_inner()?.flush()?)
}

fn table(path: &Path, rows: u64) -> Result<()> {
    let mut database = Connection::open(path)?;
    database.execute_batch("CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, score REAL, note TEXT)")?;
    let transaction = database.transaction()?;
    {
        let mut insert = transaction.prepare("INSERT INTO t VALUES (?1, ?2, ?3, ?4)")?;
        let mut words = Words::new(4);
        let mut note = Vec::new();
        for id in 1..=rows {
            note.clear();
            words.fill(&mut note, 24);
            let score = f64::from(u32::try_from(words.below(100_000))?) / 100.0;
            insert.execute((i64::try_from(id)?, format!("name-{id}"), score, std::str::from_utf8(&note)?))?;
        }
    }
    Ok(transaction.commit()?)
}

/// A picture with edges, gradients and grain, as a photograph has them.
#[allow(clippy::cast_possible_truncation, reason = "every value is below 256 by its range")]
fn photograph((width, height): (u32, u32)) -> RgbImage {
    let mut state = 1_u32;
    RgbImage::from_fn(width, height, |x, y| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let grain = (state >> 29) as u8;
        let shape = if (x / 97 + y / 61) % 3 == 0 { 60 } else { 0 };
        Rgb([(x * 150 / width) as u8 + grain, (y * 150 / height) as u8 + grain + shape, 90 + grain])
    })
}

fn png_file(mut out: BufWriter<File>, picture: &RgbImage) -> Result<()> {
    let encoder = image::codecs::png::PngEncoder::new(&mut out);
    picture.write_with_encoder(encoder).context("PNG")?;
    Ok(out.flush()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_the_same_each_time_and_unlike_the_next() {
        assert_eq!(member(5), member(5));
        assert_ne!(member(5), member(6));
        assert_eq!(member(5).len(), MEMBER);
        assert!(std::str::from_utf8(&member(5)).is_ok());
    }

    #[test]
    fn an_unfinished_file_gets_no_name() {
        let folder = std::env::temp_dir().join(format!("read-bench-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let inputs = Inputs { folder: folder.clone(), scale: Scale::FULL };
        assert!(inputs.file("a", |_| anyhow::bail!("stopped")).is_err());
        assert!(!inputs.path("a").exists());
        inputs.file("a", |mut out| Ok(out.write_all(b"all")?)).unwrap();
        assert_eq!(fs::read(inputs.path("a")).unwrap(), b"all");
        fs::remove_dir_all(folder).unwrap();
    }
}
