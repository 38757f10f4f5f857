//! What finding the last of 10,000 members costs beside going over the same records bare, and inflating a stream through the
//! reader beside inflating it. In memory, so that no disk is measured. `cargo bench -p read-archive`; read the ratios, not the
//! times.
#![expect(clippy::unwrap_used, reason = "a bench that cannot set up may fail")]

use std::io::{Cursor, Read, Write};
use std::sync::LazyLock;

use divan::Bencher;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use read_core::{Cancel, MemoryFileSystem, Pipeline, Registry, Request};
use zip::write::{SimpleFileOptions, ZipWriter};

fn main() {
    divan::main();
}

const MEMBERS: usize = 10_000;

fn member(number: usize) -> String {
    format!("pkg/part-{:02}/file-{number:05}.txt", number % 50)
}

static ZIP: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for number in 0..MEMBERS {
        archive.start_file(member(number), SimpleFileOptions::default()).unwrap();
        archive.write_all(b"content\n").unwrap();
    }
    archive.finish().unwrap().into_inner()
});

static TAR: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut archive = tar::Builder::new(Vec::new());
    for number in 0..MEMBERS {
        let mut header = tar::Header::new_ustar();
        header.set_size(8);
        header.set_mode(0o644);
        archive.append_data(&mut header, member(number), &b"content\n"[..]).unwrap();
    }
    archive.into_inner().unwrap()
});

/// 16 MiB of a log, which deflates well.
static LOG_GZ: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    for number in 0..(16_usize << 20 >> 6) {
        let line = format!("2026-01-01T00:00:00Z INFO request {number:>9} took {:>3} ms\n", number % 977);
        encoder.write_all(line.as_bytes()).unwrap();
    }
    encoder.finish().unwrap()
});

/// A new pipeline: nothing is known of the file.
fn pipeline(name: &str, bytes: &[u8]) -> Pipeline {
    let readers = Registry::core().with(read_archive::ZIP).with(read_archive::TAR).with(read_archive::GZIP);
    Pipeline::new(MemoryFileSystem::new().with(name, bytes)).with_registry(readers)
}

fn read(pipeline: &Pipeline, target: &str) -> usize {
    pipeline.read(target, &Request::default(), Cancel::new()).unwrap().to_text().len()
}

mod zip_index {
    use super::{Bencher, MEMBERS, ZIP, member, pipeline, read};

    #[divan::bench]
    fn last_member(bencher: Bencher<'_, '_>) {
        let target = format!("a.zip:{}", member(MEMBERS - 1));
        bencher.with_inputs(|| pipeline("a.zip", &ZIP)).bench_local_refs(|pipeline| read(pipeline, &target));
    }

    #[divan::bench]
    fn another_member(bencher: Bencher<'_, '_>) {
        let pipeline = pipeline("a.zip", &ZIP);
        read(&pipeline, &format!("a.zip:{}", member(0)));
        let mut number = 0;
        bencher.bench_local(|| {
            number = (number + 7_919) % MEMBERS;
            read(&pipeline, &format!("a.zip:{}", member(number)))
        });
    }

    /// Going from record to record of the central directory.
    #[divan::bench]
    fn records(bencher: Bencher<'_, '_>) {
        bencher.bench_local(|| {
            let zip = divan::black_box(&*ZIP);
            let first = zip.windows(4).rposition(|four| four == b"PK\x05\x06").unwrap();
            let begin = u32::from_le_bytes(zip.get(first + 16..first + 20).unwrap().try_into().unwrap());
            let mut rest = zip.get(begin as usize..).unwrap();
            let mut count = 0;
            while rest.starts_with(b"PK\x01\x02") {
                let field = |at: usize| {
                    usize::from(u16::from_le_bytes(rest.get(at..at + 2).unwrap().try_into().unwrap()))
                };
                rest = rest.get(46 + field(28) + field(30) + field(32)..).unwrap();
                count += 1;
            }
            assert_eq!(count, MEMBERS);
        });
    }
}

mod tar_scan {
    use super::{Bencher, MEMBERS, TAR, member, pipeline, read};

    #[divan::bench]
    fn last_member(bencher: Bencher<'_, '_>) {
        let target = format!("a.tar:{}", member(MEMBERS - 1));
        bencher.with_inputs(|| pipeline("a.tar", &TAR)).bench_local_refs(|pipeline| read(pipeline, &target));
    }

    #[divan::bench]
    fn another_member(bencher: Bencher<'_, '_>) {
        let pipeline = pipeline("a.tar", &TAR);
        read(&pipeline, &format!("a.tar:{}", member(MEMBERS - 1)));
        let mut number = 0;
        bencher.bench_local(|| {
            number = (number + 7_919) % MEMBERS;
            read(&pipeline, &format!("a.tar:{}", member(number)))
        });
    }

    /// Going from header to header, with the checksum that tells one from anything else.
    #[divan::bench]
    fn headers(bencher: Bencher<'_, '_>) {
        bencher.bench_local(|| {
            let mut rest = divan::black_box(TAR.as_slice());
            let mut count = 0;
            while let Some(header) = rest.get(..512).filter(|header| header.first() != Some(&0)) {
                let digits = std::str::from_utf8(header.get(124..135).unwrap()).unwrap();
                let size = usize::from_str_radix(digits, 8).unwrap();
                count += usize::from(header.iter().map(|byte| u32::from(*byte)).sum::<u32>() > 0);
                rest = rest.get(512 + size.next_multiple_of(512)..).unwrap();
            }
            assert_eq!(count, MEMBERS);
        });
    }
}

mod gzip_stream {
    use super::{Bencher, LOG_GZ, MultiGzDecoder, Read, pipeline, read};

    #[divan::bench]
    fn last_line(bencher: Bencher<'_, '_>) {
        bencher
            .with_inputs(|| pipeline("app.log.gz", &LOG_GZ))
            .bench_local_refs(|pipeline| read(pipeline, "app.log.gz:-1"));
    }

    /// Inflating alone.
    #[divan::bench]
    fn inflated(bencher: Bencher<'_, '_>) {
        let mut block = vec![0; 256 << 10];
        bencher.bench_local(|| {
            let mut decoder = MultiGzDecoder::new(LOG_GZ.as_slice());
            let mut length = 0;
            loop {
                match decoder.read(&mut block).unwrap() {
                    0 => break length,
                    read => length += read,
                }
            }
        });
    }
}
