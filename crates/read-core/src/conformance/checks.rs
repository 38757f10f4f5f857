//! What is asked, rule by rule.

mod descending;
mod endless;
pub(super) mod errors;
mod following;
mod hostile;
mod naming;
mod probing;
mod reach;
mod selectors;
mod stateless;
mod stopping;
mod targets;

use super::watch::Check;

/// All checks, the plainest first.
pub(super) const ALL: &[Check] = &[
    naming::check,
    targets::check,
    probing::check,
    selectors::check,
    following::check,
    stateless::check,
    reach::check,
    descending::check,
    stopping::check,
    endless::check,
    hostile::check,
];
