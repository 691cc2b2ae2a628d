//! `reduce` against the same order of additions on the host, and against double precision.

use crate::devices::devices;

#[path = "../../examples/reduce/main.rs"]
pub mod example;

/// The sums of a launch of `blocks` blocks, in the same order of additions.
fn pass(values: &[f32], blocks: usize) -> Vec<f32> {
    let threads = 256 * blocks;
    (0..blocks)
        .map(|block| {
            let mut partial: Vec<f32> = (0..256)
                .map(|t| {
                    values
                        .iter()
                        .skip(256 * block + t)
                        .step_by(threads)
                        .fold(0.0, |sum, value| sum + value)
                })
                .collect();
            let mut half = 128;
            while half > 0 {
                for t in 0..half {
                    partial[t] += partial[t + half];
                }
                half /= 2;
            }
            partial[0]
        })
        .collect()
}

#[test]
fn sums_in_the_stated_order() {
    for device in devices("sum") {
        for count in [0, 1, 255, 256, 1000, 300_000] {
            let values = example::fractions(&example::numbers(count));
            let sum = example::sum(&device, &device.upload(&values).unwrap()).unwrap();
            let expected = pass(&pass(&values, example::BLOCKS as usize), 1)[0];
            assert_eq!(sum.to_bits(), expected.to_bits(), "{}: {count} values", device.name());

            let exact: f64 = values.iter().map(|&value| f64::from(value)).sum();
            assert!(
                (f64::from(sum) - exact).abs() <= 1e-6 * exact,
                "{}: {sum}, not {exact}",
                device.name()
            );
        }
    }
}

#[test]
fn finds_the_largest() {
    for device in devices("maximum") {
        for count in [0, 1, 257, 300_000] {
            let mut values = example::numbers(count);
            let expected = values.iter().max().copied().unwrap_or(0);
            assert_eq!(
                example::max(&device, &device.upload(&values).unwrap()).unwrap(),
                expected
            );
            if let Some(last) = values.last_mut() {
                *last = u32::MAX;
                assert_eq!(
                    example::max(&device, &device.upload(&values).unwrap()).unwrap(),
                    u32::MAX
                );
            }
        }
    }
}
