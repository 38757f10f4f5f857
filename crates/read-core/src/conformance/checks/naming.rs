//! Names, help and the other constants of a reader.

use crate::conformance::bench::Subject;
use crate::conformance::report::Rule;
use crate::conformance::watch::Log;
use crate::registry::Registry;

/// The longest name, in bytes.
const MAX_NAME: usize = 32;

/// The longest line of help, in characters: it goes into every prompt.
const MAX_HELP: usize = 160;

/// How far from zero a priority may be: beyond, nobody could ever go before or behind.
const MAX_PRIORITY: u32 = 1_000_000;

pub(in crate::conformance) fn check(subject: &Subject, log: &Log) {
    let reader = subject.reader;
    let name = reader.name();
    log.case(Rule::Naming, "name()");
    let is_word = name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'));
    if !is_word || !name.starts_with(|c: char| c.is_ascii_lowercase()) || name.len() > MAX_NAME {
        log.finding(format!("'{name}' is no short word of a-z, 0-9, '-' and '_'"));
    }
    if Registry::core().get(name).is_some_and(|core| core.package() != reader.package()) {
        log.finding(format!("'{name}' is the name of a reader of read-core"));
    }
    log.case(Rule::Naming, "package()");
    if reader.package().is_empty() || reader.package().contains(|c: char| c.is_whitespace() || c.is_control())
    {
        log.finding("it is no name of a crate; give env!(\"CARGO_PKG_NAME\")");
    }
    log.case(Rule::Naming, "help()");
    let help = reader.help();
    let reads = help.reads;
    if reads.trim() != reads || reads.is_empty() || reads.ends_with('.') || !fits(reads) {
        log.finding("'reads' is no short phrase without a full stop");
    }
    if help.targets.is_empty() {
        log.finding("'targets' names no form of a target");
    }
    let mut lines = help.targets.lines().peekable();
    while let Some(line) = lines.next() {
        // A long form may stand alone, and what it shows below it, behind spaces.
        let is_continued = lines.next_if(|next| next.starts_with(' ')).is_some_and(fits);
        let says_both =
            line.split_once("  ").is_some_and(|(form, shows)| !form.is_empty() && !shows.is_empty());
        if !fits(line) || !(says_both || is_continued) {
            log.finding(format!(
                "'{line}' is no line of the form 'target', two spaces or more, 'what it shows'"
            ));
        }
    }
    log.case(Rule::Naming, "priority()");
    if reader.priority().unsigned_abs() > MAX_PRIORITY {
        log.finding(format!("{} leaves no room for others", reader.priority()));
    }
    log.case(Rule::Naming, "side_files()");
    for suffix in reader.side_files() {
        if suffix.is_empty() || suffix.contains(['/', '\\', '\0']) || suffix.contains("..") {
            log.finding(format!("'{suffix}' is no suffix of a file name"));
        }
    }
    log.case(Rule::Naming, "asked again");
    let constants = || {
        (
            reader.name(),
            reader.package(),
            reader.help(),
            reader.priority(),
            reader.side_files().to_vec(),
            reader.holds_paths(),
        )
    };
    if constants() != constants() {
        log.finding("what it says of itself changes from call to call");
    }
}

fn fits(line: &str) -> bool {
    line.chars().count() <= MAX_HELP && !line.contains(char::is_control)
}
