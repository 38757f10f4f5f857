//! Write-ahead logs of SQLite: <https://sqlite.org/fileformat2.html>, section 4.

/// Gives the log salts of our own, so that it is the same each time it is made, and puts its checksums right.
pub(crate) fn seal(log: &mut [u8]) {
    let Some((header, frames)) = log.split_at_mut_checked(32) else { return };
    let little = header.get(3).is_some_and(|byte| byte & 1 == 0);
    let page = header.iter().skip(8).take(4).fold(0_usize, |size, byte| (size << 8) | usize::from(*byte));
    put(header, 16, b"saltSALT");
    let mut sums = sum((0, 0), header.get(..24).unwrap_or_default(), little);
    put_sums(header, 24, sums);
    for frame in frames.chunks_mut(page.saturating_add(24)) {
        put(frame, 8, b"saltSALT");
        sums = sum(sums, frame.get(..8).unwrap_or_default(), little);
        sums = sum(sums, frame.get(24..).unwrap_or_default(), little);
        put_sums(frame, 16, sums);
    }
}

fn put(block: &mut [u8], at: usize, field: &[u8]) {
    for (byte, new) in block.iter_mut().skip(at).zip(field) {
        *byte = *new;
    }
}

fn put_sums(block: &mut [u8], at: usize, (a, b): (u32, u32)) {
    put(block, at, &a.to_be_bytes());
    put(block, at + 4, &b.to_be_bytes());
}

fn sum((mut a, mut b): (u32, u32), bytes: &[u8], little: bool) -> (u32, u32) {
    let (words, _) = bytes.as_chunks::<4>();
    let word = |word: &[u8; 4]| if little { u32::from_le_bytes(*word) } else { u32::from_be_bytes(*word) };
    let (pairs, _) = words.as_chunks::<2>();
    for [first, second] in pairs {
        a = a.wrapping_add(word(first)).wrapping_add(b);
        b = b.wrapping_add(word(second)).wrapping_add(a);
    }
    (a, b)
}
