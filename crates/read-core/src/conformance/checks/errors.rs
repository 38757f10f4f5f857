//! Errors as a model and a host need them.

use crate::conformance::bench::Called;
use crate::conformance::report::Rule;
use crate::conformance::watch::Log;
use crate::error::{ErrorCode, ReadError};

/// The longest message, in characters: a name of 1 KiB, escaped, and what is to be said of it.
const MAX_MESSAGE: usize = 2_000;

/// The most suggestions.
const MAX_SUGGESTIONS: usize = 3;

/// Words that say what to do, or what is right.
const NEXT_STEPS: &[&str] = &[
    "add",
    "ask",
    "call",
    "choose",
    "did you mean",
    "give",
    "instead",
    "leave",
    "list",
    "must be",
    "name",
    "page",
    "pass",
    "read",
    "remove",
    "retry",
    "see",
    "send",
    "such as",
    "the largest is",
    "there are",
    "there is",
    "try",
    "use",
    "wait",
    "write",
];

/// What must hold of any call of a reader: no panic, and a fit error.
pub(in crate::conformance) fn called_well(log: &Log, called: &Called) {
    match called {
        Called::Panicked(said) => log.finding(format!("panics: {said}")),
        Called::Returned(_) => called.error().into_iter().for_each(|error| judge(log, error)),
    }
}

/// What must hold of any error, in whatever case it comes up.
pub(in crate::conformance) fn judge(log: &Log, error: &ReadError) {
    let message = error.message();
    if error.code() == ErrorCode::ReaderFailed {
        log.finding(format!("panics: {message}"));
        return;
    }
    if message.trim().is_empty() {
        log.breaks(Rule::Errors, "the message is empty");
    }
    if message.contains(char::is_control) {
        log.breaks(Rule::Errors, format!("the message is not one printable line: {message:?}"));
    }
    if message.chars().count() > MAX_MESSAGE {
        log.breaks(Rule::Errors, format!("the message is longer than {MAX_MESSAGE} characters"));
    }
    if error.suggestions().len() > MAX_SUGGESTIONS {
        log.breaks(Rule::Errors, format!("there are more than {MAX_SUGGESTIONS} suggestions"));
    }
    // Of what is not there the name is all that there is to say, and of a query what its engine says.
    let says_enough = matches!(error.code(), ErrorCode::NotFound | ErrorCode::QueryFailed);
    let must_help = error.is_correctable() && !says_enough;
    if must_help && error.suggestions().is_empty() && !names_a_step(message) {
        log.breaks(Rule::Errors, format!("is correctable, but names no next step: {message}"));
    }
}

/// Whether a message asks for something.
pub(super) fn names_a_step(message: &str) -> bool {
    let letters = |c: char| if c.is_alphanumeric() { c } else { ' ' };
    let plain: String = message.to_lowercase().chars().map(letters).collect();
    let words = format!(" {} ", plain.split_whitespace().collect::<Vec<_>>().join(" "));
    NEXT_STEPS.iter().any(|step| words.contains(&format!(" {step} ")))
}

#[cfg(test)]
mod tests {
    use super::names_a_step;

    #[test]
    fn a_step_is_a_word_that_asks_for_something() {
        for message in ["No. Use :1.", "Invalid range 5-2: end must be >= start.", "Did you mean 'x'?"] {
            assert!(names_a_step(message), "{message}");
        }
        assert!(!names_a_step("The user cannot reuse this."));
    }
}
