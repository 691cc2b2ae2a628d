//! Black-Scholes: the prices of European options. Logarithm and exponential are polynomials, so the bits
//! are the same everywhere.

use vyre_algorithms::{Random, bits};
use vyre_semantics::everywhere;

super::kernels! { Prices }

/// The natural logarithm of a number that is positive and not subnormal: that of its power of two and,
/// for what is left between about 0.7 and 1.4, the series of the inverse hyperbolic tangent.
#[vyre::device]
fn logarithm(x: f32) -> f32 {
    let exponent = (x.to_bits().wrapping_sub(0x3f35_04f3) as i32) >> 23;
    let rest = f32::from_bits(x.to_bits().wrapping_sub((exponent << 23) as u32));
    let s = (rest - 1.0) / (rest + 1.0);
    let square = s * s;
    let mut series = 0.0;
    for term in (0..5).rev() {
        series = square.mul_add(series, 1.0 / (2 * term + 1) as f32);
    }
    (exponent as f32).mul_add(core::f32::consts::LN_2, 2.0 * s * series)
}

/// The exponential of a number that is not positive: a power of two, and the series for what is left.
#[vyre::device]
fn exponential(x: f32) -> f32 {
    let x = x.max(-80.0);
    let twos = (x * core::f32::consts::LOG2_E).round_ties_even();
    let rest = twos.mul_add(-core::f32::consts::LN_2, x);
    let mut sum = 1.0;
    for divisor in (1..8).rev() {
        sum = (rest / divisor as f32).mul_add(sum, 1.0);
    }
    sum * f32::from_bits(((twos as i32 + 127) << 23) as u32)
}

/// The normal distribution, by the formula 26.2.17 of Abramowitz and Stegun.
#[vyre::device]
fn normal(x: f32) -> f32 {
    const FACTORS: [f32; 5] = [1.330_274_4, -1.821_255_9, 1.781_477_9, -0.356_563_78, 0.319_381_54];
    let t = 1.0 / 0.231_641_9f32.mul_add(x.abs(), 1.0);
    let mut sum = 0.0;
    for k in 0..FACTORS.len() {
        sum = t.mul_add(sum, FACTORS[k]);
    }
    let tail = exponential(-0.5 * x * x) * sum * t * 0.398_942_3;
    if x > 0.0 { 1.0 - tail } else { tail }
}

/// The prices of the call and the put option. `today` is the current price, `strike` the exercise
/// price, `years` the time to expiry.
#[vyre::device]
fn option(today: f32, strike: f32, years: f32, rate: f32, volatility: f32) -> (f32, f32) {
    let spread = volatility * years.sqrt();
    let upper = (logarithm(today / strike) + (0.5 * volatility * volatility + rate) * years) / spread;
    let (above, below) = (normal(upper), normal(upper - spread));
    let discounted = strike * exponential(-rate * years);
    let buy = today * above - discounted * below;
    let sell = discounted * (1.0 - below) - today * (1.0 - above);
    (buy, sell)
}

/// The prices of each option.
#[vyre::kernel(block = 128)]
fn prices(
    #[each] today: &f32,
    #[each] strike: &f32,
    #[each] years: &f32,
    rate: f32,
    volatility: f32,
    #[each] buy: &mut f32,
    #[each] sell: &mut f32,
) {
    (*buy, *sell) = option(*today, *strike, *years, rate, volatility);
}

/// The normal distribution, by Simpson's rule.
fn distribution(x: f64) -> f64 {
    let density = |x: f64| (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let step = x / 400.0;
    let inner: f64 = (1..400)
        .map(|k| density(k as f64 * step) * if k % 2 == 1 { 4.0 } else { 2.0 })
        .sum();
    0.5 + (density(0.0) + inner + density(x)) * step / 3.0
}

/// The prices in double precision.
fn exact(today: f64, strike: f64, years: f64, rate: f64, volatility: f64) -> [f64; 2] {
    let spread = volatility * years.sqrt();
    let upper = ((today / strike).ln() + (0.5 * volatility * volatility + rate) * years) / spread;
    let discounted = strike * (-rate * years).exp();
    let buy = today * distribution(upper) - discounted * distribution(upper - spread);
    [buy, buy - today + discounted]
}

#[test]
fn prices_of_options() {
    everywhere(|place| {
        for count in [0, 1, 127, 128, 300] {
            let mut random = Random::new(17);
            let today = random.floats(count, 5.0, 30.0);
            let strike = random.floats(count, 1.0, 100.0);
            let years = random.floats(count, 0.25, 10.0);
            let on_today = place.device().upload(&today)?;
            let (on_strike, on_years) = (place.device().upload(&strike)?, place.device().upload(&years)?);
            let (mut buy, mut sell) = (place.device().zeros::<f32>(count)?, place.device().zeros::<f32>(count)?);
            let kernel = prices(&on_today, &on_strike, &on_years, 0.02, 0.3, &mut buy, &mut sell);
            place.over(kernel, count)?;
            let (buy, sell) = (buy.download()?, sell.download()?);
            for i in 0..count {
                // Bit-identical to the same functions on the host, and close to double precision.
                let same = option(today[i], strike[i], years[i], 0.02, 0.3);
                assert_eq!(bits(&[buy[i], sell[i]]), bits(&[same.0, same.1]));
                let [today, strike, years] = [today[i], strike[i], years[i]].map(f64::from);
                let exact = exact(today, strike, years, 0.02, 0.3);
                for (got, exact) in [buy[i], sell[i]].into_iter().zip(exact) {
                    let error = (f64::from(got) - exact).abs();
                    assert!(error < 2e-5, "{today} {strike} {years}: {got}, off by {error}");
                }
            }
        }
        Ok(())
    });
}
