//! Shrinking by a whole number while rows are decoded, so that a huge image is never held: boxes of pixels become their mean,
//! weighted by opacity. What is left is still at least twice as large as what is shown, and is scaled as any other image.

use image::DynamicImage;

use super::assemble;
use crate::fault::Fault;

/// The most that is reduced by at one time; sums stay within 32 bits.
const MOST: u32 = 128;

/// By how much an image can be reduced and still be twice as large as it is shown; 1 where that is not at all.
pub(crate) fn factor(stored: (u32, u32), shown: (u32, u32)) -> u32 {
    let side = |stored: u32, shown: u32| stored / shown.max(1) / 2;
    side(stored.0, shown.0).min(side(stored.1, shown.1)).clamp(1, MOST)
}

/// Takes rows, gives an image.
pub(super) struct Reducer {
    by: u32,
    channels: usize,
    width: u32,
    /// The height so far.
    height: u32,
    /// The sums of each box, channel by channel; colours are multiplied by their opacity.
    sums: Vec<u32>,
    /// The rows in them.
    rows: u32,
    /// The width of the last box.
    last: u32,
    out: Vec<u8>,
}

impl Reducer {
    /// For `height` rows of `width` pixels of `channels` bytes.
    pub(super) fn new(by: u32, (width, height): (u32, u32), channels: u32) -> Self {
        let by = by.max(1);
        let across = width.div_ceil(by);
        let channels = usize::try_from(channels).unwrap_or(1);
        let length = usize::try_from(across).unwrap_or(usize::MAX).saturating_mul(channels);
        let rows = usize::try_from(height.div_ceil(by)).unwrap_or_default();
        let out = Vec::with_capacity(length.saturating_mul(rows));
        let last = width - (across.saturating_sub(1)).saturating_mul(by);
        Self { by, channels, width: across, height: 0, sums: vec![0; length], rows: 0, last, out }
    }

    pub(super) fn row(&mut self, row: &[u8]) {
        let box_bytes = self.channels.saturating_mul(usize::try_from(self.by).unwrap_or(1)).max(1);
        let has_alpha = matches!(self.channels, 2 | 4);
        for (pixels, sums) in row.chunks(box_bytes).zip(self.sums.chunks_exact_mut(self.channels)) {
            for pixel in pixels.chunks_exact(self.channels) {
                if let (true, Some((alpha, colours))) = (has_alpha, pixel.split_last()) {
                    for (sum, colour) in sums.iter_mut().zip(colours) {
                        *sum += u32::from(*colour) * u32::from(*alpha);
                    }
                    if let Some(sum) = sums.last_mut() {
                        *sum += u32::from(*alpha);
                    }
                } else {
                    for (sum, value) in sums.iter_mut().zip(pixel) {
                        *sum += u32::from(*value);
                    }
                }
            }
        }
        self.rows += 1;
        if self.rows == self.by {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let has_alpha = matches!(self.channels, 2 | 4);
        let mean = |sum: u32, n: u32| u8::try_from((sum + n / 2) / n.max(1)).unwrap_or(u8::MAX);
        let boxes = self.sums.len() / self.channels.max(1);
        for (sums, nth) in self.sums.chunks_exact(self.channels).zip(1..) {
            let pixels = self.rows * if nth == boxes { self.last } else { self.by };
            if let (true, Some((alpha, colours))) = (has_alpha, sums.split_last()) {
                self.out.extend(colours.iter().map(|sum| mean(*sum, (*alpha).max(1))));
                self.out.push(mean(*alpha, pixels));
            } else {
                self.out.extend(sums.iter().map(|sum| mean(*sum, pixels)));
            }
        }
        self.sums.fill(0);
        self.rows = 0;
        self.height += 1;
    }

    pub(super) fn finish(mut self) -> Result<DynamicImage, Fault> {
        if self.rows > 0 {
            self.flush();
        }
        assemble(self.width, self.height, u32::try_from(self.channels).unwrap_or_default(), self.out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_twice_as_large_as_what_is_shown() {
        for (stored, shown, by) in [
            ((4_000, 3_000), (2_000, 1_500), 1),
            ((7_999, 7_999), (2_000, 2_000), 1),
            ((8_000, 8_000), (2_000, 2_000), 2),
            ((12_000, 8_000), (2_000, 1_333), 3),
            ((100_000, 1), (2_000, 1), 1),
            ((1_000_000, 1_000_000), (1, 1), MOST),
        ] {
            assert_eq!(factor(stored, shown), by, "{stored:?}");
        }
    }

    #[test]
    fn boxes_become_their_means_at_the_edges_too() {
        let mut grey = Reducer::new(2, (3, 3), 1);
        for row in [[0, 10, 50], [20, 30, 70], [4, 8, 9]] {
            grey.row(&row);
        }
        let grey = grey.finish().unwrap();
        assert_eq!((grey.width(), grey.height(), grey.as_bytes()), (2, 2, &[15, 60, 6, 9][..]));
    }

    #[test]
    fn what_is_transparent_does_not_count() {
        let mut colours = Reducer::new(2, (2, 2), 4);
        colours.row(&[255, 0, 0, 255, 0, 255, 0, 0]);
        colours.row(&[255, 0, 0, 255, 0, 255, 0, 0]);
        assert_eq!(colours.finish().unwrap().as_bytes(), [255, 0, 0, 128]);
    }
}
