//! The same question has the same answer.

use std::sync::Arc;

use crate::conformance::bench::{Subject, body, comparable, judged, read};
use crate::conformance::faulty_files::FaultyFileSystem;
use crate::conformance::report::Rule;
use crate::conformance::watch::Log;

/// Threads that ask at the same time.
const THREADS: usize = 2;

/// How often each of them asks.
const ROUNDS: usize = 4;

pub(in crate::conformance) fn check(subject: &Subject, log: &Log) {
    let shared = Arc::new(subject.pipeline(subject.files(), subject.limits()));
    let answers: Vec<_> = subject
        .targets
        .iter()
        .map(|target| {
            log.case(Rule::Stateless, target);
            (target, judged(log, &subject.pipeline(subject.files(), subject.limits()), target))
        })
        .collect();
    let orders = [answers.iter().collect::<Vec<_>>(), answers.iter().rev().collect()];
    for (target, first) in orders.iter().flatten() {
        log.case(Rule::Stateless, format!("{target} among the others"));
        if comparable(&read(&shared, target)) != comparable(first) {
            log.finding("is answered otherwise than alone: something is kept between reads");
        }
    }
    for (target, first) in &answers {
        log.case(Rule::Stateless, format!("{target} from several threads"));
        let differs = std::thread::scope(|scope| {
            let ask = || (0..ROUNDS).all(|_| comparable(&read(&shared, target)) == comparable(first));
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(ask)).collect();
            threads.into_iter().any(|thread| !thread.join().unwrap_or(false))
        });
        if differs {
            log.finding("is answered otherwise than from one thread");
        }
        log.case(Rule::Stateless, format!("{target} from a source that only streams"));
        let files = FaultyFileSystem::new(subject.files()).as_streams();
        let streamed = judged(log, &subject.pipeline(files, subject.limits()), target);
        if let (Ok(first), Ok(streamed)) = (first, &streamed)
            && body(first) != body(streamed)
        {
            log.finding("is answered otherwise than from one that can be read anywhere");
        }
    }
}
