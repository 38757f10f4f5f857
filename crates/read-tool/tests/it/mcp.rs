//! The server as the SDK's own client sees it, over a child process.
#![expect(deprecated, reason = "roots are deprecated since 2026-07-28, and clients go on naming them")]

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use read_tool::mcp::{DETAILS_KEY, ERROR_KEY};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientCapabilities, ClientConfig, ClientRequest, ErrorData,
    Implementation, ListRootsResult, ProgressNotificationParam, Root,
};
use rmcp::service::{NotificationContext, PeerRequestOptions, RequestContext, RunningService};
use rmcp::transport::TokioChildProcess;
use rmcp::{ClientHandler, RoleClient, ServiceExt};
use serde_json::{Value, json};

/// A client with roots that can change, and an ear for progress.
#[derive(Clone, Default)]
struct Client {
    roots: Option<Arc<Mutex<Vec<String>>>>,
    progress: Arc<Mutex<Vec<ProgressNotificationParam>>>,
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let capabilities = if self.roots.is_some() {
            ClientCapabilities::builder().enable_roots().enable_roots_list_changed().build()
        } else {
            ClientCapabilities::default()
        };
        ClientConfig::new(capabilities, Implementation::new("test", "1"))
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        let roots = self.roots.iter().flat_map(|roots| roots.lock().unwrap().clone());
        Ok(ListRootsResult::new(roots.map(Root::new).collect()))
    }

    async fn on_progress(&self, news: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.progress.lock().unwrap().push(news);
    }
}

type Session = RunningService<RoleClient, Client>;

async fn start(dir: &Path, options: &[&str], client: Client) -> Session {
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_read-tool"));
    command.arg("mcp").args(options).current_dir(dir);
    client.serve(TokioChildProcess::new(command).unwrap()).await.unwrap()
}

fn call(arguments: &Value) -> CallToolRequestParams {
    CallToolRequestParams::new("read").with_arguments(arguments.as_object().unwrap().clone())
}

async fn read(session: &Session, arguments: Value) -> Value {
    serde_json::to_value(session.call_tool(call(&arguments)).await.unwrap()).unwrap()
}

async fn text(session: &Session, path: &str) -> String {
    let result = read(session, json!({ "path": path })).await;
    assert_ne!(result["isError"], true, "{path}: {result}");
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

async fn code(session: &Session, path: &str) -> String {
    let result = read(session, json!({ "path": path })).await;
    assert_eq!(result["isError"], true, "{path}: {result}");
    result["_meta"][ERROR_KEY]["code"].as_str().unwrap().to_owned()
}

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("f.txt"), "a\r\nb\r\n").unwrap();
    fs::write(dir.path().join(".env"), "KEY=1\n").unwrap();
    dir
}

/// A file whose read goes on until somebody stops it: a hundred gigabytes without a line end, none of them on the disk.
fn endless(dir: &Path) {
    let path = dir.join("endless.txt");
    fs::write(&path, "a line\n".repeat(20_000)).unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_len(100 << 30).unwrap();
}

#[tokio::test]
async fn one_tool_is_listed() {
    let dir = folder();
    let session = start(dir.path(), &[], Client::default()).await;
    let tools = serde_json::to_value(session.list_all_tools().await.unwrap()).unwrap();
    assert_eq!(tools.as_array().unwrap().len(), 1);
    let tool = &tools[0];
    assert_eq!(tool["name"], "read");
    assert_eq!(tool["inputSchema"]["required"], json!(["path"]));
    assert_eq!(tool["inputSchema"]["properties"]["offset"]["type"], "integer");
    for (hint, value) in [
        ("readOnlyHint", true),
        ("idempotentHint", true),
        ("destructiveHint", false),
        ("openWorldHint", false),
    ] {
        assert_eq!(tool["annotations"][hint], value, "{hint}");
    }
    assert!(tool.get("outputSchema").is_none());
    assert_eq!(session.peer_info().unwrap().server_info.as_ref().unwrap().name, "read-tool");

    let session =
        start(dir.path(), &["--tool-name", "read_file", "--max-lines", "7"], Client::default()).await;
    let tools = session.list_all_tools().await.unwrap();
    assert_eq!(tools[0].name, "read_file");
    assert!(tools[0].description.as_ref().unwrap().contains("At most 7 lines or 50.0KB"));
    let error = session.call_tool(call(&json!({ "path": "f.txt" }))).await.unwrap_err();
    assert!(error.to_string().contains("There is no tool 'read'; there is 'read_file'."), "{error}");
}

#[tokio::test]
async fn the_command_line_prints_the_tool_as_it_is_listed() {
    let dir = folder();
    for options in [&[][..], &["--tool-name", "view", "--structured", "--max-lines", "7", "--no-listings"]] {
        let session = start(dir.path(), options, Client::default()).await;
        let listed = serde_json::to_value(session.list_all_tools().await.unwrap()).unwrap();
        let printed = std::process::Command::new(env!("CARGO_BIN_EXE_read-tool"))
            .arg("schema")
            .args(options)
            .output()
            .unwrap();
        assert_eq!(serde_json::from_slice::<Value>(&printed.stdout).unwrap(), listed[0], "{options:?}");
    }
}

#[tokio::test]
async fn reads_come_as_content_and_details() {
    let dir = folder();
    fs::write(dir.path().join("latin.txt"), b"caf\xe9 cr\xe8me br\xfbl\xe9e d\xe9j\xe0 vu\n".repeat(9))
        .unwrap();
    let session = start(dir.path(), &["--max-lines", "1"], Client::default()).await;

    let result = read(&session, json!({ "file_path": "f.txt", "offset": "2", "limit": 1.0 })).await;
    assert_eq!(result["content"], json!([{ "type": "text", "text": "b\n" }]));
    assert_eq!(result["_meta"][DETAILS_KEY]["line_ending"], "crlf");
    assert!(result.get("structuredContent").is_none());

    let result = read(&session, json!({ "path": "f.txt:raw" })).await;
    assert_eq!(result["content"][0]["text"], "a\r\n");
    assert_eq!(result["content"][1]["text"], "[Showing lines 1-1 of 2. Use :raw:2- to continue.]");
    assert_eq!(result["_meta"][DETAILS_KEY]["truncated"]["next_target"], "f.txt:raw:2-");

    let result = read(&session, json!({ "path": "f.txt:raw:1-1,7-9", "offset": 5 })).await;
    assert_eq!(result["content"][0]["text"], "a\r\n");
    let notices: Vec<_> = result["_meta"][DETAILS_KEY]["notices"].as_array().unwrap().clone();
    assert!(notices.len() > 1, "{result}");
    for notice in notices {
        let text = result["content"][1]["text"].as_str().unwrap();
        assert!(text.contains(&format!("[{}]", notice.as_str().unwrap())), "{notice}: {text}");
    }

    let result = read(&session, json!({ "path": "latin.txt:raw:1-1" })).await;
    assert_eq!(result["content"][0]["text"], "café crème brûlée déjà vu\n");

    let result = read(&session, json!({ "path": "g.txt" })).await;
    assert_eq!(result["isError"], true);
    assert!(result["content"][0]["text"].as_str().unwrap().starts_with("'g.txt' not found."));
    assert_eq!(
        result["_meta"][ERROR_KEY],
        json!({ "code": "not_found", "correctable": true, "suggestions": ["f.txt"] })
    );
    for arguments in [json!({}), json!({ "path": 3 }), json!({ "path": "f.txt", "limit": 0 })] {
        let result = read(&session, arguments).await;
        assert_eq!(result["_meta"][ERROR_KEY]["code"], "invalid_arguments", "{result}");
    }
    assert!(text(&session, "builtin://skills/read-tool/SKILL.md").await.starts_with("# Reading"));
}

#[cfg(feature = "image")]
#[tokio::test]
async fn images_come_as_image_content() {
    use base64::Engine;
    /// One pixel.
    const PNG: &str =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    let dir = folder();
    let bytes = base64::engine::general_purpose::STANDARD.decode(PNG).unwrap();
    fs::write(dir.path().join("dot.png"), bytes).unwrap();
    for (options, omitted) in [(&[][..], false), (&["--no-image-input"], true)] {
        let session = start(dir.path(), options, Client::default()).await;
        let result = read(&session, json!({ "path": "dot.png" })).await;
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("[Image: dot.png, 1x1, image/png]"), "{text}");
        assert_eq!(text.contains("does not support images"), omitted, "{text}");
        assert_eq!(result["content"][1], json!({ "type": "image", "mimeType": "image/png", "data": PNG }));
        assert_eq!(result["_meta"][DETAILS_KEY]["image"]["width"], 1);
    }
}

#[tokio::test]
async fn structured_content_is_an_option_and_carries_the_text() {
    let dir = folder();
    let session = start(dir.path(), &["--structured"], Client::default()).await;
    let tools = session.list_all_tools().await.unwrap();
    assert_eq!(tools[0].output_schema.as_ref().unwrap()["required"], json!(["text", "details"]));
    let result = read(&session, json!({ "path": "f.txt" })).await;
    assert_eq!(result["content"][0]["text"], "a\nb\n");
    assert_eq!(result["structuredContent"]["text"], "a\nb\n");
    assert_eq!(result["structuredContent"]["details"], result["_meta"][DETAILS_KEY]);
}

#[tokio::test]
async fn the_shipped_rules_hold_unless_switched_off() {
    let dir = folder();
    let session = start(dir.path(), &[], Client::default()).await;
    assert_eq!(code(&session, ".env").await, "denied");
    assert!(!text(&session, ".").await.contains(".env"));
    assert_eq!(code(&session, "/etc/passwd").await, "outside_workspace");
    let session = start(dir.path(), &["--no-default-deny", "--deny", "f.*"], Client::default()).await;
    assert_eq!(text(&session, ".env").await, "KEY=1\n");
    assert_eq!(code(&session, "f.txt").await, "denied");
}

#[cfg(feature = "hashline")]
#[tokio::test]
async fn a_style_holds_for_all_reads() {
    let dir = folder();
    let session = start(dir.path(), &["--numbered"], Client::default()).await;
    assert_eq!(text(&session, "f.txt").await, "   1\ta\n   2\tb\n");
    let result = read(&session, json!({ "path": "f.txt", "hashline": true })).await;
    assert!(result["content"][0]["text"].as_str().unwrap().starts_with("[f.txt#"));
    let session = start(dir.path(), &["--hashline"], Client::default()).await;
    assert!(text(&session, "f.txt").await.ends_with("]\n1:a\n2:b\n"));
    let result = read(&session, json!({ "path": "f.txt", "hashline": false })).await;
    assert_eq!(result["content"][0]["text"], "a\nb\n", "the model may ask for plain lines");
}

#[tokio::test]
async fn two_clients_page_through_different_files() {
    let dir = folder();
    let lines = |name: &str| (1..=5_000).map(|n| format!("{name} {n}\n")).collect::<String>();
    for name in ["one", "two"] {
        fs::write(dir.path().join(name), lines(name)).unwrap();
    }
    let page_through = |name: &'static str| {
        let dir = dir.path();
        async move {
            let session = start(dir, &[], Client::default()).await;
            let (mut whole, mut offset) = (String::new(), json!(1));
            while !offset.is_null() {
                let result = read(&session, json!({ "path": name, "offset": offset })).await;
                let text = result["content"][0]["text"].as_str().unwrap();
                whole.push_str(text.split_once("\n\n[").map_or(text, |(lines, _)| lines).trim_end());
                whole.push('\n');
                offset = result["_meta"][DETAILS_KEY]["truncated"]["next"].clone();
            }
            whole
        }
    };
    let (one, two) = tokio::join!(page_through("one"), page_through("two"));
    assert!(one == lines("one") && two == lines("two"));
}

#[tokio::test]
async fn progress_is_told_and_cancelled_reads_make_room() {
    let dir = folder();
    endless(dir.path());
    let client = Client::default();
    let session = start(dir.path(), &["--timeout", "0"], client.clone()).await;
    let mut slow = Vec::new();
    for _ in 0..read_tool::mcp::READS {
        let request = CallToolRequest::new(call(&json!({ "path": "endless.txt:30000-" })));
        let request = ClientRequest::CallToolRequest(request);
        slow.push(session.send_cancellable_request(request, PeerRequestOptions::no_options()).await.unwrap());
    }
    let waiting = tokio::spawn({
        let peer = session.peer().clone();
        async move { peer.call_tool(call(&json!({ "path": "f.txt" }))).await }
    });
    while client.progress.lock().unwrap().len() < 3 {
        tokio::task::yield_now().await;
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert!(!waiting.is_finished(), "all places are taken");
    let progress = client.progress.lock().unwrap().clone();
    assert!(
        progress.iter().all(|news| news.total == Some(f64::from(100) * f64::from(1 << 30))),
        "{progress:?}"
    );
    for request in slow {
        request.cancel(None).await.unwrap();
    }
    let answer = waiting.await.unwrap().unwrap();
    assert_ne!(answer.is_error, Some(true), "{answer:?}");
    assert_eq!(text(&session, "f.txt").await, "a\nb\n");
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.to_str().unwrap().replace(' ', "%20"))
}

#[tokio::test]
async fn roots_of_the_client_narrow_the_workspace() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    for (path, content) in
        [("my project/src/a.rs", "a\n"), ("my project/private/key.txt", "k\n"), ("other/b.rs", "b\n")]
    {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), content).unwrap();
    }
    std::os::unix::fs::symlink(root.join("other"), root.join("my project/link")).unwrap();
    let project = root.join("my project");

    let roots = Arc::new(Mutex::new(vec![uri(&project), "file:///nonexistent".to_owned()]));
    let client = Client { roots: Some(Arc::clone(&roots)), ..Client::default() };
    // The rule means a path from the workspace, wherever the client's roots lie in it.
    let session = start(&root, &["--deny", "my project/private"], client).await;
    assert_eq!(text(&session, "src/a.rs").await, "a\n", "relative to the client's root");
    assert_eq!(text(&session, project.join("src/a.rs").to_str().unwrap()).await, "a\n");
    assert_eq!(code(&session, root.join("other/b.rs").to_str().unwrap()).await, "outside_workspace");
    assert_eq!(code(&session, "link/b.rs").await, "outside_workspace");
    assert_eq!(code(&session, "private/key.txt").await, "denied");
    assert!(!text(&session, ".").await.contains("private"));

    let change = async |uris: Vec<String>| {
        *roots.lock().unwrap() = uris;
        session.notify_roots_list_changed().await.unwrap();
    };
    // Wider than the workspace: all of it, and nothing more.
    change(vec![uri(root.parent().unwrap())]).await;
    assert_eq!(text(&session, "other/b.rs").await, "b\n");
    assert_eq!(code(&session, "/etc/passwd").await, "outside_workspace");
    for nothing in [vec![], vec!["file:///etc".to_owned()], vec!["https://example.org/".to_owned()]] {
        change(nothing).await;
        let result = read(&session, json!({ "path": "other/b.rs" })).await;
        assert_eq!(result["_meta"][ERROR_KEY]["code"], "outside_workspace");
        assert!(
            result["content"][0]["text"].as_str().unwrap().starts_with("The client's roots ("),
            "{result}"
        );
    }
    change(vec![uri(&root.join("my project/private"))]).await;
    assert_eq!(code(&session, "key.txt").await, "outside_workspace", "a root that is denied is none");
    change(vec![uri(&root.join("other")), uri(&project)]).await;
    assert_eq!(text(&session, "b.rs").await, "b\n");
    assert_eq!(text(&session, project.join("src/a.rs").to_str().unwrap()).await, "a\n");
    assert_eq!(code(&session, project.join("private/key.txt").to_str().unwrap()).await, "denied");
}

#[test]
fn a_harness_serves_over_a_socket() {
    use read_tool::{MemoryFileSystem, ReadTool};
    let (ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
    let server = std::thread::spawn(move || {
        let files = MemoryFileSystem::new().with("m.txt", "from memory\n");
        let tool = ReadTool::builder().workspace(files).build().unwrap();
        read_tool::mcp::Server::new(tool).named("look").serve_stream(theirs)
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        ours.set_nonblocking(true).unwrap();
        let stream = tokio::net::UnixStream::from_std(ours).unwrap();
        let session = Client::default().serve(stream).await.unwrap();
        let arguments = json!({ "path": "m.txt" }).as_object().unwrap().clone();
        let result = session.call_tool(CallToolRequestParams::new("look").with_arguments(arguments)).await;
        assert_eq!(result.unwrap().content[0].as_text().unwrap().text, "from memory\n");
        session.cancel().await.unwrap();
    });
    drop(runtime);
    server.join().unwrap().unwrap();
}
