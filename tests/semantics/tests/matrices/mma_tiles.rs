//! Fragments loaded by whole warps from tiles, on every back end: compared with the product of the
//! tiles' contents, with and without hardware support for the load.

use vyre::prelude::*;
use vyre::{bf16, f16};
use vyre_runtime::kernel::Kernel;
use vyre_semantics::places::everywhere;
use vyre_semantics::ptx::assemble_quickly;

vyre_semantics::kernels! { FromAnywhere Inside }

/// Numbers in irregular order whose products and sums are exact in every type.
fn numbers(count: usize, seed: usize) -> Vec<i32> {
    (0..count)
        .map(|i| ((i + seed) * 7919 % 8191 * 31 % 23) as i32 - 11)
        .collect()
}

/// For each shape a kernel with tiles of these row lengths for A and B. The matrices begin at `row`
/// of a tile, and at `column` of it or, if `wide`, at this many multiples of 16 bytes.
macro_rules! tiles {
    ($($name:ident $launcher:ident $factor:ty, $element:ty, $sum:ty, $k:literal $chunk:literal, $width_a:literal $width_b:literal,
        $load_a:ident $load_b:ident, $wide:tt, $number:expr;)*) => { $( mod $name {
        use super::*;

        const ROWS_A: usize = if turned(stringify!($load_a)) { $k + 8 } else { 16 + 8 };
        const ROWS_B: usize = if turned(stringify!($load_b)) { 8 + 8 } else { $k + 8 };

        #[vyre::kernel(launcher = $launcher, block = 32)]
        fn multiply(a: &[$element], b: &[$element], d: &mut [$sum], row: usize, column: usize) {
            let left = shared::<[[$element; $width_a]; $k + 20]>();
            let right = shared::<[[$element; $width_b]; $k + 20]>();
            let t = thread::idx().x;
            for at in (t..($k + 20) * $width_a).step_by(32) {
                if at < a.len() {
                    left[at / $width_a][at % $width_a] = a[at];
                }
            }
            for at in (t..($k + 20) * $width_b).step_by(32) {
                if at < b.len() {
                    right[at / $width_b][at % $width_b] = b[at];
                }
            }
            block::sync();
            let column = if $wide { column * $chunk } else { column };
            let left = mma::A::<$factor, 16, $k>::$load_a(left, row, column);
            let right = mma::B::<$factor, $k, 8>::$load_b(right, row, column);
            mma::multiply_add(left, right, mma::C::<$sum, 16, 8>::zero()).store(d, 0, 8);
        }

        #[test]
        fn agrees() {
            let number: fn(i32) -> $element = $number;
            let (a, b) = (numbers(ROWS_A * $width_a, 5), numbers(ROWS_B * $width_b, 77));
            let of_a: Vec<$element> = a.iter().map(|&n| number(n)).collect();
            let of_b: Vec<$element> = b.iter().map(|&n| number(n)).collect();
            for (row, column) in [(0, 0), (3, 1), (8, 1)] {
                let first = if $wide { column * $chunk } else { column };
                let expected: Vec<f64> = (0..16 * 8)
                    .map(|at| {
                        let (m, n) = (at / 8, at % 8);
                        let products = (0..$k).map(|k| {
                            let (x, y) = if turned(stringify!($load_a)) { (k, m) } else { (m, k) };
                            let a = a[(row + x) * $width_a + first + y];
                            let (x, y) = if turned(stringify!($load_b)) { (n, k) } else { (k, n) };
                            let b = b[(row + x) * $width_b + first + y];
                            f64::from(number(a)) * f64::from(number(b))
                        });
                        products.sum()
                    })
                    .collect();
                everywhere(|place| {
                    let device = place.device();
                    let (a, b) = (device.upload(&of_a)?, device.upload(&of_b)?);
                    let mut d = device.zeros::<$sum>(16 * 8)?;
                    place.over(multiply(&a, &b, &mut d, row, column), 32)?;
                    let found: Vec<f64> = d.download()?.into_iter().map(f64::from).collect();
                    assert_eq!(found, expected, "on {}", place.name());
                    Ok(())
                });
            }
            let ptx = vyre_semantics::ptx::checked($launcher::info());
            assert_eq!(ptx.matches("ldmatrix").count(), if $wide { 2 } else { 0 }, "{ptx}");
            assemble_quickly($launcher::info());
        }
    } )* };
}

/// True if a function loads transposed.
const fn turned(function: &str) -> bool {
    function.len() > "load_tile".len()
}

tiles! {
    half_16 Half16 f16, f16, f32, 16 8, 40 40, load_tile load_tile, true, |n| f16::from_f32(n as f32);
    half_8 Half8 f16, f16, f32, 8 8, 24 24, load_tile load_tile, true, |n| f16::from_f32(n as f32);
    half_16_turned HalfTurned16 f16, f16, f32, 16 8, 40 40, load_tile_transposed load_tile_transposed, true,
        |n| f16::from_f32(n as f32);
    half_8_turned HalfTurned8 f16, f16, f32, 8 8, 32 24, load_tile_transposed load_tile_transposed, true,
        |n| f16::from_f32(n as f32);
    half_16_apart HalfApart16 f16, f16, f32, 16 8, 33 39, load_tile load_tile, false, |n| f16::from_f32(n as f32);
    half_16_apart_turned HalfApartTurned16 f16, f16, f32, 16 8, 33 39, load_tile_transposed load_tile_transposed, false,
        |n| f16::from_f32(n as f32);
    half_16_unknown HalfUnknown16 f16, f16, f32, 16 8, 40 40, load_tile load_tile, false, |n| f16::from_f32(n as f32);
    brain_16 Brain16 bf16, bf16, f32, 16 8, 24 24, load_tile load_tile_transposed, true, |n| bf16::from_f32(n as f32);
    brain_8 Brain8 bf16, bf16, f32, 8 8, 24 24, load_tile_transposed load_tile, true, |n| bf16::from_f32(n as f32);
    signed_16 Signed16 i8, i8, i32, 16 16, 48 32, load_tile load_tile_transposed, true, |n| n as i8;
    signed_32 Signed32 i8, i8, i32, 32 16, 48 48, load_tile load_tile_transposed, true, |n| n as i8;
    unsigned_16 Unsigned16 u8, u8, i32, 16 16, 48 48, load_tile load_tile_transposed, true, |n| n as u8;
    unsigned_32 Unsigned32 u8, u8, i32, 32 16, 48 64, load_tile load_tile_transposed, true, |n| n as u8;
    signed_32_apart SignedApart32 i8, i8, i32, 32 16, 37 35, load_tile load_tile_transposed, false, |n| n as i8;
    tf32_4 TensorFloat4 mma::Tf32, f32, f32, 4 4, 12 8, load_tile load_tile_transposed, true, |n| n as f32;
    tf32_8 TensorFloat8 mma::Tf32, f32, f32, 8 4, 12 20, load_tile load_tile_transposed, true, |n| n as f32;
    tf32_4_turned TensorFloatTurned4 mma::Tf32, f32, f32, 4 4, 24 12, load_tile_transposed load_tile, false, |n| n as f32;
    tf32_8_turned TensorFloatTurned8 mma::Tf32, f32, f32, 8 4, 19 40, load_tile_transposed load_tile, false, |n| n as f32;
    tf32_8_apart TensorFloatApart8 mma::Tf32, f32, f32, 8 4, 11 9, load_tile load_tile_transposed, false, |n| n as f32;
}

/// The product of parts of two tiles.
#[vyre::device]
fn of_tiles(a: &[[f16; 24]], b: &[[f16; 24]], step: usize) -> mma::C<f32, 16, 8> {
    let mut sum = mma::C::<f32, 16, 8>::zero();
    for k in 0..2 {
        let left = mma::A::<f16, 16, 8>::load_tile(a, 16 * step, 8 * k);
        let right = mma::B::<f16, 8, 8>::load_tile(b, 8 * k, 8);
        sum = mma::multiply_add(left, right, sum);
    }
    sum
}

/// Tiles in global memory, in one array of several in shared memory, and alone.
#[vyre::kernel(block = 64)]
fn from_anywhere(x: &[[f16; 24]], y: &mut [f32]) {
    let tiles = shared::<[[[f16; 24]; 32]; 2]>();
    let rest = shared::<[[f16; 24]; 32]>();
    let (t, warp) = (thread::idx().x, thread::idx().x / 32);
    let lane = t % 32;
    for k in 0..24 {
        tiles[warp][lane][k] = x[lane][k];
        if warp == 0 {
            rest[lane][k] = x[lane][k];
        }
    }
    block::sync();
    of_tiles(x, x, 0).store(y, warp * 128, 8);
    of_tiles(&tiles[warp], &tiles[1], 1).store(y, 256 + warp * 128, 8);
    of_tiles(rest, &tiles[0], warp).store(y, 512 + warp * 128, 8);
}

#[test]
fn tiles_in_any_memory() {
    let numbers = numbers(32 * 24, 3);
    let x: Vec<[f16; 24]> = (numbers.chunks(24))
        .map(|row| std::array::from_fn(|column| f16::from_f32(row[column] as f32)))
        .collect();
    let product = |step: usize| {
        let numbers = &numbers;
        (0..128).map(move |at| {
            let products = (0..16).map(|k| numbers[(16 * step + at / 8) * 24 + k] * numbers[k * 24 + 8 + at % 8]);
            products.sum::<i32>() as f32
        })
    };
    let steps = [0, 0, 1, 1, 0, 1];
    let expected: Vec<f32> = steps.into_iter().flat_map(product).collect();
    everywhere(|place| {
        let x = place.device().upload(&x)?;
        let mut y = place.device().zeros::<f32>(expected.len())?;
        place.over(from_anywhere(&x, &mut y), 64)?;
        assert_eq!(y.download()?, expected, "on {}", place.name());
        Ok(())
    });
    let ptx = vyre_semantics::ptx::checked(FromAnywhere::info());
    assert_eq!(ptx.matches("ldmatrix").count(), 8, "{ptx}");
}

/// Each lane supplies its row address.
#[vyre::kernel(block = 32)]
fn gathered(rows: &[usize], x: &[f16], y: &mut [f32]) {
    let tile = shared::<[[f16; 16]; 32]>();
    let t = thread::idx().x;
    for k in 0..16 {
        tile[t][k] = x[t * 16 + k];
    }
    block::sync();
    let left = mma::A::<f16, 16, 16>::load_tile(tile, rows[t], 0);
    let right = mma::B::<f16, 16, 8>::load_tile_transposed(tile, rows[t], 0);
    mma::multiply_add(left, right, mma::C::<f32, 16, 8>::zero()).store(y, 0, 8);
}

#[test]
fn lanes_give_the_rows() {
    let numbers = numbers(32 * 16, 9);
    let x: Vec<f16> = numbers.iter().map(|&n| f16::from_f32(n as f32)).collect();
    let rows: Vec<usize> = (0..32).map(|lane| lane * 5 % 13).collect();
    let expected: Vec<f32> = (0..128)
        .map(|at| {
            let products = (0..16).map(|k| {
                // Lanes 16 to 31 give the second half of the rows of A, 8 to 15 that of those of B.
                let row = at / 8 + rows[at / 8 + k / 8 * 16];
                let column = at % 8 + rows[at % 8 + k / 8 * 8];
                numbers[row * 16 + k] * numbers[column * 16 + k]
            });
            products.sum::<i32>() as f32
        })
        .collect();
    everywhere(|place| {
        let (rows, x) = (place.device().upload(&rows)?, place.device().upload(&x)?);
        let mut y = place.device().zeros::<f32>(128)?;
        place.over(gathered(&rows, &x, &mut y), 32)?;
        assert_eq!(y.download()?, expected, "on {}", place.name());
        Ok(())
    });
}

/// Parts of a tile that may be out of bounds.
#[vyre::kernel(block = 32)]
fn inside(row: usize, column: usize, y: &mut [f32]) {
    let tile = shared::<[[f32; 20]; 24]>();
    for i in 0..15 {
        let at = i * 32 + thread::idx().x;
        tile[at / 20][at % 20] = 1.0;
    }
    block::sync();
    let left = mma::A::<mma::Tf32, 16, 8>::load_tile(tile, row, column * 4);
    let right = mma::B::<mma::Tf32, 8, 8>::load_tile_transposed(tile, 0, 0);
    mma::multiply_add(left, right, mma::C::<f32, 16, 8>::zero()).store(y, 0, 8);
}

#[test]
fn parts_are_inside_of_their_tile() {
    everywhere(|place| {
        let mut y = place.device().zeros::<f32>(128)?;
        place.over(inside(8, 3, &mut y), 32)?;
        assert_eq!(y.download()?, [8.0; 128], "on {}", place.name());
        let error = place.over(inside(9, 0, &mut y), 32).unwrap_err().to_string();
        assert!(
            error.starts_with("index 24 of `tile` is out of bounds of length 24\n"),
            "{error} on {}",
            place.name()
        );
        let error = place.over(inside(0, 4, &mut y), 32).unwrap_err().to_string();
        assert!(error.contains("mma_tiles.rs:"), "{error} on {}", place.name());
        assert!(error.contains("20..24"), "{error} on {}", place.name());
        let error = place.over(inside(usize::MAX, 0, &mut y), 32).unwrap_err().to_string();
        assert!(
            error.contains("is out of bounds of length 24\n"),
            "{error} on {}",
            place.name()
        );
        Ok(())
    });
}
