//! What a read gives: blocks for the model, details for the machine, notices in both.

mod details;
pub(crate) mod notice;

pub use details::{Details, ImageDetails, Truncated, TruncatedBy};
pub use notice::{Notice, Rank};

/// The answer to one read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadOutput {
    /// What the model sees, in order.
    pub blocks: Vec<Block>,
    /// The same as a record: where it came from, what was shown, what was left out.
    pub details: Details,
}

/// One piece of output.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Block {
    /// Text.
    Text(Text),
    /// An image.
    Image(ImageBlock),
}

/// The text of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Text {
    /// Decoded text, notices included.
    Shown(String),
    /// The verbatim bytes of a raw read, with no notice among them.
    Raw(Vec<u8>),
}

/// An image that a model can take: PNG, JPEG, GIF or WebP.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImageBlock {
    /// The media type of `data`: `image/png`, …
    pub media_type: &'static str,
    /// The encoded image.
    pub data: Vec<u8>,
}

impl ImageBlock {
    /// The encoded image `data` of that media type.
    pub const fn new(media_type: &'static str, data: Vec<u8>) -> Self {
        Self { media_type, data }
    }
}

impl ReadOutput {
    /// These blocks, and the record of them.
    pub fn new(blocks: Vec<Block>, details: Details) -> Self {
        Self { blocks, details }
    }

    /// An output of one text block.
    pub fn text(text: impl Into<String>, details: Details) -> Self {
        Self { blocks: vec![Block::Text(Text::Shown(text.into()))], details }
    }
}
