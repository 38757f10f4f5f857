//! From what dispatch reached to the output: caps, the notices of every level in order, and the details that every level knows.

use crate::at_work::AtWork;
use crate::caps;
use crate::context::ReadContext;
use crate::dispatch::Reached;
use crate::output::notice;
use crate::output::{Block, Notice, ReadOutput, Text};
use crate::pages::Pages;
use crate::reader::Answer;

/// The output of a read; `found` says how its path was found.
pub(crate) fn output(
    reached: Reached,
    found: Vec<Notice>,
    pages: &Pages,
    at_work: &AtWork,
    cx: &ReadContext<'_>,
) -> ReadOutput {
    let Reached { mut answer, source, notices: passed } = reached;
    // Core's own readers count while they write; what they add to a full page belongs there.
    if !at_work.is_core() {
        caps::enforce(&mut answer, cx.limits());
    }
    pages.turn(&source, &mut answer);
    let Answer { mut blocks, mut details, notices: own } = answer;
    let mut notices = found;
    notices.extend(passed);
    notices.extend(own);
    notice::sort(&mut notices);
    if let Some(Block::Text(Text::Shown(text))) =
        blocks.iter_mut().find(|block| matches!(block, Block::Text(_)))
    {
        notice::append(text, &notices);
    }
    if details.reader.is_empty() {
        details.reader = at_work.reader();
    }
    if details.path.is_empty() {
        source.path().clone_into(&mut details.path);
    }
    cx.resolved_path().clone_into(&mut details.resolved_path);
    details.size_bytes = details.size_bytes.or(source.length());
    details.notices = notices.iter().map(|notice| notice.text().to_owned()).collect();
    details.member.extend(source.facts().iter().cloned());
    ReadOutput { blocks, details }
}
