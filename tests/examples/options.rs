//! `options` against paths on the host, the formula, and known prices.

use vyre::random::Philox;

use crate::devices::devices;

#[path = "../../examples/options/main.rs"]
pub mod example;

use example::kernels::growth;
use example::{BOUND, MARKET, SEED, STRIKES, closed_form};

#[test]
fn the_formula_has_published_prices() {
    // J. C. Hull, Options, Futures, and Other Derivatives: 4.76 and 0.81.
    let market = example::kernels::Market {
        spot: 42.0,
        rate: 0.1,
        volatility: 0.2,
        years: 0.5,
    };
    let [call, put] = closed_form::prices(market, 40.0);
    assert!(
        (call - 4.76).abs() < 0.005 && (put - 0.81).abs() < 0.005,
        "{call} {put}"
    );
}

#[test]
fn paths_are_those_of_the_host() {
    let (paths, steps) = (300, 7);
    let (mean, deviation) = growth(MARKET, steps);
    let mut expected = Vec::new();
    for path in 0..paths {
        let mut random = Philox::new(SEED, path as u64, 0);
        let mut growth = 0.0f32;
        for _ in 0..=steps {
            expected.push((MARKET.spot * vyre::math::exp(growth)).to_bits());
            growth += mean + deviation * random.normal_f32();
        }
    }
    for device in devices("paths_are_those_of_the_host") {
        let found = example::trace(&device, MARKET, paths, steps).unwrap();
        assert!(
            found.iter().map(|price| price.to_bits()).eq(expected.iter().copied()),
            "{}",
            device.name()
        );
    }
}

#[test]
fn prices_are_means_over_the_paths() {
    let (paths, steps) = (5000, 3);
    for device in devices("prices_are_means_over_the_paths") {
        let prices = example::trace(&device, MARKET, paths, steps).unwrap();
        let ends: Vec<f64> = prices
            .chunks(steps as usize + 1)
            .map(|path| f64::from(path[steps as usize]))
            .collect();
        for strike in STRIKES {
            let found = example::simulate(&device, MARKET, strike, paths, steps).unwrap();
            let discount = (-f64::from(MARKET.rate) * f64::from(MARKET.years)).exp();
            for (sign, found) in [1.0, -1.0].into_iter().zip(found) {
                let pays = || ends.iter().map(|end| (sign * (end - f64::from(strike))).max(0.0));
                let mean = pays().sum::<f64>() / paths as f64;
                let variance = pays().map(|pay| (pay - mean).powi(2)).sum::<f64>() / (paths as f64 - 1.0);
                let expected = [discount * mean, discount * (variance / paths as f64).sqrt()];
                for (found, expected) in [found.price, found.error].into_iter().zip(expected) {
                    assert!(
                        (found - expected).abs() <= 1e-5 * expected,
                        "{strike}: {found}, not {expected}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_formula_is_within_the_bounds() {
    for device in devices("the_formula_is_within_the_bounds") {
        for strike in STRIKES {
            let found = example::simulate(&device, MARKET, strike, 20_000, 4).unwrap();
            for (exact, found) in closed_form::prices(MARKET, strike).into_iter().zip(found) {
                assert!(
                    (found.price - exact).abs() <= BOUND * found.error,
                    "{found:?}, not {exact}"
                );
                assert!(found.error < 0.05 * MARKET.spot as f64, "{found:?}");
            }
        }
    }
}
