//! Matrix products of `i8` by `u8` and of `u8` by `i8` on every back end, beside those of one type:
//! the same bytes are read as signed and unsigned, and each combination has a different result.

use vyre::prelude::*;
use vyre_runtime::kernel::Kernel;
use vyre_semantics::places::everywhere;
use vyre_semantics::ptx::assemble_quickly;

vyre_semantics::kernels! { Layer }

/// Bytes in irregular order, after some extreme values.
fn bytes(count: usize, seed: usize) -> Vec<u8> {
    (0..count)
        .map(|i| match i {
            0..32 => [0x80, 0xff, 0x7f, 0x80][seed % 4],
            _ => ((i + seed) * 7919 % 8191 * 31) as u8,
        })
        .collect()
}

fn with_sign(bytes: &[u8]) -> Vec<i8> {
    bytes.iter().map(|&byte| byte as i8).collect()
}

/// The value of a byte.
fn value(byte: u8, signed: bool) -> i32 {
    if signed { (byte as i8).into() } else { byte.into() }
}

/// For each depth a kernel with the products of each combination of signs.
macro_rules! products {
    ($($name:ident $launcher:ident $k:literal;)*) => { $( mod $name {
        use super::*;

        #[vyre::kernel(launcher = $launcher, block = 32)]
        fn multiply(signed_a: &[i8], a: &[u8], signed_b: &[i8], b: &[u8], c: &[i32], d: &mut [i32]) {
            let signed_left = mma::A::<i8, 16, $k>::load(signed_a, 0, $k);
            let left = mma::A::<u8, 16, $k>::load(a, 0, $k);
            // Column-major.
            let signed_right = mma::B::<i8, $k, 8>::load_transposed(signed_b, 0, $k);
            let right = mma::B::<u8, $k, 8>::load_transposed(b, 0, $k);
            let sum = mma::C::<i32, 16, 8>::load(c, 0, 8);
            mma::multiply_add(signed_left, signed_right, sum).store(d, 0, 8);
            mma::multiply_add(signed_left, right, sum).store(d, 128, 8);
            mma::multiply_add(left, signed_right, sum).store(d, 256, 8);
            mma::multiply_add(left, right, sum).store(d, 384, 8);
        }

        #[test]
        fn agrees() {
            for seed in 0..4 {
                let (a, b) = (bytes(16 * $k, seed), bytes($k * 8, 4 - seed));
                // Accumulators of either sign wrap.
                let c: Vec<i32> = (0..128).map(|i| if i % 2 == 0 { i32::MAX - i } else { i32::MIN + i }).collect();
                let signs = [(true, true), (true, false), (false, true), (false, false)];
                let expected: Vec<i32> = (0..4 * 128)
                    .map(|at| {
                        let (signs, row, column) = (signs[at / 128], at % 128 / 8, at % 8);
                        let product = |k| value(a[row * $k + k], signs.0) * value(b[column * $k + k], signs.1);
                        (0..$k).fold(c[at % 128], |sum, k| sum.wrapping_add(product(k)))
                    })
                    .collect();
                everywhere(|place| {
                    let device = place.device();
                    let (signed_a, a) = (device.upload(&with_sign(&a))?, device.upload(&a)?);
                    let (signed_b, b) = (device.upload(&with_sign(&b))?, device.upload(&b)?);
                    let c = device.upload(&c)?;
                    let mut d = device.zeros::<i32>(4 * 128)?;
                    place.over(multiply(&signed_a, &a, &signed_b, &b, &c, &mut d), 32)?;
                    assert_eq!(d.download()?, expected, "of {seed} on {}", place.name());
                    Ok(())
                });
            }
            let ptx = vyre_semantics::ptx::checked($launcher::info());
            for types in ["s8.s8", "s8.u8", "u8.s8", "u8.u8"] {
                let instruction = format!("mma.sync.aligned.m16n8k{}.row.col.s32.{types}.s32 ", $k);
                assert_eq!(ptx.matches(&instruction).count(), 1, "{instruction}in\n{ptx}");
            }
            assemble_quickly($launcher::info());
        }
    } )* };
}

products! {
    depth_16 Depth16 16;
    depth_32 Depth32 32;
}

/// Accumulates a product of two tiles with an unsigned left one.
#[vyre::device]
fn add(left: mma::A<u8, 16, 32>, right: &[[i8; 48]], column: usize, sums: &mut [mma::C<i32, 16, 8>; 2]) {
    for j in 0..2 {
        let right = mma::B::<i8, 32, 8>::load_tile_transposed(right, 8 * j, column);
        sums[j] = mma::multiply_add(left, right, sums[j]);
    }
}

/// `d := max(a * b, 0)`, where `b` is column-major: a network layer with unsigned activations and
/// signed weights.
#[vyre::kernel(block = 32)]
fn layer(a: &[[u8; 32]], b: &[[i8; 32]], d: &mut [i32]) {
    let left = shared::<[[u8; 48]; 16]>();
    let right = shared::<[[i8; 48]; 16]>();
    let t = thread::idx().x;
    for i in 0..16 {
        left[i][t] = a[i][t];
        right[i][t] = b[i][t];
    }
    block::sync();
    let mut sums = [mma::C::<i32, 16, 8>::zero(); 2];
    add(mma::A::<u8, 16, 32>::load_tile(left, 0, 0), right, 0, &mut sums);
    for j in 0..2 {
        let mut sum = sums[j];
        for i in 0..sum.len() {
            sum[i] = sum[i].max(0);
        }
        sum.store(d, 8 * j, 16);
    }
}

#[test]
fn tiles_of_either_sign() {
    let a: Vec<[u8; 32]> = (0..16)
        .map(|row| std::array::from_fn(|k| bytes(512, 1)[row * 32 + k]))
        .collect();
    let b: Vec<[i8; 32]> = (0..16)
        .map(|column| std::array::from_fn(|k| bytes(512, 6)[column * 32 + k] as i8))
        .collect();
    let expected: Vec<i32> = (0..16 * 16)
        .map(|at| {
            let products = (0..32).map(|k| i32::from(a[at / 16][k]) * i32::from(b[at % 16][k]));
            products.sum::<i32>().max(0)
        })
        .collect();
    assert!(expected.contains(&0) && expected.iter().any(|&sum| sum > 0));
    everywhere(|place| {
        let (a, b) = (place.device().upload(&a)?, place.device().upload(&b)?);
        let mut d = place.device().zeros::<i32>(16 * 16)?;
        place.over(layer(&a, &b, &mut d), 32)?;
        assert_eq!(d.download()?, expected, "on {}", place.name());
        Ok(())
    });
    let ptx = vyre_semantics::ptx::checked(Layer::info());
    assert_eq!(ptx.matches("ldmatrix").count(), 3, "{ptx}");
    assert_eq!(ptx.matches("m16n8k32.row.col.s32.u8.s8.s32").count(), 2, "{ptx}");
}
