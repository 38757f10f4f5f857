//! How far a read has come, told to the client at a pace it can bear.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};

use crate::Progress;

/// The time between two notifications.
const EVERY: Duration = Duration::from_millis(250);

/// What the reading thread writes and the server looks at now and then.
#[derive(Debug, Default)]
pub(super) struct Gauge {
    done: AtomicU64,
    /// 0: not known.
    total: AtomicU64,
}

impl Progress for Gauge {
    fn advanced(&self, done: u64, total: Option<u64>) {
        self.done.fetch_max(done, Relaxed);
        self.total.store(total.unwrap_or(0), Relaxed);
    }
}

impl Gauge {
    /// Tells the client, for as long as it is polled. Never ends by itself.
    pub(super) async fn tell(self: Arc<Self>, peer: Peer<RoleServer>, token: Option<ProgressToken>) {
        let mut told = 0;
        let mut token = token;
        loop {
            let Some(known) = token.clone() else { return std::future::pending().await };
            tokio::time::sleep(EVERY).await;
            let (done, total) = (self.done.load(Relaxed), self.total.load(Relaxed));
            if done <= told {
                continue;
            }
            told = done;
            let mut news = ProgressNotificationParam::new(known, float(done));
            // A stream may give more than its length promised.
            if total >= done {
                news = news.with_total(float(total));
            }
            if peer.notify_progress(news).await.is_err() {
                token = None;
            }
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a progress bar needs no more than 53 bits")]
fn float(bytes: u64) -> f64 {
    bytes as f64
}
