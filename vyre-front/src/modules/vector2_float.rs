impl Vector2 {
    /// The vector of length 1 at an angle from the x axis, in radians.
    pub fn from_angle(angle: Scalar) -> Self {
        let (sine, cosine) = math::sin_cos(angle);
        Self::new(cosine, sine)
    }

    /// The angle from the x axis, in radians.
    pub fn to_angle(self) -> Scalar {
        math::atan2(self.y, self.x)
    }

    /// Another vector turned by the angle of this one, and as many times longer as this one is than 1.
    pub fn rotate(self, other: Self) -> Self {
        Self::new(
            self.x * other.x - self.y * other.y,
            self.y * other.x + self.x * other.y,
        )
    }
}
