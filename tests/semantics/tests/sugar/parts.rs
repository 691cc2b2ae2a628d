//! Parts of slices and arrays, in every memory.

use vyre::Kernel;
use vyre::prelude::*;
use vyre_semantics::everywhere;
use vyre_semantics::ptx::assemble_quickly;

#[vyre::device]
const TABLE: [f32; 6] = [1.0, 0.5, 2.0, 4.0, 0.25, 8.0];

#[vyre::device]
fn dot(x: &[f32], y: &[f32]) -> f32 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

#[vyre::device]
fn double(x: &mut [f32]) {
    for v in x {
        *v *= 2.0;
    }
}

/// Each thread takes its own part of `y`, and parts of what all share.
#[vyre::kernel(block = 32)]
fn parts(x: &[f32], y: &mut [f32], from: usize) {
    let tile = shared::<[f32; 34]>();
    let t = thread::idx().x;
    tile[t] = x[t];
    if t < 2 {
        tile[32 + t] = 1.0;
    }
    block::sync();
    let mut own = [1.0, 2.0, 3.0, 4.0];
    double(&mut own[from..]);
    let around = &tile[t..t + 3];
    let sum = dot(around, &own[1..]) + dot(&x[from..][..2], &TABLE[from..=from + 1]) + around[..2].len() as f32;
    let mine = &mut y[4 * t..4 * t + 4];
    mine[..2].fill(sum);
    double(&mut mine[1..3]);
}

#[test]
fn every_memory() {
    everywhere(|place| {
        let x: Vec<f32> = (0..32).map(|i| (i % 7) as f32).collect();
        for from in 0..4 {
            let device = place.device();
            let mut y = device.upload(&[3.0f32; 128])?;
            place.over(parts(&device.upload(&x)?, &mut y, from), 32)?;
            let mut tile = x.clone();
            tile.extend([1.0, 1.0]);
            let mut own = [1.0, 2.0, 3.0, 4.0];
            double(&mut own[from..]);
            let expected = (0..32).flat_map(|t| {
                let sum = dot(&tile[t..t + 3], &own[1..]) + dot(&x[from..][..2], &TABLE[from..=from + 1]) + 2.0;
                [sum, 2.0 * sum, 6.0, 3.0]
            });
            assert_eq!(y.download()?, expected.collect::<Vec<_>>());
        }
        Ok(())
    });
    assemble_quickly(Parts::info());
}

#[test]
fn bounds_are_compared() {
    everywhere(|place| {
        let device = place.device();
        let x = device.upload(&[1.0f32; 32])?;
        let mut y = device.upload(&[3.0f32; 128])?;
        // The part of four elements begins at the fifth.
        let fault = place.over(parts(&x, &mut y, 5), 32).and_then(|()| y.download());
        assert!(fault.is_err(), "{}", place.name());
        Ok(())
    });
}
