//! The prices of European options by the formula of Black and Scholes, in double precision.

use vyre::math;

use super::kernels::Market;

/// The prices of a call and of a put.
pub fn prices(market: Market, strike: f32) -> [f64; 2] {
    let (spot, strike) = (f64::from(market.spot), f64::from(strike));
    let (rate, years) = (f64::from(market.rate), f64::from(market.years));
    let deviation = f64::from(market.volatility) * years.sqrt();
    let above = (math::ln(spot / strike) + rate * years) / deviation + 0.5 * deviation;
    let below = above - deviation;
    let discounted = strike * math::exp(-rate * years);
    [
        spot * math::normal_cdf(above) - discounted * math::normal_cdf(below),
        discounted * math::normal_cdf(-below) - spot * math::normal_cdf(-above),
    ]
}

/// The price that the share does not exceed after so many years, with the probability of `deviations` of a normal
/// distribution.
pub fn quantile(market: Market, years: f64, deviations: f64) -> f64 {
    let volatility = f64::from(market.volatility);
    let mean = (f64::from(market.rate) - 0.5 * volatility * volatility) * years;
    f64::from(market.spot) * math::exp(mean + deviations * volatility * years.sqrt())
}
