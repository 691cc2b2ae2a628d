//! Kernels on values of other crates, against what these crates compute.

use glam::Vec4;
use ndarray::{Array2, s};
use num_complex::Complex32;
use vyre::prelude::*;
use vyre_test_neighbours::{matrices, points};

#[test]
fn vectors_of_glam_are_projected() -> vyre::Result<()> {
    let start: Vec<Vec4> = (0..1000)
        .map(|i| Vec4::new(i as f32, 1.0, -0.5, 1.0 + i as f32))
        .collect();
    let expected: Vec<Vec4> = start.iter().map(|&point| point / point.w).collect();
    for device in Device::all() {
        let mut found = start.clone();
        points::projected(&device, &mut found)?;
        assert_eq!(found, expected, "{device}");
    }
    points::projected(&Device::cpu(), &mut [])
}

#[test]
fn complex_numbers_are_squared() -> vyre::Result<()> {
    let numbers: Vec<Complex32> = (0..777)
        .map(|i| Complex32::new(i as f32 * 0.5, 3.0 - i as f32))
        .collect();
    for device in Device::all() {
        let expected: Vec<Complex32> = numbers.iter().map(|z| z * z).collect();
        assert_eq!(points::squares(&device, &numbers)?, expected, "{device}");
    }
    Ok(())
}

#[test]
fn casts_keep_the_bytes() {
    let mut values = [0x0102_0304_u32, 0xffff_ffff];
    let bytes: &[[u8; 4]] = vyre::cast(&values);
    assert_eq!(bytes, [[4, 3, 2, 1], [255; 4]]);
    // A float may have any bits.
    assert!(vyre::cast::<f32, u32>(&values)[1].is_nan());
    vyre::cast_mut::<f32, u32>(&mut values)[0] = 1.0;
    assert_eq!(values[0], 1.0f32.to_bits());
    let nothing: &[u32] = vyre::cast::<u32, f32>(&[]);
    assert!(nothing.is_empty());
}

#[test]
fn matrices_of_ndarray_are_multiplied() -> vyre::Result<()> {
    let a = Array2::from_shape_fn((40, 33), |(row, col)| (row * 7 + col) as f32 % 11.0);
    let b = Array2::from_shape_fn((33, 20), |(row, col)| (row + 5 * col) as f32 % 13.0);
    for device in Device::all() {
        // Sums of small integers are exact in any order.
        assert_eq!(matrices::product(&device, a.view(), b.view())?, a.dot(&b), "{device}");
        // Views that are transposed, and parts of others.
        let (left, right) = (b.t(), a.t());
        assert_eq!(matrices::product(&device, left, right)?, left.dot(&right), "{device}");
        let (left, right) = (a.slice(s![3..20;2, 1..17]), b.slice(s![..16, ..;-1]));
        assert_eq!(matrices::product(&device, left, right)?, left.dot(&right), "{device}");
    }
    Ok(())
}
