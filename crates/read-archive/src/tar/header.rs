//! One header block. Its fields are decoded by the `tar` crate; what they mean together is judged here.

use std::borrow::Cow;

/// Bytes of a block.
pub(crate) const BLOCK: usize = 512;

/// A header block whose checksum is right.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header<'a>(&'a tar::Header);

impl<'a> Header<'a> {
    /// The header, if this is one.
    pub(super) fn of(block: &'a [u8; BLOCK]) -> Option<Self> {
        let header = Self(tar::Header::from_byte_slice(block));
        (header.0.cksum().ok()? == unsigned_sum(block)
            || header.0.cksum().ok()?.cast_signed() == signed_sum(block))
        .then_some(header)
    }

    /// Whether an archive may begin with this block: a header with a name, or one of those that need none.
    pub(super) fn begins(block: &'a [u8; BLOCK]) -> bool {
        Self::of(block).is_some_and(|header| {
            !header.path().is_empty() || matches!(header.kind(), b'x' | b'g' | b'L' | b'K' | b'V')
        })
    }

    /// The type flag.
    pub(super) fn kind(self) -> u8 {
        self.0.entry_type().as_byte()
    }

    /// The name, joined with its prefix: POSIX archives have one, GNU keeps other things there, and star ends it earlier
    /// to make room for times.
    pub(super) fn path(self) -> Cow<'a, [u8]> {
        let block = self.0.as_bytes();
        let name = field(&self.0.as_old().name);
        let is_posix = block.get(257..263) == Some(b"ustar\0");
        let is_star = block.get(508..512) == Some(b"tar\0");
        let prefix = block
            .get(345..if is_star { 476 } else { 500 })
            .filter(|_| is_posix)
            .map(field)
            .unwrap_or_default();
        if prefix.is_empty() { Cow::Borrowed(name) } else { Cow::Owned([prefix, name].join(&b'/')) }
    }

    /// Where a link leads.
    pub(super) fn link(self) -> Cow<'a, [u8]> {
        Cow::Borrowed(field(&self.0.as_old().linkname))
    }

    /// The bytes of data that follow; `None` where the field is no number.
    pub(super) fn size(self) -> Option<u64> {
        self.0.entry_size().ok()
    }

    /// Seconds since 1970.
    pub(super) fn modified(self) -> i64 {
        self.0.mtime().ok().and_then(|time| i64::try_from(time).ok()).unwrap_or(0)
    }

    /// The fields of a GNU header.
    pub(super) fn gnu(self) -> Option<&'a tar::GnuHeader> {
        self.0.as_gnu()
    }
}

/// A text field up to its first NUL.
fn field(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// The bytes of a header with its checksum taken for spaces.
fn summed(block: &[u8; BLOCK]) -> impl Iterator<Item = u8> + '_ {
    block.iter().enumerate().map(|(at, byte)| if (148..156).contains(&at) { b' ' } else { *byte })
}

fn unsigned_sum(block: &[u8; BLOCK]) -> u32 {
    summed(block).map(u32::from).sum()
}

/// As some old writers summed.
fn signed_sum(block: &[u8; BLOCK]) -> i32 {
    summed(block).map(|byte| i32::from(byte.cast_signed())).sum()
}
