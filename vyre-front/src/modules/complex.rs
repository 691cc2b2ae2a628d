use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use vyre::math;

// Both precisions.

/// A complex number of two `f32`s, aligned to its size.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(8))]
pub struct Complex32 {
    /// The real part.
    pub re: f32,
    /// The imaginary part.
    pub im: f32,
}

impl Complex32 {
    /// 0.
    pub const ZERO: Self = Self { re: 0.0, im: 0.0 };
    /// 1.
    pub const ONE: Self = Self { re: 1.0, im: 0.0 };
    /// The imaginary unit.
    pub const I: Self = Self { re: 0.0, im: 1.0 };

    /// The number of these parts.
    pub const fn new(re: f32, im: f32) -> Self {
        Self { re, im }
    }

    /// The number of an absolute value and an argument in radians.
    pub fn from_polar(norm: f32, argument: f32) -> Self {
        let (sine, cosine) = math::sin_cos(argument);
        Self { re: norm * cosine, im: norm * sine }
    }

    /// The number of absolute value 1 and an argument in radians: e to the power of `i * argument`.
    pub fn cis(argument: f32) -> Self {
        let (sine, cosine) = math::sin_cos(argument);
        Self { re: cosine, im: sine }
    }

    /// The number with the imaginary part's sign changed.
    pub fn conj(self) -> Self {
        Self { re: self.re, im: -self.im }
    }

    /// The square of the absolute value.
    pub fn norm_sqr(self) -> f32 {
        self.re * self.re + self.im * self.im
    }

    /// The absolute value, without overflow on the way.
    pub fn norm(self) -> f32 {
        math::hypot(self.re, self.im)
    }

    /// The argument in radians, from -pi to pi.
    pub fn arg(self) -> f32 {
        math::atan2(self.im, self.re)
    }

    /// The reciprocal: the conjugate divided by the square of the absolute value.
    pub fn inv(self) -> Self {
        let square = self.norm_sqr();
        Self { re: self.re / square, im: -self.im / square }
    }

    /// Both parts times a number.
    pub fn scale(self, by: f32) -> Self {
        Self { re: self.re * by, im: self.im * by }
    }

    /// e to the power of this number.
    pub fn exp(self) -> Self {
        Self::from_polar(math::exp(self.re), self.im)
    }

    /// The natural logarithm, whose imaginary part is the argument.
    pub fn ln(self) -> Self {
        Self { re: math::ln(self.norm()), im: self.arg() }
    }

    /// The square root with a real part that is not negative, by the square root of the absolute value and half of the
    /// argument.
    pub fn sqrt(self) -> Self {
        if self.im == 0.0 {
            if self.re >= 0.0 {
                Self { re: self.re.sqrt(), im: self.im }
            } else {
                Self { re: 0.0, im: (-self.re).sqrt().copysign(self.im) }
            }
        } else {
            Self::from_polar(self.norm().sqrt(), self.arg() * 0.5)
        }
    }

    /// The number to the power of an integer, by repeated squaring; 1 to the power of 0.
    pub fn powi(self, power: i32) -> Self {
        let (mut whole, mut square) = (Self::ONE, self);
        let mut rest = power.unsigned_abs();
        while rest != 0 {
            if rest & 1 == 1 {
                whole = whole * square;
            }
            square = square * square;
            rest >>= 1;
        }
        if power < 0 { whole.inv() } else { whole }
    }

    /// The number to a real power, by its absolute value and its argument.
    pub fn powf(self, power: f32) -> Self {
        if self.re == 0.0 && self.im == 0.0 && power != 0.0 {
            Self::ZERO
        } else {
            Self::from_polar(math::powf(self.norm(), power), self.arg() * power)
        }
    }

    /// True if both parts are finite.
    pub fn is_finite(self) -> bool {
        self.re.is_finite() && self.im.is_finite()
    }

    /// True if a part is a NaN.
    pub fn is_nan(self) -> bool {
        self.re.is_nan() || self.im.is_nan()
    }
}

impl Add for Complex32 {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Sub for Complex32 {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { re: self.re - other.re, im: self.im - other.im }
    }
}

impl Mul for Complex32 {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

impl Div for Complex32 {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let square = other.norm_sqr();
        Self {
            re: (self.re * other.re + self.im * other.im) / square,
            im: (self.im * other.re - self.re * other.im) / square,
        }
    }
}

impl Neg for Complex32 {
    type Output = Self;
    fn neg(self) -> Self {
        Self { re: -self.re, im: -self.im }
    }
}

impl Add<f32> for Complex32 {
    type Output = Self;
    fn add(self, other: f32) -> Self {
        Self { re: self.re + other, im: self.im }
    }
}

impl Sub<f32> for Complex32 {
    type Output = Self;
    fn sub(self, other: f32) -> Self {
        Self { re: self.re - other, im: self.im }
    }
}

impl Mul<f32> for Complex32 {
    type Output = Self;
    fn mul(self, by: f32) -> Self {
        Self { re: self.re * by, im: self.im * by }
    }
}

impl Mul<Complex32> for f32 {
    type Output = Complex32;
    fn mul(self, of: Complex32) -> Complex32 {
        of * self
    }
}

impl Div<f32> for Complex32 {
    type Output = Self;
    fn div(self, by: f32) -> Self {
        Self { re: self.re / by, im: self.im / by }
    }
}

impl AddAssign for Complex32 {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Complex32 {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl MulAssign for Complex32 {
    fn mul_assign(&mut self, other: Self) {
        *self = *self * other;
    }
}

impl DivAssign for Complex32 {
    fn div_assign(&mut self, other: Self) {
        *self = *self / other;
    }
}
