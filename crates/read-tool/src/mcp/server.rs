//! The server as a program holds it.

use std::fmt;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use read_core::{Guard, ReadError};
use rmcp::RoleServer;
use rmcp::service::{RunningService, ServerInitializeError};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};

use super::in_flight::InFlight;
use super::log::Log;
use super::reach::Reach;
use super::reads::{IMAGE_READS, READS, Reads};
use super::roots::{Narrowed, Workspace};
use super::service::Service;
use super::stdio;
use super::transport::LineTransport;
use crate::{ReadTool, ToolDefinition};

/// How long a session may take to end after the end of its input: the SDK gives reads under way 5 seconds to be answered.
const AFTER_INPUT: Duration = Duration::from_secs(6);

/// How long it may take after a signal, or when the client takes no more answers.
const AFTER_SIGNAL: Duration = Duration::from_secs(3);

/// A [`ReadTool`] behind the Model Context Protocol. A client's cancellation stops its read, and a client that sends a
/// progress token hears how far a long read has come.
pub struct Server {
    tool: ReadTool,
    definition: ToolDefinition,
    structured: bool,
    reads: usize,
    image_reads: usize,
    workspace: Option<Workspace>,
    log: Log,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("tool", &self.tool)
            .field("name", &self.definition.name())
            .field("structured", &self.structured)
            .finish_non_exhaustive()
    }
}

impl Server {
    /// A server of `tool`. It needs no async runtime: it brings its own.
    pub fn new(tool: ReadTool) -> Self {
        let definition = tool.definition();
        Self {
            tool,
            definition,
            structured: false,
            reads: READS,
            image_reads: IMAGE_READS,
            workspace: None,
            log: Log::new(|_| {}),
        }
    }

    /// The same with the tool under another name than `read`: letters, digits, `_` and `-`, 64 at most.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.definition = self.definition.named(name);
        self
    }

    /// The same with structured content, and the schema of it. It carries the text once more: several clients give the
    /// model the structured content and drop the blocks.
    #[must_use]
    pub fn structured(mut self, structured: bool) -> Self {
        self.structured = structured;
        self
    }

    /// The same with other numbers of reads at once: of all, [`READS`] unless said otherwise, and of images among them,
    /// [`IMAGE_READS`]. At least 1 each.
    #[must_use]
    pub fn concurrency(mut self, reads: usize, image_reads: usize) -> Self {
        self.reads = reads;
        self.image_reads = image_reads;
        self
    }

    /// The same for a workspace that the client's roots narrow. `roots` and `guard` are the workspace of the tool; `build`
    /// makes the tool again over what is left of it. A client that names no roots, or roots that hold the whole workspace,
    /// gets the tool as it is. Without this, roots are not asked for.
    ///
    /// ```
    /// use std::path::PathBuf;
    /// use std::sync::Arc;
    ///
    /// use read_tool::mcp::{Narrowed, Server};
    /// use read_tool::{DenyRules, Guard, LocalFileSystem, ReadError, ReadTool};
    ///
    /// fn build(workspace: Narrowed) -> Result<ReadTool, ReadError> {
    ///     let files = workspace.roots.iter().fold(LocalFileSystem::builder(), |files, root| files.root(root));
    ///     let files = files.guard(workspace.files_guard).build()?;
    ///     ReadTool::builder().workspace(files).guard(workspace.guard).build()
    /// }
    ///
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let project = dir.path();
    /// let roots = vec![PathBuf::from(project)];
    /// let guard: Arc<dyn Guard> = Arc::new(DenyRules::shipped());
    /// let tool = build(Narrowed { roots: roots.clone(), guard: Arc::clone(&guard), files_guard: Arc::clone(&guard) })?;
    /// let server = Server::new(tool).client_roots(roots, guard, build);
    /// # drop(server);
    /// # Ok::<(), ReadError>(())
    /// ```
    #[must_use]
    pub fn client_roots(
        mut self,
        roots: Vec<PathBuf>,
        guard: Arc<dyn Guard>,
        build: impl Fn(Narrowed) -> Result<ReadTool, ReadError> + Send + Sync + 'static,
    ) -> Self {
        self.workspace = Some(Workspace::new(roots, guard, build));
        self
    }

    /// The same with somewhere to say what an operator may want to know, a line at a time, 32 KiB at most. Nothing is said
    /// unless asked for, and never on standard output.
    #[must_use]
    pub fn log(mut self, log: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.log = Log::new(log);
        self
    }

    /// Serves one client over standard input and output until the input ends, or the process gets SIGINT, SIGTERM or SIGHUP: for a
    /// program that does nothing else. At the end of the input, reads that are under way have 5 seconds to be answered, and
    /// after a signal 2; a second signal ends at once.
    ///
    /// # Errors
    ///
    /// The streams cannot be had, the client's handshake makes no sense, or the client takes no answers although it sends
    /// requests.
    pub fn serve_stdio(self) -> io::Result<()> {
        let runtime = runtime()?;
        let served = runtime.block_on(async {
            let stop = signals()?;
            let (input, output, blocking) = stdio::streams()?;
            let served = self.serve(input, output, stop).await;
            drop(blocking);
            served
        });
        // A thread that waits for input, or a read that was given up, would be waited for in vain.
        runtime.shutdown_background();
        served
    }

    /// Serves one client over a socket until it closes it: for a client in the same process, over
    /// [`UnixStream::pair`], or for one that connected.
    ///
    /// # Errors
    ///
    /// As for [`serve_stdio`](Self::serve_stdio).
    pub fn serve_stream(self, stream: UnixStream) -> io::Result<()> {
        let runtime = runtime()?;
        let served = runtime.block_on(async {
            stream.set_nonblocking(true)?;
            let (input, output) = tokio::net::UnixStream::from_std(stream)?.into_split();
            self.serve(input, output, async || std::future::pending().await).await
        });
        runtime.shutdown_background();
        served
    }

    async fn serve(
        self,
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
        mut stop: impl AsyncFnMut(),
    ) -> io::Result<()> {
        let in_flight = Arc::new(InFlight::default());
        let transport = LineTransport::new(input, output, Arc::clone(&in_flight), self.log.clone());
        let service = Service {
            reach: Reach::new(self.tool, self.workspace, Arc::clone(&in_flight), self.log),
            definition: self.definition,
            structured: self.structured,
            reads: Reads::new(self.reads, self.image_reads),
            in_flight: Arc::clone(&in_flight),
        };
        let running = tokio::select! {
            running = rmcp::serve_server(service, transport) => running,
            () = stop() => return Ok(()),
            () = async {
                in_flight.ended().await;
                tokio::time::sleep(AFTER_INPUT).await;
            } => return Ok(()),
        };
        match running {
            Ok(running) => to_its_end(running, &in_flight, stop).await,
            // The client went before it began, or takes no answers.
            Err(
                ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::TransportError { .. },
            ) => in_flight.outcome(),
            Err(ServerInitializeError::InitializeFailed(error)) => {
                Err(io::Error::other(format!("the handshake failed: {}", error.message)))
            }
            Err(_) => Err(io::Error::other("the handshake made no sense")),
        }
    }
}

/// Serves a session that has begun until its client is done, or `stop` says so.
async fn to_its_end(
    running: RunningService<RoleServer, Service>,
    in_flight: &InFlight,
    mut stop: impl AsyncFnMut(),
) -> io::Result<()> {
    let token = running.cancellation_token();
    let mut waiting = std::pin::pin!(running.waiting());
    let patience = tokio::select! {
        ended = &mut waiting => {
            ended.map_err(|error| io::Error::other(format!("the session failed: {error}")))?;
            return in_flight.outcome();
        }
        () = in_flight.ended() => AFTER_INPUT,
        () = in_flight.failed() => {
            token.cancel();
            AFTER_SIGNAL
        }
        () = stop() => {
            token.cancel();
            AFTER_SIGNAL
        }
    };
    // A client that does not read must not keep the server: what is not written by then never will be.
    tokio::select! {
        _ = &mut waiting => {}
        () = tokio::time::sleep(patience) => {}
        () = stop() => {}
    }
    in_flight.outcome()
}

/// One thread for the protocol; reads have their own.
fn runtime() -> io::Result<Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

/// Each call ends with a signal to end.
fn signals() -> io::Result<impl AsyncFnMut()> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let mut hangup = signal(SignalKind::hangup())?;
    Ok(async move || {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    })
}
