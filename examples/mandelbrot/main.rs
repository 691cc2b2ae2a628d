//! Pictures of the Mandelbrot set, as deep as 10^-140.
//!
//! ```text
//! cargo run --release --example mandelbrot -- [--cpu] [--centre RE,IM] [--radius R] [--iterations N]
//!     [--size WIDTHxHEIGHT] [OUTPUT.png]
//! ```
//!
//! The orbit of the centre is computed once, with as many digits as it takes; the device follows the difference of each
//! point from it, in doubles. Some points are iterated with all digits, too, and must escape after as many iterations.
#![allow(unreachable_pub, reason = "a program has no outside")]

pub mod fixed;
pub mod kernels;
#[path = "../support/mod.rs"]
mod support;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use lexopt::{Arg, Parser, ValueExt};
use vyre::prelude::*;

use fixed::Fixed;
use kernels::{Escape, Frame};
use support::command_line::{self, Arguments, number};
use support::files::write_png;

/// Samples of a pixel along each axis.
pub const SIDE: usize = 2;
/// Rows of pixels that are computed together: a progress bar needs steps, and a display must not wait too long.
pub const BAND: usize = 32;
/// Points that are iterated with all digits.
const CHECKED: usize = 48;
/// The least radius: below, the square of a derivative is no double.
const LEAST: f64 = 1e-140;

/// A view of the set.
pub struct Scene {
    /// The real part of the centre, in decimal digits.
    pub re: String,
    /// The imaginary part of the centre.
    pub im: String,
    /// Half of the height.
    pub radius: f64,
    /// Iterations after which a point is taken for one of the set.
    pub limit: u32,
    /// In pixels.
    pub width: usize,
    /// In pixels.
    pub height: usize,
}

impl Default for Scene {
    fn default() -> Scene {
        Scene {
            re: RE.into(),
            im: IM.into(),
            radius: 1e-30,
            limit: 20_000,
            width: 960,
            height: 640,
        }
    }
}

/// A small copy of the set, of a size of 2 * 10^-35.
pub const RE: &str = "-0.743634835797644519948481431409442340112790976682";
/// Its imaginary part.
pub const IM: &str = "0.131900603636494129142891941843192492356444085974";

impl Scene {
    /// Words of 32 bits behind the point: 80 bits more than it takes to tell two pixels apart.
    pub fn words(&self) -> usize {
        (80.0 - self.radius.log2()) as usize / 32 + 1
    }

    /// The centre, with all digits.
    pub fn centre(&self) -> Option<[Fixed; 2]> {
        let words = self.words();
        Some([Fixed::parse(&self.re, words)?, Fixed::parse(&self.im, words)?])
    }

    /// Samples from the upper left, with `SIDE * SIDE` in a pixel.
    pub fn frame(&self) -> Frame {
        let step = 2.0 * self.radius / (self.height * SIDE) as f64;
        let middle = |samples: usize| 0.5 * (samples as f64 - 1.0) * step;
        Frame {
            corner: [-middle(self.width * SIDE), middle(self.height * SIDE)],
            step,
            limit: u64::from(self.limit),
        }
    }
}

/// The orbit of a point until it escapes or the limit is reached, in doubles.
pub fn orbit(centre: &[Fixed; 2], limit: u32) -> Vec<[f64; 2]> {
    let mut orbit = Vec::new();
    iterate(centre, limit, |z| orbit.push(z));
    orbit
}

/// Iterates a point with all its digits; returns the iterations until it is farther than 1000 from zero, or the limit.
pub fn iterate([re, im]: &[Fixed; 2], limit: u32, mut each: impl FnMut([f64; 2])) -> u32 {
    let zero = Fixed::new(0.0, re.precision());
    let (mut x, mut y) = (zero.clone(), zero);
    for iteration in 0..limit {
        let z = [x.to_f64(), y.to_f64()];
        each(z);
        if z[0] * z[0] + z[1] * z[1] > 1e6 {
            return iteration;
        }
        let xy = &x * &y;
        (x, y) = (&(&(&x * &x) - &(&y * &y)) + re, &(&xy + &xy) + im);
    }
    limit
}

/// A renderer on a device.
pub struct Renderer {
    device: Device,
    frame: Frame,
    limit: u32,
    width: usize,
    orbit: DeviceBuffer<[f64; 2]>,
    samples: DeviceBuffer<Escape>,
    picture: DeviceBuffer<[u8; 3]>,
}

impl Renderer {
    /// Uploads the orbit of the centre.
    pub fn new(device: &Device, scene: &Scene, orbit: &[[f64; 2]]) -> vyre::Result<Renderer> {
        Ok(Renderer {
            device: device.clone(),
            frame: scene.frame(),
            limit: scene.limit,
            width: scene.width,
            orbit: device.upload(orbit)?,
            samples: device.zeros(scene.width * BAND * SIDE * SIDE)?,
            picture: device.zeros(scene.width * BAND)?,
        })
    }

    /// Computes the rows of pixels from `top` on, at most [`BAND`] of them, and the samples that they are made of.
    pub fn band(&mut self, top: usize, rows: usize) -> vyre::Result<()> {
        let mut frame = self.frame;
        frame.corner[1] -= (top * SIDE) as f64 * frame.step;
        let (width, height) = (self.width * SIDE, rows * SIDE);
        kernels::sample(&self.orbit, frame, self.samples.view2_mut(height, width)?)
            .over([width, height])
            .launch(&self.device)?;
        kernels::paint(
            self.samples.view2(height, width)?,
            SIDE,
            self.limit,
            self.picture.view2_mut(rows, self.width)?,
        )
        .over([self.width, rows])
        .launch(&self.device)
    }

    /// A sample of the last band, by its place in it.
    pub fn sample(&self, x: usize, y: usize) -> vyre::Result<Escape> {
        let place = y * self.width * SIDE + x;
        Ok(self.samples.slice(place..place + 1)?.download()?[0])
    }

    /// The pixels of the last band.
    pub fn pixels(&self, rows: usize) -> vyre::Result<Vec<[u8; 3]>> {
        self.picture.slice(..rows * self.width)?.download()
    }
}

const HELP: &str = "\
Draws the Mandelbrot set, and checks some points with all digits.

usage: mandelbrot [--cpu] [--centre RE,IM] [--radius R] [--iterations N] [--size WIDTHxHEIGHT] [OUTPUT.png]

  --centre RE,IM        the middle of the picture, with as many digits as the radius needs
  --radius R            half of the height, from 1e-140 to 2 (a deep one; 1.2 where --centre is given)
  --iterations N        iterations after which a point is taken for one of the set (20000)
  --size WIDTHxHEIGHT   of the picture in pixels (960x640; on the CPU 480x320)
  OUTPUT.png            the picture to write (target/mandelbrot.png)
  --cpu                 computes on the CPU
";

fn main() -> ExitCode {
    command_line::run("mandelbrot", HELP, program)
}

fn program(parser: &mut Parser, out: &mut dyn Write) -> command_line::Result<ExitCode> {
    let mut scene = Scene::default();
    let (mut radius, mut size) = (None, None);
    let arguments = Arguments::read_with(parser, |option, parser| {
        match option {
            Arg::Long("centre") => {
                (scene.re, scene.im) = parser.value()?.parse_with(centre)?;
                radius = radius.or(Some(1.2));
            }
            Arg::Long("radius") => radius = Some(parser.value()?.parse_with(self::radius)?),
            Arg::Long("iterations") => {
                scene.limit = parser.value()?.parse_with(number("--iterations", 1..=100_000_000))?
            }
            Arg::Long("size") => size = Some(parser.value()?.parse_with(command_line::size(16384))?),
            _ => return Err(option.unexpected()),
        }
        Ok(())
    })?
    .at_most(1)?;
    let output = arguments.path(0, "target/mandelbrot.png");
    command_line::prepare_png(&output, None)?;
    let device = support::device(arguments.cpu)?;
    scene.radius = radius.unwrap_or(scene.radius);
    (scene.width, scene.height) = size.unwrap_or(if device.is_cuda() { (960, 640) } else { (480, 320) });

    writeln!(
        out,
        "{} x {} pixels, radius {:e}, on {}",
        scene.width,
        scene.height,
        scene.radius,
        device.name()
    )?;
    support::explain_cpu(out, &device, arguments.cpu)?;
    let centre = scene.centre().expect("the option is checked");
    let orbit = orbit(&centre, scene.limit);
    writeln!(
        out,
        "the centre: {} iterations with {} bits",
        orbit.len(),
        32 * scene.words()
    )?;

    let mut renderer = Renderer::new(&device, &scene, &orbit)?;
    let mut check = Check::new(&scene, centre);
    let mut pixels = Vec::new();
    let mut took = Duration::ZERO;
    let progress = support::progress::bar("row", scene.height as u64);
    for top in (0..scene.height).step_by(BAND) {
        let rows = BAND.min(scene.height - top);
        let started = Instant::now();
        renderer.band(top, rows)?;
        device.synchronize()?;
        took += started.elapsed();
        pixels.extend(renderer.pixels(rows)?);
        check.band(&renderer, top, rows)?;
        progress.inc(rows as u64);
    }
    progress.finish_and_clear();

    let samples = pixels.len() * SIDE * SIDE;
    writeln!(
        out,
        "{samples} points in {:.3} s, {:.2} million a second",
        took.as_secs_f64(),
        samples as f64 / took.as_secs_f64() / 1e6
    )?;
    writeln!(
        out,
        "{} of {} points escape as they do with all digits",
        check.right, check.all
    )?;
    write(&output, &scene, &pixels)?;
    writeln!(out, "wrote {}", output.display())?;
    // A point that lands beside the circle by a rounding error escapes one iteration sooner or later.
    if check.right + check.all / 16 < check.all {
        return Err("the points escape elsewhere than with all digits".into());
    }
    Ok(ExitCode::SUCCESS)
}

/// Compares points, spread over the picture, with the same points iterated with all their digits.
struct Check {
    frame: Frame,
    limit: u32,
    words: usize,
    centre: [Fixed; 2],
    /// The samples to look at, from the first row to the last.
    places: Vec<[usize; 2]>,
    right: usize,
    all: usize,
}

impl Check {
    fn new(scene: &Scene, centre: [Fixed; 2]) -> Check {
        let (width, height) = (scene.width * SIDE, scene.height * SIDE);
        // Multiples of the golden ratio are spread evenly.
        let places = (0..CHECKED).map(|k| {
            let share = (k as f64 * 0.618_033_988_749_895).fract();
            [(share * width as f64) as usize, k * height / CHECKED]
        });
        Check {
            frame: scene.frame(),
            limit: scene.limit,
            words: scene.words(),
            centre,
            places: places.collect(),
            right: 0,
            all: 0,
        }
    }

    fn band(&mut self, renderer: &Renderer, top: usize, rows: usize) -> vyre::Result<()> {
        let Frame { corner, step, .. } = self.frame;
        for &[x, y] in self
            .places
            .iter()
            .filter(|place| (top..top + rows).contains(&(place[1] / SIDE)))
        {
            let offset = [corner[0] + x as f64 * step, corner[1] - y as f64 * step];
            let [re, im] = [0, 1].map(|axis| &self.centre[axis] + &Fixed::new(offset[axis], self.words));
            let expected = iterate(&[re, im], self.limit, |_| ());
            let found = renderer.sample(x, y - top * SIDE)?;
            self.right += usize::from(found.iterations == expected);
            self.all += 1;
        }
        Ok(())
    }
}

fn centre(text: &str) -> Result<(String, String), &'static str> {
    let within = |part: &str| Fixed::parse(part, 1).is_some_and(|number| number.to_f64().abs() <= 2.0);
    match text.split_once(',') {
        Some((re, im)) if within(re) && within(im) => Ok((re.into(), im.into())),
        _ => Err("the centre is two decimal numbers from -2 to 2 with a comma between, as in -0.75,0.1"),
    }
}

fn radius(text: &str) -> Result<f64, &'static str> {
    let radius = text.parse().ok().filter(|radius| (LEAST..=2.0).contains(radius));
    radius.ok_or("the radius is a number from 1e-140 to 2")
}

fn write(path: &Path, scene: &Scene, pixels: &[[u8; 3]]) -> command_line::Result<()> {
    write_png(
        path,
        [scene.width, scene.height],
        png::ColorType::Rgb,
        pixels.as_flattened(),
    )
}
