//! Input values of operations.

use std::fmt::Debug;

use vyre_test_support::random::Random;

/// A scalar of kernels, with its edge values.
pub trait Value: vyre::Element + Debug + PartialOrd + Send + Sync + 'static {
    /// The name of the type in Rust.
    const NAME: &'static str;

    /// The initial content of a result buffer.
    const ZERO: Self;

    /// Edges of the type and of other types, patterns of bits, ordinary values.
    fn edge_values() -> Vec<Self>;

    /// A value from random bits.
    fn from_random(bits: u64) -> Self;

    /// The bits, with all NaNs replaced by one.
    fn bits(self) -> u64;

    /// True for a subnormal float, or one so small that a sum with it may be subnormal.
    fn is_small_float(self) -> bool {
        false
    }

    /// True if both are the same value: the same bits, or two NaNs.
    fn same(self, other: Self) -> bool {
        self.bits() == other.bits()
    }
}

macro_rules! integers {
    ($($t:ident),*) => {$(
        impl Value for $t {
            const NAME: &'static str = stringify!($t);
            const ZERO: Self = 0;

            fn edge_values() -> Vec<Self> {
                let mut values = Vec::new();
                let half = $t::BITS / 2;
                let one: $t = 1;
                let listed = [
                    0, 1, 2, 3, 5, 7, 10, 31, 32, 33, 63, 64, 100, 127,
                    !0, !1, !2, !9, !127,
                    $t::MAX, $t::MAX - 1, $t::MAX / 2, $t::MAX / 2 + 1, $t::MAX / 3,
                    $t::MIN, $t::MIN + 1,
                    one << ($t::BITS - 1), one << half, (one << half) - 1, !(one << half),
                    0x1234_5678_9abc_def0_u64 as $t, 0x5555_5555_5555_5555_u64 as $t,
                ];
                for value in listed {
                    if !values.contains(&value) {
                        values.push(value);
                    }
                }
                values
            }

            fn from_random(bits: u64) -> Self {
                bits as $t
            }

            fn bits(self) -> u64 {
                self as u64
            }
        }
    )*};
}

integers!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);

macro_rules! wide_integers {
    ($($t:ident),*) => {$(
        impl Value for $t {
            const NAME: &'static str = stringify!($t);
            const ZERO: Self = 0;

            fn edge_values() -> Vec<Self> {
                let listed: [u128; 30] = [
                    0, 1, 2, 3, 5, 10, 63, 64, 65, 127, 0xffff_ffff, 0x1_0000_0000,
                    // About a word.
                    (1 << 63) - 1, 1 << 63, u64::MAX as u128 - 1, u64::MAX as u128, 1 << 64, (1 << 64) + 1, 1 << 65,
                    // Digits that an estimated quotient gets wrong.
                    0x8000_0000_0000_0000_ffff_ffff_ffff_ffff, 0x8000_0000_ffff_ffff_0000_0000_0000_0000,
                    0xffff_ffff_0000_0000_ffff_fffe_ffff_ffff, 0x7fff_ffff_8000_0000_0000_0000_0000_0001,
                    0x1234_5678_9abc_def0_0fed_cba9_8765_4321, 0x5555_5555_5555_5555_5555_5555_5555_5555,
                    u128::MAX / 3, u128::MAX / 2, u128::MAX / 2 + 1, u128::MAX - 1, u128::MAX,
                ];
                listed.into_iter().map(|value| value as $t).collect()
            }

            /// Numbers of every length.
            fn from_random(bits: u64) -> Self {
                let mut random = Random::new(bits);
                let wide = u128::from(random.bits()) << 64 | u128::from(random.bits());
                let shifted = wide >> (bits % 128);
                (if bits >> 8 & 3 == 0 { !shifted } else { shifted }) as $t
            }

            fn bits(self) -> u64 {
                self as u64
            }

            fn same(self, other: Self) -> bool {
                self == other
            }
        }
    )*};
}

wide_integers!(u128, i128);

impl Value for bool {
    const NAME: &'static str = "bool";
    const ZERO: Self = false;

    fn edge_values() -> Vec<Self> {
        vec![false, true]
    }

    fn from_random(bits: u64) -> Self {
        bits & 1 == 1
    }

    fn bits(self) -> u64 {
        u64::from(self)
    }
}

macro_rules! floats {
    ($($t:ident, $bits:ident, $mantissa:literal);*) => {$(
        impl Value for $t {
            const NAME: &'static str = stringify!($t);
            const ZERO: Self = 0.0;

            fn edge_values() -> Vec<Self> {
                let whole = (1u64 << $mantissa) as $t;
                let mut values = Vec::new();
                let positive = [
                    0.0, 1.0, 0.5, 1.5, 2.0, 2.5, 3.0, 3.5, 0.1, 7.0, 1e10, 1e-10,
                    // Neighbours of one and of a half, at which `round` by adding a half goes
                    // wrong.
                    1.0 + $t::EPSILON, 1.0 - $t::EPSILON / 2.0, 0.5 - $t::EPSILON / 4.0, 0.5 + $t::EPSILON / 2.0,
                    // About the first value without a fraction, and the first without units.
                    whole / 2.0 + 0.5, whole - 1.0, whole, whole + 1.0, whole * 2.0 + 2.0,
                    // The ends of the integer types.
                    127.0, 127.5, 128.0, 128.5, 129.0, 255.0, 255.5, 256.0, 32767.0, 32768.0, 65535.0, 65536.0,
                    2147483520.0, 2147483647.0, 2147483648.0, 2147483904.0, 4294967040.0, 4294967295.0, 4294967296.0,
                    9223371487098961920.0, 9223372036854774784.0, 9223372036854775808.0, 9223373136366403584.0,
                    18446742974197923840.0, 18446744073709549568.0, 18446744073709551616.0,
                    // The ends of the type itself.
                    $t::MIN_POSITIVE, $t::MIN_POSITIVE / 2.0, $t::from_bits(1), $t::from_bits(3),
                    $t::from_bits((1 << $mantissa) - 1), $t::MAX, $t::MAX / 2.0, $t::INFINITY,
                ];
                for value in positive {
                    values.extend([value, -value]);
                }
                let payload = $t::from_bits($t::NAN.to_bits() | 0x1234);
                values.extend([$t::NAN, -$t::NAN, payload, -payload]);
                values
            }

            /// Any bits at all in every other value, and values about one in the rest.
            fn from_random(bits: u64) -> Self {
                if bits & 1 == 0 {
                    $t::from_bits((bits >> 1) as $bits)
                } else {
                    let exponent = (bits >> 1) % 60;
                    ((bits as i64) >> 20) as $t / (1u64 << exponent) as $t
                }
            }

            fn is_small_float(self) -> bool {
                self != 0.0 && self.abs() < $t::MIN_POSITIVE / $t::EPSILON
            }

            fn bits(self) -> u64 {
                if self.is_nan() { u64::MAX } else { u64::from(self.to_bits()) }
            }
        }
    )*};
}

floats!(f32, u32, 23; f64, u64, 52);

/// Number of random pairs that follow the pairs of edge values.
const RANDOM_PAIRS: u64 = 256;

/// Nasty values, then random ones.
pub fn singles<A: Value>() -> Vec<A> {
    let mut random = Random::new(1);
    let mut values = A::edge_values();
    values.extend((0..RANDOM_PAIRS).map(|_| A::from_random(random.bits())));
    values
}

/// All pairs of edge values, then random pairs.
pub fn pairs<A: Value, B: Value>() -> (Vec<A>, Vec<B>) {
    let mut random = Random::new(2);
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for &a in &A::edge_values() {
        for &b in &B::edge_values() {
            left.push(a);
            right.push(b);
        }
    }
    for _ in 0..RANDOM_PAIRS {
        left.push(A::from_random(random.bits()));
        right.push(B::from_random(random.bits()));
    }
    (left, right)
}

/// `count` values, three edge values to each random one.
pub fn picks<A: Value>(count: usize) -> Vec<A> {
    let mut random = Random::new(3);
    let edges = A::edge_values();
    (0..count)
        .map(|_| {
            let bits = random.bits();
            if bits.is_multiple_of(4) {
                A::from_random(random.bits())
            } else {
                edges[(bits >> 8) as usize % edges.len()]
            }
        })
        .collect()
}

/// The result of kernels with tiles of 64 after `rounds` iterations, in each of which a thread
/// triples its value and adds that of the mirrored thread of its block.
pub fn mirrored(mut values: Vec<u32>, rounds: usize) -> Vec<u32> {
    for _ in 0..rounds {
        for block in values.chunks_mut(64) {
            let before = block.to_vec();
            for (t, value) in block.iter_mut().enumerate() {
                *value = before[t].wrapping_mul(3).wrapping_add(before[63 - t]);
            }
        }
    }
    values
}
