impl Vector2 {
    /// The vector turned by a quarter, from x towards y.
    pub fn perp(self) -> Self {
        Self::new(-self.y, self.x)
    }

    /// The third number of the vector product in the plane: `self.x * other.y - self.y * other.x`.
    pub fn perp_dot(self, other: Self) -> Scalar {
        self.x * other.y - self.y * other.x
    }
}
