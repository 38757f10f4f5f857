//! What an operator may want to know.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Bytes that one session says (32 KiB). Clients that do not read the standard error of their servers leave room for about twice
/// as much; whoever writes more is stuck.
const MOST: usize = 32 << 10;

/// Says lines, until enough is said.
#[derive(Clone)]
pub(super) struct Log {
    sink: Arc<dyn Fn(&str) + Send + Sync>,
    said: Arc<AtomicUsize>,
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Log").field("said", &self.said).finish_non_exhaustive()
    }
}

impl Log {
    pub(super) fn new(sink: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { sink: Arc::new(sink), said: Arc::default() }
    }

    pub(super) fn say(&self, line: &str) {
        let before = self.said.fetch_update(Relaxed, Relaxed, |said| {
            (said <= MOST).then(|| said.saturating_add(line.len()).saturating_add(1))
        });
        match before {
            Ok(before) if before.saturating_add(line.len()) < MOST => (self.sink)(line),
            Ok(_) => (self.sink)("enough is said: the rest of this session is left out"),
            Err(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn it_says_so_much_and_no_more() {
        let said: Arc<Mutex<Vec<String>>> = Arc::default();
        let log = Log::new({
            let said = Arc::clone(&said);
            move |line| said.lock().unwrap().push(line.to_owned())
        });
        for _ in 0..1_000 {
            log.clone().say(&"x".repeat(999));
        }
        let said = said.lock().unwrap();
        assert_eq!(said.len(), MOST / 1_000 + 1);
        assert!(said.last().unwrap().starts_with("enough is said"));
    }
}
