//! Windows of text beside what the machine can do at best. `cargo bench -p read-core --bench text`; read the ratios, not the
//! times.

#![expect(clippy::unwrap_used, reason = "a bench that cannot set up may fail")]

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::sync::LazyLock;

use divan::Bencher;
use read_core::{Cancel, LocalFileSystem, Pipeline, Request};

fn main() {
    divan::main();
}

/// A folder with a source file of 2,000 lines and a log of 64 MiB.
static FOLDER: LazyLock<(tempfile::TempDir, PathBuf, PathBuf)> = LazyLock::new(|| {
    let dir = tempfile::tempdir().unwrap();
    let (source, log) = (dir.path().join("source.rs"), dir.path().join("app.log"));
    let line = |n: usize| format!("{}let value_{n} = compute(left, right, {n});\n", "    ".repeat(n % 4));
    std::fs::write(&source, (0..1_000).map(line).collect::<String>()).unwrap();
    let entry = |n: usize| {
        format!("2026-01-01T00:00:00Z INFO request {n} took {} ms in handler_{}\n", n % 977, n % 13)
    };
    let entries: String = (0..).map(entry).take(64 << 20 >> 6).collect();
    std::fs::write(&log, entries).unwrap();
    (dir, source, log)
});

fn pipeline() -> Pipeline {
    Pipeline::new(LocalFileSystem::builder().root(FOLDER.0.path()).build().unwrap())
}

fn read(pipeline: &Pipeline, target: &str) -> usize {
    pipeline.read(target, &Request::default(), Cancel::new()).unwrap().to_text().len()
}

mod source_file {
    use super::{Bencher, Cancel, FOLDER, File, Read, Request, pipeline, read};

    #[divan::bench]
    fn shown(bencher: Bencher<'_, '_>) {
        let pipeline = pipeline();
        bencher.bench_local(|| read(&pipeline, "source.rs"));
    }

    /// Reading the file, validating it and copying it once.
    #[divan::bench]
    fn read_validate_copy(bencher: Bencher<'_, '_>) {
        let path = &FOLDER.1;
        bencher.bench_local(|| {
            let mut bytes = Vec::new();
            File::open(path).unwrap().read_to_end(&mut bytes).unwrap();
            std::str::from_utf8(&bytes).unwrap().to_owned()
        });
    }

    #[divan::bench]
    fn numbered(bencher: Bencher<'_, '_>) {
        let pipeline = pipeline();
        let mut request = Request::default();
        request.style = read_core::LineStyle::Numbered;
        bencher.bench_local(|| pipeline.read("source.rs", &request, Cancel::new()).unwrap());
    }
}

mod late_window {
    use super::{Bencher, FOLDER, File, Read, pipeline, read};

    /// A new pipeline each time: nothing is known of the file.
    #[divan::bench]
    fn first_time(bencher: Bencher<'_, '_>) {
        bencher.with_inputs(pipeline).bench_local_values(|pipeline| read(&pipeline, "app.log:900000+20"));
    }

    #[divan::bench]
    fn again(bencher: Bencher<'_, '_>) {
        let pipeline = pipeline();
        std::thread::sleep(std::time::Duration::from_millis(2_100));
        read(&pipeline, "app.log:900000+20");
        let mut line = 100_000;
        bencher.bench_local(|| {
            line = line % 800_000 + 7_919;
            read(&pipeline, &format!("app.log:{line}+20"))
        });
    }

    /// Reading the same bytes in blocks and counting line ends.
    #[divan::bench]
    fn blocks_and_count(bencher: Bencher<'_, '_>) {
        let path = &FOLDER.2;
        bencher.bench_local(|| {
            let mut file = File::open(path).unwrap();
            let mut block = vec![0; 256 << 10];
            let mut lines = 0;
            loop {
                let n = file.read(&mut block).unwrap();
                if n == 0 {
                    break lines;
                }
                lines += memchr::memchr_iter(b'\n', block.get(..n).unwrap()).count();
            }
        });
    }
}

mod tail {
    use super::{Bencher, pipeline, read};

    #[divan::bench]
    fn last_hundred(bencher: Bencher<'_, '_>) {
        let pipeline = pipeline();
        let mut limits = read_core::Limits::default();
        limits.count_beyond = 0;
        let pipeline = pipeline.with_limits(limits);
        bencher.bench_local(|| read(&pipeline, "app.log:-100"));
    }
}
