//! Renders `examples/data/still-life.png`, the default picture of `edges`.
//!
//! ```text
//! cargo run --release --example render -- [--size WIDTHxHEIGHT] [OUTPUT.png]
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

use std::io::Write;
use std::process::ExitCode;

use lexopt::{Arg, Parser, ValueExt};

use support::command_line::{self, Arguments};
use support::files::write_png;

/// Width of the picture in pixels.
pub const WIDTH: usize = 960;
/// Height of the picture in pixels.
pub const HEIGHT: usize = 640;

/// One row of the picture of the usual size, three bytes per pixel.
pub fn row(y: usize) -> Vec<u8> {
    row_of(y, WIDTH, HEIGHT)
}

fn row_of(y: usize, width: usize, height: usize) -> Vec<u8> {
    let scene = scene::still_life();
    (0..width).flat_map(|x| scene.pixel(x, y, width, height)).collect()
}

const HELP: &str = "\
Renders the default picture of the example edges.

usage: render [--size WIDTHxHEIGHT] [OUTPUT.png]

  OUTPUT.png            the picture to write (examples/data/still-life.png)
  --size WIDTHxHEIGHT   in pixels (960x640)
";

fn main() -> ExitCode {
    command_line::run("render", HELP, program)
}

fn program(parser: &mut Parser, out: &mut dyn Write) -> command_line::Result<ExitCode> {
    let (mut width, mut height) = (WIDTH, HEIGHT);
    let arguments = Arguments::read_with(parser, |option, parser| {
        match option {
            Arg::Long("size") => (width, height) = parser.value()?.parse_with(command_line::size(16384))?,
            _ => return Err(option.unexpected()),
        }
        Ok(())
    })?
    .at_most(1)?;
    let path = arguments.path(0, "examples/data/still-life.png");
    command_line::prepare_png(&path, None)?;
    let progress = support::progress::bar("row", height as u64);
    let rows = (0..height).inspect(|_| progress.inc(1));
    let pixels: Vec<u8> = rows.flat_map(|y| row_of(y, width, height)).collect();
    progress.finish_and_clear();

    write_png(&path, [width, height], png::ColorType::Rgb, &pixels)?;
    writeln!(out, "{}", path.display())?;
    Ok(ExitCode::SUCCESS)
}
