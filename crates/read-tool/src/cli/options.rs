//! The options of the command line.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::{DenyRules, Guard, Large, Limits, LineStyle, ReadError, SchemaFormat, SymlinkPolicy, Unguarded};

/// Reads a target as a model would see it.
#[derive(Debug, Parser)]
#[command(name = "read-tool", version, about, args_conflicts_with_subcommands = true, max_term_width = 100)]
#[command(after_help = "Targets:\n  \
    src/ui.rs:200-260      lines 200 to 260       src/ui.rs:200+61       the same, 61 lines from 200\n  \
    src/ui.rs:200          from line 200 on       src/ui.rs:5-9,40-44    two windows\n  \
    app.log:-50            the last 50 lines      notes.txt:raw:5-9      verbatim\n  \
    big.txt:@4096+1024     bytes                  image.bin:hex          a dump\n  \
    src                    a directory            src/ui.rs:stat         facts, no content\n\n\
    A file named like a command is ./NAME. Exit status: 0 read, 1 not read, 2 usage.")]
pub(super) struct Options {
    #[command(subcommand)]
    pub(super) command: Option<Command>,

    /// What to read: a path, and what follows it.
    #[arg(value_name = "TARGET")]
    pub(super) target: Option<OsString>,

    /// What is too many: a read is of one target.
    #[arg(hide = true)]
    further: Vec<OsString>,

    /// The first line, counted from 1.
    #[arg(long, value_name = "N", value_parser = number, allow_negative_numbers = true)]
    pub(super) offset: Option<u64>,

    /// How many lines.
    #[arg(long, value_name = "N", value_parser = number, allow_negative_numbers = true)]
    pub(super) limit: Option<u64>,

    /// Decode as this (a WHATWG label such as gbk), not as detected.
    #[arg(long, value_name = "LABEL")]
    pub(super) encoding: Option<String>,

    /// Print one JSON object with content and details.
    #[arg(long)]
    pub(super) json: bool,

    #[command(flatten)]
    pub(super) tool: ToolOptions,
}

/// What makes a tool, for one read and for a server alike.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(super) struct ToolOptions {
    /// Anchor the lines: [path#TAG], then N:text.
    #[cfg(feature = "hashline")]
    #[arg(long)]
    hashline: bool,

    /// Number the lines.
    #[arg(long)]
    numbered: bool,

    /// A directory that paths may lead into (repeatable).
    #[arg(long, value_name = "DIR")]
    pub(super) root: Vec<PathBuf>,

    /// Let absolute paths lead outside the roots.
    #[arg(long)]
    pub(super) host_reads: bool,

    /// Refuse paths that match (repeatable).
    #[arg(long, value_name = "GLOB")]
    deny: Vec<String>,

    /// Refuse the shipped set of secrets: private keys, .env files, credential stores.
    #[arg(long, overrides_with = "no_default_deny")]
    default_deny: bool,

    /// Do not refuse the shipped set of secrets.
    #[arg(long, overrides_with = "default_deny")]
    no_default_deny: bool,

    /// Which symbolic links to follow within the roots [default: follow]
    #[arg(long, value_name = "POLICY")]
    pub(super) symlinks: Option<Links>,

    /// The model takes no images: say so.
    #[arg(long)]
    pub(super) no_image_input: bool,

    /// List no directories.
    #[arg(long)]
    no_listings: bool,

    /// Lines shown at most; 0: no cap [default: 2000]
    #[arg(long, value_name = "N", value_parser = number, allow_negative_numbers = true)]
    max_lines: Option<u64>,

    /// Bytes of text shown at most; 0: no cap [default: 51200]
    #[arg(long, value_name = "N", value_parser = number, allow_negative_numbers = true)]
    max_bytes: Option<u64>,

    /// Bytes of a file read at all; 0: no limit [default: 0]
    #[arg(long, value_name = "N", value_parser = number, allow_negative_numbers = true)]
    max_read_bytes: Option<u64>,

    /// What to do with a large file that is read without a window.
    #[arg(long, value_name = "HOW", default_value = "truncate")]
    large: LargeFiles,

    /// How long the read may take; 0: for ever.
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds, allow_negative_numbers = true)]
    timeout: Duration,
}

/// How a tool is offered.
#[derive(Debug, Args)]
pub(super) struct OfferOptions {
    /// Offer the tool under another name than read.
    #[arg(long, value_name = "NAME", value_parser = tool_name)]
    pub(super) tool_name: Option<String>,

    /// Give structured content too, with its schema (Model Context Protocol).
    #[arg(long)]
    pub(super) structured: bool,
}

/// The options of `mcp`.
#[cfg(feature = "mcp")]
#[derive(Debug, Args)]
#[command(
    after_help = "Without --root the workspace is the current directory, unless that is / or a home directory. The \
    shipped set of secrets is refused unless --no-default-deny is given. Roots that the client names narrow the workspace."
)]
pub(super) struct ServeOptions {
    #[command(flatten)]
    pub(super) tool: ToolOptions,

    #[command(flatten)]
    pub(super) offer: OfferOptions,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Serve the tool to a client of the Model Context Protocol, over standard input and output.
    #[cfg(feature = "mcp")]
    Mcp(ServeOptions),

    /// Print the tool's name, description and argument schema, as an API wants them. With the options of a server, what its
    /// clients see.
    Schema {
        /// The API's shape.
        #[arg(long, value_name = "SHAPE", default_value = "mcp")]
        format: Shape,

        #[command(flatten)]
        offer: OfferOptions,

        #[command(flatten)]
        tool: ToolOptions,
    },

    /// List the readers of this build: name, crate, what it reads.
    Readers,

    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },

    /// Print the manual page.
    #[command(hide = true)]
    ManPage,
}

/// The shapes of `schema`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Shape {
    Mcp,
    Anthropic,
    Openai,
    Gemini,
}

impl From<Shape> for SchemaFormat {
    fn from(shape: Shape) -> Self {
        match shape {
            Shape::Mcp => Self::Mcp,
            Shape::Anthropic => Self::Anthropic,
            Shape::Openai => Self::OpenAi,
            Shape::Gemini => Self::Gemini,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Links {
    /// All, as long as they end in a root.
    Follow,
    /// None as the last component.
    NoFinal,
    /// None.
    None,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LargeFiles {
    /// Show the first page.
    Truncate,
    /// Say how large it is.
    Describe,
}

impl From<Links> for SymlinkPolicy {
    fn from(links: Links) -> Self {
        match links {
            Links::Follow => Self::Follow,
            Links::NoFinal => Self::NoFinal,
            Links::None => Self::None,
        }
    }
}

impl Options {
    /// The options of this process's command line.
    pub(super) fn parsed() -> Result<Self, clap::Error> {
        let options = Self::try_parse()?;
        if let (Some(target), Some(second)) = (&options.target, options.further.first()) {
            let [target, second] = [target, second].map(|one| printable(one));
            return Err(Self::command().error(
                ErrorKind::TooManyValues,
                format!(
                    "one target only: '{}' and '{}' are two. Call again for the other; a name with a space in it is quoted",
                    read_core::shortened(target.as_bytes()),
                    read_core::shortened(second.as_bytes())
                ),
            ));
        }
        let tool = &options.tool;
        let wants_roots = [("--host-reads", tool.host_reads), ("--symlinks", tool.symlinks.is_some())];
        match wants_roots.iter().find(|(_, given)| *given) {
            // The server always has a root.
            Some((option, _)) if tool.root.is_empty() => Err(Self::command().error(
                ErrorKind::MissingRequiredArgument,
                format!("{option} means nothing without --root <DIR>"),
            )),
            _ => Ok(options),
        }
    }
}

impl ToolOptions {
    pub(super) fn limits(&self) -> Limits {
        let mut limits = Limits::default();
        let cap = |given: Option<u64>, default| match given {
            None => default,
            Some(0) => None,
            Some(n) => Some(n),
        };
        limits.max_lines = cap(self.max_lines, limits.max_lines);
        limits.max_bytes = cap(self.max_bytes, limits.max_bytes);
        limits.max_read_bytes = cap(self.max_read_bytes, limits.max_read_bytes);
        limits.listings = !self.no_listings;
        limits.large = match self.large {
            LargeFiles::Truncate => Large::Truncate,
            LargeFiles::Describe => Large::Describe,
        };
        limits.timeout = Some(self.timeout).filter(|timeout| !timeout.is_zero());
        limits
    }

    pub(super) fn symlinks(&self) -> SymlinkPolicy {
        self.symlinks.map_or(SymlinkPolicy::Follow, SymlinkPolicy::from)
    }

    /// The rules; `shipped` says whether the shipped ones are among them when the options do not say.
    pub(super) fn guard(&self, shipped: bool) -> Result<Arc<dyn Guard>, ReadError> {
        let shipped = self.default_deny || (shipped && !self.no_default_deny);
        if self.deny.is_empty() && !shipped {
            return Ok(Arc::new(Unguarded));
        }
        let rules = DenyRules::new(&self.deny)?;
        Ok(Arc::new(if shipped { rules.with_shipped() } else { rules }))
    }

    pub(super) fn style(&self) -> LineStyle {
        #[cfg(feature = "hashline")]
        if self.hashline {
            return LineStyle::Anchored;
        }
        if self.numbered { LineStyle::Numbered } else { LineStyle::Plain }
    }
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "a whole number of at least 0 is wanted".to_owned())
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "a number of seconds is wanted".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|_| "a number of seconds of at least 0 is wanted".to_owned())
}

fn tool_name(name: &str) -> Result<String, String> {
    let fits = (1..=64).contains(&name.len())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    if fits { Ok(name.to_owned()) } else { Err("a name has letters, digits, _ and -, 64 at most".to_owned()) }
}

/// A target as it may be looked up: bytes that are no UTF-8 in the form in which listings print them.
pub(super) fn printable(target: &OsStr) -> String {
    match target.to_str() {
        Some(text) => text.to_owned(),
        None => read_core::printed(target.as_encoded_bytes()).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_apis_take() {
        assert!(tool_name("read_file-2").is_ok());
        for name in ["", "a b", "é", "a.b", &"x".repeat(65)] {
            assert!(tool_name(name).is_err(), "{name}");
        }
    }
}
