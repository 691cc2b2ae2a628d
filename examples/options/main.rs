//! Prices of options by simulated paths of a share, against the formula of Black and Scholes.
//!
//! ```text
//! cargo run --release --example options -- [--cpu] [PATHS [STEPS [OUTPUT.png]]]
//! ```
//!
//! Each path is a subsequence of the generator Philox, so the prices have the same bits on every device. The program fails
//! if the formula is outside of the confidence bounds, which happens to one of 500,000 honest simulations a price; with
//! the seed of this program it does not. Writes a picture of the first paths.
#![allow(unreachable_pub, reason = "a program has no outside")]

pub mod closed_form;
pub mod kernels;
mod picture;
#[path = "../support/mod.rs"]
mod support;

use std::io::Write;
use std::process::ExitCode;

use lexopt::Parser;
use vyre::prelude::*;

use kernels::Market;
use picture::Plate;
use support::clock::Clock;
use support::command_line::{self, Arguments};

/// The share of this program.
pub const MARKET: Market = Market {
    spot: 100.0,
    rate: 0.03,
    volatility: 0.25,
    years: 1.5,
};

/// The strike prices of the options.
pub const STRIKES: [f32; 5] = [60.0, 80.0, 100.0, 120.0, 140.0];

/// Standard errors between a price and its confidence bounds: 99.9998 % of a normal distribution lie within.
pub const BOUND: f64 = 4.75;

/// The seed of all random numbers.
pub const SEED: u64 = 2026;

/// Most blocks of a launch. The order of additions depends on it and the number of paths alone.
const BLOCKS: usize = 1024;

/// Paths in the picture.
const DRAWN: usize = 2000;

/// A price, and its standard error.
#[derive(Clone, Copy, Debug)]
pub struct Estimate {
    /// The mean of the pay, discounted.
    pub price: f64,
    /// The standard deviation of that mean.
    pub error: f64,
}

/// The prices of a call and of a put.
pub fn simulate(device: &Device, market: Market, strike: f32, paths: usize, steps: u32) -> vyre::Result<[Estimate; 2]> {
    let blocks = paths.div_ceil(256).min(BLOCKS);
    let mut sums = device.zeros::<[f64; 4]>(blocks)?;
    kernels::price(market, strike, SEED, paths, steps, &mut sums)
        .grid(blocks as u32)
        .launch(device)?;
    let mut all = [0.0; 4];
    for sums in sums.download()? {
        all.iter_mut().zip(sums).for_each(|(all, sum)| *all += sum);
    }
    let discount = vyre::math::exp(-f64::from(market.rate) * f64::from(market.years));
    let paths = paths as f64;
    let estimate = |sum: f64, squares: f64| {
        let variance = (squares - sum * sum / paths) / (paths - 1.0);
        Estimate {
            price: discount * sum / paths,
            error: discount * (variance.max(0.0) / paths).sqrt(),
        }
    };
    Ok([estimate(all[0], all[1]), estimate(all[2], all[3])])
}

/// The prices along the first paths of [`simulate`], one after the other.
pub fn trace(device: &Device, market: Market, paths: usize, steps: u32) -> vyre::Result<Vec<f32>> {
    let mut prices = device.zeros(paths * (steps as usize + 1))?;
    kernels::trace(market, SEED, steps, paths, &mut prices)
        .over(paths)
        .launch(device)?;
    prices.download()
}

const HELP: &str = "\
Prices options by simulated paths of a share, checks them by the formula of
Black and Scholes, and writes a picture of the paths.

usage: options [--cpu] [PATHS [STEPS [OUTPUT.png]]]

  PATHS        how many paths (16777216; on the CPU 65536)
  STEPS        how many steps each path has (64)
  OUTPUT.png   the picture to write (target/options.png)
  --cpu        computes on the CPU
";

fn main() -> ExitCode {
    command_line::run("options", HELP, program)
}

fn program(parser: &mut Parser, out: &mut dyn Write) -> command_line::Result<ExitCode> {
    let arguments = Arguments::read(parser)?.at_most(3)?;
    let device = support::device(arguments.cpu)?;
    let usual = if device.is_cuda() { 1 << 24 } else { 1 << 16 };
    let paths = arguments.number(0, "PATHS", usual, 1000..=1 << 36)?;
    let steps = arguments.number(1, "STEPS", 64, 1..=4096)? as u32;
    let output = arguments.path(2, "target/options.png");
    command_line::prepare_png(&output, None)?;
    writeln!(out, "{paths} paths of {steps} steps, on {}", device.name())?;
    support::explain_cpu(out, &device, arguments.cpu)?;

    let mut clock = Clock::new(Some(&device));
    let mut outside = 0;
    writeln!(out, "strike          call  simulated                  put  simulated")?;
    let progress = support::progress::bar("strike", STRIKES.len() as u64);
    for strike in STRIKES {
        let exact = closed_form::prices(MARKET, strike);
        clock.start();
        let found = simulate(&device, MARKET, strike, paths, steps)?;
        clock.lap("price")?;
        let mut row = format!("{strike:>6}");
        for (exact, found) in exact.into_iter().zip(found) {
            let bound = BOUND * found.error;
            outside += usize::from((found.price - exact).abs() > bound);
            row += &format!("  {exact:>12.4} {:>10.4} ± {bound:.4}", found.price);
        }
        progress.inc(1);
        progress.suspend(|| writeln!(out, "{row}"))?;
    }
    progress.finish_and_clear();
    if let Some(time) = clock.step("price") {
        let rate = paths as f64 * f64::from(steps) / time.as_secs_f64() / 1e9;
        writeln!(
            out,
            "{:.3} ms a strike, {rate:.2} billion steps a second",
            time.as_secs_f64() * 1e3
        )?;
    }

    draw(&device, paths.min(DRAWN), steps, &output)?;
    writeln!(out, "wrote {}", output.display())?;
    if outside > 0 {
        return Err(format!("{outside} prices are farther from the formula than their bounds").into());
    }
    Ok(ExitCode::SUCCESS)
}

/// Draws paths, and the prices that 5 % and 95 % of all paths do not exceed.
fn draw(device: &Device, paths: usize, steps: u32, output: &std::path::Path) -> command_line::Result<()> {
    let years = f64::from(MARKET.years);
    let mut plate = Plate::new(closed_form::quantile(MARKET, years, 3.5) as f32);
    let length = steps as usize + 1;
    for prices in trace(device, MARKET, paths, steps)?.chunks(length) {
        plate.draw(prices, [0.25, 0.55, 1.0]);
    }
    let light = paths as f32 / 40.0;
    for deviations in [-1.645, 1.645] {
        let at = |step: usize| closed_form::quantile(MARKET, years * step as f64 / 200.0, deviations) as f32;
        let line: Vec<f32> = (0..=200).map(at).collect();
        plate.draw(&line, [8.0 * light, 4.0 * light, light]);
    }
    plate.write(output, light)
}
