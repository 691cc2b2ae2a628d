//! Files that are read whole, and pictures that are written.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use super::command_line::{Result, at};

/// Bytes of the files that are read into one buffer. A device such as `/dev/zero` has no end, and memory has one.
const LIMIT: u64 = 1 << 30;

/// Appends a file, if all of the buffer then has at most [`LIMIT`] bytes.
pub fn append(path: &Path, bytes: &mut Vec<u8>) -> Result<()> {
    let at = at(path);
    let file = File::open(path).map_err(|error| at(&error))?;
    let room = LIMIT - bytes.len() as u64;
    let read = file.take(room + 1).read_to_end(bytes).map_err(|error| at(&error))?;
    if read as u64 > room {
        return Err(at(&format!("the input has more than {} MiB", LIMIT >> 20)));
    }
    Ok(())
}

/// Reads a file.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    append(path, &mut bytes)?;
    Ok(bytes)
}

/// Reads a file of text.
pub fn read_text(path: &Path) -> Result<String> {
    String::from_utf8(read(path)?).map_err(|error| at(path)(&format!("the file is no text: {}", error.utf8_error())))
}

/// Writes a picture with eight bits to a sample. Encodes it in memory, so that no error is left for the end of a
/// buffered file, where it would be lost.
pub fn write_png(path: &Path, [width, height]: [usize; 2], colour: png::ColorType, samples: &[u8]) -> Result<()> {
    let at = at(path);
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width as u32, height as u32);
    encoder.set_color(colour);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    let encode = |mut writer: png::Writer<&mut Vec<u8>>| {
        writer.write_image_data(samples)?;
        writer.finish()
    };
    encoder.write_header().and_then(encode).map_err(|error| at(&error))?;
    fs::write(path, file).map_err(|error| at(&error))
}
