impl Vector {
    /// The length, the square root of the scalar product with itself.
    pub fn length(self) -> Scalar {
        self.dot(self).sqrt()
    }

    /// The reciprocal of the length.
    pub fn length_recip(self) -> Scalar {
        1.0 / self.length()
    }

    /// The distance to a point.
    pub fn distance(self, other: Self) -> Scalar {
        (self - other).length()
    }

    /// The vector of length 1 in this direction: this one times the reciprocal of its length.
    pub fn normalize(self) -> Self {
        self * self.length_recip()
    }

    /// The vector of length 1 in this direction, or zeros where the reciprocal of the length is not finite.
    pub fn normalize_or_zero(self) -> Self {
        let recip = self.length_recip();
        if recip.is_finite() && recip > 0.0 { self * recip } else { Self::ZERO }
    }

    /// The point between this one, at 0, and another one, at 1: `self * (1 - at) + other * at`.
    pub fn lerp(self, other: Self, at: Scalar) -> Self {
        self * (1.0 - at) + other * at
    }

    /// The part of this vector in the direction of another one, whose length is not zero.
    pub fn project_onto(self, other: Self) -> Self {
        other * self.dot(other) * (1.0 / other.dot(other))
    }

    /// The rest of this vector after [`project_onto`](Self::project_onto).
    pub fn reject_from(self, other: Self) -> Self {
        self - self.project_onto(other)
    }

    /// The direction after the reflection on a plane with this normal of length 1.
    pub fn reflect(self, normal: Self) -> Self {
        self - normal * (2.0 * self.dot(normal))
    }

    /// `self * a + b` of each axis, rounded once.
    pub fn mul_add(self, a: Self, b: Self) -> Self {
        Self::new(each!(self.axis.mul_add(a.axis, b.axis)))
    }

    /// The reciprocal of each axis.
    pub fn recip(self) -> Self {
        Self::new(each!(1.0 / self.axis))
    }

    /// Each axis rounded down.
    pub fn floor(self) -> Self {
        Self::new(each!(self.axis.floor()))
    }

    /// Each axis rounded up.
    pub fn ceil(self) -> Self {
        Self::new(each!(self.axis.ceil()))
    }

    /// Each axis rounded to the nearest integer, ties away from zero.
    pub fn round(self) -> Self {
        Self::new(each!(self.axis.round()))
    }

    /// Each axis rounded towards zero.
    pub fn trunc(self) -> Self {
        Self::new(each!(self.axis.trunc()))
    }

    /// The part of each axis above its [`floor`](Self::floor).
    pub fn fract_gl(self) -> Self {
        self - self.floor()
    }

    /// e to the power of each axis.
    pub fn exp(self) -> Self {
        Self::new(each!(math::exp(self.axis)))
    }

    /// Each axis to a power.
    pub fn powf(self, power: Scalar) -> Self {
        Self::new(each!(math::powf(self.axis, power)))
    }

    /// True if all numbers are finite.
    pub fn is_finite(self) -> bool {
        all!(self.axis.is_finite())
    }

    /// True if a number is a NaN.
    pub fn is_nan(self) -> bool {
        any!(self.axis.is_nan())
    }
}
