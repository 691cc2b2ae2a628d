//! Inverse trigonometric functions.

const HALF_PI: f32 = 1.5707964;
const HALF_PI_LOW: f32 = -4.371139e-8;
const PI: f32 = 3.1415927;
const PI_LOW: f32 = -8.742278e-8;

/// atan t - t, for |t| up to 1.
#[inline(always)]
pub fn rest(t: f32) -> f32 {
    let z = t * t;
    let p = -1.824118e-3f32;
    let p = p.mul_add(z, 1.1050953e-2);
    let p = p.mul_add(z, -3.1430922e-2);
    let p = p.mul_add(z, 5.8209606e-2);
    let p = p.mul_add(z, -8.417966e-2);
    let p = p.mul_add(z, 1.0957041e-1);
    let p = p.mul_add(z, -1.4265136e-1);
    let p = p.mul_add(z, 1.9998628e-1);
    let p = p.mul_add(z, -3.3333302e-1);
    z * t * p
}

/// The arc tangent, from -pi/2 to pi/2.
#[inline(always)]
pub fn atan(x: f32) -> f32 {
    let a = x.abs();
    let t = if a > 1.0 { 1.0 / a } else { a };
    let low = rest(t);
    let y = if a > 1.0 {
        HALF_PI + (HALF_PI_LOW - low - t)
    } else {
        t + low
    };
    y.copysign(x)
}

/// The angle of the point (x, y), from -pi to pi.
#[inline(always)]
pub fn atan2(y: f32, x: f32) -> f32 {
    let (a, b) = (x.abs(), y.abs());
    let is_steep = b > a;
    let (least, most) = if is_steep { (a, b) } else { (b, a) };
    // Two zeros, or two infinities.
    let t = if most == 0.0 {
        0.0
    } else if least == f32::INFINITY {
        1.0
    } else {
        least / most
    };
    let low = rest(t);
    let (base, base_low) = if is_steep {
        (HALF_PI, HALF_PI_LOW)
    } else if x.is_sign_negative() {
        (PI, PI_LOW)
    } else {
        (0.0, 0.0)
    };
    // pi/2 -+ t, pi - t or t.
    let is_added = is_steep == x.is_sign_negative();
    let (t, low) = if is_added { (t, low) } else { (-t, -low) };
    let angle = base + (t + (low + base_low));
    let angle = if base == 0.0 { t + low } else { angle };
    if x.is_nan() || y.is_nan() {
        x + y
    } else {
        angle.copysign(y)
    }
}

/// (asin s - s) / s, for s^2 = z up to 1/4.
#[inline(always)]
pub fn arc_rest(z: f32) -> f32 {
    let p = 3.7689783e-2f32;
    let p = p.mul_add(z, 1.4318653e-2);
    let p = p.mul_add(z, 3.1838443e-2);
    let p = p.mul_add(z, 4.4513408e-2);
    let p = p.mul_add(z, 7.500522e-2);
    let p = p.mul_add(z, 1.666666e-1);
    z * p
}

/// The arc sine, from -pi/2 to pi/2; NaN outside of -1 to 1.
#[inline(always)]
pub fn asin(x: f32) -> f32 {
    let a = x.abs();
    let is_near = a <= 0.5;
    // asin x = pi/2 - 2 asin sqrt((1 - x) / 2)
    let z = if is_near { a * a } else { (1.0 - a) * 0.5 };
    let s = if is_near { a } else { z.sqrt() };
    let low = s * arc_rest(z);
    let y = if is_near {
        s + low
    } else {
        HALF_PI + (-2.0f32).mul_add(s, (-2.0f32).mul_add(low, HALF_PI_LOW))
    };
    y.copysign(x)
}

/// The arc cosine, from 0 to pi; NaN outside of -1 to 1.
#[inline(always)]
pub fn acos(x: f32) -> f32 {
    let a = x.abs();
    let is_near = a <= 0.5;
    let z = if is_near { a * a } else { (1.0 - a) * 0.5 };
    let s = if is_near { x } else { z.sqrt() };
    let low = s * arc_rest(z);
    if is_near {
        HALF_PI + (HALF_PI_LOW - low - s)
    } else if x < 0.0 {
        PI + (-2.0f32).mul_add(s, (-2.0f32).mul_add(low, PI_LOW))
    } else {
        2.0 * (s + low)
    }
}
