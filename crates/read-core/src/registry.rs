//! The readers of a host, in a defined order.

use std::fmt;

use crate::reader::{Match, Probe, TargetReader};

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
        let key = |reader: Reader| (std::cmp::Reverse(reader.priority()), reader.name());
        if self.get(reader.name()).is_none() {
            let at = self.readers.partition_point(|other| key(*other) <= key(reader));
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

    /// The readers that claim what `probe` shows, the strongest first; ties by priority, then name.
    pub(crate) fn matches(&self, probe: &Probe<'_>) -> Vec<(Reader, Match)> {
        self.matches_one_by_one(probe, |_| ())
    }

    /// The same; `asked` hears of each reader before its probe.
    pub(crate) fn matches_one_by_one(
        &self,
        probe: &Probe<'_>,
        asked: impl Fn(Reader),
    ) -> Vec<(Reader, Match)> {
        let claim = |reader: Reader| {
            asked(reader);
            Some((reader, reader.probe(probe)?))
        };
        let mut matches: Vec<_> = self.iter().filter_map(claim).collect();
        matches.sort_by_key(|(_, found)| std::cmp::Reverse(found.strength));
        matches
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Outcome, ReadContext, ReadError, ReaderHelp, Source};

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
        fn probe(&self, _: &Probe<'_>) -> Option<Match> {
            None
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
    fn a_reader_takes_the_place_of_one_of_its_name() {
        let registry = Registry::empty().with(&Named("a", 0)).with(&Named("b", 0)).replacing(&Named("b", 9));
        let names: Vec<_> = registry.iter().map(|reader| (reader.name(), reader.priority())).collect();
        assert_eq!(names, [("b", 9), ("a", 0)]);
        assert!(Registry::empty().replacing(&Named("c", 0)).get("c").is_some());
    }
}
