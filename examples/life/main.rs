//! The game of life in a terminal.
//!
//! ```text
//! cargo run --release --example life -- [--cpu] [--size WIDTHxHEIGHT] [--generations N] [--speed N] [PATTERN.rle]
//! ```
//!
//! Where the output is no terminal, the board is printed once, after the last generation. In the end it is compared with
//! the board that plain Rust arrives at.
#![allow(unreachable_pub, reason = "a program has no outside")]

pub mod kernels;
pub mod pattern;
pub mod plain;
pub mod screen;
#[path = "../support/mod.rs"]
mod support;

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use lexopt::{Arg, Parser, ValueExt};
use vyre::prelude::*;

use pattern::Pattern;
use screen::Screen;
use support::command_line::{self, Arguments, number};

/// A board on a device.
pub struct Board {
    device: Device,
    width: usize,
    height: usize,
    now: DeviceBuffer<u8>,
    next: DeviceBuffer<u8>,
    light: DeviceBuffer<u8>,
}

impl Board {
    /// Uploads cells, row by row: 1 for a live one, else 0.
    pub fn new(device: &Device, cells: &[u8], width: usize) -> vyre::Result<Board> {
        Ok(Board {
            device: device.clone(),
            width,
            height: cells.len() / width,
            now: device.upload(cells)?,
            next: device.zeros(cells.len())?,
            light: device.zeros(cells.len())?,
        })
    }

    /// Queues one generation.
    pub fn evolve(&mut self) -> vyre::Result<()> {
        let (width, height) = (self.width, self.height);
        kernels::evolve(self.now.view2(height, width)?, self.next.view2_mut(height, width)?)
            .over([width, height])
            .launch(&self.device)?;
        std::mem::swap(&mut self.now, &mut self.next);
        kernels::glow(&self.now, &mut self.light).launch(&self.device)
    }

    /// The cells.
    pub fn cells(&self) -> vyre::Result<Vec<u8>> {
        self.now.download()
    }

    /// The light of the cells.
    pub fn light(&self) -> vyre::Result<Vec<u8>> {
        self.light.download()
    }
}

/// A board with a pattern in its middle.
pub fn place(pattern: &Pattern, width: usize, height: usize) -> Result<Vec<u8>, String> {
    if pattern.width > width || pattern.height > height {
        return Err(format!(
            "the pattern has {} x {} cells, and the board {width} x {height}",
            pattern.width, pattern.height
        ));
    }
    let mut cells = vec![0; width * height];
    let (left, top) = ((width - pattern.width) / 2, (height - pattern.height) / 2);
    for &[x, y] in &pattern.live {
        cells[(top + y) * width + left + x] = 1;
    }
    Ok(cells)
}

const HELP: &str = "\
The game of life in a terminal.

usage: life [--cpu] [--size WIDTHxHEIGHT] [--generations N] [--speed N] [PATTERN.rle]

  PATTERN.rle           the first generation (a gun that fires gliders)
  --size WIDTHxHEIGHT   of the board in cells (80x44)
  --generations N       how many (600)
  --speed N             generations a second, on a terminal (30)
  --cpu                 computes on the CPU

Prints the last board where the output is no terminal.
";

fn main() -> ExitCode {
    command_line::run("life", HELP, program)
}

fn program(parser: &mut Parser, out: &mut dyn Write) -> command_line::Result<ExitCode> {
    let (mut width, mut height, mut generations, mut speed) = (80, 44, 600, 30);
    let arguments = Arguments::read_with(parser, |option, parser| {
        match option {
            Arg::Long("size") => (width, height) = parser.value()?.parse_with(command_line::size(16384))?,
            Arg::Long("generations") => {
                generations = parser.value()?.parse_with(number("--generations", 0..=u32::MAX))?
            }
            Arg::Long("speed") => speed = parser.value()?.parse_with(number("--speed", 1..=1000))?,
            _ => return Err(option.unexpected()),
        }
        Ok(())
    })?
    .at_most(1)?;
    let cells = match arguments.values.first() {
        None => place(
            &Pattern::parse(pattern::GUN).expect("the gun is a pattern"),
            width,
            height,
        )?,
        Some(path) => {
            let at = command_line::at(path.as_ref());
            let text = support::files::read_text(path.as_ref())?;
            let pattern = Pattern::parse(&text).map_err(|error| at(&error))?;
            place(&pattern, width, height).map_err(|error| at(&error))?
        }
    };

    let device = support::device(arguments.cpu)?;
    let mut board = Board::new(&device, &cells, width)?;
    if io::stdout().is_terminal() {
        play(&mut board, out, generations, speed)?;
    } else {
        let progress = support::progress::bar("generation", generations.into());
        for _ in 0..generations {
            board.evolve()?;
            progress.inc(1);
        }
        progress.finish_and_clear();
        for row in board.cells()?.chunks(width) {
            let row: String = row.iter().map(|&cell| if cell == 1 { 'O' } else { '.' }).collect();
            writeln!(out, "{row}")?;
        }
    }
    let found = board.cells()?;
    let expected = (0..generations).fold(cells, |cells, _| plain::evolve(&cells, width));
    let live = found.iter().filter(|&&cell| cell == 1).count();
    command_line::tell(format_args!(
        "generation {generations}: {live} live cells, on {}",
        device.name()
    ));
    let _ = support::explain_cpu(&mut io::stderr(), &device, arguments.cpu);
    if found != expected {
        return Err("the device's board differs from that of plain Rust".into());
    }
    Ok(ExitCode::SUCCESS)
}

/// Shows all generations on a terminal.
fn play(board: &mut Board, out: &mut dyn Write, generations: u32, speed: u32) -> command_line::Result<()> {
    let mut screen = Screen::new(out);
    let pause = Duration::from_secs(1) / speed;
    for generation in 1..=generations {
        let started = Instant::now();
        board.evolve()?;
        let status = format!("generation {generation} of {generations}, on {}", board.device.name());
        screen.show(&board.light()?, board.width, &status)?;
        std::thread::sleep(pause.saturating_sub(started.elapsed()));
    }
    Ok(())
}
