//! Two readers claim one source: strength decides, then priority, then the name.

use read_core::{
    Answer, Cancel, Match, MemoryFileSystem, Outcome, Pipeline, Probe, ReadContext, ReadError, Reader,
    ReaderHelp, Registry, Request, Source, Strength, TargetReader,
};

/// Claims everything.
struct Rival {
    name: &'static str,
    strength: Strength,
    priority: i32,
    declines: bool,
}

impl TargetReader for Rival {
    fn name(&self) -> &'static str {
        self.name
    }
    fn package(&self) -> &'static str {
        "rivals"
    }
    fn help(&self) -> ReaderHelp {
        ReaderHelp::new("everything", "a.txt  its reader")
    }
    fn priority(&self) -> i32 {
        self.priority
    }
    fn probe(&self, probe: &Probe<'_>) -> Option<Match> {
        (!probe.is_dir()).then_some(Match::new(self.strength, "text/x-rival"))
    }
    fn read(&self, _: &Source, _: &str, _: &ReadContext<'_>) -> Result<Outcome, ReadError> {
        Ok(if self.declines { Outcome::Decline } else { Answer::text(self.name).into() })
    }
}

fn rival(name: &'static str, strength: Strength, priority: i32) -> Rival {
    Rival { name, strength, priority, declines: false }
}

/// Who reads, whatever the order in which they were registered.
fn winner(rivals: Vec<Rival>) -> String {
    let readers: Vec<Reader> = rivals.into_iter().map(|one| Box::leak(Box::new(one)) as Reader).collect();
    let read = |registry: Registry| {
        let files = MemoryFileSystem::new().with("a.txt", "text");
        let pipeline = Pipeline::new(files).with_registry(registry);
        pipeline.read("a.txt", &Request::default(), Cancel::new()).unwrap().to_text()
    };
    let forward = read(readers.iter().fold(Registry::core(), |all, one| all.with(*one)));
    let backward = read(readers.iter().rev().fold(Registry::core(), |all, one| all.with(*one)));
    assert_eq!(forward, backward);
    forward
}

#[test]
fn the_stronger_claim_reads() {
    use Strength::{Extension, Fallback, Signature, Specific};
    assert_eq!(winner(vec![rival("a", Extension, 99), rival("b", Signature, 0)]), "b");
    assert_eq!(winner(vec![rival("a", Signature, 99), rival("b", Specific, -9)]), "b");
    assert_eq!(winner(vec![rival("a", Fallback, -1), rival("b", Extension, 0)]), "b");
}

#[test]
fn equal_claims_go_by_priority_and_then_by_name() {
    use Strength::Signature;
    assert_eq!(winner(vec![rival("a", Signature, 0), rival("b", Signature, 1)]), "b");
    assert_eq!(winner(vec![rival("b", Signature, 0), rival("a", Signature, 0)]), "a");
}

#[test]
fn who_declines_leaves_it_to_the_next() {
    let decliner = Rival { declines: true, ..rival("a", Strength::Specific, 9) };
    assert_eq!(winner(vec![decliner, rival("b", Strength::Extension, 0)]), "b");
    let decliner = Rival { declines: true, ..rival("a", Strength::Specific, 9) };
    assert_eq!(winner(vec![decliner]), "text", "and in the end to core");
}
