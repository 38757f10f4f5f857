//! TIFF images of many pages: TIFF 6.0, section 2.

/// `pages` grey pages of 16 × 16 pixels that share one strip.
pub(crate) fn pages(pages: u32) -> Vec<u8> {
    const SIDE: u32 = 16;
    const STRIP: u32 = 8;
    let tags: [(u16, u32); 8] = [
        (256, SIDE),
        (257, SIDE),
        (258, 8),
        (259, 1),
        (262, 1),
        (273, STRIP),
        (278, SIDE),
        (279, SIDE * SIDE),
    ];
    let first = STRIP + SIDE * SIDE;
    let length = 2 + 12 * 8 + 4;
    let mut out = b"II*\0".to_vec();
    out.extend_from_slice(&first.to_le_bytes());
    out.extend((0..SIDE * SIDE).map(|pixel| pixel.to_le_bytes()[0]));
    for page in 0..pages {
        out.extend_from_slice(&8_u16.to_le_bytes());
        for (tag, value) in tags {
            out.extend_from_slice(&tag.to_le_bytes());
            out.extend_from_slice(&4_u16.to_le_bytes());
            out.extend_from_slice(&1_u32.to_le_bytes());
            out.extend_from_slice(&value.to_le_bytes());
        }
        let next = if page + 1 < pages { first + (page + 1) * length } else { 0 };
        out.extend_from_slice(&next.to_le_bytes());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use read_tool::{MemoryFileSystem, ReadTool};

    #[test]
    fn it_is_an_image_of_its_size() {
        let files = MemoryFileSystem::new().with("a.tif", pages(3));
        let tool = ReadTool::builder().workspace(files).build().unwrap();
        let image = tool.read("a.tif").unwrap().details.image.unwrap();
        assert_eq!((image.original_width, image.original_height), (16, 16));
    }
}
