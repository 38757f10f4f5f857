//! What tells one content from another under the same name.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Device, inode, size and times of a file, or a host's own stamp; and, within a container, the member's name. Equal
/// identities mean equal content as far as the file system can tell.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    /// Device number.
    device: u64,
    /// Inode number.
    inode: u64,
    /// Size in bytes.
    size: u64,
    /// Seconds and nanoseconds of the last change of content.
    modified: (i64, u32),
    /// Seconds and nanoseconds of the last change of any kind.
    changed: (i64, u32),
    member: Option<Arc<[u8]>>,
}

impl Identity {
    /// The identity of a file, from its metadata on an open handle; times are seconds and nanoseconds since 1970.
    pub fn of_file(device: u64, inode: u64, size: u64, modified: (i64, u32), changed: (i64, u32)) -> Self {
        Self { device, inode, size, modified, changed, member: None }
    }

    /// The identity of an open file as it is now.
    #[cfg(unix)]
    pub fn now(file: &std::fs::File) -> std::io::Result<Self> {
        use std::os::unix::fs::MetadataExt;
        let meta = file.metadata()?;
        let nanos = |value: i64| u32::try_from(value).unwrap_or(0);
        Ok(Self::of_file(
            meta.dev(),
            meta.ino(),
            meta.size(),
            (meta.mtime(), nanos(meta.mtime_nsec())),
            (meta.ctime(), nanos(meta.ctime_nsec())),
        ))
    }

    /// The identity of an open file as it is now; not to be had on this platform.
    #[cfg(not(unix))]
    pub fn now(_: &std::fs::File) -> std::io::Result<Self> {
        Err(std::io::ErrorKind::Unsupported.into())
    }

    /// Whether `now` has the same content as far as size and time of change tell. (Renaming a file, or linking it, is no
    /// change of content.)
    pub fn same_content(&self, now: &Self) -> bool {
        let content = |identity: &Self| (identity.device, identity.inode, identity.size, identity.modified);
        content(self) == content(now)
    }

    /// The identity of content that a host stamps itself: two contents of one `id` must differ in `version`.
    pub fn stamped(id: u64, version: u64, size: u64) -> Self {
        Self {
            device: u64::MAX,
            inode: id,
            size,
            modified: (0, 0),
            changed: (i64::try_from(version).unwrap_or(i64::MAX), 0),
            member: None,
        }
    }

    /// The identity of a member of what this identifies.
    #[must_use]
    pub fn member(&self, name: &[u8]) -> Self {
        let mut path = self.member.as_deref().unwrap_or_default().to_vec();
        path.push(0);
        path.extend_from_slice(name);
        Self { member: Some(path.into()), ..self.clone() }
    }

    /// Whether the last change lies more than 2 s before `now`. Before that, a further change may leave the times as
    /// they are, and nothing is cached.
    pub fn is_settled(&self, now: SystemTime) -> bool {
        if self.device == u64::MAX {
            return true;
        }
        let latest = self.modified.max(self.changed);
        let Ok(seconds) = u64::try_from(latest.0) else { return true };
        let Some(changed) = UNIX_EPOCH.checked_add(Duration::new(seconds, latest.1.min(999_999_999))) else {
            return false;
        };
        now.duration_since(changed).is_ok_and(|age| age > Duration::from_secs(2))
    }

    /// The size in bytes of the outermost file.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// When the content of the outermost file last changed: seconds and nanoseconds since 1970.
    pub fn modified(&self) -> (i64, u32) {
        self.modified
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fresh_files_are_not_settled() {
        let now = UNIX_EPOCH + Duration::from_secs(1_000);
        let file = |at| Identity::of_file(1, 2, 3, (at, 0), (0, 0));
        assert!(file(900).is_settled(now));
        assert!(!file(999).is_settled(now));
        assert!(!file(2_000).is_settled(now), "a time in the future proves nothing");
        assert!(file(-5).is_settled(now));
    }

    #[test]
    fn members_differ_by_every_level() {
        let file = Identity::stamped(1, 1, 1);
        assert_ne!(file.member(b"a").member(b"b"), file.member(b"ab"));
        assert_ne!(file.member(b"a"), file);
    }
}
