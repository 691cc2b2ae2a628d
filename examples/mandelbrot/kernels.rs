//! Iterating z := z^2 + c near a point whose orbit is known, and colouring.

use vyre::prelude::*;

/// The part of the plane that a matrix of samples covers.
#[vyre::device]
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The first sample, relative to the point of the reference orbit.
    pub corner: [f64; 2],
    /// Distance of two samples.
    pub step: f64,
    /// Iterations after which a point is taken for one of the set.
    pub limit: u64,
}

/// The fate of a point.
#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Escape {
    /// Iterations until the point was farther than 1000 from zero; the limit if it never was.
    pub iterations: u32,
    /// The part of an iteration that it has gone too far.
    pub fraction: f32,
    /// Light on a landscape that rises towards the set, from -1 to 1.
    pub light: f32,
    /// Distance from the set, in samples.
    pub distance: f32,
}

/// Iterates the point `offset` from that of the orbit, which has two points or more, unless the limit is 1.
///
/// Only the difference `d` from the orbit is computed: the orbit itself needs more digits than a double has, the
/// difference does not (K. I. Martin, *SuperFractalThing maths*, 2013). Where the sum is smaller than the
/// difference, digits are about to be lost, and the start of the orbit, which is zero, takes the place of the orbit.
#[vyre::device]
pub fn escape(orbit: &[[f64; 2]], offset: [f64; 2], step: f64, limit: u32) -> Escape {
    let mut result = Escape {
        iterations: limit,
        fraction: 0.0,
        light: 0.0,
        distance: 0.0,
    };
    let (mut dx, mut dy, mut at) = (0.0, 0.0, 0);
    // The derivative of z by c, in samples.
    let (mut px, mut py) = (0.0f64, 0.0f64);
    for iteration in 0..limit {
        let [rx, ry] = orbit[at];
        let (x, y) = (rx + dx, ry + dy);
        let square = x * x + y * y;
        if square > 1e6 {
            let log = math::ln(square);
            let size = (px * px + py * py).sqrt();
            result.iterations = iteration;
            result.fraction = math::log2(log / math::ln(1e6f64)) as f32;
            result.distance = (0.5 * square.sqrt() * log / size) as f32;
            // The direction in which the potential rises, z / p, and a lamp in the upper left.
            let (ux, uy) = (x * px + y * py, y * px - x * py);
            result.light = ((uy - ux) * core::f64::consts::FRAC_1_SQRT_2 / (square.sqrt() * size)) as f32;
            break;
        }
        (px, py) = (2.0 * (x * px - y * py) + step, 2.0 * (x * py + y * px));
        if square < dx * dx + dy * dy || at + 1 == orbit.len() {
            (dx, dy, at) = (x, y, 0);
        }
        let [rx, ry] = orbit[at];
        (dx, dy) = (
            (2.0 * rx + dx) * dx - (2.0 * ry + dy) * dy + offset[0],
            (2.0 * rx + dx) * dy + (2.0 * ry + dy) * dx + offset[1],
        );
        at += 1;
    }
    result
}

/// The escapes of a matrix of samples.
#[vyre::kernel(block = [16, 16])]
pub fn sample(orbit: &[[f64; 2]], frame: Frame, mut samples: SliceMut2<'_, Escape>) {
    let (x, y) = thread::index_2d();
    if x < samples.cols() && y < samples.rows() {
        let offset = [
            frame.corner[0] + x as f64 * frame.step,
            frame.corner[1] - y as f64 * frame.step,
        ];
        samples[[y, x]] = escape(orbit, offset, frame.step, frame.limit as u32);
    }
}

/// The colour of a sample: red, green and blue from 0 to 1.
#[vyre::device]
fn colour(sample: Escape, limit: u32) -> [f32; 3] {
    if sample.iterations >= limit {
        return [0.0; 3];
    }
    // Rings that grow with the number of iterations, so that shallow and deep views both have some.
    let ring = (sample.iterations as f32 + 1.0 - sample.fraction).sqrt();
    let lit = (0.62 + 0.38 * sample.light) * (0.5 * sample.distance).min(1.0).sqrt();
    let mut rgb = [0.0; 3];
    for k in 0..3 {
        let wave = 0.5 - 0.5 * math::cos_pi(0.36 * ring + [0.0, 0.12, 0.28][k]);
        rgb[k] = wave * lit;
    }
    rgb
}

/// The picture: each pixel is the mean of `side` times `side` samples.
#[vyre::kernel(block = [16, 16])]
pub fn paint(samples: Slice2<'_, Escape>, side: usize, limit: u32, mut picture: SliceMut2<'_, [u8; 3]>) {
    let (x, y) = thread::index_2d();
    if x < picture.cols() && y < picture.rows() {
        let mut sum = [0.0; 3];
        for row in 0..side {
            for column in 0..side {
                let rgb = colour(samples[[side * y + row, side * x + column]], limit);
                for k in 0..3 {
                    sum[k] += rgb[k];
                }
            }
        }
        let mut pixel = [0; 3];
        for k in 0..3 {
            // Brightness as displays expect it.
            pixel[k] = (255.0 * (sum[k] / (side * side) as f32).sqrt()) as u8;
        }
        picture[[y, x]] = pixel;
    }
}
