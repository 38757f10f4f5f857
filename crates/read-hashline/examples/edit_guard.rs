//! An edit tool that changes lines only where they are still what the model saw.
//!
//! It reads what a read tool printed, checks the lines that are to be replaced against the store and the text as it
//! is now, and makes the change, follows the lines to their new place, or refuses and says what to do.
//!
//! Run it with `cargo run -p read-hashline --example edit_guard`.
#![allow(clippy::print_stdout, reason = "an example talks to the person who runs it")]

use std::error::Error;
use std::fmt::Write;

use read_hashline::{Anchor, Check, Header, LineRange, Printed, SnapshotStore, write_line};

/// What a model sends: the output it was shown, the first and the last line to replace, and the new lines.
struct Edit<'a> {
    seen: &'a str,
    first: &'a str,
    last: &'a str,
    with: &'a str,
}

fn main() -> Result<(), Box<dyn Error>> {
    let store = SnapshotStore::default();
    let file = "fn main() {\n    let n = 1;\n    print(n);\n}\n\nfn other() {}\n";
    let seen = read(&store, "src/main.rs", file, 1, 4)?;
    println!("The model sees:\n{seen}");

    let edit = Edit { seen: &seen, first: "2:    let n = 1;", last: "3", with: "    print(1);\n" };
    tell("Nothing has changed", apply(&store, &edit, file));

    let formatted = file.replace('\n', " \r\n");
    tell("Only blanks and line ends have changed", apply(&store, &edit, &formatted));

    let moved = format!("// A licence.\n\n{file}");
    tell("Two lines were added above", apply(&store, &edit, &moved));

    let changed = file.replace("n = 1", "n = 2");
    tell("The line itself has changed", apply(&store, &edit, &changed));

    let unseen = Edit { first: "6", last: "6", ..edit };
    tell("The line was not shown", apply(&store, &unseen, file));

    let misread = Edit { first: "2:let m = 1;", ..edit };
    tell("The line reads otherwise", apply(&store, &misread, file));
    Ok(())
}

fn tell(case: &str, answer: Result<String, Box<dyn Error>>) {
    match answer {
        Ok(text) => println!("{case}. The file is now:\n{text}"),
        Err(refusal) => println!("{case}. Refused: {refusal}\n"),
    }
}

/// A read tool: shows lines `first` to `last` of a text, and remembers that it did.
fn read(
    store: &SnapshotStore,
    path: &str,
    text: &str,
    first: u64,
    last: u64,
) -> Result<String, Box<dyn Error>> {
    let mut capture = store.capture();
    capture.update(text);
    let shown = LineRange::new(first, last).ok_or("no such lines")?;
    let mut output = String::new();
    let tagged = capture.finish().and_then(|text| store.record(path, &text, &shown.into()));
    if let Ok(tag) = tagged {
        writeln!(output, "{}", Header::new(path, tag)?)?;
    }
    for (number, line) in (1..).zip(text.split_terminator('\n')) {
        if shown.contains(number) {
            write_line(&mut output, number, line.strip_suffix('\r').unwrap_or(line))?;
        }
    }
    if let Err(reason) = tagged {
        writeln!(output, "\n{}", reason.notice())?;
    }
    Ok(output)
}

/// An edit tool: gives the text with the change made, or says why it is not.
fn apply(store: &SnapshotStore, edit: &Edit<'_>, live: &str) -> Result<String, Box<dyn Error>> {
    let seen = Printed::parse(edit.seen)?;
    let header = seen.header().ok_or("this text has no tag: it cannot be edited by line")?;
    let [first, last] = [Anchor::parse(edit.first)?, Anchor::parse(edit.last)?];
    for anchor in [first, last] {
        if seen.text_of(anchor.line()).is_some_and(|text| !anchor.agrees_with(text)) {
            return Err(format!("line {} reads otherwise; use it as it was shown", anchor.line()).into());
        }
    }
    let lines = LineRange::new(first.line(), last.line()).ok_or("the last line comes before the first")?;
    let lines = match store.check(header.path(), header.tag(), &[lines], live) {
        Check::Fresh => lines,
        Check::Drifted { moved } => {
            let to = moved.first().and_then(|moved| moved.to);
            to.ok_or("the file has changed, and these lines with it; read it again")?
        }
        Check::Unseen(lines) => return Err(format!("not shown yet: {lines}; read that first").into()),
        Check::UnknownTag => return Err("this text is not known any more; read the file again".into()),
        other => return Err(format!("not known to be as it was shown: {other:?}").into()),
    };
    Ok(replace(live, lines, edit.with))
}

fn replace(text: &str, lines: LineRange, with: &str) -> String {
    let mut replaced = String::new();
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        if number == lines.first() {
            replaced.push_str(with);
        }
        if !lines.contains(number) {
            replaced.push_str(line);
        }
    }
    replaced
}
