//! Archives: by real writers, and by hand where writers do not go.

use std::io::Write;

use anyhow::Result;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::{Seed, databases, images};
use crate::make::zip::Member;
use crate::make::{self, gzipped};

const TEXT: &[u8] = b"one\ntwo\nthree\nfour\nfive\nsix\n";

fn long() -> Vec<u8> {
    (1..=300).flat_map(|number| format!("line {number} of a member\n").into_bytes()).collect()
}

pub(super) fn zips() -> Result<Vec<Seed>> {
    let deflated = SimpleFileOptions::default();
    let mut writer = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    writer.add_directory("dir/", deflated)?;
    writer.start_file("dir/a.txt", deflated)?;
    writer.write_all(&long())?;
    writer.start_file("stored.txt", deflated.compression_method(zip::CompressionMethod::Stored))?;
    writer.write_all(TEXT)?;
    writer.add_symlink("link", "dir/a.txt", deflated)?;
    writer.set_comment("a comment")?;
    let written = writer.finish()?.into_inner();
    let by_hand = [
        Member::stored("a.txt", TEXT),
        Member { descriptor: true, ..Member::deflated("described.txt", &long())? },
        Member { wide: true, ..Member::stored("wide.txt", TEXT) },
        Member { flags: 0, name: b"caf\x82.txt".to_vec(), ..Member::stored("", TEXT) },
        Member::link("link", "a.txt"),
        Member::link("loop", "loop"),
        Member::stored("../../escape.txt", TEXT),
        Member::stored("/etc/passwd", TEXT),
        Member::stored("C:\\windows\\x.txt", TEXT),
        Member::stored("a.txt", b"the second of its name\n"),
        Member { method: 97, ..Member::stored("unknown.bin", TEXT) },
        Member { flags: 0x801, ..Member::stored("encrypted.txt", TEXT) },
    ];
    let by_hand = make::zip::archive(&by_hand)?;
    let database = databases::plain()?;
    let nested = [
        Member::stored("inner.zip", &written),
        Member::deflated("inner.tar", &plain_tar()?)?,
        Member::stored("inner.txt.gz", &gzipped(&long())?),
        Member::deflated("inner.db", &database)?,
        Member::stored("inner.png", &images::small()?),
    ];
    let prepended = [b"#!/bin/sh\nexit\n".as_slice(), &written].concat();
    let empty = make::zip::archive(&[])?;
    let many: Vec<Member> =
        (0..40).map(|index| Member::stored(&format!("d{}/f{index}", index % 3), TEXT)).collect();
    let archives =
        [written, by_hand, make::zip::archive(&nested)?, prepended, empty, make::zip::archive(&many)?];
    Ok(archives.map(Seed::new).into())
}

fn plain_tar() -> Result<Vec<u8>> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, content) in [("dir/a.txt", long()), ("b.txt", TEXT.to_vec())] {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len().try_into()?);
        header.set_mode(0o644);
        builder.append_data(&mut header, name, content.as_slice())?;
    }
    let mut header = tar::Header::new_gnu();
    header.set_size(TEXT.len().try_into()?);
    // A long name, for which the writer makes a member of its own.
    builder.append_data(&mut header, format!("long/{}.txt", "name".repeat(40)), TEXT)?;
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Symlink);
    header.set_size(0);
    builder.append_link(&mut header, "link", "dir/a.txt")?;
    Ok(builder.into_inner()?)
}

pub(super) fn tars() -> Result<Vec<Seed>> {
    use make::tar::{end, gnu_sparse, member, pax, pax_sparse};
    let by_hand = [
        pax(b'g', &[("comment", "all that follows"), ("mtime", "1.5")]),
        member("a.txt", b'0', "", TEXT),
        pax(b'x', &[("path", "from/pax.txt"), ("size", "28"), ("uid", "1")]),
        member("short", b'0', "", TEXT),
        gnu_sparse("sparse.old", 4_096, 20_000),
        pax_sparse("sparse.new", 8_192, 30_000),
        member("hard", b'1', "a.txt", b""),
        member("soft", b'2', "a.txt", b""),
        member("loop", b'2', "loop", b""),
        member("fifo", b'6', "", b""),
        member("dir/", b'5', "", b""),
        member("../../escape.txt", b'0', "", TEXT),
        member("/etc/passwd", b'0', "", TEXT),
        member("a.txt", b'0', "", b"the second of its name\n"),
    ];
    let nested = [
        member("inner.zip", b'0', "", &make::zip::archive(&[Member::stored("x.txt", TEXT)])?),
        member("inner.db", b'0', "", &databases::plain()?),
        member("inner.gz", b'0', "", &gzipped(TEXT)?),
    ];
    let old: Vec<u8> = {
        let mut header = tar::Header::new_old();
        header.set_path("old.txt")?;
        header.set_size(TEXT.len().try_into()?);
        header.set_cksum();
        let mut out = header.as_bytes().to_vec();
        out.extend_from_slice(TEXT);
        out.resize(out.len().next_multiple_of(make::tar::BLOCK), 0);
        end(out)
    };
    let archives = [plain_tar()?, end(by_hand.concat()), end(nested.concat()), old];
    Ok(archives.map(Seed::new).into())
}

pub(super) fn gzips() -> Result<Vec<Seed>> {
    let mut named = flate2::GzBuilder::new()
        .filename("inner.txt")
        .comment("a comment")
        .extra(vec![1, 2, 3, 4])
        .write(Vec::new(), flate2::Compression::fast());
    named.write_all(&long())?;
    let archives = [
        gzipped(&long())?,
        named.finish()?,
        // Members one after the other are one text.
        [gzipped(TEXT)?, gzipped(&long())?, gzipped(b"")?].concat(),
        gzipped(&plain_tar()?)?,
        gzipped(&gzipped(TEXT)?)?,
        gzipped(b"")?,
        gzipped(&databases::plain()?)?,
        gzipped(&images::small()?)?,
        gzipped(&make::zip::archive(&[Member::stored("x.txt", TEXT)])?)?,
        // A block of zlib's least compression, and nothing behind it.
        [gzipped(TEXT)?, b"trailing garbage".to_vec()].concat(),
    ];
    Ok(archives.map(Seed::new).into())
}
