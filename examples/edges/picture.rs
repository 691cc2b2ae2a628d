//! Pictures in files.

use std::error::Error;
use std::io::{BufReader, Cursor};
use std::path::Path;

use super::support::command_line::at;
use super::support::files;

/// Pixels of the largest picture. The header of a file states its size, and may state any.
const MOST: u64 = 1 << 28;

/// A picture in colour.
pub struct Picture {
    /// In pixels.
    pub width: usize,
    /// In pixels.
    pub height: usize,
    /// Red, green and blue of each pixel, row by row.
    pub rgb: Vec<u8>,
}

impl Picture {
    /// Reads a PNG or JPEG file.
    pub fn read(path: &Path) -> Result<Picture, Box<dyn Error>> {
        Picture::decode(&files::read(path)?).map_err(|error| at(path)(&error))
    }

    /// Decodes a PNG or JPEG file.
    ///
    /// Samples are converted to eight bits, palettes to colours, and transparent pixels are blended
    /// over white.
    pub fn decode(bytes: &[u8]) -> Result<Picture, Box<dyn Error>> {
        if bytes.starts_with(b"\x89PNG") {
            decode_png(bytes)
        } else if bytes.starts_with(b"\xff\xd8\xff") {
            decode_jpeg(bytes)
        } else {
            Err("this is neither a PNG nor a JPEG file".into())
        }
    }
}

fn decode_png(bytes: &[u8]) -> Result<Picture, Box<dyn Error>> {
    let mut decoder = png::Decoder::new(BufReader::new(Cursor::new(bytes)));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info()?;
    let (width, height) = reader.info().size();
    if u64::from(width) * u64::from(height) > MOST {
        return Err(format!("{width} x {height} pixels are more than {MOST}").into());
    }
    let mut samples = vec![
        0;
        reader
            .output_buffer_size()
            .ok_or("the picture is too large for memory")?
    ];
    let info = reader.next_frame(&mut samples)?;
    samples.truncate(info.buffer_size());

    let rgb = match info.color_type {
        png::ColorType::Rgb => samples,
        png::ColorType::Grayscale => samples.iter().flat_map(|&v| [v; 3]).collect(),
        png::ColorType::GrayscaleAlpha => samples
            .chunks_exact(2)
            .flat_map(|p| [p[0]; 3].map(|v| over_white(v, p[1])))
            .collect(),
        png::ColorType::Rgba => samples
            .chunks_exact(4)
            .flat_map(|p| [p[0], p[1], p[2]].map(|v| over_white(v, p[3])))
            .collect(),
        png::ColorType::Indexed => return Err("the palette could not be resolved".into()),
    };
    Ok(Picture {
        width: info.width as usize,
        height: info.height as usize,
        rgb,
    })
}

fn over_white(value: u8, alpha: u8) -> u8 {
    let (value, alpha) = (u32::from(value), u32::from(alpha));
    ((value * alpha + 255 * (255 - alpha) + 127) / 255) as u8
}

fn decode_jpeg(bytes: &[u8]) -> Result<Picture, Box<dyn Error>> {
    use zune_jpeg::JpegDecoder;
    use zune_jpeg::zune_core::bytestream::ZCursor;
    use zune_jpeg::zune_core::colorspace::ColorSpace;
    use zune_jpeg::zune_core::options::DecoderOptions;

    // Strict: a file that ends early has no picture, and not one whose rest is grey.
    let options = DecoderOptions::default()
        .jpeg_set_out_colorspace(ColorSpace::RGB)
        .set_strict_mode(true);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    let rgb = decoder.decode().map_err(|e| e.to_string())?;
    let (width, height) = decoder.dimensions().ok_or("the file states no size")?;
    if rgb.len() != width * height * 3 {
        return Err("the colours of this file are of a kind that is not known here".into());
    }
    Ok(Picture { width, height, rgb })
}
