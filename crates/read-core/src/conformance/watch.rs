//! Runs a check on a thread of its own, so that a reader that never returns is a finding and not the end of the test.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};

use super::bench::Subject;
use super::report::{Finding, Report, Rule};

/// A check: it tries cases, and tells what it finds.
pub(super) type Check = fn(&Subject, &Log);

/// What a check tells.
enum Told {
    Case,
    Finding(Finding),
    /// The check itself panicked.
    Broken(String),
}

/// What a check tells of it.
pub(super) struct Log {
    sender: Sender<Told>,
    current: Arc<std::sync::Mutex<(Rule, String)>>,
    /// What is added to the name of each case.
    scope: RefCell<String>,
}

impl Log {
    /// The next case, by the rule that it is about.
    pub(super) fn case(&self, rule: Rule, case: impl std::fmt::Display) {
        let case = format!("{case}{}", self.scope.borrow());
        *self.current.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = (rule, case);
        // Nobody listens any more once the check was given up.
        let _ = self.sender.send(Told::Case);
    }

    /// What is said behind the name of every case from now on.
    pub(super) fn scope(&self, scope: impl Into<String>) {
        *self.scope.borrow_mut() = scope.into();
    }

    /// The case at hand breaks its rule.
    pub(super) fn finding(&self, what: impl Into<String>) {
        let rule = self.current.lock().unwrap_or_else(std::sync::PoisonError::into_inner).0;
        self.breaks(rule, what);
    }

    /// The case at hand breaks another rule than its own.
    pub(super) fn breaks(&self, rule: Rule, what: impl Into<String>) {
        let case = self.current.lock().unwrap_or_else(std::sync::PoisonError::into_inner).1.clone();
        let _ = self.sender.send(Told::Finding(Finding { rule, case, what: what.into(), times: 1 }));
    }
}

/// Runs `check`, and adds what it finds to the report. A case that takes longer than the subject's patience is a finding, and
/// the rest of that check is given up: its thread cannot be stopped.
pub(super) fn watch(subject: &Arc<Subject>, check: Check, report: &mut Report) {
    let (sender, receiver) = mpsc::channel();
    let current = Arc::new(std::sync::Mutex::new((Rule::Targets, "before its first case".to_owned())));
    let log = Log { sender, current: Arc::clone(&current), scope: RefCell::default() };
    let subject_there = Arc::clone(subject);
    let worker = std::thread::spawn(move || {
        let broken = catch_unwind(AssertUnwindSafe(|| check(&subject_there, &log))).err();
        if let Some(panic) = broken {
            let _ = log.sender.send(Told::Broken(said(panic.as_ref())));
        }
    });
    let at = || current.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
    loop {
        match receiver.recv_timeout(subject.patience) {
            Ok(Told::Case) => report.cases = report.cases.saturating_add(1),
            Ok(Told::Finding(finding)) => report.add(finding),
            Ok(Told::Broken(said)) => {
                let (rule, case) = at();
                report.add(Finding { rule, case, what: format!("panics: {said}"), times: 1 });
            }
            Err(RecvTimeoutError::Disconnected) => {
                // The worker has caught its own panic: joining only waits for its last breath.
                let _ = worker.join();
                return;
            }
            Err(RecvTimeoutError::Timeout) => {
                let (rule, case) = at();
                let what = format!(
                    "did not return within {} s; what this check has left was not tried",
                    subject.patience.as_secs_f64()
                );
                report.add(Finding { rule, case, what, times: 1 });
                return;
            }
        }
    }
}

/// What a panic says.
pub(super) fn said(panic: &(dyn std::any::Any + Send)) -> String {
    let text =
        panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    crate::names::printed(text.unwrap_or("without a word").as_bytes()).into()
}
