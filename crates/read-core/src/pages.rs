//! What was shown last of each path, so that a later page can say that its content has changed since.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::output::{Notice, Rank};
use crate::reader::Answer;
use crate::source::{Identity, Source};

/// Paths of which it is remembered what was shown.
const REMEMBERED: usize = 512;

/// The last page that was shown of each path.
#[derive(Default)]
pub(crate) struct Pages(Mutex<HashMap<String, Page>>);

struct Page {
    identity: Identity,
    first: u64,
    last: u64,
}

impl Pages {
    /// Says that a source has changed since an earlier page of it was shown, and remembers this page.
    pub(crate) fn turn(&self, source: &Source, answer: &mut Answer) {
        let (Some(identity), Some([first, last])) = (
            source.identity(),
            answer.details.shown.as_ref().and_then(|shown| Some([shown.first()?[0], shown.last()?[1]])),
        ) else {
            return;
        };
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = pages.get(source.path())
            && before.identity != *identity
            && first > before.last
        {
            answer.notices.push(Notice::new(
                Rank::Odd,
                format!("{} changed since lines {}-{} were shown", source.path(), before.first, before.last),
            ));
        }
        if pages.len() >= REMEMBERED && !pages.contains_key(source.path()) {
            // Which one is forgotten matters little: the note is a courtesy, a miss only leaves it out.
            if let Some(any) = pages.keys().next().cloned() {
                pages.remove(&any);
            }
        }
        pages.insert(source.path().to_owned(), Page { identity: identity.clone(), first, last });
    }
}
