//! The Mandelbrot set: after how many steps each point of the plane escapes.

use vyre::prelude::*;
use vyre_semantics::everywhere;

super::kernels! { EscapeTimes }

/// The steps of the points from `left`, `top` on, `step` apart, at most `limit`.
#[vyre::kernel]
fn escape_times(times: &mut [u32], width: usize, height: usize, left: f32, top: f32, step: f32, limit: u32) {
    let (column, row) = thread::index_2d();
    if column >= width || row >= height {
        return;
    }
    let (re, im) = (left + column as f32 * step, top + row as f32 * step);
    let (mut x, mut y) = (0.0, 0.0);
    let mut time = 0;
    while time < limit && x * x + y * y <= 4.0 {
        (x, y) = (x * x - y * y + re, 2.0 * x * y + im);
        time += 1;
    }
    times[row * width + column] = time;
}

/// The same in plain Rust.
fn escape_time(re: f32, im: f32, limit: u32) -> u32 {
    let (mut x, mut y) = (0.0f32, 0.0f32);
    (0..limit)
        .find(|_| {
            let is_out = x * x + y * y > 4.0;
            (x, y) = (x * x - y * y + re, 2.0 * x * y + im);
            is_out
        })
        .unwrap_or(limit)
}

#[test]
fn times() {
    everywhere(|place| {
        for (width, height, limit) in [(0, 0, 9), (1, 1, 9), (32, 8, 0), (33, 9, 1), (61, 31, 40)] {
            let (left, top, step) = (-2.2f32, -1.2f32, 0.05f32);
            let mut times = place.device().zeros::<u32>(width * height)?;
            let kernel = escape_times(&mut times, width, height, left, top, step, limit);
            place.over(kernel, [width, height])?;
            let expected: Vec<u32> = (0..width * height)
                .map(|place| {
                    let (column, row) = (place % width, place / width);
                    escape_time(left + column as f32 * step, top + row as f32 * step, limit)
                })
                .collect();
            assert_eq!(times.download()?, expected, "{width} x {height}");
        }
        Ok(())
    });
}
