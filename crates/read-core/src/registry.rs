//! The readers of a host, in a defined order.

use std::cmp::Reverse;
use std::fmt;

use crate::reader::{Match, Probe, Strength, TargetReader};

/// A reader as every reader crate exports it.
pub type Reader = &'static dyn TargetReader;

/// A reader that its crate submits to whoever links it; see [`register_reader!`](crate::register_reader).
#[cfg(feature = "inventory")]
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Registration(pub Reader);

#[cfg(feature = "inventory")]
impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Registration").field(&self.0.name()).finish()
    }
}

#[cfg(feature = "inventory")]
inventory::collect!(Registration);

/// Submits a reader to [`Registry::discovered`] in every program that links this crate *and names it*: a crate that is
/// never named is not linked, so a host writes `use that_crate as _;`. In a C static library and on WebAssembly without
/// link-time optimisation nothing runs before `main` and the submission is lost without a word: such hosts register
/// explicitly with [`Registry::with`].
#[cfg(feature = "inventory")]
#[macro_export]
macro_rules! register_reader {
    ($reader:expr) => {
        $crate::inventory::submit! { $crate::Registration($reader) }
    };
}

/// The readers of a host: each name once, ordered by priority (highest first), then name.
#[derive(Clone)]
pub struct Registry {
    readers: Vec<Reader>,
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.readers.iter().map(|reader| reader.name())).finish()
    }
}

impl Registry {
    /// No reader at all.
    pub fn empty() -> Self {
        Self { readers: Vec::new() }
    }

    /// The same with whatever is linked and not yet among them.
    #[cfg(feature = "inventory")]
    #[must_use]
    pub fn with_discovered(self) -> Self {
        // Link order is not defined: of two readers with one name, the same one must always win.
        let mut found: Vec<Reader> = inventory::iter::<Registration>.into_iter().map(|one| one.0).collect();
        found.sort_by_key(|reader| (reader.name(), reader.package()));
        found.into_iter().fold(self, Self::with)
    }

    /// The same with `reader`, unless one of that name is already there: what comes first stays. A reader of a host's own that
    /// takes the place of another is set with [`replacing`](Self::replacing).
    #[must_use]
    pub fn with(mut self, reader: Reader) -> Self {
        if self.get(reader.name()).is_none() {
            let at = self.readers.partition_point(|other| place(*other) <= place(reader));
            self.readers.insert(at, reader);
        }
        self
    }

    /// The same with `reader` in place of the one of that name, if there is one.
    #[must_use]
    pub fn replacing(mut self, reader: Reader) -> Self {
        self.readers.retain(|other| other.name() != reader.name());
        self.with(reader)
    }

    /// The reader of that name.
    pub fn get(&self, name: &str) -> Option<Reader> {
        self.iter().find(|reader| reader.name() == name)
    }

    /// All readers, in order.
    pub fn iter(&self) -> impl Iterator<Item = Reader> + '_ {
        self.readers.iter().copied()
    }

    /// The claims of the readers on what `probe` shows; `asked` hears of each reader before it is asked.
    pub(crate) fn claims<'a, F: Fn(Reader)>(&'a self, probe: Probe<'a>, asked: F) -> Claims<'a, F> {
        let claim = |reader: Reader| {
            asked(reader);
            Some((reader, reader.probe(&probe)?))
        };
        let made = self.iter().filter_map(claim).collect();
        let mut claims = Claims { registry: self, probe, asked, made, given: 0, ends_asked: false };
        claims.sort();
        claims
    }
}

/// Where a reader stands in a registry.
fn place(reader: Reader) -> (Reverse<i32>, &'static str) {
    (Reverse(reader.priority()), reader.name())
}

/// The readers that claim a source, the strongest first; ties by priority, then name. The end of the source is looked at only
/// when no claim by its first bytes is left.
pub(crate) struct Claims<'a, F> {
    registry: &'a Registry,
    probe: Probe<'a>,
    asked: F,
    made: Vec<(Reader, Match)>,
    /// How many of them were given.
    given: usize,
    ends_asked: bool,
}

impl<F: Fn(Reader)> Claims<'_, F> {
    fn ask_ends(&mut self) {
        self.ends_asked = true;
        for reader in self.registry.iter() {
            if self.made.iter().any(|(claimant, _)| claimant.name() == reader.name()) {
                continue;
            }
            (self.asked)(reader);
            if let Some(found) = reader.probe_end(&self.probe) {
                self.made.push((reader, found));
            }
        }
        self.sort();
    }

    /// Puts those that were not yet given in order.
    fn sort(&mut self) {
        let left = self.made.get_mut(self.given..).unwrap_or_default();
        left.sort_by_key(|(reader, found)| (Reverse(found.strength), place(*reader)));
    }
}

impl<F: Fn(Reader)> Iterator for Claims<'_, F> {
    type Item = (Reader, Match);

    fn next(&mut self) -> Option<Self::Item> {
        let by_first_bytes = |(_, found): &(Reader, Match)| found.strength >= Strength::Signature;
        if !self.ends_asked && !self.made.get(self.given).is_some_and(by_first_bytes) {
            self.ask_ends();
        }
        let claim = self.made.get(self.given).copied()?;
        self.given += 1;
        Some(claim)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Outcome, ReadContext, ReadError, ReaderHelp, Source};

    /// Claims what begins with its name, and what ends with it; has a priority.
    struct Named(&'static str, i32);

    impl TargetReader for Named {
        fn name(&self) -> &'static str {
            self.0
        }
        fn package(&self) -> &'static str {
            "test"
        }
        fn help(&self) -> ReaderHelp {
            ReaderHelp::new("", "")
        }
        fn priority(&self) -> i32 {
            self.1
        }
        fn probe(&self, probe: &Probe<'_>) -> Option<Match> {
            let found = probe.head().starts_with(self.0.as_bytes());
            found.then_some(Match::new(Strength::Signature, "application/x-test"))
        }
        fn probe_end(&self, probe: &Probe<'_>) -> Option<Match> {
            let found = probe.head().ends_with(self.0.as_bytes());
            found.then_some(Match::new(Strength::Extension, "application/x-test"))
        }
        fn read(&self, _: &Source, _: &str, _: &ReadContext<'_>) -> Result<Outcome, ReadError> {
            Ok(Outcome::Decline)
        }
    }

    #[test]
    fn order_is_priority_then_name_and_each_name_stands_once() {
        let registry = Registry::empty()
            .with(&Named("b", 0))
            .with(&Named("c", 5))
            .with(&Named("a", 0))
            .with(&Named("b", 9))
            .with(&Named("d", -1));
        let names: Vec<_> = registry.iter().map(|reader| (reader.name(), reader.priority())).collect();
        assert_eq!(names, [("c", 5), ("a", 0), ("b", 0), ("d", -1)]);
    }

    #[test]
    fn ends_are_looked_at_only_behind_what_the_first_bytes_say() {
        let registry = Registry::empty()
            .with(&Named("a", 0))
            .with(&Named("b", 0))
            .with(&Named("c", 0))
            .with(&Named("d", 0));
        let claims = |content: &'static str, take: usize| {
            let source = Source::from_bytes("x", "x", crate::Noun::File, content.as_bytes());
            let asked = std::cell::RefCell::new(Vec::new());
            let claims = registry.claims(Probe::new(&source, content.as_bytes()), |reader| {
                asked.borrow_mut().push(reader.name());
            });
            let claimants: Vec<_> = claims.take(take).map(|(reader, _)| reader.name()).collect();
            (claimants.concat(), asked.take().concat())
        };
        assert_eq!(claims("b…a", 1), ("b".into(), "abcd".into()));
        assert_eq!(
            claims("b…a", 9),
            ("ba".into(), "abcdacd".into()),
            "whoever claimed it is not asked again"
        );
        assert_eq!(claims("…d", 1), ("d".into(), "abcdabcd".into()));
    }

    #[test]
    fn a_reader_takes_the_place_of_one_of_its_name() {
        let registry = Registry::empty().with(&Named("a", 0)).with(&Named("b", 0)).replacing(&Named("b", 9));
        let names: Vec<_> = registry.iter().map(|reader| (reader.name(), reader.priority())).collect();
        assert_eq!(names, [("b", 9), ("a", 0)]);
        assert!(Registry::empty().replacing(&Named("c", 0)).get("c").is_some());
    }
}
