//! Inverse trigonometric functions.

const HALF_PI: f64 = 1.5707963267948966;
const HALF_PI_LOW: f64 = 6.123233995736766e-17;
const PI: f64 = 3.141592653589793;
const PI_LOW: f64 = 1.2246467991473532e-16;
const QUARTER_PI: f64 = 0.7853981633974483;
const QUARTER_PI_LOW: f64 = 3.061616997868383e-17;

/// atan t - t, for |t| up to tan(pi/8).
#[inline(always)]
pub fn rest(t: f64) -> f64 {
    let z = t * t;
    let p = -9.200703849149068e-3f64;
    let p = p.mul_add(z, 2.539238284813653e-2);
    let p = p.mul_add(z, -3.847020142864509e-2);
    let p = p.mul_add(z, 4.64593976423461e-2);
    let p = p.mul_add(z, -5.244552859914467e-2);
    let p = p.mul_add(z, 5.880258399409895e-2);
    let p = p.mul_add(z, -6.666501210371337e-2);
    let p = p.mul_add(z, 7.692298641059957e-2);
    let p = p.mul_add(z, -9.090908757669122e-2);
    let p = p.mul_add(z, 1.1111111103256041e-1);
    let p = p.mul_add(z, -1.4285714285605394e-1);
    let p = p.mul_add(z, 1.999999999999924e-1);
    let p = p.mul_add(z, -3.333333333333333e-1);
    z * t * p
}

/// The angle below pi/4 of the point (most, least), of positive numbers, as t and a number of quarters of pi:
/// atan(l / m) is atan((l - m) / (l + m)) + pi/4.
#[inline(always)]
pub fn octant(least: f64, most: f64) -> (f64, f64) {
    if least > 0.41421356 * most {
        // The sum of large numbers may be infinite.
        let scale = if most > 1.0e300 { 0.25 } else { 1.0 };
        let (l, m) = (least * scale, most * scale);
        ((l - m) / (l + m), 1.0)
    } else {
        (least / most, 0.0)
    }
}

/// The arc tangent, from -pi/2 to pi/2.
#[inline(always)]
pub fn atan(x: f64) -> f64 {
    let a = x.abs();
    let (t, quarters) = if a > 1.0 { octant(1.0, a) } else { octant(a, 1.0) };
    let (t, quarters) = if a > 1.0 { (-t, 2.0 - quarters) } else { (t, quarters) };
    let y = quarters.mul_add(QUARTER_PI, t + quarters.mul_add(QUARTER_PI_LOW, rest(t)));
    // A product of 0 loses the sign of -0.
    if quarters == 0.0 {
        (t + rest(t)).copysign(x)
    } else {
        y.copysign(x)
    }
}

/// The angle of the point (x, y), from -pi to pi.
#[inline(always)]
pub fn atan2(y: f64, x: f64) -> f64 {
    let (a, b) = (x.abs(), y.abs());
    let is_steep = b > a;
    let (least, most) = if is_steep { (a, b) } else { (b, a) };
    // Two zeros, or two infinities.
    let (t, quarters) = if most == 0.0 {
        (0.0, 0.0)
    } else if least == f64::INFINITY {
        (0.0, 1.0)
    } else {
        octant(least, most)
    };
    let (t, quarters) = if is_steep { (-t, 2.0 - quarters) } else { (t, quarters) };
    let (t, quarters) = if x.is_sign_negative() {
        (-t, 4.0 - quarters)
    } else {
        (t, quarters)
    };
    let low = rest(t);
    let angle = quarters.mul_add(QUARTER_PI, t + quarters.mul_add(QUARTER_PI_LOW, low));
    let angle = if quarters == 0.0 { t + low } else { angle };
    if x.is_nan() || y.is_nan() {
        x + y
    } else {
        angle.copysign(y)
    }
}

/// (asin s - s) / s, for s^2 = z up to 1/4.
#[inline(always)]
pub fn arc_rest(z: f64) -> f64 {
    let p = 3.270454335199284e-2f64;
    let p = p.mul_add(z, -2.1120379307397866e-2);
    let p = p.mul_add(z, 2.1793127411786083e-2);
    let p = p.mul_add(z, 3.67121142726225e-3);
    let p = p.mul_add(z, 1.0789565622432145e-2);
    let p = p.mul_add(z, 1.1397252187650152e-2);
    let p = p.mul_add(z, 1.3981023113255117e-2);
    let p = p.mul_add(z, 1.73515951638094e-2);
    let p = p.mul_add(z, 2.237221592111125e-2);
    let p = p.mul_add(z, 3.0381942674921513e-2);
    let p = p.mul_add(z, 4.46428571752877e-2);
    let p = p.mul_add(z, 7.499999999970107e-2);
    let p = p.mul_add(z, 1.6666666666666763e-1);
    z * p
}

/// The arc sine, from -pi/2 to pi/2; NaN outside of -1 to 1.
#[inline(always)]
pub fn asin(x: f64) -> f64 {
    let a = x.abs();
    let is_near = a <= 0.5;
    // asin x = pi/2 - 2 asin sqrt((1 - x) / 2)
    let z = if is_near { a * a } else { (1.0 - a) * 0.5 };
    let s = if is_near { a } else { z.sqrt() };
    let low = s * arc_rest(z);
    let y = if is_near {
        s + low
    } else {
        HALF_PI + (-2.0f64).mul_add(s, (-2.0f64).mul_add(low, HALF_PI_LOW))
    };
    y.copysign(x)
}

/// The arc cosine, from 0 to pi; NaN outside of -1 to 1.
#[inline(always)]
pub fn acos(x: f64) -> f64 {
    let a = x.abs();
    let is_near = a <= 0.5;
    let z = if is_near { a * a } else { (1.0 - a) * 0.5 };
    let s = if is_near { x } else { z.sqrt() };
    let low = s * arc_rest(z);
    if is_near {
        HALF_PI + (HALF_PI_LOW - low - s)
    } else if x < 0.0 {
        PI + (-2.0f64).mul_add(s, (-2.0f64).mul_add(low, PI_LOW))
    } else {
        2.0 * (s + low)
    }
}
