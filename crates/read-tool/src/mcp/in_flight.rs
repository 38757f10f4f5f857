//! What a session owes its client and what it was told: requests that are not answered, and whether either stream has ended.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;
use tokio::sync::{Notify, OwnedSemaphorePermit};

/// Requests that are taken and not answered, before no more are taken.
const REQUESTS: usize = 1024;

/// Bytes of such requests, before no more are taken (32 MiB).
const BYTES: usize = 32 << 20;

/// Answers to what is no request, not yet written, before no more is read.
const REPLIES: usize = 64;

/// The state of one session, shared by what reads the input, what writes the output, and what answers. It is what bounds the
/// memory of a session whose client does not read: a request counts until its answer is written.
#[derive(Debug, Default)]
pub(super) struct InFlight {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    open: HashMap<RequestId, Open>,
    /// Answers that are being written.
    answers: usize,
    bytes: usize,
    replies: usize,
    questions: usize,
    ended: bool,
    failed: bool,
    failure: Option<io::Error>,
}

#[derive(Debug)]
struct Open {
    bytes: usize,
    /// The place among the reads at once, kept until the answer is out.
    place: Option<OwnedSemaphorePermit>,
}

impl State {
    fn is_full(&self) -> bool {
        self.open.len().saturating_add(self.answers) >= REQUESTS || self.bytes >= BYTES
    }
}

impl InFlight {
    /// Takes a request of `bytes`; `false` where one with this id waits for its answer.
    pub(super) fn open(&self, id: RequestId, bytes: usize) -> bool {
        let mut state = self.state();
        if state.open.contains_key(&id) {
            return false;
        }
        state.open.insert(id, Open { bytes, place: None });
        state.bytes = state.bytes.saturating_add(bytes);
        true
    }

    /// Whether no more requests are taken.
    pub(super) fn is_full(&self) -> bool {
        self.state().is_full()
    }

    /// Keeps the place of a read until its answer is written. A request that was cancelled has no answer.
    pub(super) fn keep(&self, id: &RequestId, place: OwnedSemaphorePermit) {
        if let Some(open) = self.state().open.get_mut(id) {
            open.place = Some(place);
        }
    }

    /// A request will not be answered.
    pub(super) fn close(self: &Arc<Self>, id: &RequestId) {
        drop(self.answer(id));
    }

    /// A request is being answered, for as long as the value lives. Its id is free: a client that has the answer may use it
    /// again before the server knows that it has.
    pub(super) fn answer(self: &Arc<Self>, id: &RequestId) -> Option<Answer> {
        let mut state = self.state();
        let request = state.open.remove(id)?;
        state.answers += 1;
        Some(Answer { of: Arc::clone(self), request })
    }

    /// An answer that belongs to no request in flight is on its way, for as long as the value lives.
    pub(super) fn replying(self: &Arc<Self>) -> Counted {
        self.state().replies += 1;
        Counted { of: Arc::clone(self), count: |state| &mut state.replies }
    }

    /// The client was asked something, for as long as the value lives: its answer stands behind its requests.
    pub(super) fn asking(self: &Arc<Self>) -> Counted {
        self.state().questions += 1;
        self.changed.notify_waiters();
        Counted { of: Arc::clone(self), count: |state| &mut state.questions }
    }

    /// Waits until more of the input may be read.
    pub(super) async fn room(&self) {
        self.until(|state| state.replies < REPLIES && (!state.is_full() || state.questions > 0)).await;
    }

    /// Waits until all answers are written that belong to no request.
    pub(super) async fn replied(&self) {
        self.until(|state| state.replies == 0).await;
    }

    /// The client sends no more.
    pub(super) fn end(&self) {
        self.state().ended = true;
        self.changed.notify_waiters();
    }

    pub(super) async fn ended(&self) {
        self.until(|state| state.ended).await;
    }

    /// The client takes no more answers. After the end of the input that is no failure of the session.
    pub(super) fn fail(&self, error: &io::Error) {
        let mut state = self.state();
        if !state.failed && !state.ended {
            state.failure =
                Some(io::Error::new(error.kind(), format!("the client takes no answers: {error}")));
        }
        state.failed = true;
        drop(state);
        self.changed.notify_waiters();
    }

    pub(super) async fn failed(&self) {
        self.until(|state| state.failed).await;
    }

    /// Why the session failed, if it did; said once.
    pub(super) fn outcome(&self) -> io::Result<()> {
        self.state().failure.take().map_or(Ok(()), Err)
    }

    async fn until(&self, holds: impl Fn(&State) -> bool) {
        loop {
            let mut changed = std::pin::pin!(self.changed.notified());
            // Before the look, so that no change between the two is missed.
            changed.as_mut().enable();
            if holds(&self.state()) {
                return;
            }
            changed.await;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request whose answer is being written.
#[derive(Debug)]
pub(super) struct Answer {
    of: Arc<InFlight>,
    request: Open,
}

impl Drop for Answer {
    fn drop(&mut self) {
        let mut state = self.of.state();
        state.answers = state.answers.saturating_sub(1);
        state.bytes = state.bytes.saturating_sub(self.request.bytes);
        drop(state);
        drop(self.request.place.take());
        self.of.changed.notify_waiters();
    }
}

/// Counts for as long as it lives.
#[derive(Debug)]
pub(super) struct Counted {
    of: Arc<InFlight>,
    count: fn(&mut State) -> &mut usize,
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut state = self.of.state();
        let count = (self.count)(&mut state);
        *count = count.saturating_sub(1);
        drop(state);
        self.of.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Future;
    use std::task::{Context, Poll, Waker};
    use tokio::sync::Semaphore;

    fn is_ready(future: impl Future<Output = ()>) -> bool {
        let mut context = Context::from_waker(Waker::noop());
        std::pin::pin!(future).poll(&mut context) == Poll::Ready(())
    }

    fn id(n: usize) -> RequestId {
        RequestId::Number(i64::try_from(n).unwrap())
    }

    #[test]
    fn a_session_takes_so_many_requests_and_bytes() {
        let session = Arc::new(InFlight::default());
        for n in 0..REQUESTS {
            assert!(is_ready(session.room()), "{n}");
            assert!(session.open(id(n), 1));
        }
        assert!(session.is_full() && !is_ready(session.room()));
        let asking = session.asking();
        assert!(is_ready(session.room()), "the answer to a question is behind the requests");
        drop(asking);
        assert!(!is_ready(session.room()));
        session.close(&id(7));
        assert!(is_ready(session.room()));
        assert!(session.open(id(7), BYTES) && session.is_full(), "too many bytes");
        session.close(&id(7));
        session.close(&id(7));
        assert!(!session.is_full());
        assert!(!session.open(id(8), 1), "an id that is in use");
    }

    #[test]
    fn a_place_is_kept_until_the_answer_is_written() {
        let places = Arc::new(Semaphore::new(1));
        let session = Arc::new(InFlight::default());
        let place = || Arc::clone(&places).try_acquire_owned();
        session.open(id(1), 1);
        session.keep(&id(1), place().unwrap());
        let answer = session.answer(&id(1)).unwrap();
        assert!(place().is_err());
        assert!(session.open(id(1), 1), "the id is free");
        session.close(&id(1));
        assert!(place().is_err());
        drop(answer);
        session.keep(&id(1), place().unwrap());
        assert!(place().is_ok(), "nobody waits for the answer");
    }

    #[test]
    fn the_end_of_the_input_is_no_failure() {
        let session = InFlight::default();
        assert!(!is_ready(session.ended()) && !is_ready(session.failed()));
        session.fail(&io::Error::other("gone"));
        assert!(is_ready(session.failed()));
        assert!(session.outcome().unwrap_err().to_string().contains("gone"));
        let session = InFlight::default();
        session.end();
        session.fail(&io::Error::other("gone"));
        assert!(is_ready(session.ended()) && is_ready(session.failed()) && session.outcome().is_ok());
    }

    #[test]
    fn replies_are_bounded_too() {
        let session = Arc::new(InFlight::default());
        let replies: Vec<_> = (0..REPLIES).map(|_| session.replying()).collect();
        assert!(!is_ready(session.room()) && !is_ready(session.replied()));
        drop(replies);
        assert!(is_ready(session.room()) && is_ready(session.replied()));
    }
}
