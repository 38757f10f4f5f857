//! Several guards as one.

use std::fmt;
use std::sync::Arc;

use super::Guard;

/// Permits what every one of several guards permits; everything when there is none.
#[derive(Clone, Default)]
pub struct AllOf(Vec<Arc<dyn Guard>>);

impl AllOf {
    /// The guards, asked in this order.
    pub fn new(guards: impl IntoIterator<Item = Arc<dyn Guard>>) -> Self {
        Self(guards.into_iter().collect())
    }
}

impl fmt::Debug for AllOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AllOf").field("guards", &self.0.len()).finish()
    }
}

impl Guard for AllOf {
    fn permits(&self, path: &[u8]) -> bool {
        self.0.iter().all(|guard| guard.permits(path))
    }

    fn permits_absolute(&self, path: &[u8]) -> bool {
        self.0.iter().all(|guard| guard.permits_absolute(path))
    }

    fn has_rules(&self) -> bool {
        self.0.iter().any(|guard| guard.has_rules())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::Unguarded;

    struct Without(&'static [u8]);

    impl Guard for Without {
        fn permits(&self, path: &[u8]) -> bool {
            path != self.0
        }
    }

    #[test]
    fn each_may_refuse() {
        let both = AllOf::new([Arc::new(Without(b"a")) as Arc<dyn Guard>, Arc::new(Without(b"b"))]);
        assert!(!both.permits(b"a") && !both.permits(b"b") && both.permits(b"c") && both.has_rules());
        assert!(AllOf::default().permits(b"a") && !AllOf::default().has_rules());
        assert!(!AllOf::new([Arc::new(Unguarded) as Arc<dyn Guard>]).has_rules());
    }
}
