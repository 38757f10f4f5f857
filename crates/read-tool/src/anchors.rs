//! Anchored output: core's observer interface glued to the snapshot store.

use std::sync::Arc;

use read_core::{End, Imprint, Notice, Observer, Rank, Subject, Tap};
use read_hashline::{Capture, Header, LineRange, LineSet, NoTag, SnapshotStore};

/// Tags what is read anchored, and records it.
pub(crate) struct Anchors {
    pub(crate) store: Arc<SnapshotStore>,
}

impl Observer for Anchors {
    fn begin(&self, subject: &Subject<'_>) -> Option<Box<dyn Tap>> {
        // Only what an edit can change gets a tag: files of the workspace, not members, cells or resources.
        if !subject.anchored || subject.raw || !subject.source.is_contained() {
            return None;
        }
        let limit = self.store.limits().text_bytes;
        let mut capture = self.store.capture();
        // Text in any encoding is at least a quarter of its bytes long: beyond that there is no use in reading it all.
        let hopeless = u64::try_from(limit).unwrap_or(u64::MAX).saturating_mul(4);
        if subject.source.length().is_some_and(|length| length > hopeless) {
            capture.refuse(NoTag::TooLarge { limit });
        }
        let path = subject.resolved_path.to_owned();
        Some(Box::new(AnchorTap { store: Arc::clone(&self.store), path, capture: Some(capture) }))
    }
}

struct AnchorTap {
    store: Arc<SnapshotStore>,
    path: String,
    capture: Option<Capture>,
}

impl Tap for AnchorTap {
    fn wants_more(&self) -> bool {
        self.capture.as_ref().is_some_and(|capture| !capture.is_refused())
    }

    fn wants_text(&self) -> bool {
        true
    }

    fn text(&mut self, text: &str) {
        if let Some(capture) = &mut self.capture {
            capture.update(text);
            // A NUL is shown as another character: an anchor would stand for a text that nobody saw.
            if text.contains('\0') {
                capture.refuse(NoTag::Lossy);
            }
        }
    }

    fn end(mut self: Box<Self>, end: &End<'_>) -> Imprint {
        let mut imprint = Imprint::default();
        match self.tag(end) {
            Ok((header, tag)) => (imprint.header, imprint.tag) = (Some(header), Some(tag)),
            Err(reason) => imprint.notices.push(Notice::new(Rank::Odd, format!("No tag: {reason}"))),
        }
        imprint
    }
}

impl AnchorTap {
    /// Records the snapshot; gives its header and tag.
    fn tag(&mut self, end: &End<'_>) -> Result<(String, String), NoTag> {
        let mut capture = self.capture.take().ok_or(NoTag::Incomplete)?;
        if end.read_limit {
            capture.refuse(NoTag::ReadLimit);
        } else if end.lossy {
            capture.refuse(NoTag::Lossy);
        } else if !end.complete {
            capture.refuse(NoTag::Incomplete);
        }
        let text = capture.finish()?;
        let shown: LineSet =
            end.shown.iter().filter_map(|range| LineRange::new(range.start(), range.end()?)).collect();
        let tag = self.store.record(&self.path, &text, &shown)?;
        let header = Header::new(&self.path, tag).map_err(|_| NoTag::Incomplete)?;
        Ok((header.to_string(), tag.to_string()))
    }
}
