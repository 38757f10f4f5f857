//! Streams as recipes: bytes in order that can be had again.

use std::fmt;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

use crate::limits::HEAD;
use crate::meter::Meter;

/// Opens a stream at its first byte. A recipe, not a pipe: whoever declines a source must not have used it up.
pub type Recipe = Arc<dyn Fn() -> io::Result<Box<dyn Read + Send>> + Send + Sync>;

/// Opens a stream at any of its bytes, for less than reading up to there costs.
type OpenAt = Arc<dyn Fn(u64) -> io::Result<Box<dyn Read + Send>> + Send + Sync>;

/// Bytes that come in order. Cheap to clone.
#[derive(Clone)]
pub struct Stream {
    recipe: Recipe,
    open_at: Option<OpenAt>,
    decoded: bool,
    charged: bool,
    /// The stream that the probe opened, with what it read, kept for the first reader.
    primed: Arc<Mutex<Option<HeadAndRest>>>,
}

/// The first bytes, as far as they are at hand, and those behind them.
pub(crate) type HeadAndRest = (Arc<[u8]>, Box<dyn Read + Send>);

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("decoded", &self.decoded).finish_non_exhaustive()
    }
}

impl Stream {
    /// A stream that a decoder gives: its bytes are charged to the read's budget.
    pub fn decoded(recipe: impl Fn() -> io::Result<Box<dyn Read + Send>> + Send + Sync + 'static) -> Self {
        Self::new(Arc::new(recipe), true, true)
    }

    /// A part of what a decoder gives, which is charged where it is decoded: as fallible as a decoder (what precedes a
    /// failure is shown), and not charged again.
    pub fn part(recipe: impl Fn() -> io::Result<Box<dyn Read + Send>> + Send + Sync + 'static) -> Self {
        Self::new(Arc::new(recipe), true, false)
    }

    /// A stream that shows bytes as they lie: nothing is charged.
    pub fn view(recipe: impl Fn() -> io::Result<Box<dyn Read + Send>> + Send + Sync + 'static) -> Self {
        Self::new(Arc::new(recipe), false, false)
    }

    fn new(recipe: Recipe, decoded: bool, charged: bool) -> Self {
        Self { recipe, open_at: None, decoded, charged, primed: Arc::default() }
    }

    /// The same with a way to open it at any byte: a decoder that keeps marks on its way, say.
    #[must_use]
    pub fn with_open_at(
        mut self,
        open_at: impl Fn(u64) -> io::Result<Box<dyn Read + Send>> + Send + Sync + 'static,
    ) -> Self {
        self.open_at = Some(Arc::new(open_at));
        self
    }

    /// Whether its bytes come out of a decoder.
    pub fn is_decoded(&self) -> bool {
        self.decoded
    }

    pub(super) fn head(&self, meter: Option<&Meter>) -> io::Result<Arc<[u8]>> {
        let mut reader = super::metered((self.recipe)()?, meter, self.charged);
        let mut head = Vec::with_capacity(HEAD);
        // Damage behind the first bytes is for the one who reads on; the bytes before it still tell the kind.
        let read = reader.by_ref().take(HEAD as u64).read_to_end(&mut head);
        let head = Arc::from(head);
        match read {
            Ok(_) => *self.lock() = Some((Arc::clone(&head), reader)),
            Err(error) if head.is_empty() || meter.is_some_and(|meter| meter.tripped().is_some()) => {
                return Err(error);
            }
            // A decoder that failed once may say "end" the next time: it is not kept.
            Err(_) => {}
        }
        Ok(head)
    }

    pub(super) fn reader(&self, meter: Option<&Meter>) -> io::Result<Box<dyn Read + Send>> {
        let (head, rest) = self.head_and_rest(meter)?;
        Ok(if head.is_empty() { rest } else { Box::new(io::Cursor::new(head).chain(rest)) })
    }

    /// The first bytes, as far as they are at hand, and the stream behind them.
    pub(super) fn head_and_rest(&self, meter: Option<&Meter>) -> io::Result<HeadAndRest> {
        match self.lock().take() {
            Some(primed) => Ok(primed),
            None => Ok((Arc::default(), super::metered((self.recipe)()?, meter, self.charged))),
        }
    }

    /// The stream from `offset` on; `None` when it can only be opened at its start.
    pub(super) fn reader_at(
        &self,
        offset: u64,
        meter: Option<&Meter>,
    ) -> io::Result<Option<Box<dyn Read + Send>>> {
        // What the probe has read already costs nothing to pass.
        let Some(open_at) = self.open_at.as_ref().filter(|_| offset > HEAD as u64) else { return Ok(None) };
        Ok(Some(super::metered(open_at(offset)?, meter, self.charged)))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<HeadAndRest>> {
        self.primed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_stream_with_marks_is_opened_at_a_byte() {
        let from = |offset: u64| Box::new(io::repeat(7).take(200_000 - offset)) as Box<dyn Read + Send>;
        let plain = Stream::view(move || Ok(from(0)));
        assert!(plain.reader_at(150_000, None).unwrap().is_none());
        let marked = plain.with_open_at(move |offset| Ok(from(offset)));
        let mut rest = Vec::new();
        marked.reader_at(150_000, None).unwrap().unwrap().read_to_end(&mut rest).unwrap();
        assert_eq!(rest.len(), 50_000);
    }

    #[test]
    fn the_probe_and_the_first_reader_share_one_opening() {
        let opened = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&opened);
        let stream = Stream::view(move || {
            count.fetch_add(1, Ordering::Relaxed);
            Ok(Box::new(io::repeat(7).take(200_000)))
        });
        assert_eq!(stream.head(None).unwrap().len(), HEAD);
        for opened_so_far in 1..3 {
            let mut all = Vec::new();
            stream.reader(None).unwrap().read_to_end(&mut all).unwrap();
            assert_eq!(all.len(), 200_000);
            assert_eq!(opened.load(Ordering::Relaxed), opened_so_far);
        }
    }
}
