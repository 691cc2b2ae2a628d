//! The plate on every device, against the same steps in plain Rust.

use heat::{FLOW, Plate};
use vyre::Device;

/// Temperatures with a hot stripe, and no symmetry.
fn stripe(width: usize, height: usize) -> Vec<f32> {
    let hot = |i: usize| i / width == height / 2 || i % 7 == 3;
    (0..width * height)
        .map(|i| if hot(i) { 100.0 } else { i as f32 * 0.01 })
        .collect()
}

/// One step, in the order of the additions of the kernel.
fn step(now: &[f32], width: usize) -> Vec<f32> {
    let height = now.len() / width;
    let flow = |is_inside: bool, from: usize, to: f32| if is_inside { FLOW * (now[from] - to) } else { FLOW * 0.0 };
    let cell = |i: usize| {
        let (x, y, own) = (i % width, i / width, now[i]);
        let beside = flow(x > 0, i.wrapping_sub(1), own) + flow(x + 1 < width, i + 1, own);
        let over = flow(y > 0, i.wrapping_sub(width), own) + flow(y + 1 < height, i + width, own);
        own + beside + over
    };
    (0..now.len()).map(cell).collect()
}

#[test]
fn steps_are_those_of_plain_rust() -> vyre::Result<()> {
    for device in Device::all() {
        for (width, height) in [(1, 1), (1, 9), (33, 7), (64, 64), (100, 31)] {
            let start = stripe(width, height);
            let mut plate = Plate::new(&device, &start, width)?;
            plate.run(20)?;
            let expected = (0..20).fold(start, |now, _| step(&now, width));
            let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
            assert_eq!(
                bits(&plate.temperatures()?),
                bits(&expected),
                "{width} x {height} on {device}"
            );
        }
    }
    Ok(())
}

#[test]
fn heat_stays_in_the_plate() -> vyre::Result<()> {
    let start = stripe(50, 40);
    let mut plate = Plate::new(&Device::best()?, &start, 50)?;
    plate.run(500)?;
    let sum = |values: &[f32]| values.iter().map(|&value| f64::from(value)).sum::<f64>();
    let (before, after) = (sum(&start), sum(&plate.temperatures()?));
    assert!((after - before).abs() < 1e-4 * before, "{before} before, {after} after");
    Ok(())
}

#[test]
#[should_panic(expected = "10 cells make no rows of 3")]
fn rows_are_whole() {
    let _ = Plate::new(&Device::cpu(), &[0.0; 10], 3);
}
