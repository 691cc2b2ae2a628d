/// A vector of DIM `Scalar`s, aligned to ALIGN bytes.
#[derive(DERIVED)]
#[repr(C, align(ALIGN))]
pub struct Vector {
    each! {
        /// Along axis.
        pub axis: Scalar
    }
}

/// The vector of these numbers.
pub const fn function(each!(axis: Scalar)) -> Vector {
    Vector { each!(axis) }
}

impl Vector {
    /// All zeros.
    pub const ZERO: Self = Self { each!(axis: 0.0) };
    /// All ones.
    pub const ONE: Self = Self { each!(axis: 1.0) };

    /// The vector of these numbers.
    pub const fn new(each!(axis: Scalar)) -> Self {
        Self { each!(axis) }
    }

    /// A vector all of whose numbers are `value`.
    pub const fn splat(value: Scalar) -> Self {
        Self { each!(axis: value) }
    }

    /// The vector of the numbers of an array.
    pub const fn from_array(array: [Scalar; DIM]) -> Self {
        let [each!(axis)] = array;
        Self { each!(axis) }
    }

    /// The numbers as an array.
    pub const fn to_array(&self) -> [Scalar; DIM] {
        [each!(self.axis)]
    }

    /// The scalar product: the products of the axes, added from the first on.
    pub fn dot(self, other: Self) -> Scalar {
        sum!(self.axis * other.axis)
    }

    /// The scalar product with itself.
    pub fn length_squared(self) -> Scalar {
        self.dot(self)
    }

    /// The square of the distance to a point.
    pub fn distance_squared(self, other: Self) -> Scalar {
        (self - other).length_squared()
    }

    /// The lesser number of each axis.
    pub fn min(self, other: Self) -> Self {
        Self::new(each!(least(self.axis, other.axis)))
    }

    /// The greater number of each axis.
    pub fn max(self, other: Self) -> Self {
        Self::new(each!(greatest(self.axis, other.axis)))
    }

    /// Each axis restricted to the bounds, of which `low` is nowhere the greater.
    pub fn clamp(self, low: Self, high: Self) -> Self {
        self.max(low).min(high)
    }

    /// The least number.
    pub fn min_element(self) -> Scalar {
        nested!(least(self.axis))
    }

    /// The greatest number.
    pub fn max_element(self) -> Scalar {
        nested!(greatest(self.axis))
    }

    /// The sum of the numbers, added from the first on.
    pub fn element_sum(self) -> Scalar {
        sum!(self.axis)
    }

    /// The product of the numbers, multiplied from the first on.
    pub fn element_product(self) -> Scalar {
        product!(self.axis)
    }
}

impl From<[Scalar; DIM]> for Vector {
    fn from(array: [Scalar; DIM]) -> Self {
        Self::from_array(array)
    }
}
