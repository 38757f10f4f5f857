//! The reader: what a target's rest means for an image, and the way from a source to a block.

use read_core::selector::{Classified, Selector, classify};
use read_core::{
    Answer, Block, Details, ErrorCode, ImageBlock, ImageDetails, Match, Notice, Outcome, Probe, Rank,
    ReadContext, ReadError, Reader, ReaderHelp, Slice, Source, Strength, TargetReader, Text, shortened, size,
};

use crate::cursor::Cursor;
use crate::decode::{decode, factor, verify};
use crate::fault::Fault;
use crate::fit::{Shown, fit, lying_size};
use crate::header::Header;
use crate::limits::ImageLimits;
use crate::note;
use crate::recognise::{Foreign, Kind, Recognised, recognise};
use crate::whole::Whole;

/// Reads images within [`ImageLimits`].
///
/// A host with limits of its own makes a reader that lives as long as the program (in a `static`, a `OnceLock`, or leaked)
/// and registers it instead of [`READER`](crate::READER); both have the name `image`, and a registry keeps the first.
///
/// ```
/// use read_core::Registry;
/// use read_image::{ImageLimits, ImageReader};
///
/// static FOR_CLAUDE: ImageReader = ImageReader::new(ImageLimits::anthropic());
/// let registry = Registry::core().with(&FOR_CLAUDE);
/// assert!(registry.get("image").is_some());
/// ```
#[derive(Clone, Debug, Default)]
pub struct ImageReader {
    limits: ImageLimits,
}

impl ImageReader {
    /// A reader with these limits.
    pub const fn new(limits: ImageLimits) -> Self {
        Self { limits }
    }
}

static DEFAULT: ImageReader = ImageReader::new(ImageLimits::DEFAULT);

/// The reader with [default limits](ImageLimits::DEFAULT).
pub static READER: Reader = &DEFAULT;

#[cfg(feature = "inventory")]
read_core::register_reader!(&DEFAULT);

impl TargetReader for ImageReader {
    fn name(&self) -> &'static str {
        "image"
    }

    fn package(&self) -> &'static str {
        env!("CARGO_PKG_NAME")
    }

    fn help(&self) -> ReaderHelp {
        ReaderHelp::new(
            "raster images (PNG, JPEG, GIF, WebP, BMP, TIFF, ICO), scaled to what the model takes",
            "shot.png              the image, with the scale of its coordinates",
        )
    }

    fn is_heavy(&self) -> bool {
        true
    }

    fn probe(&self, probe: &Probe<'_>) -> Option<Match> {
        let media_type = recognise(probe.head(), probe.name()).filter(|_| !probe.is_dir())?.media_type();
        Some(Match::new(Strength::Signature, media_type))
    }

    fn read(&self, source: &Source, rest: &str, cx: &ReadContext<'_>) -> Result<Outcome, ReadError> {
        match classify(rest) {
            Classified::Empty => {}
            Classified::Selector(Selector::Lines { raw: true, .. }) => return Err(no_raw(source)),
            Classified::Selector(Selector::Lines { raw: false, .. } | Selector::Position { .. }) => {
                return Err(no_lines(source, rest));
            }
            Classified::NotSelector => return Err(no_part(source, rest)),
            // Of the file's own bytes, or of nothing: core's to read or to refuse.
            _ => return Ok(Outcome::Decline),
        }
        let head = source.head().map_err(|error| ReadError::io(source.path(), error))?;
        match recognise(&head, source.name()) {
            Some(Recognised::Image(kind)) => Ok(self.show(kind, source, cx)?.into()),
            Some(Recognised::Foreign(foreign)) => Err(not_decoded(source, foreign)),
            None => Ok(Outcome::Decline),
        }
    }
}

impl ImageReader {
    fn show(&self, kind: Kind, source: &Source, cx: &ReadContext<'_>) -> Result<Answer, ReadError> {
        if let Some(limit) = cx.limits().max_read_bytes
            && source.length().is_some_and(|length| length > limit)
        {
            return Err(ReadError::new(
                ErrorCode::TooLarge,
                format!(
                    "'{}' is longer than the {} that this host reads, and an image must be read whole. Use :hex for its first bytes.",
                    source.path(),
                    size(limit)
                ),
            ));
        }
        let slice = cx.held(source)?;
        let fault = |fault: Fault| fault.into_error(source.path(), kind.name());
        let (header, shown, passed) = self.shown(kind, &slice, cx).map_err(fault)?;
        if source.has_changed() {
            return Err(ReadError::new(
                ErrorCode::Busy,
                format!("'{}' changed while it was read. Read it again.", source.path()),
            ));
        }
        Ok(answer(source, &header, shown, passed, cx))
    }

    /// What is shown of an image, and whether it passed as it is.
    fn shown(&self, kind: Kind, slice: &Slice, cx: &ReadContext<'_>) -> Result<(Header, Shown, bool), Fault> {
        let limits = &self.limits;
        let meter = cx.meter();
        // What is small enough to pass is read once: the bytes that are decoded are the bytes that are shown.
        let whole =
            if limits.takes(kind) && limits.fits(slice.len()) { Some(Whole::of(slice)?) } else { None };
        let slice = whole.as_ref().map_or_else(|| slice.clone(), Whole::slice);
        let mut cursor = Cursor::new(slice, meter.clone());
        let header = Header::read(kind, &mut cursor, limits)?;
        if let Some(whole) = whole.filter(|_| self.passes(&header)) {
            verify(&header, &cursor, limits)?;
            drop(cursor);
            let (width, height) = (header.width, header.height);
            let data = whole.into_bytes();
            return Ok((header, Shown { kind, data, width, height, flattened: false, range: None }, true));
        }
        let reduce = factor((header.width, header.height), lying_size(&header, limits));
        let decoded = decode(&header, &cursor, limits, reduce)?;
        let shown = fit(decoded, &header, limits, meter)?;
        Ok((header, shown, false))
    }

    /// Whether an image that is small enough in bytes can be shown as it is.
    fn passes(&self, header: &Header) -> bool {
        self.limits.takes(header.format.kind())
            && header.intact
            && header.is_upright()
            && (self.limits.animated || !header.is_animated())
            && self.limits.shown_size(header.width, header.height) == (header.width, header.height)
    }
}

fn answer(source: &Source, header: &Header, shown: Shown, passed: bool, cx: &ReadContext<'_>) -> Answer {
    let media_type = shown.kind.media_type();
    let (original_width, original_height) = header.upright_size();
    let mut notices = note::notices(header, &shown, passed, cx.request().no_images);
    if cx.request().offset.is_some() || cx.request().limit.is_some() {
        notices.insert(0, Notice::new(Rank::Opened, "offset and limit ignored: an image has no lines"));
    }
    let mut details = Details::default();
    details.media_type = Some(media_type.to_owned());
    details.image = Some(ImageDetails::new((shown.width, shown.height), (original_width, original_height)));
    let line = note::line(source.path(), &shown);
    let image = Block::Image(ImageBlock::new(media_type, shown.data));
    Answer::new(vec![Block::Text(Text::Shown(line)), image], details, notices)
}

fn no_lines(source: &Source, rest: &str) -> ReadError {
    let selector: String = rest.chars().take(40).collect();
    ReadError::new(
        ErrorCode::InvalidSelector,
        format!(
            "'{path}' is an image and has no lines: ':{selector}' cannot be read. Use '{path}' to see it, or :hex for its bytes.",
            path = source.path()
        ),
    )
    .with_suggestions([source.path().to_owned()])
}

fn no_part(source: &Source, rest: &str) -> ReadError {
    let path = source.path();
    ReadError::new(
        ErrorCode::InvalidSelector,
        format!(
            "'{path}' is an image and has no part ':{}'. Use '{path}' to see it, :stat for its facts, or :hex for its bytes.",
            shortened(rest.as_bytes())
        ),
    )
    .with_suggestions([path.to_owned(), format!("{path}:stat"), format!("{path}:hex")])
}

fn no_raw(source: &Source) -> ReadError {
    ReadError::new(
        ErrorCode::UnsupportedContent,
        format!(
            "'{path}' is an image; :raw would be binary. Use '{path}' to see it, or :hex for its bytes.",
            path = source.path()
        ),
    )
    .with_suggestions([source.path().to_owned(), format!("{}:hex", source.path())])
}

fn not_decoded(source: &Source, foreign: Foreign) -> ReadError {
    ReadError::new(
        ErrorCode::UnsupportedContent,
        format!(
            "'{}' is an image in the {} format ({}), which is not supported here. Convert it to PNG or JPEG to see it, or use :hex for its bytes.",
            source.path(),
            foreign.name,
            foreign.media_type
        ),
    )
    .with_suggestions([format!("{}:hex", source.path())])
}
