//! Dispatch: the strongest match reads, containers hand on, failures stay with one read.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use read_core::{
    Answer, Body, ErrorCode, FileSystem, Guard, Guarded, Limits, Match, MemoryFileSystem, Noun, Outcome,
    Pipeline, Probe, ReadContext, ReadError, ReaderHelp, Registry, Source, Spool, Stream, Strength,
    TargetReader, TruncatedBy,
};

use super::{read, text};

/// A container for tests: `box:` and, for each member, a line `name=content`.
struct Boxes;

impl TargetReader for Boxes {
    fn name(&self) -> &'static str {
        "box"
    }
    fn package(&self) -> &'static str {
        "test"
    }
    fn help(&self) -> ReaderHelp {
        ReaderHelp::new("boxes", "")
    }
    fn holds_paths(&self) -> bool {
        true
    }
    fn probe(&self, probe: &Probe<'_>) -> Option<Match> {
        probe.head().starts_with(b"box:\n").then_some(Match::new(Strength::Signature, "test/box"))
    }
    fn read(&self, source: &Source, rest: &str, _: &ReadContext<'_>) -> Result<Outcome, ReadError> {
        let bytes = source.to_bytes(1 << 20)?;
        let content = String::from_utf8_lossy(&bytes).into_owned();
        for cut in read_core::selector::cuts(rest) {
            let member = content.lines().find_map(|line| line.strip_prefix(cut.path)?.strip_prefix('='));
            if let Some(member) = member {
                let member = member.replace("\\n", "\n");
                let stream =
                    Stream::decoded(move || Ok(Box::new(std::io::Cursor::new(member.clone().into_bytes()))));
                let inner = source.member(cut.path.as_bytes(), Noun::ArchiveEntry, Body::Stream(stream));
                return Ok(Outcome::descend(inner, cut.rest));
            }
        }
        Ok(if rest.is_empty() { Answer::text(content).into() } else { Outcome::Decline })
    }
}

/// Misbehaves as the source says.
struct Bad;

impl TargetReader for Bad {
    fn name(&self) -> &'static str {
        "bad"
    }
    fn package(&self) -> &'static str {
        "test"
    }
    fn help(&self) -> ReaderHelp {
        ReaderHelp::new("", "")
    }
    fn priority(&self) -> i32 {
        10
    }
    fn probe(&self, probe: &Probe<'_>) -> Option<Match> {
        assert!(!probe.head().starts_with(b"bad probe"), "while it looks");
        probe.head().starts_with(b"bad:").then_some(Match::new(Strength::Specific, "test/bad"))
    }
    fn read(&self, source: &Source, rest: &str, _: &ReadContext<'_>) -> Result<Outcome, ReadError> {
        let bytes = source.to_bytes(1 << 20)?;
        match bytes.strip_prefix(b"bad:").unwrap_or_default() {
            b"flood" => Ok(Answer::text(vec!["name"; 200_000].join("\n")).into()),
            b"panic" => panic!("no such luck"),
            b"lazy" => {
                struct Lazy;
                impl Read for Lazy {
                    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
                        panic!("later")
                    }
                }
                let stream = Stream::decoded(|| Ok(Box::new(b"some text\n".chain(Lazy))));
                Ok(Outcome::descend(source.content("inner", Body::Stream(stream)), rest))
            }
            b"itself" => Ok(Outcome::descend(source.clone(), rest)),
            b"disk" => {
                let stream = Stream::decoded(|| {
                    let good = std::io::Cursor::new(b"good\n".repeat(30_000));
                    Ok(Box::new(good.chain(Disk)))
                });
                Ok(Outcome::descend(source.member(b"m", Noun::ArchiveEntry, Body::Stream(stream)), rest))
            }
            b"damaged" => {
                let stream = Stream::decoded(|| {
                    let good = std::io::Cursor::new(b"good\n".repeat(30_000));
                    Ok(Box::new(good.chain(Fault(false))))
                });
                Ok(Outcome::descend(source.member(b"m", Noun::ArchiveEntry, Body::Stream(stream)), rest))
            }
            _ => Ok(Outcome::Decline),
        }
    }
}

/// Fails once, then says "end", as decoders do.
struct Fault(bool);

impl Read for Fault {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        let failed = std::mem::replace(&mut self.0, true);
        if failed { Ok(0) } else { Err(std::io::Error::other("checksum does not fit")) }
    }
}

/// A decoder that hands on that the disk fails.
struct Disk;

impl Read for Disk {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        Err(std::io::Error::other(std::io::Error::from_raw_os_error(5)))
    }
}

fn pipeline() -> Pipeline {
    let files = MemoryFileSystem::new()
        .with("a.box", "box:\nx.txt=one\\ntwo\\nthree\\n\nx.txt:2=literal\\n\ninner=box:\\ndeep/.env=secret\\n\ndir/y=why\\n\n")
        .with("b.box", "box:\ninner=box:\\ny.txt=deep\\nz=zed\n")
        .with("panic", "bad:panic")
        .with("probe", "bad probe")
        .with("flood", "bad:flood")
        .with("lazy", "bad:lazy")
        .with("itself", "bad:itself")
        .with("damaged", "bad:damaged")
        .with("disk", "bad:disk")
        .with("declines", "bad:other\nline\n");
    Pipeline::new(files).with_registry(Registry::core().with(&Boxes).with(&Bad))
}

#[test]
fn members_take_selectors_and_longest_names_win() {
    let pipeline = pipeline();
    assert_eq!(text(&pipeline, "a.box:x.txt:3"), "three\n");
    assert_eq!(text(&pipeline, "a.box:x.txt:2"), "literal\n");
    assert_eq!(
        text(&pipeline, "a.box:x.txt:1-1"),
        "one\n\n[2 more lines in archive entry. Use :2- to continue.]"
    );
    assert!(
        text(&pipeline, "a.box:x.txt:9")
            .starts_with("Line 9 is beyond end of archive entry (3 lines total).")
    );
}

#[test]
fn containers_nest_and_details_name_the_innermost() {
    let output = read(&pipeline(), "b.box:inner:y.txt:1-1").unwrap();
    assert_eq!(output.to_text(), "deep");
    assert_eq!(output.details.path, "b.box:inner:y.txt");
    assert_eq!((output.details.reader, output.details.resolved_path.as_str()), ("text", "b.box"));
}

#[test]
fn what_a_container_declines_is_of_its_own_bytes() {
    assert!(text(&pipeline(), "a.box:hex:@0+4").starts_with("00000000  62 6f 78 3a "));
    assert!(text(&pipeline(), "a.box:stat").contains("media type: test/box\nreader: box\n"));
}

#[test]
fn a_reader_that_panics_is_that_reads_error() {
    let pipeline = pipeline();
    for target in ["panic", "lazy"] {
        let error = read(&pipeline, target).unwrap_err();
        assert_eq!(error.code(), ErrorCode::ReaderFailed, "{target}");
    }
    assert!(read(&pipeline, "panic").unwrap_err().message().contains("'bad'"));
    assert_eq!(text(&pipeline, "declines:2"), "line\n", "and the next read is fine");
}

#[test]
fn a_reader_that_panics_while_it_probes_is_named() {
    let error = read(&pipeline(), "probe").unwrap_err();
    assert_eq!(error.code(), ErrorCode::ReaderFailed);
    assert_eq!(
        error.message(),
        "The reader 'bad' failed on this content (while it looks). Use :hex to see its bytes."
    );
}

#[test]
fn a_reader_that_forgets_the_caps_does_not_flood_the_model() {
    let output = read(&pipeline(), "flood").unwrap();
    let notice = "Cut by the host's cap of 2000 lines: 198000 more lines (966.8KB) of this answer not shown";
    assert_eq!(output.to_text(), "name\n".repeat(2_000) + &format!("\n[{notice}]"));
    assert_eq!(output.details.notices, [notice]);
    let truncated = output.details.truncated.unwrap();
    assert_eq!((truncated.by, truncated.next, truncated.next_target), (TruncatedBy::Lines, 2_001, None));

    let mut limits = Limits::default();
    (limits.max_lines, limits.max_bytes) = (None, None);
    let output = read(&pipeline().with_limits(limits), "flood").unwrap();
    assert_eq!(output.to_text().lines().count(), 200_000, "a host without caps wants all of it");
}

#[test]
fn a_reader_that_descends_into_itself_ends_at_the_depth_limit() {
    assert_eq!(read(&pipeline(), "itself").unwrap_err().code(), ErrorCode::TooLarge);
}

#[test]
fn what_precedes_damage_is_shown() {
    let output = read(&pipeline(), "damaged:30000").unwrap();
    assert_eq!(
        output.to_text(),
        "good\n\n[Damage: checksum does not fit]\n[damaged:m is damaged or cut after 146.5KB; what precedes is shown]"
    );
}

struct NoEnv;

impl Guard for NoEnv {
    fn permits(&self, path: &[u8]) -> bool {
        !path.ends_with(b".env") && path != b"a.box/dir" && path != b"dir/y"
    }
}

#[test]
fn rules_meet_members_at_every_depth_and_raw_bytes_are_not_shown() {
    let pipeline = pipeline().with_guard(Arc::new(NoEnv));
    assert_eq!(read(&pipeline, "a.box:inner:deep/.env").unwrap_err().code(), ErrorCode::Denied);
    assert_eq!(read(&pipeline, "a.box:dir/y").unwrap_err().code(), ErrorCode::Denied);
    assert_eq!(read(&pipeline, "a.box:hex").unwrap_err().code(), ErrorCode::Denied);
    assert_eq!(read(&pipeline, "a.box:@0+9").unwrap_err().code(), ErrorCode::Denied);
    assert_eq!(text(&pipeline, "a.box:x.txt:3"), "three\n");
}

#[test]
fn rules_of_the_file_system_hold_for_members_too() {
    let files = MemoryFileSystem::new().with("a.box", "box:\ninner=box:\\ndeep/.env=secret\\n\nx=y\n");
    let pipeline = Pipeline::new(Guarded::new(files, Arc::new(NoEnv)))
        .with_registry(Registry::core().with(&Boxes).with(&Bad));
    assert_eq!(read(&pipeline, "a.box:inner:deep/.env").unwrap_err().code(), ErrorCode::Denied);
    assert_eq!(read(&pipeline, "a.box:hex").unwrap_err().code(), ErrorCode::Denied);
    assert_eq!(text(&pipeline, "a.box:x"), "y");
}

#[test]
fn a_disk_that_fails_behind_a_decoder_is_no_damage() {
    for target in ["disk", "disk:29999-", "disk:-3", "disk:@149000+2000", "disk:hex:@149000+2000"] {
        let error = read(&pipeline(), target).unwrap_err();
        assert_eq!(error.code(), ErrorCode::Io, "{target}: {error}");
    }
}

/// Content under another name, as decompression gives it.
struct Renaming;

impl TargetReader for Renaming {
    fn name(&self) -> &'static str {
        "renaming"
    }
    fn package(&self) -> &'static str {
        "test"
    }
    fn help(&self) -> ReaderHelp {
        ReaderHelp::new("", "")
    }
    fn probe(&self, probe: &Probe<'_>) -> Option<Match> {
        let found = Match::new(Strength::Signature, "test/renaming");
        probe.head().starts_with(b"as .env\n").then_some(found)
    }
    fn read(&self, source: &Source, rest: &str, _: &ReadContext<'_>) -> Result<Outcome, ReadError> {
        let stream = Stream::decoded(|| Ok(Box::new(&b"secret\n"[..])));
        Ok(Outcome::descend(source.content(&b".env"[..], Body::Stream(stream)), rest))
    }
}

#[test]
fn rules_meet_content_under_its_own_name_too() {
    struct NoEnv(&'static [u8]);
    impl Guard for NoEnv {
        fn permits(&self, path: &[u8]) -> bool {
            path != self.0
        }
    }
    let pipeline = |denied| {
        let files = MemoryFileSystem::new().with("d/env.gz", "as .env\n");
        Pipeline::new(files)
            .with_registry(Registry::core().with(&Renaming))
            .with_guard(Arc::new(NoEnv(denied)))
    };
    assert_eq!(text(&pipeline(b"other"), "d/env.gz"), "secret\n");
    for denied in [&b"d/.env"[..], b".env"] {
        let error = read(&pipeline(denied), "d/env.gz").unwrap_err();
        assert_eq!(error.code(), ErrorCode::Denied);
        assert_eq!(error.message(), "'d/env.gz' holds '.env', which is denied by this host's rules.");
    }
}

/// Needs its content at any position, and notes how much was held for it.
struct Seeker(AtomicUsize);

impl TargetReader for Seeker {
    fn name(&self) -> &'static str {
        "seeker"
    }
    fn package(&self) -> &'static str {
        "test"
    }
    fn help(&self) -> ReaderHelp {
        ReaderHelp::new("", "")
    }
    fn probe(&self, probe: &Probe<'_>) -> Option<Match> {
        let found = Match::new(Strength::Signature, "test/seeker");
        probe.head().starts_with(b"seek").then_some(found)
    }
    fn read(&self, source: &Source, _: &str, cx: &ReadContext<'_>) -> Result<Outcome, ReadError> {
        if source.slice().is_some() {
            let stream = Stream::decoded(|| Ok(Box::new(std::io::Cursor::new(b"seek in this\n".repeat(10)))));
            return Ok(Outcome::descend(source.content("inner", Body::Stream(stream)), ""));
        }
        let before = cx.spool().held();
        let held = cx.held(source)?;
        self.0.store(usize::try_from(cx.spool().held() - before).unwrap(), Relaxed);
        Ok(Answer::text(format!("{} bytes\n", held.len())).into())
    }
}

static SEEKER: Seeker = Seeker(AtomicUsize::new(0));

#[test]
fn what_is_held_whole_is_held_once_and_gives_way() {
    let files = MemoryFileSystem::new().with("a", "seek").with("b", "seek").with("c", "seek");
    // Room for two of them.
    let spool = Spool::in_memory(300);
    let mut limits = Limits::default();
    limits.max_buffered = 140;
    let pipeline = Pipeline::new(files)
        .with_registry(Registry::core().with(&SEEKER))
        .with_spool(spool.clone())
        .with_limits(limits);
    let read = |target: &str| assert_eq!(text(&pipeline, target), "130 bytes\n", "{target}");
    read("a");
    assert_eq!((SEEKER.0.load(Relaxed), spool.held()), (130, 130));
    read("a");
    assert_eq!((SEEKER.0.load(Relaxed), spool.held()), (0, 130), "it is kept");
    read("b");
    read("c");
    assert_eq!(spool.held(), 260, "what was kept gave way");
    read("a");
    assert_eq!(spool.held(), 260);
}

/// Opens a side file that it does not declare.
struct Undeclared;

impl TargetReader for Undeclared {
    fn name(&self) -> &'static str {
        "undeclared"
    }
    fn package(&self) -> &'static str {
        "test"
    }
    fn help(&self) -> ReaderHelp {
        ReaderHelp::new("", "")
    }
    fn probe(&self, probe: &Probe<'_>) -> Option<Match> {
        let found = Match::new(Strength::Extension, "test/undeclared");
        probe.has_extension(&["und"]).then_some(found)
    }
    fn read(&self, source: &Source, _: &str, _: &ReadContext<'_>) -> Result<Outcome, ReadError> {
        let sibling = source.sibling("-log")?;
        Ok(Answer::text(if sibling.is_some() { "there" } else { "none" }).into())
    }
}

#[test]
fn a_side_file_that_no_reader_declares_is_told_to_its_author() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("a.und"), "a").unwrap();
    let files = read_core::LocalFileSystem::builder().root(directory.path()).build().unwrap();
    let pipeline = Pipeline::new(files).with_registry(Registry::core().with(&Undeclared));
    assert_eq!(text(&pipeline, "a.und"), "none");
    std::fs::write(directory.path().join("a.und-log"), "log").unwrap();
    let error = read(&pipeline, "a.und").unwrap_err();
    assert_eq!(error.code(), ErrorCode::ResolutionChanged);
    assert!(error.message().contains("TargetReader::side_files"), "{error}");
}

#[test]
fn a_directory_that_must_be_held_whole_is_told_as_one() {
    let files = MemoryFileSystem::new().with("d/x", "x");
    let source = files.open(&files.resolve(b"d").unwrap().unwrap()).unwrap();
    let error = source.to_seekable(1 << 20, &Spool::in_memory(1 << 20)).unwrap_err();
    assert_eq!(error.code(), ErrorCode::IsDirectory);
}
