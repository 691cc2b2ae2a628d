use vyre::math;

/// The block of four numbers that Philox4x32-10 gives for a counter and a key.
///
/// A bijection of the counters for each key. [`Philox`] calls it with successive counters; a program with a numbering
/// of its own, such as the cell and the step of a simulation, can do without a generator:
///
/// ```
/// use vyre::random::{philox, uniform_f32};
///
/// let (cell, step, seed) = (17, 3, 42);
/// let [first, ..] = philox([cell, step, 0, 0], [seed, 0]);
/// assert!((0.0..1.0).contains(&uniform_f32(first)));
/// ```
pub fn philox(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let [mut a, mut b, mut c, mut d] = counter;
    let [mut left, mut right] = key;
    for _ in 0..10 {
        let first = 0xd251_1f53u64 * a as u64;
        let second = 0xcd9e_8d57u64 * c as u64;
        a = (second >> 32) as u32 ^ b ^ left;
        b = second as u32;
        c = (first >> 32) as u32 ^ d ^ right;
        d = first as u32;
        // Weyl sequences of the golden ratio and of sqrt(3) - 1.
        left = left.wrapping_add(0x9e37_79b9);
        right = right.wrapping_add(0xbb67_ae85);
    }
    [a, b, c, d]
}

/// The upper 24 bits of a number, divided by 2^24: evenly spaced, at least 0, less than 1, and exact.
pub fn uniform_f32(bits: u32) -> f32 {
    (bits >> 8) as f32 * (1.0 / 16_777_216.0)
}

/// The upper 53 bits of a number, divided by 2^53: evenly spaced, at least 0, less than 1, and exact.
pub fn uniform_f64(bits: u64) -> f64 {
    (bits >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
}

/// A number above 0 and at most 1, all 32 bits of which count near 0, where a logarithm is large.
fn positive_f32(bits: u32) -> f32 {
    // (bits + 1/2) / 2^32, with two roundings.
    (bits as f32).mul_add(1.0 / 4_294_967_296.0, 0.5 / 4_294_967_296.0)
}

/// The same of 64 bits.
fn positive_f64(bits: u64) -> f64 {
    (bits as f64).mul_add(1.0 / 18_446_744_073_709_551_616.0, 0.5 / 18_446_744_073_709_551_616.0)
}

/// A generator of random numbers: a place in the sequence of a seed and a subsequence.
///
/// It is a device type, so buffers can keep generators from launch to launch. Two generators are equal if they have the
/// same numbers before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Philox {
    seed: u64,
    subsequence: u64,
    /// The block that comes after `rest`.
    block: u64,
    /// Numbers of the block before, in the first `left` places; the other places are 0.
    rest: [u32; 3],
    left: u32,
}

impl Philox {
    /// A generator that begins `offset` numbers of 32 bits after the start of a subsequence.
    ///
    /// The seed is the key of [`philox`], its low half first; the counter is the offset divided by four, then the
    /// subsequence, each with the low half first.
    pub fn new(seed: u64, subsequence: u64, offset: u64) -> Self {
        let mut generator = Self {
            seed,
            subsequence,
            block: 0,
            rest: [0; 3],
            left: 0,
        };
        generator.skip(offset);
        generator
    }

    /// Goes on by so many numbers of 32 bits, in constant time.
    pub fn skip(&mut self, count: u64) {
        let used = (4 - self.left) % 4;
        let start = if used == 0 {
            self.block
        } else {
            self.block.wrapping_sub(1)
        };
        let within = used as u64 + count % 4;
        self.block = start.wrapping_add(count / 4 + within / 4);
        self.rest = [0; 3];
        self.left = (4 - (within % 4) as u32) % 4;
        if self.left != 0 {
            let [_, second, third, fourth] = self.next_block();
            self.rest = match self.left {
                3 => [second, third, fourth],
                2 => [third, fourth, 0],
                _ => [fourth, 0, 0],
            };
        }
    }

    fn next_block(&mut self) -> [u32; 4] {
        let (block, subsequence) = (self.block, self.subsequence);
        self.block = block.wrapping_add(1);
        philox(
            [
                block as u32,
                (block >> 32) as u32,
                subsequence as u32,
                (subsequence >> 32) as u32,
            ],
            [self.seed as u32, (self.seed >> 32) as u32],
        )
    }

    /// The next number of 32 bits.
    pub fn next_u32(&mut self) -> u32 {
        if self.left == 0 {
            let [first, second, third, fourth] = self.next_block();
            self.rest = [second, third, fourth];
            self.left = 3;
            return first;
        }
        // Moved rather than indexed, so that the numbers stay in registers.
        let [first, second, third] = self.rest;
        self.rest = [second, third, 0];
        self.left -= 1;
        first
    }

    /// The next two numbers of 32 bits as one, the low half first.
    pub fn next_u64(&mut self) -> u64 {
        let low = self.next_u32();
        let high = self.next_u32();
        low as u64 | (high as u64) << 32
    }

    /// The next four numbers of 32 bits: one block of the generator, and the fastest way to take many.
    pub fn next_u32x4(&mut self) -> [u32; 4] {
        let next = self.next_block();
        let rest = self.rest;
        match self.left {
            0 => next,
            1 => {
                self.rest = [next[3], 0, 0];
                [rest[0], next[0], next[1], next[2]]
            }
            2 => {
                self.rest = [next[2], next[3], 0];
                [rest[0], rest[1], next[0], next[1]]
            }
            _ => {
                self.rest = [next[1], next[2], next[3]];
                [rest[0], rest[1], rest[2], next[0]]
            }
        }
    }

    /// A number at least 0 and less than 1, of the 2^24 multiples of 2^-24: [`uniform_f32`] of the next number.
    pub fn uniform_f32(&mut self) -> f32 {
        uniform_f32(self.next_u32())
    }

    /// A number at least 0 and less than 1, of the 2^53 multiples of 2^-53: [`uniform_f64`] of the next two numbers.
    pub fn uniform_f64(&mut self) -> f64 {
        uniform_f64(self.next_u64())
    }

    /// An integer less than the bound, each with the same probability; 0 if the bound is 0.
    ///
    /// By D. Lemire's method (*Fast random integer generation in an interval*, 2019), which takes another number with a
    /// probability below `bound / 2^32`. After that the generators of two threads may stand at different places.
    pub fn below(&mut self, bound: u32) -> u32 {
        let mut product = self.next_u32() as u64 * bound as u64;
        if (product as u32) < bound {
            // 2^32 modulo the bound: so many products are too many.
            let surplus = bound.wrapping_neg() % bound;
            while (product as u32) < surplus {
                product = self.next_u32() as u64 * bound as u64;
            }
        }
        (product >> 32) as u32
    }

    /// A normal number with mean 0 and variance 1, from the next two numbers: the first of
    /// [`normal_f32x2`](Self::normal_f32x2).
    pub fn normal_f32(&mut self) -> f32 {
        let [first, _] = self.normal_f32x2();
        first
    }

    /// Two independent normal numbers with mean 0 and variance 1, from the next two numbers.
    ///
    /// By the method of G. E. P. Box and M. E. Muller: with u = (x + 1/2) / 2^32 of the first number, rounded to `f32`,
    /// and v = [`uniform_f32`] of the second, sqrt(-2 ln u) times the cosine and the sine of 2 pi v. No result is above
    /// 6.77.
    pub fn normal_f32x2(&mut self) -> [f32; 2] {
        let radius = (2.0 * math::ln(positive_f32(self.next_u32())).abs()).sqrt();
        let angle = 2.0 * self.uniform_f32();
        [radius * math::cos_pi(angle), radius * math::sin_pi(angle)]
    }

    /// A normal number with mean 0 and variance 1, from the next four numbers: the first of
    /// [`normal_f64x2`](Self::normal_f64x2).
    pub fn normal_f64(&mut self) -> f64 {
        let [first, _] = self.normal_f64x2();
        first
    }

    /// Two independent normal numbers with mean 0 and variance 1, from the next four numbers.
    ///
    /// As [`normal_f32x2`](Self::normal_f32x2), with 64 bits for the radius and [`uniform_f64`] for the angle. No result
    /// is above 9.5.
    pub fn normal_f64x2(&mut self) -> [f64; 2] {
        let radius = (2.0 * math::ln(positive_f64(self.next_u64())).abs()).sqrt();
        let angle = 2.0 * self.uniform_f64();
        [radius * math::cos_pi(angle), radius * math::sin_pi(angle)]
    }

    /// An exponential number with mean 1, from the next number: -ln u, with u as in
    /// [`normal_f32x2`](Self::normal_f32x2). At least 0, and at most 22.9.
    pub fn exponential_f32(&mut self) -> f32 {
        math::ln(positive_f32(self.next_u32())).abs()
    }

    /// An exponential number with mean 1, from the next two numbers. At least 0, and at most 45.1.
    pub fn exponential_f64(&mut self) -> f64 {
        math::ln(positive_f64(self.next_u64())).abs()
    }
}
