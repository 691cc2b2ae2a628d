//! The passes of `kernels.rs` for one thread of a CPU: the baseline of the timing and the reference
//! for the result, to the last bit. Like the kernels they write to memory that is there.

/// Brightness, from 0 to 255.
pub fn brightness(rgb: &[u8], out: &mut [f32]) {
    for (out, p) in out.iter_mut().zip(rgb.chunks_exact(3)) {
        *out = 0.299 * f32::from(p[0]) + 0.587 * f32::from(p[1]) + 0.114 * f32::from(p[2]);
    }
}

/// Weighted mean along the rows.
pub fn blur_rows(source: &[f32], weights: &[f32], width: usize, out: &mut [f32]) {
    let radius = weights.len() / 2;
    let mut padded = vec![0.0; width + 2 * radius];
    for (row, out) in source.chunks_exact(width).zip(out.chunks_exact_mut(width)) {
        padded[..radius].fill(row[0]);
        padded[radius..radius + width].copy_from_slice(row);
        padded[radius + width..].fill(row[width - 1]);
        for (out, window) in out.iter_mut().zip(padded.windows(weights.len())) {
            let mut sum = 0.0;
            for (weight, value) in weights.iter().zip(window) {
                sum += weight * value;
            }
            *out = sum;
        }
    }
}

/// Weighted mean along the columns.
pub fn blur_columns(source: &[f32], weights: &[f32], width: usize, out: &mut [f32]) {
    let radius = weights.len() / 2;
    let height = source.len() / width;
    for (y, out) in out.chunks_exact_mut(width).enumerate() {
        out.fill(0.0);
        for (k, weight) in weights.iter().enumerate() {
            let at = (y + k).saturating_sub(radius).min(height - 1);
            for (sum, value) in out.iter_mut().zip(&source[at * width..][..width]) {
                *sum += weight * value;
            }
        }
    }
}

/// The length of the gradient, and the nearest axis.
pub fn sobel(source: &[f32], width: usize, steepness: &mut [f32], axis: &mut [u8]) {
    let height = source.len() / width;
    let flat = 0.41421357;
    for y in 0..height {
        let row = |y: usize| &source[y * width..][..width];
        let (above, here, below) = (row(y.saturating_sub(1)), row(y), row((y + 1).min(height - 1)));
        let steepness = &mut steepness[y * width..][..width];
        let axis = &mut axis[y * width..][..width];
        for x in 0..width {
            let (left, right) = (x.saturating_sub(1), (x + 1).min(width - 1));
            let gx = (above[right] - above[left]) + 2.0 * (here[right] - here[left]) + (below[right] - below[left]);
            let gy = (below[left] - above[left]) + 2.0 * (below[x] - above[x]) + (below[right] - above[right]);
            steepness[x] = (gx * gx + gy * gy).sqrt();
            axis[x] = if gy.abs() <= flat * gx.abs() {
                0
            } else if gx.abs() <= flat * gy.abs() {
                2
            } else if (gx > 0.0) == (gy > 0.0) {
                1
            } else {
                3
            };
        }
    }
}

/// Keeps the crest of each ridge and marks it: 0, 1 for faint, 2 for clear.
pub fn thin(steepness: &[f32], axis: &[u8], width: usize, faint: f32, clear: f32, marks: &mut [u32]) {
    let height = steepness.len() / width;
    let steps = [1, width + 1, width, width - 1];
    marks.fill(0);
    for y in 1..height.saturating_sub(1) {
        for i in y * width + 1..(y + 1) * width - 1 {
            let step = steps[usize::from(axis[i])];
            let here = steepness[i];
            if here > steepness[i - step] && here >= steepness[i + step] {
                marks[i] = if here >= clear { 2 } else { u32::from(here >= faint) };
            }
        }
    }
}

/// Follows faint edges from adjacent clear ones, with a stack of those that are still to be followed.
pub fn link(marks: &mut [u32], width: usize) {
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

/// The same by the algorithm of the kernel, which needs no stack: tile after tile until none changes, and for each tile, sweep
/// after sweep.
pub fn link_tiles(marks: &mut [u32], width: usize) {
    let height = marks.len() / width;
    let mut growing = true;
    while growing {
        growing = false;
        for top in (0..height).step_by(32) {
            for left in (0..width).step_by(32) {
                growing |= link_tile(marks, [width, height], [left, top]);
            }
        }
    }
}

/// Follows the edges of a tile. True if one came to the border of the tile.
fn link_tile(marks: &mut [u32], [width, height]: [usize; 2], [left, top]: [usize; 2]) -> bool {
    let mut tile = [[0; 34]; 34];
    let mut growing = false;
    for (row, tile) in tile.iter_mut().enumerate() {
        for (column, mark) in tile.iter_mut().enumerate() {
            let (x, y) = (left + column, top + row);
            if x > 0 && y > 0 && x <= width && y <= height {
                *mark = marks[(y - 1) * width + x - 1];
                growing |= *mark == 1;
            }
        }
    }
    let mut reached = false;
    while growing {
        growing = false;
        let mut clear = [[false; 34]; 34];
        for y in 1..33 {
            for x in 1..33 {
                if tile[y][x] == 1 {
                    for row in &tile[y - 1..=y + 1] {
                        clear[y][x] |= row[x - 1..=x + 1].contains(&2);
                    }
                }
            }
        }
        for y in 1..33 {
            for x in 1..33 {
                if clear[y][x] {
                    tile[y][x] = 2;
                    marks[(top + y - 1) * width + left + x - 1] = 2;
                    growing = true;
                    reached |= x == 1 || x == 32 || y == 1 || y == 32;
                }
            }
        }
    }
    reached
}

/// Clear edges in white on black.
pub fn paint(marks: &[u32], out: &mut [u8]) {
    for (out, &mark) in out.iter_mut().zip(marks) {
        *out = if mark == 2 { 255 } else { 0 };
    }
}
