//! The header of a gzip member (RFC 1952, section 2.3).

use std::io::{self, Read};

use crate::limits::MAX_GZIP_TEXT;

const HEADER_CRC: u8 = 1 << 1;
const EXTRA: u8 = 1 << 2;
const NAME: u8 = 1 << 3;
const COMMENT: u8 = 1 << 4;
const RESERVED: u8 = 0xE0;

/// What a header says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Header {
    /// The name of the file that was compressed.
    pub(super) name: Option<Vec<u8>>,
    /// Seconds since 1970; 0 for none.
    pub(super) modified: u32,
}

impl Header {
    /// Reads a header; `None` when none begins here.
    pub(super) fn read(from: &mut impl Read) -> io::Result<Option<Self>> {
        let mut magic = [0; 2];
        match from.read_exact(&mut magic) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            other => other?,
        }
        if magic != [0x1F, 0x8B] {
            return Ok(None);
        }
        let mut fixed = [0; 8];
        from.read_exact(&mut fixed)?;
        let [method, flags, time @ .., _, _] = fixed;
        if method != 8 || flags & RESERVED != 0 {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the header is of a kind of gzip that does not exist",
            ));
        }
        let mut header = Self { name: None, modified: u32::from_le_bytes(time) };
        if flags & EXTRA != 0 {
            let mut len = [0; 2];
            from.read_exact(&mut len)?;
            let len = u64::from(u16::from_le_bytes(len));
            if io::copy(&mut from.by_ref().take(len), &mut io::sink())? < len {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        if flags & NAME != 0 {
            header.name = Some(text(from)?).filter(|name| !name.is_empty());
        }
        if flags & COMMENT != 0 {
            text(from)?;
        }
        if flags & HEADER_CRC != 0 {
            from.read_exact(&mut [0; 2])?;
        }
        Ok(Some(header))
    }
}

/// Bytes up to a NUL.
fn text(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let mut byte = [0];
    loop {
        from.read_exact(&mut byte)?;
        if byte == [0] {
            return Ok(text);
        }
        if text.len() >= MAX_GZIP_TEXT {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the name in the header has no end"));
        }
        text.extend_from_slice(&byte);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_optional_field_is_passed_over() {
        let bytes = b"\x1f\x8b\x08\x1e\x78\x56\x34\x12\x00\x03\x03\x00abcname\0comment\0\xaa\xbbrest";
        let mut from = &bytes[..];
        let header = Header::read(&mut from).unwrap().unwrap();
        assert_eq!(header, Header { name: Some(b"name".to_vec()), modified: 0x1234_5678 });
        assert_eq!(from, b"rest");
    }

    #[test]
    fn a_cut_header_is_an_error_and_another_magic_is_none() {
        let bytes = b"\x1f\x8b\x08\x1e\x78\x56\x34\x12\x00\x03\x03\x00abcname\0comment\0\xaa\xbb";
        for len in 2..bytes.len() {
            assert!(Header::read(&mut &bytes[..len]).is_err(), "{len}");
        }
        for bytes in [&b""[..], b"\x1f", b"\0\0\0\0", b"PK\x03\x04"] {
            assert_eq!(Header::read(&mut &bytes[..]).unwrap(), None);
        }
    }
}
