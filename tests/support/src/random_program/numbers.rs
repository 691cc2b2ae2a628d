//! Random numbers, and values on which operations go wrong.

use vyre_core::ir::{Constant, Scalar};

/// A small generator of random numbers (SplitMix64).
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A generator; equal seeds give equal numbers.
    pub fn new(seed: u64) -> Self {
        Random { state: seed }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.bits() % end
    }

    /// True once in `times`.
    pub fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// One of several values.
    pub fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len() as u64) as usize]
    }

    /// A value of a scalar type, often one on which operations go wrong.
    pub fn constant(&mut self, scalar: Scalar) -> Constant {
        let any = self.bits();
        let small = self.below(9).wrapping_sub(4);
        let top = 1_u64 << (scalar.bits() - 1);
        let bits = match scalar {
            Scalar::Bool => any,
            Scalar::F32 => u64::from(match self.below(4) {
                0 => (small as i64 as f32).to_bits(),
                1 => (any as i64 as f32 * 1e-17).to_bits(),
                2 => any as u32,
                _ => self.pick(&[
                    0,
                    0x8000_0000,
                    1,
                    0x007f_ffff,
                    0x0080_0000,
                    0x7f7f_ffff,
                    0x7f80_0000,
                    0xff80_0000,
                    0x7fc0_0000,
                    0x4f00_0000,
                    0xdf00_0000,
                ]),
            }),
            Scalar::F64 => match self.below(4) {
                0 => (small as i64 as f64).to_bits(),
                1 => (any as i64 as f64 * 1e-17).to_bits(),
                2 => any,
                _ => self.pick(&[
                    0,
                    1 << 63,
                    1,
                    0x000f_ffff_ffff_ffff,
                    0x0010_0000_0000_0000,
                    0x7fef_ffff_ffff_ffff,
                    0x7ff0_0000_0000_0000,
                    0xfff0_0000_0000_0000,
                    0x7ff8_0000_0000_0000,
                    0x41e0_0000_0000_0000,
                    0xc3e0_0000_0000_0000,
                ]),
            },
            _ => match self.below(4) {
                0 => small,
                1 => any,
                2 => any >> self.below(64),
                _ => top.wrapping_add(self.below(3)).wrapping_sub(1),
            },
        };
        Constant::new(scalar, bits)
    }
}
