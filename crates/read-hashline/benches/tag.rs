//! The tag of a text against plain SHA-256 over the same bytes.
#![allow(missing_docs, reason = "a bench")]

use divan::Bencher;
use divan::counter::BytesCount;
use read_hashline::{Tagger, normalize};
use sha2::{Digest, Sha256};

const SIZE: usize = 4 * 1024 * 1024;

/// What the lines of a text end in.
#[derive(Debug, Clone, Copy)]
enum Ends {
    Lf,
    Crlf,
    SomeBlanks,
    ManyBlanks,
}

const ENDS: [Ends; 4] = [Ends::Lf, Ends::Crlf, Ends::SomeBlanks, Ends::ManyBlanks];

/// Source-like text: indented lines of words, some 40 bytes each.
fn text(ends: Ends) -> String {
    let mut seed = 0x2545_F491_4F6C_DD1D_u64;
    let mut below = move |bound: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 20) % bound
    };
    let mut text = String::with_capacity(SIZE + 256);
    while text.len() < SIZE {
        text.extend(std::iter::repeat_n("    ", usize::try_from(below(4)).unwrap_or(0)));
        for _ in 0..below(9) {
            for _ in 0..2 + below(8) {
                text.push(char::from(b'a' + u8::try_from(below(26)).unwrap_or(0)));
            }
            text.push(' ');
        }
        text.push(';');
        match ends {
            Ends::Crlf => text.push('\r'),
            Ends::SomeBlanks if below(50) == 0 => text.push(' '),
            Ends::Lf | Ends::SomeBlanks => {}
            Ends::ManyBlanks => text.extend((0..below(20)).map(|_| if below(2) == 0 { ' ' } else { '\t' })),
        }
        text.push('\n');
    }
    text
}

#[divan::bench(args = ENDS)]
fn sha256(bencher: Bencher<'_, '_>, ends: Ends) {
    let text = text(ends);
    bencher.counter(BytesCount::of_str(&text)).bench(|| Sha256::digest(divan::black_box(&text)));
}

#[divan::bench(args = ENDS)]
fn tag(bencher: Bencher<'_, '_>, ends: Ends) {
    let text = text(ends);
    bencher.counter(BytesCount::of_str(&text)).bench(|| {
        let mut tagger = Tagger::new();
        tagger.update(divan::black_box(&text));
        tagger.finish()
    });
}

#[divan::bench(args = ENDS)]
fn tag_in_pieces_of_64_kib(bencher: Bencher<'_, '_>, ends: Ends) {
    let text = text(ends);
    bencher.counter(BytesCount::of_str(&text)).bench(|| {
        let mut tagger = Tagger::new();
        for piece in divan::black_box(text.as_bytes()).chunks(64 * 1024) {
            tagger.update_bytes(piece);
        }
        tagger.finish()
    });
}

#[divan::bench(args = ENDS)]
fn normalize_alone(bencher: Bencher<'_, '_>, ends: Ends) {
    let text = text(ends);
    bencher.counter(BytesCount::of_str(&text)).bench(|| normalize(divan::black_box(&text)).len());
}

fn main() {
    divan::main();
}
