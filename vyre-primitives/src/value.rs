//! Numbers in the device functions of primitives.

pub use device::Value;

#[vyre::device]
mod device {
    use vyre::Number;

    /// The numbers of 32 and 64 bits in device functions: `u32`, `i32`, `f32`, `u64`, `i64`, `f64`.
    pub trait Value: Number {
        /// The value that changes no sum: -0 of floats, so that a sum of -0 stays what it is.
        const NO_SUM: Self;
        /// The value that changes no minimum of others; NaN of floats.
        const NO_MIN: Self;
        /// The value that changes no maximum of others; NaN of floats.
        const NO_MAX: Self;
        /// The number of words of 32 bits.
        const WORDS: usize;

        /// The minimum; a number is preferred to a NaN, and -0 is less than +0.
        fn lesser(self, other: Self) -> Self;
        /// The maximum; a number is preferred to a NaN, and -0 is less than +0.
        fn greater(self, other: Self) -> Self;
        /// The bits, in the low half if there are 32.
        fn to_word(self) -> u64;
        /// The value of these bits.
        fn from_word(word: u64) -> Self;
    }

    impl Value for u32 {
        const NO_SUM: u32 = 0;
        const NO_MIN: u32 = u32::MAX;
        const NO_MAX: u32 = 0;
        const WORDS: usize = 1;

        fn lesser(self, other: u32) -> u32 {
            self.min(other)
        }

        fn greater(self, other: u32) -> u32 {
            self.max(other)
        }

        fn to_word(self) -> u64 {
            self as u64
        }

        fn from_word(word: u64) -> u32 {
            word as u32
        }
    }

    impl Value for i32 {
        const NO_SUM: i32 = 0;
        const NO_MIN: i32 = i32::MAX;
        const NO_MAX: i32 = i32::MIN;
        const WORDS: usize = 1;

        fn lesser(self, other: i32) -> i32 {
            self.min(other)
        }

        fn greater(self, other: i32) -> i32 {
            self.max(other)
        }

        fn to_word(self) -> u64 {
            self as u32 as u64
        }

        fn from_word(word: u64) -> i32 {
            word as i32
        }
    }

    impl Value for f32 {
        const NO_SUM: f32 = -0.0;
        const NO_MIN: f32 = f32::NAN;
        const NO_MAX: f32 = f32::NAN;
        const WORDS: usize = 1;

        fn lesser(self, other: f32) -> f32 {
            self.min(other)
        }

        fn greater(self, other: f32) -> f32 {
            self.max(other)
        }

        fn to_word(self) -> u64 {
            self.to_bits() as u64
        }

        fn from_word(word: u64) -> f32 {
            f32::from_bits(word as u32)
        }
    }

    impl Value for u64 {
        const NO_SUM: u64 = 0;
        const NO_MIN: u64 = u64::MAX;
        const NO_MAX: u64 = 0;
        const WORDS: usize = 2;

        fn lesser(self, other: u64) -> u64 {
            self.min(other)
        }

        fn greater(self, other: u64) -> u64 {
            self.max(other)
        }

        fn to_word(self) -> u64 {
            self
        }

        fn from_word(word: u64) -> u64 {
            word
        }
    }

    impl Value for i64 {
        const NO_SUM: i64 = 0;
        const NO_MIN: i64 = i64::MAX;
        const NO_MAX: i64 = i64::MIN;
        const WORDS: usize = 2;

        fn lesser(self, other: i64) -> i64 {
            self.min(other)
        }

        fn greater(self, other: i64) -> i64 {
            self.max(other)
        }

        fn to_word(self) -> u64 {
            self as u64
        }

        fn from_word(word: u64) -> i64 {
            word as i64
        }
    }

    impl Value for f64 {
        const NO_SUM: f64 = -0.0;
        const NO_MIN: f64 = f64::NAN;
        const NO_MAX: f64 = f64::NAN;
        const WORDS: usize = 2;

        fn lesser(self, other: f64) -> f64 {
            self.min(other)
        }

        fn greater(self, other: f64) -> f64 {
            self.max(other)
        }

        fn to_word(self) -> u64 {
            self.to_bits()
        }

        fn from_word(word: u64) -> f64 {
            f64::from_bits(word)
        }
    }
}
