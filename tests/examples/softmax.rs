//! `softmax` against double precision on the host.

use crate::devices::devices;

#[path = "../../examples/softmax/main.rs"]
pub mod example;

#[test]
fn rows_of_all_lengths() {
    for device in devices("rows_of_all_lengths") {
        for (rows, columns) in [
            (3, 1),
            (5, 31),
            (2, 512),
            (3, 513),
            (2, 8191),
            (2, 8192),
            (2, 8193),
            (1, 20_000),
        ] {
            let mut x = device.zeros::<f32>(rows * columns).unwrap();
            let mut y = device.zeros::<f32>(rows * columns).unwrap();
            example::fill(3, 4.0, &mut x).launch(&device).unwrap();
            example::softmax_rows(&x, columns, &mut y).unwrap();
            let (x, y) = (x.download().unwrap(), y.download().unwrap());
            for (x, y) in x.chunks(columns).zip(y.chunks(columns)) {
                let difference = example::difference(x, y);
                assert!(difference <= example::BOUND, "{columns}: {difference:e}");
                let sum: f64 = y.iter().map(|&y| f64::from(y)).sum();
                assert!((sum - 1.0).abs() < 1e-5, "{columns}: {sum}");
            }
        }
    }
}

#[test]
fn large_values_are_no_infinity() {
    for device in devices("large_values_are_no_infinity") {
        let x = device.upload(&[3e38, 3e38, -3e38, f32::NEG_INFINITY]).unwrap();
        let mut y = device.zeros::<f32>(4).unwrap();
        example::softmax_rows(&x, 4, &mut y).unwrap();
        assert_eq!(y.download().unwrap(), [0.5, 0.5, 0.0, 0.0]);
    }
}
