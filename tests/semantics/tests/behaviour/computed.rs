//! Constants that functions and loops compute while the crate compiles.

use vyre::prelude::*;
use vyre_semantics::everywhere;

super::kernels! { Checksums Mixed }

/// The CRC-32 table.
#[vyre::device]
const fn remainders() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut rest = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            rest = if rest & 1 == 1 {
                0xedb8_8320 ^ (rest >> 1)
            } else {
                rest >> 1
            };
            bit += 1;
        }
        table[byte] = rest;
        byte += 1;
    }
    table
}

#[vyre::device]
const REMAINDERS: [u32; 256] = remainders();

/// The host may set other values.
#[vyre::constant]
static LAST: [u32; 2] = [remainders()[255], REMAINDERS[1].count_ones()];

#[vyre::kernel]
fn checksums(texts: &[[u8; 9]], sums: &mut [u32], last: &mut [u32]) {
    let i = thread::index();
    if i < sums.len() {
        let mut sum = !0u32;
        for byte in texts[i] {
            sum = REMAINDERS[((sum ^ byte as u32) & 0xff) as usize] ^ (sum >> 8);
        }
        sums[i] = !sum;
        last[i] = LAST[0] + LAST[1];
    }
}

#[test]
fn tables_of_functions() {
    everywhere(|place| {
        let texts = place.device().upload(&[*b"123456789", [0; 9]])?;
        let (mut sums, mut last) = (place.device().zeros(2)?, place.device().zeros(2)?);
        place.over(checksums(&texts, &mut sums, &mut last), 2)?;
        // The check value of CRC-32, and what zlib gives.
        assert_eq!(sums.download()?, [0xcbf4_3926, 0xe609_14ae]);
        assert_eq!(last.download()?, [0x2d02_ef8d + 0x7707_3096u32.count_ones(); 2]);
        Ok(())
    });
}

#[vyre::device]
const STEPS: [[i16; 3]; 2] = {
    let mut steps = [[0; 3]; 2];
    let mut i = 0;
    while i < 6 {
        steps[i / 3][i % 3] = 7 - 300 * i as i16;
        i += 1;
    }
    steps
};
#[vyre::device]
const HALVES: [f32; 3] = halves(-0.75);
#[vyre::device]
const MASK: u64 = u64::MAX.rotate_left(3).wrapping_mul(7u64.pow(2));
#[vyre::device]
const IS_ODD: [bool; 2] = [is_odd(4), is_odd(5)];

#[vyre::device]
const fn halves(of: f32) -> [f32; 3] {
    let mut all = [of; 3];
    all[1] = of / 2.0;
    all[2] = all[1] / 2.0;
    all
}

#[vyre::device]
const fn is_odd(number: u8) -> bool {
    number % 2 == 1
}

#[vyre::device]
mod numbers {
    use super::halves;

    pub(super) const QUARTER: f32 = halves(1.0)[2];

    #[derive(Clone, Copy)]
    pub(super) struct Cube {
        pub(super) edge: u32,
    }

    impl Cube {
        pub(super) const POWERS: [u32; 2] = [3u32.pow(3), Self::of(4)];

        pub(super) const fn of(edge: u32) -> u32 {
            let square = edge * edge;
            square * edge
        }

        pub(super) fn volume(self) -> u32 {
            Self::of(self.edge)
        }
    }
}
use numbers::{Cube, QUARTER};

#[vyre::kernel]
fn mixed(integers: &mut [i64], floats: &mut [f32]) {
    let i = thread::index();
    if i < integers.len() {
        integers[i] = STEPS[i % 2][i % 3] as i64 + (MASK >> i) as i64 + IS_ODD[i % 2] as i64;
        integers[i] += (Cube::POWERS[i % 2] + Cube { edge: i as u32 }.volume()) as i64;
        floats[i] = HALVES[i % 3] + QUARTER;
    }
}

#[test]
fn values_of_every_kind() {
    everywhere(|place| {
        let (mut integers, mut floats) = (place.device().zeros(12)?, place.device().zeros(12)?);
        place.over(mixed(&mut integers, &mut floats), 12)?;
        let (integers, floats) = (integers.download()?, floats.download()?);
        for i in 0..12 {
            let step = 7 - 300 * (3 * (i % 2) + i % 3) as i64;
            let mask = (0xffff_ffff_ffff_ffcf_u64 >> i) as i64;
            let cubes = ([27, 64][i % 2] + i * i * i) as i64;
            assert_eq!(integers[i], step + mask + (i % 2) as i64 + cubes, "on {}", place.name());
            assert_eq!(floats[i], [-0.75, -0.375, -0.1875][i % 3] + 0.25);
        }
        Ok(())
    });
}
