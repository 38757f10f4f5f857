//! The targets that the test names can be read.

use crate::conformance::bench::{Called, Subject, read};
use crate::conformance::report::Rule;
use crate::conformance::watch::Log;
use crate::meter::Bounds;
use crate::output::{Block, Text};

pub(in crate::conformance) fn check(subject: &Subject, log: &Log) {
    log.case(Rule::Targets, "the samples");
    if subject.samples.is_empty() {
        log.finding("there is none; name one with 'sample'");
    }
    let mut is_read = false;
    for target in &subject.targets {
        log.case(Rule::Targets, target);
        match read(&subject.pipeline(subject.files(), subject.limits()), target) {
            Err(error) => {
                log.finding(format!("cannot be read: {} ({})", error.message(), error.code().as_str()));
            }
            Ok(output) => {
                let is_silent = output.blocks.iter().all(|block| match block {
                    Block::Text(Text::Shown(text)) => text.is_empty(),
                    Block::Text(Text::Raw(bytes)) => bytes.is_empty(),
                    Block::Image(image) => image.data.is_empty(),
                });
                if is_silent && output.details.notices.is_empty() {
                    log.finding("is answered with nothing at all");
                }
            }
        }
        let levels = subject.trace(target, &subject.limits(), Bounds::default()).unwrap_or_default();
        for level in levels.iter().filter(|level| level.is_ours) {
            is_read = true;
            if let Called::Panicked(said) = &level.called {
                log.finding(format!("panics: {said}"));
            }
        }
    }
    log.case(Rule::Targets, "the targets");
    if !is_read {
        log.finding(format!(
            "none of them is read by '{}': it claims nothing on their way",
            subject.reader.name()
        ));
    }
}
