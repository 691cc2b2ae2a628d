//! The passes of `kernels.rs` for one thread of a CPU: the baseline of the timing and the reference
//! for the result, to the last bit.

/// Brightness, from 0 to 255.
pub fn brightness(rgb: &[u8]) -> Vec<f32> {
    rgb.chunks_exact(3)
        .map(|p| 0.299 * f32::from(p[0]) + 0.587 * f32::from(p[1]) + 0.114 * f32::from(p[2]))
        .collect()
}

/// Weighted mean along the rows.
pub fn blur_rows(source: &[f32], weights: &[f32], width: usize) -> Vec<f32> {
    let radius = weights.len() / 2;
    let mut out = Vec::with_capacity(source.len());
    let mut padded = vec![0.0; width + 2 * radius];
    for row in source.chunks_exact(width) {
        padded[..radius].fill(row[0]);
        padded[radius..radius + width].copy_from_slice(row);
        padded[radius + width..].fill(row[width - 1]);
        out.extend(padded.windows(weights.len()).map(|window| {
            let mut sum = 0.0;
            for (weight, value) in weights.iter().zip(window) {
                sum += weight * value;
            }
            sum
        }));
    }
    out
}

/// Weighted mean along the columns.
pub fn blur_columns(source: &[f32], weights: &[f32], width: usize) -> Vec<f32> {
    let radius = weights.len() / 2;
    let height = source.len() / width;
    let mut out = vec![0.0; source.len()];
    for (y, out) in out.chunks_exact_mut(width).enumerate() {
        for (k, weight) in weights.iter().enumerate() {
            let at = (y + k).saturating_sub(radius).min(height - 1);
            for (sum, value) in out.iter_mut().zip(&source[at * width..][..width]) {
                *sum += weight * value;
            }
        }
    }
    out
}

/// The length of the gradient, and the nearest axis.
pub fn sobel(source: &[f32], width: usize) -> (Vec<f32>, Vec<u8>) {
    let height = source.len() / width;
    let flat = 0.41421357;
    let mut steepness = Vec::with_capacity(source.len());
    let mut axis = Vec::with_capacity(source.len());
    for y in 0..height {
        let row = |y: usize| &source[y * width..][..width];
        let (above, here, below) = (row(y.saturating_sub(1)), row(y), row((y + 1).min(height - 1)));
        for x in 0..width {
            let (left, right) = (x.saturating_sub(1), (x + 1).min(width - 1));
            let gx = (above[right] - above[left]) + 2.0 * (here[right] - here[left]) + (below[right] - below[left]);
            let gy = (below[left] - above[left]) + 2.0 * (below[x] - above[x]) + (below[right] - above[right]);
            steepness.push((gx * gx + gy * gy).sqrt());
            axis.push(if gy.abs() <= flat * gx.abs() {
                0
            } else if gx.abs() <= flat * gy.abs() {
                2
            } else if (gx > 0.0) == (gy > 0.0) {
                1
            } else {
                3
            });
        }
    }
    (steepness, axis)
}

/// Keeps the crest of each ridge and marks it: 0, 1 for faint, 2 for clear.
pub fn thin(steepness: &[f32], axis: &[u8], width: usize, faint: f32, clear: f32) -> Vec<u8> {
    let height = steepness.len() / width;
    let steps = [1, width + 1, width, width - 1];
    let mut marks = vec![0; steepness.len()];
    for y in 1..height.saturating_sub(1) {
        for i in y * width + 1..(y + 1) * width - 1 {
            let step = steps[usize::from(axis[i])];
            let here = steepness[i];
            if here > steepness[i - step] && here >= steepness[i + step] {
                marks[i] = if here >= clear { 2 } else { u8::from(here >= faint) };
            }
        }
    }
    marks
}

/// Follows faint edges from adjacent clear ones.
pub fn link(marks: &mut [u8], width: usize) {
    let mut clear: Vec<usize> = (0..marks.len()).filter(|&i| marks[i] == 2).collect();
    while let Some(i) = clear.pop() {
        for near in [
            i - width - 1,
            i - width,
            i - width + 1,
            i - 1,
            i + 1,
            i + width - 1,
            i + width,
            i + width + 1,
        ] {
            if marks[near] == 1 {
                marks[near] = 2;
                clear.push(near);
            }
        }
    }
}

/// Clear edges in white on black.
pub fn paint(marks: &[u8]) -> Vec<u8> {
    marks.iter().map(|&mark| if mark == 2 { 255 } else { 0 }).collect()
}
