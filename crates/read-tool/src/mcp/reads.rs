//! Reads of one server: how many run at once, and what becomes of those that do not end.

use std::sync::Arc;
use std::time::Duration;

use read_core::{Cancel, ErrorCode, Progress, ReadError, Trip};
use rmcp::model::CallToolResult;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::content;
use super::watch::{Ward, Watch};
use crate::{Arguments, ReadTool};

/// Reads that run at once unless a host says otherwise; the rest wait.
pub const READS: usize = 8;

/// Reads of images, and of whatever else its reader calls [heavy](read_core::TargetReader::is_heavy), that run at once unless a
/// host says otherwise. Whether a read is one shows when that reader is asked, at whatever depth; from there on it waits for its
/// turn, among the reads that run.
pub const IMAGE_READS: usize = 2;

/// How long a read may go on after its deadline, or after it was cancelled, before it is answered for and its thread left to
/// itself.
pub const GRACE: Duration = Duration::from_secs(1);

/// Runs reads.
#[derive(Debug)]
pub(super) struct Reads {
    permits: Arc<Semaphore>,
    ward: Arc<Ward>,
}

impl Reads {
    pub(super) fn new(reads: usize, image_reads: usize) -> Self {
        Self { permits: Arc::new(Semaphore::new(reads.max(1))), ward: Ward::new(image_reads.max(1)) }
    }

    /// Waits for a place among the reads at once. Who keeps it until the answer is written keeps a client that does not read
    /// from piling answers up.
    pub(super) async fn place(
        &self,
        cancelled: impl Future<Output = ()>,
    ) -> Result<OwnedSemaphorePermit, ReadError> {
        tokio::select! {
            place = Arc::clone(&self.permits).acquire_owned() => place.map_err(|_| ReadError::from(Trip::Cancelled)),
            () = cancelled => Err(Trip::Cancelled.into()),
        }
    }

    /// Runs one read that has its place on a thread of its own, and answers for it where it does not end. `cancelled` ends when
    /// the client wants no answer any more.
    pub(super) async fn run(
        &self,
        tool: Arc<ReadTool>,
        arguments: Arguments,
        structured: bool,
        progress: Arc<dyn Progress>,
        cancelled: impl Future<Output = ()>,
    ) -> Result<CallToolResult, ReadError> {
        let mut cancelled = std::pin::pin!(cancelled);
        let timeout = tool.limits().timeout;
        let cancel = Cancel::new();
        let watch = Watch::new(&self.ward);
        let mut read = {
            let (watch, cancel) = (Arc::clone(&watch), cancel.clone());
            tokio::task::spawn_blocking(move || {
                let output = watch.over(|| tool.answer(&arguments, &cancel, progress))?;
                Ok(content::shown(&output, structured))
            })
        };
        let late = async {
            match timeout {
                Some(timeout) => tokio::time::sleep(timeout.saturating_add(GRACE)).await,
                None => std::future::pending().await,
            }
        };
        let trip = tokio::select! {
            result = &mut read => return result.unwrap_or_else(|error| Err(panicked(error))),
            () = &mut cancelled => Trip::Cancelled,
            () = late => Trip::TimedOut { limit: timeout.unwrap_or_default() },
        };
        cancel.cancel();
        if trip == Trip::Cancelled
            && let Ok(result) = tokio::time::timeout(GRACE, &mut read).await
        {
            return result.unwrap_or_else(|error| Err(panicked(error)));
        }
        watch.abandon();
        Err(trip.into())
    }
}

/// The pipeline catches what readers let fall; this is for what lies around it.
fn panicked(error: tokio::task::JoinError) -> ReadError {
    ReadError::new(ErrorCode::ReaderFailed, "The read failed inside the server. Other reads go on.")
        .with_cause(error)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

    use super::*;
    use crate::core::{
        Answer, Limits, Match, MemoryFileSystem, Outcome, Probe, ReadContext, ReaderHelp, Registry, Source,
        Strength, TargetReader,
    };
    use crate::mcp::STUCK_READS;
    use crate::mcp::progress::Gauge;
    use crate::mcp::watch::watched;

    /// Claims files by extension and does as its function does.
    struct Fake(&'static str, fn(&ReadContext<'_>) -> Result<Outcome, ReadError>);

    impl TargetReader for Fake {
        fn name(&self) -> &'static str {
            self.0
        }
        fn package(&self) -> &'static str {
            "test"
        }
        fn help(&self) -> ReaderHelp {
            ReaderHelp::new("", "")
        }
        fn is_heavy(&self) -> bool {
            self.0 == "heavy"
        }
        fn probe(&self, probe: &Probe<'_>) -> Option<Match> {
            let strength = Strength::Specific;
            probe.has_extension(&[self.0]).then_some(Match::new(strength, "x"))
        }
        fn read(&self, _: &Source, _: &str, cx: &ReadContext<'_>) -> Result<Outcome, ReadError> {
            (self.1)(cx)
        }
    }

    fn tool(reader: &'static Fake, timeout: Option<Duration>) -> Arc<ReadTool> {
        let mut limits = Limits::default();
        limits.timeout = timeout;
        let name = format!("a.{}", reader.0);
        let files = MemoryFileSystem::new().with(name, "x").with("a.txt", "text\n");
        let registry = Registry::core().with(reader);
        let tool = ReadTool::builder().workspace(files).registry(registry).limits(limits).build().unwrap();
        Arc::new(watched(tool))
    }

    async fn read(reads: &Reads, tool: &Arc<ReadTool>, path: &str) -> Result<CallToolResult, ReadError> {
        let _place = reads.place(std::future::pending()).await?;
        let never = std::future::pending();
        reads.run(Arc::clone(tool), Arguments::new(path), false, Arc::new(Gauge::default()), never).await
    }

    fn code(result: Result<CallToolResult, ReadError>) -> ErrorCode {
        result.unwrap_err().code()
    }

    #[tokio::test]
    async fn a_reader_that_ignores_its_deadline_is_answered_for_and_then_refused() {
        static FREE: AtomicBool = AtomicBool::new(false);
        static DEAF: Fake = Fake("deaf", |_| {
            while !FREE.load(SeqCst) {
                std::thread::sleep(Duration::from_millis(5));
            }
            Ok(Answer::text("at last").into())
        });
        let tool = tool(&DEAF, Some(Duration::from_millis(10)));
        let reads = Reads::new(2, 1);
        for _ in 0..STUCK_READS {
            assert_eq!(code(read(&reads, &tool, "a.deaf").await), ErrorCode::TimedOut);
        }
        let refused = read(&reads, &tool, "a.deaf").await.unwrap_err();
        assert_eq!(refused.code(), ErrorCode::Busy);
        assert!(refused.message().contains("The deaf reader is still stuck"), "{refused}");
        assert!(read(&reads, &tool, "a.txt").await.is_ok(), "others go on");
        FREE.store(true, SeqCst);
        while code_or_ok(&reads, &tool).await == Some(ErrorCode::Busy) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert_eq!(code_or_ok(&reads, &tool).await, None, "once its threads have ended it is asked again");
    }

    async fn code_or_ok(reads: &Reads, tool: &Arc<ReadTool>) -> Option<ErrorCode> {
        read(reads, tool, "a.deaf").await.err().map(|error| error.code())
    }

    #[tokio::test]
    async fn heavy_reads_take_turns() {
        static NOW: AtomicUsize = AtomicUsize::new(0);
        static MOST: AtomicUsize = AtomicUsize::new(0);
        static HEAVY: Fake = Fake("heavy", |_| {
            MOST.fetch_max(NOW.fetch_add(1, SeqCst) + 1, SeqCst);
            std::thread::sleep(Duration::from_millis(20));
            NOW.fetch_sub(1, SeqCst);
            Ok(Answer::text("seen").into())
        });
        let tool = tool(&HEAVY, None);
        let reads = Reads::new(8, 2);
        let one = || read(&reads, &tool, "a.heavy");
        let all = tokio::join!(one(), one(), one(), one(), one());
        assert!([all.0, all.1, all.2, all.3, all.4].iter().all(Result::is_ok));
        assert_eq!(MOST.load(SeqCst), 2);
    }

    #[tokio::test]
    async fn a_cancelled_read_ends_and_one_that_waits_never_begins() {
        static BEGUN: AtomicUsize = AtomicUsize::new(0);
        static SLOW: Fake = Fake("slow", |cx| {
            BEGUN.fetch_add(1, SeqCst);
            loop {
                cx.meter().check()?;
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        let tool = tool(&SLOW, None);
        let reads = Reads::new(1, 1);
        let first = async |cancelled| {
            let _place = reads.place(std::future::pending()).await?;
            let gauge = Arc::new(Gauge::default());
            reads.run(Arc::clone(&tool), Arguments::new("a.slow"), false, gauge, cancelled).await
        };
        let begun = async {
            while BEGUN.load(SeqCst) == 0 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        let (first, second) = tokio::join!(first(begun), reads.place(std::future::ready(())));
        assert_eq!((code(first), second.unwrap_err().code()), (ErrorCode::Cancelled, ErrorCode::Cancelled));
        assert_eq!(BEGUN.load(SeqCst), 1);
    }
}
