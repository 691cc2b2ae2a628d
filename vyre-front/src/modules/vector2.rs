impl Vector2 {
    /// The vector with a third number.
    pub const fn extend(self, z: Scalar) -> Vector3 {
        Vector3 { x: self.x, y: self.y, z }
    }
}
