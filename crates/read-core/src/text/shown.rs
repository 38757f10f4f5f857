//! The text of an output, for whoever takes text alone.

use std::borrow::Cow;

use crate::output::{Block, ReadOutput, Text};

impl ReadOutput {
    /// The text that a model sees, over all text blocks.
    pub fn to_text(&self) -> String {
        let texts = self.blocks.iter().filter_map(|block| match block {
            Block::Text(text) => Some(self.decode(text)),
            Block::Image(_) => None,
        });
        texts.collect()
    }

    /// A text block of this output where only text fits: the bytes of a raw read are decoded from `details.encoding`, with
    /// U+FFFD for what is none.
    pub fn decode<'a>(&self, text: &'a Text) -> Cow<'a, str> {
        match text {
            Text::Shown(text) => Cow::Borrowed(text),
            Text::Raw(bytes) => Cow::Owned(super::decode(bytes, self.details.encoding)),
        }
    }
}
