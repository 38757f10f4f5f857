//! Messages to and from one client, a line each.
//!
//! The SDK's own transport leaves lines that it cannot take without an answer, gives up on a connection at the first stray
//! message before the handshake, and takes requests for as long as there are some. This one answers every line that
//! somebody may wait for, and takes no more than [`InFlight`] has room for.

use std::collections::VecDeque;
use std::fmt::Display;
use std::io;
use std::sync::Arc;

use read_core::{ErrorCode as ReadErrorCode, ReadError, shortened};
use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorCode, ErrorData, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage, ServerResult,
};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::Mutex;

use super::content;
use super::in_flight::InFlight;
use super::lines::{Line, Lines};
use super::log::Log;
use super::malformed::{Due, Id, Malformed, malformed, no_batch, too_long};
use super::scan::{elements, repaired};
use super::session::{self, Session};

/// What a server is told that it says with an error of its own (JSON-RPC leaves -32000 to -32099 to servers).
const BUSY: ErrorCode = ErrorCode(-32000);

/// One client's streams.
pub(super) struct LineTransport<R, W> {
    lines: Lines<R>,
    output: Arc<Mutex<W>>,
    /// What is left of a batch.
    batch: VecDeque<Vec<u8>>,
    session: Session,
    in_flight: Arc<InFlight>,
    log: Log,
}

impl<R, W> LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(input: R, output: W, in_flight: Arc<InFlight>, log: Log) -> Self {
        Self {
            lines: Lines::new(input),
            output: Arc::new(Mutex::new(output)),
            batch: VecDeque::new(),
            session: Session::default(),
            in_flight,
            log,
        }
    }

    /// The message of a line, where it is one for the session. Batches are taken apart: their answers go out one by one.
    fn message_of_line(&mut self, line: &[u8]) -> Option<ClientJsonRpcMessage> {
        let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line).trim_ascii();
        match line.first() {
            None => None,
            Some(b'[') => {
                match elements(line) {
                    Some(messages) if !messages.is_empty() => {
                        self.batch.extend(messages.into_iter().map(<[u8]>::to_vec));
                    }
                    messages => self.answer_malformed(no_batch(line, messages.is_some())),
                }
                None
            }
            Some(_) => self.message(line),
        }
    }

    fn message(&mut self, text: &[u8]) -> Option<ClientJsonRpcMessage> {
        match serde_json::from_slice(text) {
            Ok(message) => self.admitted(message, text.len()),
            Err(_) => self.salvaged(text),
        }
    }

    /// What can be made of a message that is none.
    fn salvaged(&mut self, text: &[u8]) -> Option<ClientJsonRpcMessage> {
        let malformed = malformed(text);
        let Due::Nobody(id) = &malformed.due else {
            self.answer_malformed(malformed);
            return None;
        };
        // Whoever asked must not wait for it in vain.
        self.say_passed_over(&malformed.why);
        if let Ok(answer @ JsonRpcMessage::Response(_)) = serde_json::from_str(&repaired(text)) {
            return self.admitted(answer, text.len());
        }
        let id = serde_json::from_value::<RequestId>(id.clone()?).ok()?;
        let error = ErrorData::invalid_request(malformed.why, None);
        self.admitted(JsonRpcMessage::error(error, Some(id)), text.len())
    }

    /// A message, where the session wants it now.
    fn admitted(&mut self, message: ClientJsonRpcMessage, bytes: usize) -> Option<ClientJsonRpcMessage> {
        match &message {
            JsonRpcMessage::Request(request) => {
                match self.session.with(&request.request) {
                    Ok(session) => self.session = session,
                    Err(error) => {
                        self.reply_error(&Id::from(&request.id), &error);
                        return None;
                    }
                }
                if self.in_flight.is_full() {
                    self.refuse_as_busy(&request.request, &request.id);
                    return None;
                }
                if !self.in_flight.open(request.id.clone(), bytes) {
                    let id = request.id.to_string();
                    self.say_passed_over(&format!(
                        "the request '{}' is not yet answered",
                        shortened(id.as_bytes())
                    ));
                    return None;
                }
            }
            // Before a session they are strays.
            _ if self.session == Session::None => return None,
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.in_flight.close(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        Some(message)
    }

    /// Answers a request for which there is no room, where the input must be read on all the same.
    fn refuse_as_busy(&self, request: &ClientRequest, id: &RequestId) {
        let message =
            "Too many requests wait for their answers. Send this one again when some of them are answered.";
        if matches!(request, ClientRequest::CallToolRequest(_)) {
            self.reply_failed(&id.into(), &ReadError::new(ReadErrorCode::Busy, message));
        } else {
            self.reply_error(&id.into(), &ErrorData::new(BUSY, message, None));
        }
    }

    fn answer_malformed(&self, malformed: Malformed) {
        self.say_passed_over(&malformed.why);
        match malformed.due {
            Due::Nothing | Due::Nobody(_) => {}
            Due::Error(id, error) => self.reply_error(&id, &error),
            Due::Result(id, _) if self.session == Session::None => self.reply_error(&id, &session::none()),
            Due::Result(id, error) => self.reply_failed(&id, &error),
        }
    }

    fn say_passed_over(&self, why: &str) {
        self.log.say(&format!("a line of the client is no message: {why}"));
    }

    fn reply_failed(&self, id: &Id, error: &ReadError) {
        let mut result = ServerResult::CallToolResult(content::failed(error));
        if self.session != Session::Inline {
            result.strip_result_type_for_legacy_peer();
        }
        self.reply(id, "result", &serde_json::to_value(result).unwrap_or_default());
    }

    fn reply_error(&self, id: &Id, error: &ErrorData) {
        self.reply(id, "error", &json!({ "code": error.code.0, "message": error.message }));
    }

    /// Sends an answer of the transport's own.
    fn reply(&self, id: &Id, key: &str, body: &Value) {
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"{key}\":{body}}}\n", id.as_json());
        let (output, in_flight) = (Arc::clone(&self.output), Arc::clone(&self.in_flight));
        let replying = in_flight.replying();
        tokio::spawn(async move {
            let _ = write(&output, &in_flight, line.as_bytes()).await;
            drop(replying);
        });
    }
}

/// Writes a line, whole, after those before it.
async fn write<W: AsyncWrite + Unpin>(
    output: &Mutex<W>,
    in_flight: &InFlight,
    line: &[u8],
) -> io::Result<()> {
    let mut output = output.lock().await;
    let written = match output.write_all(line).await {
        Ok(()) => output.flush().await,
        failed => failed,
    };
    if let Err(error) = &written {
        in_flight.fail(error);
    }
    written
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let (output, in_flight) = (Arc::clone(&self.output), Arc::clone(&self.in_flight));
        let answer = match &item {
            JsonRpcMessage::Response(response) => in_flight.answer(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref().and_then(|id| in_flight.answer(id)),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        let line = serde_json::to_vec(&item);
        drop(item);
        async move {
            let written = match line {
                Ok(mut line) => {
                    line.push(b'\n');
                    write(&output, &in_flight, &line).await
                }
                Err(error) => Err(error.into()),
            };
            drop(answer);
            written
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let in_flight = Arc::clone(&self.in_flight);
            tokio::select! {
                biased;
                () = in_flight.failed() => return None,
                () = in_flight.room() => {}
            }
            let message = if let Some(message) = self.batch.pop_front() {
                self.message(&message)
            } else {
                let line = tokio::select! {
                    biased;
                    () = in_flight.failed() => return None,
                    line = self.lines.next() => line,
                };
                match line {
                    Ok(Some(Line::Whole(line))) => self.message_of_line(&line),
                    Ok(Some(Line::TooLong(head))) => {
                        self.answer_malformed(too_long(&head));
                        None
                    }
                    Ok(None) => {
                        in_flight.end();
                        in_flight.replied().await;
                        return None;
                    }
                    Err(error) => {
                        self.log.say(&cannot_read(&error));
                        in_flight.end();
                        return None;
                    }
                }
            };
            if message.is_some() {
                return message;
            }
        }
    }

    /// Waits for nothing: a client that reads no more would be waited for in vain.
    async fn close(&mut self) -> Result<(), Self::Error> {
        match self.output.try_lock() {
            Ok(mut output) => output.flush().await,
            Err(_) => Ok(()),
        }
    }
}

fn cannot_read(error: &dyn Display) -> String {
    format!("the client's messages cannot be read any more: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    type Memory<'a> = LineTransport<&'a [u8], Vec<u8>>;

    fn transport(input: &str) -> (Memory<'_>, Arc<InFlight>) {
        let in_flight = Arc::new(InFlight::default());
        let log = Log::new(|_| {});
        (LineTransport::new(input.as_bytes(), Vec::new(), Arc::clone(&in_flight), log), in_flight)
    }

    /// What is received without waiting for anything.
    fn received(transport: &mut Memory<'_>) -> Option<ClientJsonRpcMessage> {
        match pin!(transport.receive()).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(message) => message,
            Poll::Pending => None,
        }
    }

    async fn written(transport: &Memory<'_>) -> Vec<Value> {
        transport.in_flight.replied().await;
        let output = transport.output.lock().await;
        output.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
    }

    fn call(id: impl Display) -> String {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"read","arguments":{{}}}}}}"#
        )
    }

    const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}"#;

    #[tokio::test]
    async fn no_more_is_taken_than_can_be_answered() {
        let lines: Vec<_> = (0..3_000).map(call).collect();
        let input = [INITIALIZE, &lines.join("\n")].join("\n");
        let (mut transport, in_flight) = transport(&input);
        let mut taken = 0;
        while received(&mut transport).is_some() {
            taken += 1;
        }
        assert!(taken > 100 && taken < 3_000 && in_flight.is_full(), "{taken}");
        let send = transport
            .send(JsonRpcMessage::error(ErrorData::internal_error("x", None), Some(RequestId::Number(5))));
        assert!(received(&mut transport).is_none(), "an answer that is not written makes no room");
        send.await.unwrap();
        assert!(received(&mut transport).is_some());
        assert!(received(&mut transport).is_none());
        // An answer to a question may stand behind the requests: they are read past, and refused.
        let asking = in_flight.asking();
        assert!(received(&mut transport).is_none());
        drop(asking);
        let refused = written(&transport).await;
        assert!(refused.len() > 1, "{refused:?}");
        for answer in refused.iter().skip(1) {
            assert_eq!(answer["result"]["_meta"][content::ERROR_KEY]["code"], "busy", "{answer}");
        }
    }

    #[tokio::test]
    async fn a_batch_is_its_messages() {
        let batch = format!("[{},{},5,[{}]]", call(1), call(2), call(3));
        let input = format!("[]\n{INITIALIZE}\n{batch}\n[{}", call(4));
        let (mut transport, _) = transport(&input);
        let mut ids = Vec::new();
        while let Some(JsonRpcMessage::Request(request)) = received(&mut transport) {
            ids.push(request.id.to_string());
        }
        assert_eq!(ids, ["i", "1", "2"]);
        let codes: Vec<_> = written(&transport)
            .await
            .iter()
            .map(|answer| (answer["id"].clone(), answer["error"]["code"].clone()))
            .collect();
        assert_eq!(codes, [-32600, -32600, -32600, -32700].map(|code| (Value::Null, json!(code))));
    }

    #[tokio::test]
    async fn an_id_in_use_is_not_taken_again_and_a_cancelled_one_is_free() {
        let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
        let input = [INITIALIZE, &call(1), &call(1), cancel, &call(1)].join("\n");
        let (mut transport, _) = transport(&input);
        let mut kinds = Vec::new();
        while let Some(message) = received(&mut transport) {
            kinds.push(matches!(message, JsonRpcMessage::Request(_)));
        }
        assert_eq!(kinds, [true, true, false, true]);
    }

    #[tokio::test]
    async fn an_answer_that_cannot_be_read_fails_what_waits_for_it() {
        let broken = r#"{"jsonrpc":"2.0","id":0,"result":{"roots":[{"uri":"file:///\ud800"}]}}"#;
        let hopeless =
            format!(r#"{{"jsonrpc":"2.0","id":1,"result":{}1{}}}"#, "[".repeat(200), "]".repeat(200));
        let input = [INITIALIZE, broken, &hopeless].join("\n");
        let (mut transport, _) = transport(&input);
        assert!(received(&mut transport).is_some());
        assert!(matches!(received(&mut transport), Some(JsonRpcMessage::Response(_))));
        assert!(
            matches!(received(&mut transport), Some(JsonRpcMessage::Error(error)) if error.id == Some(RequestId::Number(1)))
        );
    }
}
