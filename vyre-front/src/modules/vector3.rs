impl Vector3 {
    /// The vector product.
    pub fn cross(self, other: Self) -> Self {
        Self::new(
            self.y * other.z - other.y * self.z,
            self.z * other.x - other.z * self.x,
            self.x * other.y - other.x * self.y,
        )
    }

    /// The vector with a fourth number.
    pub const fn extend(self, w: Scalar) -> Vector4 {
        Vector4 { x: self.x, y: self.y, z: self.z, w }
    }

    /// The first two numbers.
    pub const fn truncate(self) -> Vector2 {
        self.xy()
    }

    /// The first two numbers.
    pub const fn xy(self) -> Vector2 {
        Vector2 { x: self.x, y: self.y }
    }

    /// The first and the third number.
    pub const fn xz(self) -> Vector2 {
        Vector2 { x: self.x, y: self.z }
    }

    /// The last two numbers.
    pub const fn yz(self) -> Vector2 {
        Vector2 { x: self.y, y: self.z }
    }
}
