//! Images made for the tests, and the pipeline that reads them.

use std::io::Cursor;

use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use read_core::{
    Block, Cancel, ImageBlock, MemoryFileSystem, Pipeline, ReadError, ReadOutput, Reader, Registry, Request,
};
use read_image::{ImageLimits, ImageReader};

/// Reads `bytes` under `name` with the default reader.
pub(crate) fn read(name: &str, bytes: &[u8]) -> Result<ReadOutput, ReadError> {
    read_with(read_image::READER, name, bytes, &Request::default())
}

pub(crate) fn read_with(
    reader: Reader,
    target: &str,
    bytes: &[u8],
    request: &Request,
) -> Result<ReadOutput, ReadError> {
    let name = target.split(':').next().unwrap();
    let files = MemoryFileSystem::new().with(name, bytes);
    Pipeline::new(files).with_registry(Registry::core().with(reader)).read(target, request, Cancel::new())
}

/// The image block of an output.
pub(crate) fn block(output: &ReadOutput) -> &ImageBlock {
    let mut images = output.blocks.iter().filter_map(|block| match block {
        Block::Image(image) => Some(image),
        _ => None,
    });
    let image = images.next().expect("an image block");
    assert!(images.next().is_none(), "one image block");
    assert!(matches!(output.blocks[0], Block::Text(_)), "text comes first");
    image
}

/// What an image block shows, decoded by what its media type says.
pub(crate) fn pixels(output: &ReadOutput) -> DynamicImage {
    let block = block(output);
    let format = ImageFormat::from_mime_type(block.media_type).unwrap();
    assert_eq!(image::guess_format(&block.data).unwrap(), format, "the media type is the true one");
    let shown = match format {
        ImageFormat::Gif => {
            let mut options = gif::DecodeOptions::new();
            options.set_color_output(gif::ColorOutput::RGBA);
            let mut decoder = options.read_info(Cursor::new(&block.data)).unwrap();
            let (width, height) = (decoder.width(), decoder.height());
            let frame = decoder.read_next_frame().unwrap().unwrap();
            DynamicImage::ImageRgba8(
                image::RgbaImage::from_raw(width.into(), height.into(), frame.buffer.to_vec()).unwrap(),
            )
        }
        format => image::load_from_memory_with_format(&block.data, format).unwrap(),
    };
    let details = output.details.image.unwrap();
    assert_eq!((shown.width(), shown.height()), (details.width, details.height), "details tell the size");
    shown
}

pub(crate) fn encoded(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    if format == ImageFormat::Tiff {
        let mut encoder = tiff::encoder::TiffEncoder::new(&mut bytes).unwrap();
        let (width, height) = (image.width(), image.height());
        encoder.write_image::<tiff::encoder::colortype::RGB8>(width, height, &image.to_rgb8()).unwrap();
        return bytes.into_inner();
    }
    image.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

pub(crate) fn png(width: u32, height: u32) -> Vec<u8> {
    encoded(&DynamicImage::ImageRgb8(gradient(width, height)), ImageFormat::Png)
}

/// A white PNG of one bit a pixel, however large.
pub(crate) fn white(width: u32, height: u32) -> Vec<u8> {
    let row = [vec![0], vec![0xff; (width as usize).div_ceil(8)]].concat();
    png_of(&[ihdr(width, height, 1, 0), (b"IDAT", zlib(&row.repeat(height as usize))), (b"IEND", Vec::new())])
}

/// A reader whose limits are changed; it lives as long as the test program.
pub(crate) fn reader(change: impl FnOnce(&mut ImageLimits)) -> &'static ImageReader {
    let mut limits = ImageLimits::DEFAULT;
    change(&mut limits);
    Box::leak(Box::new(ImageReader::new(limits)))
}

/// A picture whose corners all differ: red grows to the right, green grows downwards.
pub(crate) fn gradient(width: u32, height: u32) -> RgbImage {
    let part = |n: u32, of: u32| u8::try_from(n * 200 / of.max(1)).unwrap();
    RgbImage::from_fn(width, height, |x, y| Rgb([part(x, width), part(y, height), 77]))
}

/// A picture that does not compress.
pub(crate) fn noise(width: u32, height: u32) -> RgbImage {
    let mut state = 0x9e37_79b9_u32;
    RgbImage::from_fn(width, height, |_, _| {
        Rgb([0; 3].map(|_: u8| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state.to_le_bytes()[1]
        }))
    })
}

/// A PNG from its chunks, with right checksums.
pub(crate) fn png_of(chunks: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    for (kind, data) in chunks {
        file.extend(u32::try_from(data.len()).unwrap().to_be_bytes());
        file.extend(*kind);
        file.extend(data);
        let mut crc = flate2::Crc::new();
        crc.update(*kind);
        crc.update(data);
        file.extend(crc.sum().to_be_bytes());
    }
    file
}

/// The header chunk of a PNG.
pub(crate) fn ihdr(width: u32, height: u32, depth: u8, colour: u8) -> (&'static [u8; 4], Vec<u8>) {
    let mut data = [width.to_be_bytes(), height.to_be_bytes()].concat();
    data.extend([depth, colour, 0, 0, 0]);
    (b"IHDR", data)
}

/// `data` as zlib has it.
pub(crate) fn zlib(data: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// An EXIF block with this orientation.
pub(crate) fn exif(orientation: u16) -> Vec<u8> {
    let mut block = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0".to_vec();
    block.extend(orientation.to_le_bytes());
    block.extend([0; 6]);
    block
}

/// `jpeg` with this segment behind its first marker.
pub(crate) fn with_segment(jpeg: &[u8], marker: u8, data: &[u8]) -> Vec<u8> {
    let mut file = jpeg[..2].to_vec();
    file.extend([0xff, marker]);
    file.extend(u16::try_from(data.len() + 2).unwrap().to_be_bytes());
    file.extend(data);
    file.extend(&jpeg[2..]);
    file
}

/// `jpeg` with this orientation.
pub(crate) fn oriented_jpeg(jpeg: &[u8], orientation: u16) -> Vec<u8> {
    with_segment(jpeg, 0xe1, &[b"Exif\0\0".as_slice(), &exif(orientation)].concat())
}

/// A GIF of flat frames.
pub(crate) fn gif(width: u16, height: u16, frames: u8) -> Vec<u8> {
    let mut file = Vec::new();
    let palette: Vec<u8> = (0..=255_u8).flat_map(|i| [i, 255 - i, 9]).collect();
    let mut encoder = gif::Encoder::new(&mut file, width, height, &palette).unwrap();
    for index in 0..frames {
        let pixels = vec![index; usize::from(width) * usize::from(height)];
        let frame = gif::Frame { width, height, buffer: pixels.into(), ..gif::Frame::default() };
        encoder.write_frame(&frame).unwrap();
    }
    drop(encoder);
    file
}

/// The largest difference of a channel between two images of one size.
pub(crate) fn difference(a: &DynamicImage, b: &DynamicImage) -> u8 {
    let (a, b) = (a.to_rgba8(), b.to_rgba8());
    assert_eq!(a.dimensions(), b.dimensions());
    a.iter().zip(b.iter()).map(|(x, y)| x.abs_diff(*y)).max().unwrap_or(0)
}
