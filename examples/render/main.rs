//! Renders `examples/data/still-life.png`, the default picture of `edges`.
//!
//! ```text
//! cargo run --release --example render [OUTPUT.png]
//! ```
//!
//! Plain Rust, without vyre. The picture is computed with additions, multiplications, divisions,
//! square roots and `floor` only, all of which IEEE 754 defines to the bit, so every machine
//! renders the same one.
#![allow(unreachable_pub, reason = "a program has no outside")]

mod scene;
mod shape;
mod vector;

use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;

/// Width of the picture in pixels.
pub const WIDTH: usize = 960;
/// Height of the picture in pixels.
pub const HEIGHT: usize = 640;

/// One row of the picture, three bytes per pixel.
pub fn row(y: usize) -> Vec<u8> {
    let scene = scene::still_life();
    (0..WIDTH).flat_map(|x| scene.pixel(x, y, WIDTH, HEIGHT)).collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os()
        .nth(1)
        .map_or_else(|| PathBuf::from("examples/data/still-life.png"), PathBuf::from);
    let pixels: Vec<u8> = (0..HEIGHT).flat_map(row).collect();

    let mut encoder = png::Encoder::new(BufWriter::new(File::create(&path)?), WIDTH as u32, HEIGHT as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    encoder.write_header()?.write_image_data(&pixels)?;
    println!("{}", path.display());
    Ok(())
}
