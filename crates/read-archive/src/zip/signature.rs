//! The four bytes that each kind of record begins with.

use std::io;

use read_core::Slice;

/// The header in front of a member's data (APPNOTE 4.3.7).
pub(super) const LOCAL: [u8; 4] = *b"PK\x03\x04";
/// What follows the data of a member whose header does not know its size (APPNOTE 4.3.9).
pub(super) const DESCRIPTOR: [u8; 4] = *b"PK\x07\x08";
/// A record of the central directory (APPNOTE 4.3.12).
pub(super) const CENTRAL: [u8; 4] = *b"PK\x01\x02";
/// The zip64 end record (APPNOTE 4.3.14).
pub(super) const END64: [u8; 4] = *b"PK\x06\x06";
/// What points to the zip64 end record (APPNOTE 4.3.15).
pub(super) const LOCATOR: [u8; 4] = *b"PK\x06\x07";
/// The end record (APPNOTE 4.3.16).
pub(super) const END: [u8; 4] = *b"PK\x05\x06";

/// Whether a record of that signature stands at `at`.
pub(super) fn stands_at(slice: &Slice, at: u64, signature: [u8; 4]) -> io::Result<bool> {
    let mut bytes = [0; 4];
    Ok(slice.read_full_at(&mut bytes, at)? == 4 && bytes == signature)
}
