//! The streams of a process that serves over standard input and output.
//!
//! The SDK's own do each read and write on another thread, since a terminal or a file cannot be waited for. What a client gives its
//! server is a pipe or a socket: the runtime waits for these itself, and a call changes threads three times less.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net;

use rustix::fs::{OFlags, fcntl_getfl};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;

pub(super) type Input = Box<dyn AsyncRead + Send + Unpin>;
pub(super) type Output = Box<dyn AsyncWrite + Send + Unpin>;

/// Standard input and output, and what leaves them as they were found.
pub(super) fn streams() -> io::Result<(Input, Output, Blocking)> {
    let (stdin, stdout) = rmcp::transport::stdio();
    let mut blocking = Blocking(Vec::new());
    let input: Input = match waitable(&stdin, &mut blocking)? {
        Some(Waitable::Pipe(pipe)) => Box::new(pipe::Receiver::from_owned_fd(pipe)?),
        Some(Waitable::Socket(socket)) => Box::new(socket),
        None => Box::new(stdin),
    };
    let output: Output = match waitable(&stdout, &mut blocking)? {
        Some(Waitable::Pipe(pipe)) => Box::new(pipe::Sender::from_owned_fd(pipe)?),
        Some(Waitable::Socket(socket)) => Box::new(socket),
        None => Box::new(stdout),
    };
    Ok((input, output, blocking))
}

/// A stream that the runtime can wait for.
enum Waitable {
    Pipe(OwnedFd),
    Socket(UnixStream),
}

/// The stream behind a handle, where it can be waited for.
fn waitable(handle: &impl AsFd, blocking: &mut Blocking) -> io::Result<Option<Waitable>> {
    let file = File::from(handle.as_fd().try_clone_to_owned()?);
    let kind = file.metadata()?.file_type();
    if kind.is_fifo() {
        blocking.again_at_the_end(&file)?;
        Ok(Some(Waitable::Pipe(file.into())))
    } else if kind.is_socket() {
        blocking.again_at_the_end(&file)?;
        let socket = net::UnixStream::from(OwnedFd::from(file));
        socket.set_nonblocking(true)?;
        UnixStream::from_std(socket).map(|socket| Some(Waitable::Socket(socket)))
    } else {
        Ok(None)
    }
}

/// Streams that are waited for do not block, and that is a property of the stream, not of the process: whoever shares it would find
/// it changed. When this is dropped, those that blocked before block again.
pub(super) struct Blocking(Vec<net::UnixStream>);

impl Blocking {
    fn again_at_the_end(&mut self, stream: &File) -> io::Result<()> {
        if fcntl_getfl(stream)?.contains(OFlags::NONBLOCK) {
            return Ok(());
        }
        // Only to have the call that sets the property, which is the same for pipes.
        self.0.push(OwnedFd::from(stream.try_clone()?).into());
        Ok(())
    }
}

impl Drop for Blocking {
    fn drop(&mut self) {
        for stream in &self.0 {
            // One that is gone is in nobody's way.
            let _ = stream.set_nonblocking(false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[tokio::test]
    async fn pipes_and_sockets_are_waited_for_and_files_are_not() {
        let mut blocking = Blocking(Vec::new());
        let (reader, _writer) = io::pipe().unwrap();
        assert!(matches!(waitable(&reader, &mut blocking), Ok(Some(Waitable::Pipe(_)))));
        let (socket, _other) = net::UnixStream::pair().unwrap();
        assert!(matches!(waitable(&socket, &mut blocking), Ok(Some(Waitable::Socket(_)))));
        assert!(matches!(waitable(&tempfile::tempfile().unwrap(), &mut blocking), Ok(None)));
        assert_eq!(blocking.0.len(), 2);
    }

    #[tokio::test]
    async fn a_stream_blocks_again_in_the_end() {
        let (mut socket, other) = net::UnixStream::pair().unwrap();
        let mut blocking = Blocking(Vec::new());
        let waited_for = waitable(&socket, &mut blocking).unwrap();
        assert_eq!(socket.read(&mut [0]).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        drop((waited_for, blocking));
        drop(other);
        assert_eq!(socket.read(&mut [0]).unwrap(), 0, "it waited for the end");
    }

    #[tokio::test]
    async fn a_stream_that_did_not_block_does_not_in_the_end() {
        let (mut socket, _other) = net::UnixStream::pair().unwrap();
        socket.set_nonblocking(true).unwrap();
        let mut blocking = Blocking(Vec::new());
        drop((waitable(&socket, &mut blocking).unwrap(), blocking));
        assert_eq!(socket.read(&mut [0]).unwrap_err().kind(), io::ErrorKind::WouldBlock);
    }
}
