//! The server as a program holds it.

use std::fmt;
use std::future::Future;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;

use read_core::{Guard, ReadError};
use rmcp::service::ServerInitializeError;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};

use super::reach::Reach;
use super::reads::{IMAGE_READS, READS, Reads};
use super::roots::{Narrowed, Workspace};
use super::service::Service;
use super::transport::Patient;
use crate::{ReadTool, ToolDefinition};

pub(super) type Log = Arc<dyn Fn(&str) + Send + Sync>;

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
            log: Arc::new(|_| {}),
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
    ///     let files = files.guard(Arc::clone(&workspace.guard)).build()?;
    ///     ReadTool::builder().workspace(files).guard(workspace.guard).build()
    /// }
    ///
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let project = dir.path();
    /// let roots = vec![PathBuf::from(project)];
    /// let guard: Arc<dyn Guard> = Arc::new(DenyRules::shipped());
    /// let tool = build(Narrowed { roots: roots.clone(), guard: Arc::clone(&guard) })?;
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

    /// The same with somewhere to say what an operator may want to know, a line at a time. Nothing is said unless asked
    /// for, and never on standard output.
    #[must_use]
    pub fn log(mut self, log: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.log = Arc::new(log);
        self
    }

    /// Serves one client over standard input and output until the input ends, or the process gets SIGINT or SIGTERM: for a
    /// program that does nothing else. At the end of the input, reads that are under way have 5 seconds to be answered.
    ///
    /// # Errors
    ///
    /// The streams cannot be had, or the client's handshake makes no sense.
    pub fn serve_stdio(self) -> io::Result<()> {
        let runtime = runtime()?;
        let served = runtime.block_on(async {
            let stop = signals()?;
            let (input, output) = rmcp::transport::stdio();
            self.serve(input, output, stop).await
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
            self.serve(input, output, std::future::pending()).await
        });
        runtime.shutdown_background();
        served
    }

    async fn serve(
        self,
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
        stop: impl Future<Output = ()>,
    ) -> io::Result<()> {
        let service = Service {
            reach: Reach::new(self.tool, self.workspace, self.log),
            definition: self.definition,
            structured: self.structured,
            reads: Reads::new(self.reads, self.image_reads),
        };
        let mut stop = std::pin::pin!(stop);
        let transport = Patient::new(AsyncRwTransport::new_server(input, output));
        let running = tokio::select! {
            running = rmcp::serve_server(service, transport) => running,
            () = &mut stop => return Ok(()),
        };
        let running = match running {
            Ok(running) => running,
            // The client went before it began.
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(io::Error::other(error)),
        };
        let token = running.cancellation_token();
        let mut waiting = std::pin::pin!(running.waiting());
        let ended = tokio::select! {
            ended = &mut waiting => ended,
            () = &mut stop => {
                token.cancel();
                waiting.await
            }
        };
        ended.map(drop).map_err(io::Error::other)
    }
}

/// One thread for the protocol; reads have their own.
fn runtime() -> io::Result<Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

/// Ends with the first signal to end.
fn signals() -> io::Result<impl Future<Output = ()>> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}
