//! Black-Scholes: the prices of European options. Logarithm and exponential are polynomials in the
//! kernel, so the bits are the same everywhere.

use vyre_algorithms::{Random, bits};
use vyre_semantics::everywhere;

super::kernels! { Prices }

/// For each option the price of the right to buy and of the right to sell. `today` is the price
/// today, `strike` the one to exercise at, `years` the time until then.
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
    use core::f32::consts;
    // The logarithm of the quotient: that of its power of two and, for what is left between about
    // 0.7 and 1.4, the series of the inverse hyperbolic tangent.
    let quotient = *today / *strike;
    let exponent = (quotient.to_bits().wrapping_sub(0x3f35_04f3) as i32) >> 23;
    let mantissa = f32::from_bits(quotient.to_bits().wrapping_sub((exponent << 23) as u32));
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let z = s * s;
    let series = 1.0 / 9.0f32;
    let series = series
        .mul_add(z, 1.0 / 7.0)
        .mul_add(z, 1.0 / 5.0)
        .mul_add(z, 1.0 / 3.0)
        .mul_add(z, 1.0);
    let logarithm = (exponent as f32).mul_add(consts::LN_2, 2.0 * s * series);

    let spread = volatility * years.sqrt();
    let upper = (logarithm + (0.5 * volatility * volatility + rate) * *years) / spread;
    let arguments = [
        -0.5 * upper * upper,
        -0.5 * (upper - spread) * (upper - spread),
        -rate * *years,
    ];
    // The exponential of each: a power of two, and the series for what is left.
    let mut exponentials = [0.0; 3];
    for k in 0..3 {
        let x = arguments[k].max(-80.0);
        let twos = (x * consts::LOG2_E).round_ties_even();
        let rest = twos.mul_add(-consts::LN_2, x);
        let mut sum = 1.0;
        for divisor in (1..8).rev() {
            sum = (rest / divisor as f32).mul_add(sum, 1.0);
        }
        exponentials[k] = sum * f32::from_bits(((twos as i32 + 127) << 23) as u32);
    }
    // The normal distribution at both places, by the formula 26.2.17 of Abramowitz and Stegun.
    let places = [upper, upper - spread];
    let mut chances = [0.0; 2];
    for k in 0..2 {
        let t = 1.0 / 0.231_641_9f32.mul_add(places[k].abs(), 1.0);
        let sum = 1.330_274_4f32.mul_add(t, -1.821_255_9).mul_add(t, 1.781_477_9);
        let sum = sum.mul_add(t, -0.356_563_78).mul_add(t, 0.319_381_54) * t;
        let tail = exponentials[k] * sum * 0.398_942_3;
        chances[k] = if places[k] > 0.0 { 1.0 - tail } else { tail };
    }
    let discounted = *strike * exponentials[2];
    *buy = *today * chances[0] - discounted * chances[1];
    *sell = discounted * (1.0 - chances[1]) - *today * (1.0 - chances[0]);
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
    let first: std::cell::RefCell<Option<Vec<u32>>> = Default::default();
    everywhere(|place| {
        let mut all = Vec::new();
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
                let [today, strike, years] = [today[i], strike[i], years[i]].map(f64::from);
                let exact = exact(today, strike, years, 0.02, 0.3);
                for (got, exact) in [buy[i], sell[i]].into_iter().zip(exact) {
                    let error = (f64::from(got) - exact).abs();
                    assert!(error < 2e-5, "{today} {strike} {years}: {got}, off by {error}");
                }
            }
            all.extend(bits(&buy));
            all.extend(bits(&sell));
        }
        // The same bits in every place.
        assert!(
            *first.borrow_mut().get_or_insert_with(|| all.clone()) == all,
            "on {}",
            place.name()
        );
        Ok(())
    });
}
