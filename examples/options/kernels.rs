//! Paths of a share under geometric Brownian motion, and what options are worth at their ends.

use vyre::prelude::*;
use vyre::random::Philox;

/// The share and the market, per year.
#[vyre::device]
#[derive(Clone, Copy, Debug)]
pub struct Market {
    /// The price of the share today.
    pub spot: f32,
    /// The riskless rate, compounded continuously.
    pub rate: f32,
    /// The standard deviation of the logarithm of the price.
    pub volatility: f32,
    /// The years until the options expire.
    pub years: f32,
}

/// The logarithm of the price grows in a step by a number from a normal distribution: its mean and standard deviation.
#[vyre::device]
pub fn growth(market: Market, steps: u32) -> (f32, f32) {
    let time = market.years / steps as f32;
    let mean = (market.rate - 0.5 * market.volatility * market.volatility) * time;
    (mean, market.volatility * time.sqrt())
}

/// Four sums over the paths of each block: the pay of a call, its square, the pay of a put, its square.
///
/// A path is a subsequence of the generator, so it does not depend on the grid, and `trace` draws the same.
#[vyre::kernel(block = 256)]
pub fn price(market: Market, strike: f32, seed: u64, paths: usize, steps: u32, sums: &mut [[f64; 4]]) {
    let (mean, deviation) = growth(market, steps);
    let (mut call, mut call_squares, mut put, mut put_squares) = (0.0f64, 0.0f64, 0.0f64, 0.0f64);
    for path in (thread::index()..paths).step_by(grid::dim().x * block::dim().x) {
        let mut random = Philox::new(seed, path as u64, 0);
        let mut growth = 0.0f32;
        for _ in 0..steps {
            growth += mean + deviation * random.normal_f32();
        }
        let over = (market.spot * growth.exp() - strike) as f64;
        let (of_call, of_put) = (over.max(0.0), (-over).max(0.0));
        call += of_call;
        call_squares += of_call * of_call;
        put += of_put;
        put_squares += of_put * of_put;
    }
    let call = block::sum(call);
    let call_squares = block::sum(call_squares);
    let put = block::sum(put);
    let put_squares = block::sum(put_squares);
    if thread::idx().x == 0 {
        sums[block::idx().x] = [call, call_squares, put, put_squares];
    }
}

/// The prices along the first paths, each with the one of today in front.
// Races: a path has a row of its own.
#[vyre::kernel(allow(races))]
pub fn trace(market: Market, seed: u64, steps: u32, paths: usize, prices: &mut [f32]) {
    let path = thread::index();
    if path < paths {
        let (mean, deviation) = growth(market, steps);
        let length = steps as usize + 1;
        let mut random = Philox::new(seed, path as u64, 0);
        let mut growth = 0.0f32;
        for step in 0..length {
            // SAFETY: there is a row of this length for each path.
            unsafe { *prices.get_unchecked_mut(path * length + step) = market.spot * growth.exp() };
            growth += mean + deviation * random.normal_f32();
        }
    }
}
