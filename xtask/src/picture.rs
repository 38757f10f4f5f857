//! `picture`: the readme's terminal, drawn from a real run.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::workspace::Workspace;
use crate::{Command, process, release};

pub(crate) const COMMAND: Command = Command {
    name: "picture",
    arguments: "",
    about: "Runs the built read-tool on files of this repository and draws docs/terminal.svg from what it prints.",
    run,
};

/// What is run, at the root of the workspace.
const RUNS: [&[&str]; 6] = [
    &["Cargo.toml:1-3"],
    &["docs/sample/backup.zip:logs/app.log.gz:-2"],
    &["docs/sample/backup.zip:db/shop.sqlite:orders?where=total>90"],
    &["READNE.md"],
    &["--hashline", "crates/read-tool/src/main.rs:1-6"],
    &["--root", "docs", "../Cargo.toml"],
];

/// Characters of a line; what is longer goes on in the next one, as on a terminal.
const WIDTH: usize = 118;
/// Lines of an answer; more are left out with a sign.
const LINES: usize = 9;
const LINE_HEIGHT: usize = 19;
const CHARACTER_WIDTH: usize = 8;

fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    if !arguments.is_empty() {
        bail!("picture takes no arguments");
    }
    let program = release::built(workspace, "read-tool")?;
    let mut lines = Vec::new();
    for arguments in RUNS {
        lines.push(Line { text: format!("$ read-tool {}", typed(arguments)), is_command: true });
        lines.extend(answer(workspace, &program, arguments)?);
        lines.push(Line { text: String::new(), is_command: false });
    }
    lines.pop();
    let path = workspace.root.join("docs/terminal.svg");
    fs::write(&path, drawn(&lines)).with_context(|| format!("{} cannot be written", path.display()))
}

struct Line {
    text: String,
    is_command: bool,
}

/// The arguments as one types them in a shell.
fn typed(arguments: &[&str]) -> String {
    let quoted = |argument: &&str| {
        let is_plain = argument.chars().all(|c| c.is_ascii_alphanumeric() || "-_./:".contains(c));
        if is_plain { (*argument).to_owned() } else { format!("'{argument}'") }
    };
    arguments.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// What a run prints, on both streams: an error is an answer, too.
fn answer(workspace: &Workspace, program: &Path, arguments: &[&str]) -> Result<Vec<Line>> {
    let output = process::command(workspace, &program.to_string_lossy(), arguments)
        .output()
        .with_context(|| format!("{} cannot be started", program.display()))?;
    let text = String::from_utf8([output.stdout, output.stderr].concat()).context("an answer is no UTF-8")?;
    let mut lines: Vec<String> = text.trim_end().lines().flat_map(wrapped).collect();
    if lines.len() > LINES {
        let tail = lines.split_off(lines.len() - 3);
        lines.truncate(LINES - 4);
        lines.push("⋮".to_owned());
        lines.extend(tail);
    }
    Ok(lines.into_iter().map(|text| Line { text, is_command: false }).collect())
}

fn wrapped(line: &str) -> Vec<String> {
    if line.is_empty() {
        return vec![String::new()];
    }
    let characters: Vec<char> = line.chars().collect();
    characters.chunks(WIDTH).map(|chunk| chunk.iter().collect()).collect()
}

fn drawn(lines: &[Line]) -> String {
    let (width, height) = (WIDTH * CHARACTER_WIDTH + 40, lines.len() * LINE_HEIGHT + 40);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" role=\"img\" \
         aria-label=\"read-tool in a terminal\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#1c1f26\"/>\n\
         <g font-family=\"ui-monospace, Menlo, Consolas, monospace\" font-size=\"13\" xml:space=\"preserve\">\n"
    );
    for (nth, line) in lines.iter().enumerate() {
        let y = 32 + nth * LINE_HEIGHT;
        let is_notice = line.text.starts_with('[') || line.text.starts_with("read-tool: ");
        let color = if line.is_command {
            "#9ecbff"
        } else if is_notice {
            "#e3b341"
        } else {
            "#d6d9df"
        };
        let text = line.text.replace('&', "&amp;").replace('<', "&lt;");
        let _ = writeln!(svg, "<text x=\"20\" y=\"{y}\" fill=\"{color}\">{text}</text>");
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_would_take_apart_is_quoted() {
        assert_eq!(typed(&["--root", "docs", "a.db:t?where=x>1"]), "--root docs 'a.db:t?where=x>1'");
    }

    #[test]
    fn text_is_escaped_and_long_lines_go_on() {
        let lines = [
            Line { text: "$ read-tool a".to_owned(), is_command: true },
            Line { text: "<b> & c".to_owned(), is_command: false },
        ];
        let svg = drawn(&lines);
        assert!(svg.contains("&lt;b> &amp; c</text>"), "{svg}");
        assert!(svg.contains("#9ecbff\">$ read-tool a<"), "{svg}");
        let parts = wrapped(&"é".repeat(WIDTH + 2));
        assert_eq!(parts.iter().map(|part| part.chars().count()).collect::<Vec<_>>(), [WIDTH, 2]);
    }
}
