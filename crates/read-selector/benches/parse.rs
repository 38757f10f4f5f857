//! What cutting and parsing a target cost beside copying it. `cargo bench -p read-selector`; read the ratios, not the times.

use std::hint::black_box;

use divan::Bencher;
use read_selector::{classify, cuts};

fn main() {
    divan::main();
}

const SELECTORS: [&str; 6] = ["200-260", "raw", "-50", "1-5,9-12,40-44", "@4096+1024", "no selector"];

const TARGETS: [&str; 3] = ["src/ui.zig", "src/ui.zig:200-260", "backup.zip:db/app.sqlite:users:42:avatar"];

#[divan::bench(args = SELECTORS)]
fn classified(bencher: Bencher<'_, '_>, selector: &str) {
    bencher.bench_local(|| classify(black_box(selector)));
}

/// Every cut of a target, as resolution goes through them where nothing exists.
#[divan::bench(args = TARGETS)]
fn cut(bencher: Bencher<'_, '_>, target: &str) {
    bencher.bench_local(|| cuts(black_box(target)).map(|cut| cut.path.len()).sum::<usize>());
}

#[divan::bench(args = TARGETS)]
fn copied(bencher: Bencher<'_, '_>, target: &str) {
    bencher.bench_local(|| black_box(target).to_owned());
}
