//! Renders `examples/data/still-life.png`, the default picture of `edges`.
//!
//! ```text
//! cargo run --release --example render -- [OUTPUT.png]
//! ```
//!
//! Plain Rust, without vyre. The picture is computed with additions, multiplications, divisions,
//! square roots and `floor` only, all of which IEEE 754 defines to the bit, so every machine
//! renders the same one.
#![allow(unreachable_pub, reason = "a program has no outside")]

mod scene;
mod shape;
#[path = "../support/mod.rs"]
mod support;
mod vector;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::process::ExitCode;

use lexopt::Parser;

use support::command_line::{self, Arguments};

/// Width of the picture in pixels.
pub const WIDTH: usize = 960;
/// Height of the picture in pixels.
pub const HEIGHT: usize = 640;

/// One row of the picture, three bytes per pixel.
pub fn row(y: usize) -> Vec<u8> {
    let scene = scene::still_life();
    (0..WIDTH).flat_map(|x| scene.pixel(x, y, WIDTH, HEIGHT)).collect()
}

const HELP: &str = "\
Renders the default picture of the example edges.

usage: render [OUTPUT.png]

  OUTPUT.png   the picture to write (examples/data/still-life.png)
";

fn main() -> ExitCode {
    command_line::run("render", HELP, program)
}

fn program(parser: &mut Parser, out: &mut dyn Write) -> command_line::Result<ExitCode> {
    let arguments = Arguments::read(parser)?.at_most(1)?;
    let path = arguments.path(0, "examples/data/still-life.png");
    command_line::prepare_png(&path, None)?;
    let pixels: Vec<u8> = (0..HEIGHT).flat_map(row).collect();

    let file = File::create(&path).map_err(|error| command_line::at(&path)(&error))?;
    let mut encoder = png::Encoder::new(BufWriter::new(file), WIDTH as u32, HEIGHT as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    encoder.write_header()?.write_image_data(&pixels)?;
    writeln!(out, "{}", path.display())?;
    Ok(ExitCode::SUCCESS)
}
