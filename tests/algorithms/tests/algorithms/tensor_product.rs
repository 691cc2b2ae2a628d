//! Matrix products on tensor cores: the order of additions is unspecified, so results are exact for
//! small integers, and within the error bound otherwise.

use vyre::{bf16, f16};
use vyre_algorithms::Random;
use vyre_semantics::everywhere;

use super::tensor_halves::{OfBf16, OfF16, of_bf16, of_f16};
use super::tensor_kernels::{self, OfTf32, SIDE, of_tf32};

super::kernels! { OfTf32 OfF16 OfBf16 }

/// Tests a kernel on sizes that are not multiples of its squares. `$number` converts a number to an
/// element.
macro_rules! agrees {
    ($kernel:ident, $bytes:expr, $factors:ident: $number:expr, $shapes:expr) => {{
        let shapes: &[(usize, usize, usize)] = &$shapes;
        for &(rows, columns, depth) in shapes {
            for whole in [true, false] {
                let mut random = Random::new((rows + depth) as u64);
                let mut factors = |count: usize| -> Vec<f32> {
                    let values = random.floats(count, -1.0, 1.0).into_iter();
                    // Few enough bits that the factors are exact.
                    let scale = if whole { 16.0 } else { 128.0 };
                    values
                        .map(|value| (value * scale).round() / if whole { 1.0 } else { 128.0 })
                        .collect()
                };
                let (a, b) = (factors(rows * depth), factors(depth * columns));
                let number: fn(f32) -> $factors = $number;
                let (of_a, of_b): (Vec<$factors>, Vec<$factors>) = (
                    a.iter().copied().map(number).collect(),
                    b.iter().copied().map(number).collect(),
                );
                let sums = |of: &dyn Fn(f64) -> f64| -> Vec<f64> {
                    let elements = (0..rows * columns).map(|at| {
                        let products = (0..depth)
                            .map(|k| f64::from(a[at / columns * depth + k]) * f64::from(b[k * columns + at % columns]));
                        products.map(of).sum()
                    });
                    elements.collect()
                };
                let (exact, magnitudes) = (sums(&|product| product), sums(&f64::abs));
                everywhere(|place| {
                    let (a, b) = (place.device().upload(&of_a)?, place.device().upload(&of_b)?);
                    let mut c = place.device().upload(&vec![f32::NAN; rows * columns])?;
                    let blocks = rows.div_ceil(SIDE) * columns.div_ceil(SIDE);
                    let kernel = $kernel(&a, &b, &mut c, rows, columns, depth);
                    place.grid_sharing(kernel, [blocks as u32, 1, 1], $bytes)?;
                    let found = c.download()?;
                    for ((found, exact), magnitude) in found.into_iter().zip(&exact).zip(&magnitudes) {
                        // Each product contributes its error once.
                        let bound = if whole {
                            0.0
                        } else {
                            magnitude * (depth + 18) as f64 / f64::from(1 << 20)
                        };
                        let error = (f64::from(found) - exact).abs();
                        assert!(
                            error <= bound,
                            "{rows} x {depth} x {columns}: {found}, not {exact}, on {}",
                            place.name()
                        );
                    }
                    Ok(())
                });
            }
        }
    }};
}

#[test]
fn of_single_precision() {
    agrees!(of_tf32, tensor_kernels::BYTES, f32: |number| number, [(1, 1, 1), (3, 5, 0), (40, 17, 9), (128, 128, 16), (130, 33, 35)]);
}

#[test]
fn of_half_precision() {
    agrees!(of_f16, 0, f16: f16::from_f32, [(3, 8, 0), (130, 40, 72)]);
    agrees!(of_bf16, 0, bf16: bf16::from_f32, [(33, 16, 40)]);
}

#[test]
fn sums_stay_in_registers() {
    use vyre::Kernel;
    for info in [OfTf32::info(), OfF16::info(), OfBf16::info()] {
        assert!(!info.ptx.contains(".local"), "{}", info.ptx);
    }
}

#[test]
fn loads_from_tiles_are_not_checked() {
    use vyre::Kernel;
    for (info, loads) in [(OfF16::info(), 16), (OfBf16::info(), 16), (OfTf32::info(), 8)] {
        for ptx in info.ptx.split(".visible .entry ").skip(1) {
            let (Some(first), Some(last)) = (ptx.find("ldmatrix"), ptx.rfind("ldmatrix")) else {
                panic!("no loads of matrices in {ptx}");
            };
            let between = &ptx[first..last];
            assert!(!between.contains("bra"), "{between}");
            // Two steps of four left factors and, of halves, four right ones.
            assert_eq!(ptx.matches("ldmatrix").count(), loads);
        }
    }
}
