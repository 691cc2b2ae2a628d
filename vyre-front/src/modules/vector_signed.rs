impl Vector {
    /// The magnitude of each axis.
    pub fn abs(self) -> Self {
        Self::new(each!(self.axis.abs()))
    }

    /// The sign of each axis, as that of a number.
    pub fn signum(self) -> Self {
        Self::new(each!(self.axis.signum()))
    }
}

impl Neg for Vector {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(each!(-self.axis))
    }
}
