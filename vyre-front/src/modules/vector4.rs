impl Vector4 {
    /// The first three numbers.
    pub const fn truncate(self) -> Vector3 {
        self.xyz()
    }

    /// The first three numbers.
    pub const fn xyz(self) -> Vector3 {
        Vector3 { x: self.x, y: self.y, z: self.z }
    }

    /// The first two numbers.
    pub const fn xy(self) -> Vector2 {
        Vector2 { x: self.x, y: self.y }
    }

    /// The last two numbers.
    pub const fn zw(self) -> Vector2 {
        Vector2 { x: self.z, y: self.w }
    }
}
