//! Vectors of three components: points, directions and colours.

use std::ops::{Add, Mul, Sub};

/// A vector of three components.
#[derive(Clone, Copy, Debug)]
pub struct Vector(pub f64, pub f64, pub f64);

impl Vector {
    pub fn dot(self, other: Vector) -> f64 {
        self.0 * other.0 + self.1 * other.1 + self.2 * other.2
    }

    pub fn cross(self, other: Vector) -> Vector {
        Vector(
            self.1 * other.2 - self.2 * other.1,
            self.2 * other.0 - self.0 * other.2,
            self.0 * other.1 - self.1 * other.0,
        )
    }

    pub fn unit(self) -> Vector {
        self * (1.0 / self.dot(self).sqrt())
    }

    /// Component-wise product, as of light and a filter.
    pub fn filter(self, other: Vector) -> Vector {
        Vector(self.0 * other.0, self.1 * other.1, self.2 * other.2)
    }

    /// The reflection of a direction at a surface.
    pub fn reflect(self, normal: Vector) -> Vector {
        self - normal * (2.0 * self.dot(normal))
    }
}

impl Add for Vector {
    type Output = Vector;
    fn add(self, other: Vector) -> Vector {
        Vector(self.0 + other.0, self.1 + other.1, self.2 + other.2)
    }
}

impl Sub for Vector {
    type Output = Vector;
    fn sub(self, other: Vector) -> Vector {
        Vector(self.0 - other.0, self.1 - other.1, self.2 - other.2)
    }
}

impl Mul<f64> for Vector {
    type Output = Vector;
    fn mul(self, factor: f64) -> Vector {
        Vector(self.0 * factor, self.1 * factor, self.2 * factor)
    }
}
