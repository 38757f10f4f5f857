//! What must hold of every answer, whatever was read.

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

use read_tool::{Arguments, Block, Cancel, ErrorCode, ReadError, ReadOutput, ReadTool, Text, TruncatedBy};

use super::plant::Plant;

/// Bytes of notices and headers that may stand beside the text that a cap measures.
const FRAME: usize = 8 << 10;
/// Bytes of an error's message.
const MESSAGE: usize = 8 << 10;
/// Bytes of an image as it lies in the output, before base64 makes 4.5 MiB of them.
const IMAGE: usize = (9 << 19) / 4 * 3;
/// A read that takes longer may be cut by the clock, and then differs from the same read again.
const PROMPT: Duration = Duration::from_millis(50);
/// How often the call to continue is followed.
const FOLLOWED: usize = 3;

/// What does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// One word for the kind of it: `panic`, `flood`, …
    pub(crate) kind: &'static str,
    /// The call.
    pub(crate) form: String,
    pub(crate) message: String,
}

/// What is told before and after each read.
pub(crate) trait Witness {
    /// A read begins.
    fn begins(&mut self);
    /// A read has ended, with an answer or with an error.
    fn ends(&mut self, took: Duration, answered: bool);
}

/// Reads by one tool, judged.
pub(crate) struct Judge<'a> {
    tool: &'a ReadTool,
    witness: &'a mut dyn Witness,
    plant: Option<Plant>,
    pub(crate) faults: Vec<Fault>,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(tool: &'a ReadTool, witness: &'a mut dyn Witness, plant: Option<Plant>) -> Self {
        Self { tool, witness, plant, faults: Vec::new() }
    }

    /// Reads twice, and on from where the answer ends; the answer, where there is one.
    pub(crate) fn judge(&mut self, form: &Arguments) -> Option<Result<ReadOutput, ReadError>> {
        let (first, took) = self.read(form)?;
        self.check(form, &first);
        let (second, took_again) = self.read(form)?;
        let prompt = took.max(took_again) < PROMPT;
        if prompt && !is_of_the_clock(&first) && !is_of_the_clock(&second) && !are_alike(&first, &second) {
            self.fault("unlike", form, format!("first {}\nthen {}", shown(&first), shown(&second)));
        }
        if let Ok(output) = &first {
            self.follow(form, output);
        }
        Some(first)
    }

    /// A name that a listing shows must be found.
    pub(crate) fn must_be_found(&mut self, form: &Arguments) {
        if let Some((Err(error), _)) = self.read(form)
            && matches!(error.code(), ErrorCode::NotFound | ErrorCode::InvalidSelector)
        {
            self.fault("listed", form, format!("it is listed, but: {error}"));
        }
    }

    /// Arguments that were refused before any read.
    pub(crate) fn refused(&mut self, arguments: &serde_json::Value, error: &ReadError) {
        self.witness.begins();
        let summary = self.tool.audit_summary(arguments);
        self.witness.ends(Duration::ZERO, false);
        let form = Arguments::new(arguments.to_string());
        if summary.is_empty() || summary.chars().any(char::is_control) {
            self.fault("summary", &form, format!("{summary:?} is no line for a log"));
        }
        if error.code() != ErrorCode::InvalidArguments || error.message().is_empty() {
            self.fault("silence", &form, format!("refused with {}: {error}", error.code().as_str()));
        }
    }

    /// Two windows beyond the end must tell one and the same length.
    pub(crate) fn length(&mut self, target: &str) {
        let told = |read: Option<(Result<ReadOutput, ReadError>, Duration)>| {
            let text = read?.0.ok()?.to_text();
            Some(text.split_once(" is beyond end of ")?.1.to_owned())
        };
        let [near, far] = [1_000_000_000_000_u64, 2_000_000_000_000]
            .map(|offset| told(self.read(&Arguments::new(format!("{target}:@{offset}+5")))));
        if near != far {
            let message = format!("beyond the end of {near:?}, and of {far:?}");
            self.fault("length", &Arguments::new(target), message);
        }
    }

    fn follow(&mut self, form: &Arguments, output: &ReadOutput) {
        let mut seen = vec![form.path.clone()];
        let mut next = next(output);
        while let Some(target) = next.take().filter(|_| seen.len() <= FOLLOWED) {
            if seen.contains(&target) {
                self.fault("circle", form, format!("the call to continue leads back to {target:?}"));
                return;
            }
            let call = Arguments {
                encoding: form.encoding.clone(),
                hashline: form.hashline,
                ..Arguments::new(&target)
            };
            match self.read(&call) {
                None => return,
                Some((Ok(output), _)) => {
                    next = self::next(&output);
                    self.check(&call, &Ok(output));
                }
                Some((Err(error), _)) => {
                    // Bytes further on need not be of the encoding that was asked for.
                    let is_encoding = form.encoding.is_some() && error.code() == ErrorCode::InvalidArguments;
                    if !is_encoding
                        && matches!(
                            error.code(),
                            ErrorCode::NotFound
                                | ErrorCode::InvalidSelector
                                | ErrorCode::InvalidQuery
                                | ErrorCode::InvalidArguments
                        )
                    {
                        self.fault("next", form, format!("the call to continue, {target:?}, gives: {error}"));
                    }
                    self.check(&call, &Err(error));
                }
            }
            seen.push(target);
        }
    }

    /// One read; nothing where it panicked out of the tool.
    fn read(&mut self, form: &Arguments) -> Option<(Result<ReadOutput, ReadError>, Duration)> {
        self.witness.begins();
        let start = Instant::now();
        let (tool, plant) = (self.tool, self.plant);
        let read = catch_unwind(AssertUnwindSafe(|| {
            if let Some(plant) = plant {
                plant.grow();
            }
            let prepared = tool.prepare(form)?;
            let _ = prepared.audit_summary();
            tool.run(prepared, &Cancel::new())
        }));
        let took = start.elapsed();
        self.witness.ends(took, matches!(read, Ok(Ok(_))));
        if let Ok(read) = read {
            Some((read, took))
        } else {
            self.fault("panic", form, last_panic());
            None
        }
    }

    fn check(&mut self, form: &Arguments, read: &Result<ReadOutput, ReadError>) {
        match read {
            Err(error) if error.code() == ErrorCode::ReaderFailed => {
                self.fault("panic", form, format!("{error}: {}", last_panic()));
            }
            Err(error) if error.message().trim().is_empty() => {
                self.fault("silence", form, format!("{} without a message", error.code().as_str()));
            }
            Err(error) if error.message().len() > MESSAGE + form.path.len() => {
                self.fault("flood", form, format!("a message of {} bytes", error.message().len()));
            }
            Err(_) => {}
            Ok(output) => self.check_output(form, output),
        }
    }

    fn check_output(&mut self, form: &Arguments, output: &ReadOutput) {
        let cap = self.tool.limits().max_bytes.and_then(|bytes| usize::try_from(bytes).ok());
        let mut text = 0_usize;
        for block in &output.blocks {
            match block {
                Block::Text(Text::Shown(shown)) => text += shown.len(),
                Block::Text(Text::Raw(bytes)) => text += bytes.len(),
                Block::Image(image)
                    if image.data.len() > IMAGE || !is_of_type(&image.data, image.media_type) =>
                {
                    let message = format!("{} bytes are no {} to show", image.data.len(), image.media_type);
                    self.fault("image", form, message);
                }
                _ => {}
            }
        }
        if cap.is_some_and(|cap| text > cap + FRAME) {
            self.fault("flood", form, format!("{text} bytes of text"));
        }
        if output.details.reader.is_empty() || output.blocks.is_empty() {
            self.fault("silence", form, "an answer of nothing".to_owned());
        }
    }

    fn fault(&mut self, kind: &'static str, form: &Arguments, message: String) {
        self.faults.push(Fault { kind, form: call(form), message });
    }
}

/// The arguments as one line.
fn call(form: &Arguments) -> String {
    let mut text = format!("{:?}", form.path);
    for (name, value) in [("offset", form.offset), ("limit", form.limit)] {
        if let Some(value) = value {
            let _ = write!(text, " {name}={value}");
        }
    }
    if let Some(label) = &form.encoding {
        let _ = write!(text, " encoding={label:?}");
    }
    if form.hashline == Some(true) {
        text.push_str(" hashline");
    }
    text
}

fn next(output: &ReadOutput) -> Option<String> {
    output.details.truncated.as_ref()?.next_target.clone()
}

/// Whether the answer may be another one on a slower machine.
fn is_of_the_clock(read: &Result<ReadOutput, ReadError>) -> bool {
    match read {
        Err(error) => error.code() == ErrorCode::TimedOut,
        Ok(output) => output.details.truncated.as_ref().is_some_and(|cut| cut.by == TruncatedBy::Budget),
    }
}

fn are_alike(one: &Result<ReadOutput, ReadError>, other: &Result<ReadOutput, ReadError>) -> bool {
    match (one, other) {
        (Ok(one), Ok(other)) => one == other,
        (Err(one), Err(other)) => {
            (one.code(), one.message(), one.suggestions())
                == (other.code(), other.message(), other.suggestions())
        }
        _ => false,
    }
}

fn shown(read: &Result<ReadOutput, ReadError>) -> String {
    match read {
        Ok(output) => format!("{:.400?} {:?}", output.to_text(), output.details),
        Err(error) => format!("{}: {error}", error.code().as_str()),
    }
}

fn is_of_type(data: &[u8], media_type: &str) -> bool {
    match media_type {
        "image/png" => data.starts_with(b"\x89PNG\r\n\x1a\n"),
        "image/jpeg" => data.starts_with(b"\xFF\xD8\xFF"),
        "image/gif" => data.starts_with(b"GIF8"),
        "image/webp" => data.starts_with(b"RIFF") && data.get(8..12) == Some(b"WEBP"),
        _ => false,
    }
}

static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

/// Keeps what a panic says, and where, instead of printing it.
pub(crate) fn keep_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(|info| {
            *LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner) = info.to_string();
        }));
    });
}

fn last_panic() -> String {
    std::mem::take(&mut LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner))
}

#[cfg(test)]
mod tests {
    use super::*;
    use read_tool::MemoryFileSystem;

    struct Nobody;

    impl Witness for Nobody {
        fn begins(&mut self) {}
        fn ends(&mut self, _: Duration, _: bool) {}
    }

    fn judged(text: &str, form: &str, plant: Option<Plant>) -> Vec<Fault> {
        let tool =
            ReadTool::builder().workspace(MemoryFileSystem::new().with("f.txt", text)).build().unwrap();
        let mut nobody = Nobody;
        let mut judge = Judge::new(&tool, &mut nobody, plant);
        let _ = judge.judge(&Arguments::new(form));
        judge.faults
    }

    #[test]
    fn a_sound_answer_has_no_fault() {
        assert_eq!(judged("one\ntwo\n", "f.txt", None), []);
        assert_eq!(judged(&"line\n".repeat(9_000), "f.txt", None), []);
        assert_eq!(judged("one\n", "no-such-file", None), []);
    }

    #[test]
    fn a_panic_is_a_fault() {
        let faults = judged("one\n", "f.txt", Some(Plant::Panic));
        assert_eq!(faults[0].kind, "panic");
    }

    #[test]
    fn a_name_that_is_not_there_is_a_fault_where_it_is_listed() {
        let tool = ReadTool::builder().workspace(MemoryFileSystem::new()).build().unwrap();
        let mut nobody = Nobody;
        let mut judge = Judge::new(&tool, &mut nobody, None);
        judge.must_be_found(&Arguments::new("gone"));
        assert_eq!(judge.faults[0].kind, "listed");
    }

    #[test]
    fn floods_and_false_images_are_faults() {
        use read_tool::{Details, ImageBlock};
        let tool = ReadTool::builder().workspace(MemoryFileSystem::new()).build().unwrap();
        let mut nobody = Nobody;
        let mut judge = Judge::new(&tool, &mut nobody, None);
        let mut details = Details::default();
        details.reader = "text";
        let image = ImageBlock::new("image/png", b"GIF89a".to_vec());
        let mut output = ReadOutput::text("x".repeat(60 << 10), details);
        output.blocks.push(Block::Image(image));
        judge.check(&Arguments::new("f"), &Ok(output));
        judge.check(&Arguments::new("f"), &Err(ReadError::new(ErrorCode::Corrupt, " ")));
        judge.check(&Arguments::new("f"), &Err(ReadError::new(ErrorCode::ReaderFailed, "x failed")));
        let kinds: Vec<_> = judge.faults.iter().map(|fault| fault.kind).collect();
        assert_eq!(kinds, ["image", "flood", "silence", "panic"]);
    }
}
