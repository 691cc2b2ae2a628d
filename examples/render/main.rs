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

use std::io::Write;
use std::process::ExitCode;

use lexopt::Parser;

use support::command_line::{self, Arguments};
use support::files::write_png;

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
    let progress = support::progress::bar("row", HEIGHT as u64);
    let rows = (0..HEIGHT).inspect(|_| progress.inc(1));
    let pixels: Vec<u8> = rows.flat_map(row).collect();
    progress.finish_and_clear();

    write_png(&path, [WIDTH, HEIGHT], png::ColorType::Rgb, &pixels)?;
    writeln!(out, "{}", path.display())?;
    Ok(ExitCode::SUCCESS)
}
