//! Random values of scalar types, also those on which operations go wrong.

use vyre_core::ir::{Constant, Scalar};

use crate::random::Random;

impl Random {
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
