//! The program itself: streams, exit status, JSON.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn run(dir: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_read-tool")).args(args).current_dir(dir).output().unwrap()
}

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("f.txt"), "a\r\nb\r\n").unwrap();
    fs::write(dir.path().join("long.txt"), (1..=3_000).map(|n| format!("{n}\n")).collect::<String>())
        .unwrap();
    dir
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn text_goes_to_standard_output_with_a_final_newline() {
    let dir = folder();
    fs::write(dir.path().join("open.txt"), "a\nb").unwrap();
    let output = run(dir.path(), &["open.txt"]);
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(0), "a\nb\n"));
    assert!(output.stderr.is_empty());
}

#[test]
fn raw_goes_out_as_it_is_and_warns_on_standard_error() {
    let dir = folder();
    assert_eq!(run(dir.path(), &["f.txt:raw"]).stdout, b"a\r\nb\r\n");
    let output = run(dir.path(), &["long.txt:raw"]);
    assert!(text(&output.stdout).ends_with("\n2000\n"));
    assert_eq!(
        text(&output.stderr),
        "read-tool: Showing lines 1-2000 of 3000. Use :raw:2001- to continue.\n"
    );
}

#[test]
fn errors_go_to_standard_error_and_to_the_status() {
    let dir = folder();
    let output = run(dir.path(), &["nope.txt"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert!(text(&output.stderr).starts_with("read-tool: 'nope.txt' not found."));
    for usage in [&["--no-such-flag"][..], &[], &["--root", "missing", "f.txt"], &["--deny", "[", "f.txt"]] {
        assert_eq!(run(dir.path(), usage).status.code(), Some(2), "{usage:?}");
    }
}

#[test]
fn json_has_every_key_of_the_details() {
    let dir = folder();
    let output = run(dir.path(), &["--json", "f.txt:2-2"]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["content"][0]["text"], "b\n");
    let details = document["details"].as_object().unwrap();
    for key in [
        "version",
        "reader",
        "path",
        "resolved_path",
        "media_type",
        "size_bytes",
        "encoding",
        "line_ending",
        "lossy",
        "total_lines",
        "shown",
        "shown_bytes",
        "truncated",
        "tag",
        "image",
        "notices",
    ] {
        assert!(details.contains_key(key), "{key}");
    }
    assert_eq!(details["line_ending"], "crlf");
    assert_eq!(details["shown"], serde_json::json!([[2, 2]]));
    assert!(details["truncated"].is_null());
}

#[test]
fn an_error_as_json() {
    let output = run(folder().path(), &["--json", "g.txt"]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(document["error"]["code"], "not_found");
    assert_eq!(document["error"]["correctable"], true);
    assert_eq!(document["error"]["suggestions"][0], "f.txt");
}

#[test]
fn a_file_named_like_a_command_or_an_option() {
    let dir = folder();
    fs::write(dir.path().join("readers"), "r\n").unwrap();
    fs::write(dir.path().join("-x"), "d\n").unwrap();
    assert_eq!(run(dir.path(), &["./readers"]).stdout, b"r\n");
    assert_eq!(run(dir.path(), &["--", "-x"]).stdout, b"d\n");
    assert!(text(&run(dir.path(), &["readers"]).stdout).contains("directory"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_no_text_can_be_given() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let dir = folder();
    let name = OsStr::from_bytes(b"inv\xff.txt");
    fs::write(dir.path().join(name), "i\n").unwrap();
    let output =
        Command::new(env!("CARGO_BIN_EXE_read-tool")).arg(name).current_dir(dir.path()).output().unwrap();
    assert_eq!(output.stdout, b"i\n");
    assert_eq!(run(dir.path(), &["inv\\xff.txt"]).stdout, b"i\n");
}

#[test]
fn the_roots_confine_and_the_rules_deny() {
    let dir = folder();
    fs::create_dir(dir.path().join("ws")).unwrap();
    fs::write(dir.path().join("ws/.env"), "K=1\n").unwrap();
    for (args, code) in [
        (&["--root", "ws", "--json", "../f.txt"][..], "outside_workspace"),
        (&["--root", "ws", "--json", "/etc/passwd"], "outside_workspace"),
        (&["--root", "ws", "--default-deny", "--json", ".env"], "denied"),
        (&["--root", "ws", "--deny", ".env", "--json", ".env:stat"], "denied"),
    ] {
        let output = run(dir.path(), args);
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(document["error"]["code"], code, "{args:?}");
        assert!(!text(&output.stdout).contains("K=1"));
    }
    assert_eq!(
        run(dir.path(), &["--root", "ws", "--default-deny", "--no-default-deny", ".env"]).stdout,
        b"K=1\n"
    );
}

#[test]
fn the_guide_for_models_is_shipped() {
    let output = run(folder().path(), &["builtin://skills/read-tool/SKILL.md"]);
    assert!(text(&output.stdout).starts_with("# Reading with `read`"));
}

#[test]
fn schemas_completions_and_a_manual_page() {
    let dir = folder();
    let schema = |format: &[&str]| -> Value {
        serde_json::from_slice(&run(dir.path(), &[&["schema"], format].concat()).stdout).unwrap()
    };
    assert_eq!(schema(&[])["inputSchema"]["required"], serde_json::json!(["path"]));
    assert_eq!(schema(&["--format", "anthropic"])["input_schema"]["type"], "object");
    assert_eq!(schema(&["--format", "openai"])["function"]["name"], "read");
    assert_eq!(schema(&["--format", "gemini"])["parameters"]["type"], "OBJECT");
    assert_eq!(run(dir.path(), &["schema", "--format", "x"]).status.code(), Some(2));
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = text(&run(dir.path(), &["completions", shell]).stdout);
        assert!(script.contains("max-lines") && script.contains("read-tool"), "{shell}");
    }
    let page = text(&run(dir.path(), &["man-page"]).stdout);
    assert!(page.contains(".TH read-tool") && page.contains("max\\-lines"), "{page}");
}

#[test]
fn options_about_roots_want_one() {
    let dir = folder();
    for options in [&["--host-reads", "f.txt"][..], &["--symlinks", "none", "f.txt"]] {
        let output = run(dir.path(), options);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("--root <DIR>"), "{}", text(&output.stderr));
    }
    assert_eq!(run(dir.path(), &["--root", ".", "--symlinks", "none", "f.txt"]).status.code(), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_stream_is_no_panic() {
    let dir = folder();
    let full = || fs::File::options().write(true).open("/dev/full").unwrap();
    for args in [&["readers"][..], &["f.txt"], &["--json", "nope"], &["nope"], &["f.txt:raw"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_read-tool"));
        let status =
            command.args(args).current_dir(dir.path()).stdout(full()).stderr(full()).status().unwrap();
        assert_eq!(status.code(), Some(1), "{args:?}");
    }
}

#[test]
fn options_that_mean_nothing_are_usage_errors() {
    let dir = folder();
    for usage in [
        &["--symlinks", "none", "f.txt"][..],
        &["--host-reads", "f.txt"],
        &["--timeout=-1", "f.txt"],
        &["--timeout", "nan", "f.txt"],
    ] {
        assert_eq!(run(dir.path(), usage).status.code(), Some(2), "{usage:?}");
    }
}

#[test]
fn a_read_is_of_one_target() {
    let dir = folder();
    let output = run(dir.path(), &["f.txt", "long.txt"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    let said = text(&output.stderr);
    assert!(said.contains("one target only: 'f.txt' and 'long.txt' are two"), "{said}");
    assert!(!text(&run(dir.path(), &["--help"]).stdout).contains("FURTHER"));
}

#[test]
fn a_number_that_does_not_fit_is_named() {
    let dir = folder();
    for (option, value, wanted) in [
        ("--offset", "-1", "a whole number of at least 0"),
        ("--limit", "-5", "a whole number of at least 0"),
        ("--max-lines", "-1", "a whole number of at least 0"),
        ("--max-bytes", "1.5", "a whole number of at least 0"),
        ("--max-read-bytes", "many", "a whole number of at least 0"),
        ("--timeout", "-1", "a number of seconds of at least 0"),
    ] {
        let output = run(dir.path(), &[option, value, "f.txt"]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(&format!("'{value}'")) && said.contains(option), "{said}");
        assert!(said.contains(wanted), "{said}");
    }
}

#[test]
fn standard_input_is_not_read() {
    let dir = folder();
    let output = run(dir.path(), &["-"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        text(&output.stderr),
        "read-tool: '-' not found. Standard input is not read: send the path of a file or directory.\n"
    );
    fs::write(dir.path().join("-"), "dash\n").unwrap();
    assert_eq!(run(dir.path(), &["-"]).stdout, b"dash\n");
}
