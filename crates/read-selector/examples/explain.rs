//! Prints every way to cut a target, and what each rest is:
//!
//! ```text
//! cargo run -p read-selector --example explain -- 'a.zip:b/c.txt:10-20'
//! ```

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example for the terminal")]

use read_selector::{Classified, Excerpt, classify, cuts, head};
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(target) = std::env::args().nth(1) else {
        eprintln!("usage: explain TARGET");
        return ExitCode::from(2);
    };
    for cut in cuts(&target) {
        let meaning = match classify(cut.rest) {
            Classified::Empty => "the whole source".to_owned(),
            Classified::Selector(selector) => format!("selector {selector:?}, in short :{selector}"),
            Classified::Malformed(error) => format!("malformed: {error}"),
            Classified::NotSelector => "no selector; a reader may know it".to_owned(),
        };
        println!("path '{}' rest '{}': {meaning}", Excerpt::new(cut.path), Excerpt::new(cut.rest));
    }
    println!("if no path exists, the one meant is '{}'", Excerpt::new(head(&target)));
    ExitCode::SUCCESS
}
