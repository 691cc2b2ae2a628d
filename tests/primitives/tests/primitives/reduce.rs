//! Reductions.

use vyre::{Device, Result};
use vyre_primitives::{REDUCE_TILE, Scalar, Value};
use vyre_primitives_tests::{any, bits, on_devices};

use super::{LENGTHS, large};

/// The order that `vyre_primitives::sum` documents.
fn tree<T: Copy>(values: &[T], neutral: T, combine: &impl Fn(T, T) -> T) -> T {
    let tiles: Vec<T> = (values.chunks(REDUCE_TILE))
        .map(|tile| {
            let thread = |t: usize| tile.iter().skip(t).step_by(512).fold(neutral, |a, &b| combine(a, b));
            let warp = |w: usize| {
                let mut lanes: Vec<T> = (32 * w..32 * w + 32).map(thread).collect();
                while lanes.len() > 1 {
                    lanes = lanes.chunks(2).map(|pair| combine(pair[0], pair[1])).collect();
                }
                lanes[0]
            };
            (1..16).map(warp).fold(warp(0), combine)
        })
        .collect();
    if tiles.len() == 1 {
        tiles[0]
    } else {
        tree(&tiles, neutral, combine)
    }
}

/// Sum, product, minimum and maximum of a view that begins at `from`.
fn results<T: Scalar>(device: &Device, x: &[T], from: usize) -> Result<Vec<T>> {
    let x = device.upload(x)?;
    let mut out = device.zeros::<T>(5)?;
    let x = x.slice(from..)?;
    vyre_primitives::sum(x, out.slice_mut(..1)?).launch()?;
    vyre_primitives::product(x, out.slice_mut(1..2)?).launch()?;
    vyre_primitives::min(x, out.slice_mut(2..3)?).launch()?;
    vyre_primitives::max(x, out.slice_mut(3..4)?).launch()?;
    out.download()
}

macro_rules! integers {
    ($($name:ident: $type:ident,)*) => { $(
        #[test]
        fn $name() {
            on_devices(|device| {
                for length in LENGTHS.into_iter().chain([large(device)]) {
                    for from in [0, 3] {
                        let x = any::<$type>(length as u64, length + from);
                        let own = &x[from..];
                        let expected = [
                            own.iter().fold(0, |a: $type, &b| a.wrapping_add(b)),
                            own.iter().fold(1, |a: $type, &b| a.wrapping_mul(b)),
                            own.iter().copied().min().unwrap_or($type::MAX),
                            own.iter().copied().max().unwrap_or($type::MIN),
                            0,
                        ];
                        assert_eq!(results(device, &x, from)?, expected, "{length} from {from}");
                        if length == large(device) {
                            break;
                        }
                    }
                }
                Ok(())
            });
        }
    )* };
}

integers! {
    of_u32: u32,
    of_i32: i32,
    of_u64: u64,
    of_i64: i64,
}

macro_rules! floats {
    ($($name:ident: $type:ident,)*) => { $(
        #[test]
        fn $name() {
            on_devices(|device| {
                for length in LENGTHS.into_iter().chain([large(device)]) {
                    let x: Vec<$type> = any::<i32>(length as u64, length).into_iter().map(|x| x as $type * 1e-9).collect();
                    let mut expected = [0.0, 1.0, $type::INFINITY, $type::NEG_INFINITY, 0.0];
                    if length > 0 {
                        expected[0] = tree(&x, -0.0, &|a, b| a + b);
                        expected[1] = tree(&x, 1.0, &|a, b| a * b);
                        expected[2] = x.iter().copied().fold($type::NAN, $type::min);
                        expected[3] = x.iter().copied().fold($type::NAN, $type::max);
                    }
                    let found = results(device, &x, 0)?;
                    assert_eq!(bits(&found), bits(&expected), "{length}");
                    assert_eq!(bits(&results(device, &x, 0)?), bits(&found), "{length} again");
                }
                Ok(())
            });
        }
    )* };
}

floats! {
    of_f32: f32,
    of_f64: f64,
}

/// The fixed order is close to the exact sum, too.
#[test]
fn sums_are_accurate() {
    on_devices(|device| {
        let x: Vec<f32> = any::<u32>(5, large(device))
            .into_iter()
            .map(|x| x as f32 / 4e9)
            .collect();
        let exact: f64 = x.iter().map(|&x| x as f64).sum();
        let found = results(device, &x, 0)?[0] as f64;
        assert!((found - exact).abs() < 1e-6 * exact, "{found} {exact}");
        Ok(())
    });
}

#[test]
fn special_values() {
    on_devices(|device| {
        let nan = f32::NAN;
        let cases: [(&[f32], f32, f32, f32); 5] = [
            (&[-0.0], -0.0, -0.0, -0.0),
            (&[-0.0, -0.0, 0.0], 0.0, -0.0, 0.0),
            (&[nan, 3.0, nan], nan, 3.0, 3.0),
            (&[nan, nan], nan, nan, nan),
            (
                &[f32::INFINITY, 1.0, f32::NEG_INFINITY],
                nan,
                f32::NEG_INFINITY,
                f32::INFINITY,
            ),
        ];
        for (x, sum, min, max) in cases {
            let found = results(device, x, 0)?;
            for (found, expected) in [(found[0], sum), (found[2], min), (found[3], max)] {
                assert!(
                    found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan(),
                    "{x:?}: {found}"
                );
            }
        }
        assert!(f32::NO_MIN.is_nan());
        Ok(())
    });
}

/// A device function of the module by its full path, where its other functions are of the host.
#[vyre::kernel(block = 512)]
fn by_its_path(x: &[u32], out: &mut [u32]) {
    let sum = vyre_primitives::reduce_tile(x.len(), 0, |i| x[i], |a, b| a + b);
    if vyre::thread::index() == 0 {
        out[0] = sum;
    }
}

#[test]
fn device_functions_are_called_by_their_paths() {
    on_devices(|device| {
        let (x, mut out) = (device.upload(&[2u32; 700])?, device.zeros(1)?);
        by_its_path(&x, &mut out).grid(1).launch(device)?;
        assert_eq!(out.download()?, [1400]);
        Ok(())
    });
}
