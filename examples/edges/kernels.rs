//! The passes of an edge detector. `plain.rs` has the same passes for one thread of a CPU.

use vyre::prelude::*;

/// Brightness, from 0 to 255.
#[vyre::kernel]
pub fn brightness(rgb: &[u8], out: &mut [f32]) {
    let i = thread::index();
    if i < out.len() {
        let red = rgb[3 * i] as f32;
        let green = rgb[3 * i + 1] as f32;
        let blue = rgb[3 * i + 2] as f32;
        out[i] = 0.299 * red + 0.587 * green + 0.114 * blue;
    }
}

/// Weighted mean along the rows. Coordinates outside the picture are clamped to its border.
#[vyre::kernel(block = [32, 8])]
pub fn blur_rows(source: Slice2<'_, f32>, weights: &[f32], mut out: SliceMut2<'_, f32>) {
    let (x, y) = thread::index_2d();
    if x < out.cols() && y < out.rows() {
        let radius = weights.len() / 2;
        let mut sum = 0.0;
        for k in 0..weights.len() {
            let at = ((x + k).max(radius) - radius).min(source.cols() - 1);
            sum += weights[k] * source[[y, at]];
        }
        out[[y, x]] = sum;
    }
}

/// Weighted mean along the columns.
#[vyre::kernel(block = [32, 8])]
pub fn blur_columns(source: Slice2<'_, f32>, weights: &[f32], mut out: SliceMut2<'_, f32>) {
    let (x, y) = thread::index_2d();
    if x < out.cols() && y < out.rows() {
        let radius = weights.len() / 2;
        let mut sum = 0.0;
        for k in 0..weights.len() {
            let at = ((y + k).max(radius) - radius).min(source.rows() - 1);
            sum += weights[k] * source[[at, x]];
        }
        out[[y, x]] = sum;
    }
}

/// The length of the gradient, and the axis that it is nearest to: 0 for a row, 1 for a falling
/// diagonal, 2 for a column, 3 for a rising diagonal.
#[vyre::kernel(block = [32, 8])]
pub fn sobel(source: Slice2<'_, f32>, mut steepness: SliceMut2<'_, f32>, mut axis: SliceMut2<'_, u8>) {
    // The tangent of an eighth of a half turn.
    const FLAT: f32 = 0.41421357;

    let (x, y) = thread::index_2d();
    if x < source.cols() && y < source.rows() {
        let left = x.max(1) - 1;
        let right = (x + 1).min(source.cols() - 1);
        let above = y.max(1) - 1;
        let below = (y + 1).min(source.rows() - 1);

        let gx = (source[[above, right]] - source[[above, left]])
            + 2.0 * (source[[y, right]] - source[[y, left]])
            + (source[[below, right]] - source[[below, left]]);
        let gy = (source[[below, left]] - source[[above, left]])
            + 2.0 * (source[[below, x]] - source[[above, x]])
            + (source[[below, right]] - source[[above, right]]);

        steepness[[y, x]] = (gx * gx + gy * gy).sqrt();
        axis[[y, x]] = if gy.abs() <= FLAT * gx.abs() {
            0
        } else if gx.abs() <= FLAT * gy.abs() {
            2
        } else if (gx > 0.0) == (gy > 0.0) {
            1
        } else {
            3
        };
    }
}

/// Non-maximum suppression: keeps the crest of each ridge and marks it as 0 for no edge, 1 for a
/// faint one, 2 for a clear one. The border of the picture has no edges.
#[vyre::kernel(block = [32, 8])]
pub fn thin(steepness: &[f32], axis: &[u8], marks: &mut [u32], width: usize, height: usize, faint: f32, clear: f32) {
    let (x, y) = thread::index_2d();
    if x < width && y < height {
        let i = y * width + x;
        let mut mark = 0;
        if x > 0 && y > 0 && x + 1 < width && y + 1 < height {
            let step = if axis[i] == 0 {
                1
            } else if axis[i] == 1 {
                width + 1
            } else if axis[i] == 2 {
                width
            } else {
                width - 1
            };
            let here = steepness[i];
            if here > steepness[i - step] && here >= steepness[i + step] {
                if here >= clear {
                    mark = 2;
                } else if here >= faint {
                    mark = 1;
                }
            }
        }
        marks[i] = mark;
    }
}

/// Hysteresis: makes faint edges clear if they are connected to a clear one, within each tile of 32
/// by 32 pixels. Lines that leave their tile are followed by the next launch: `grown` records for
/// each launch whether that happened, and a launch after one where it did not returns at once.
///
/// The launch that reaches an edge depends on the order of the blocks; the final set of clear edges
/// does not.
#[vyre::kernel(block = [32, 8])]
pub fn link(marks: &[AtomicU32], grown: &[AtomicU32], round: usize, width: usize, height: usize) {
    if round > 0 && grown[round - 1].load(Ordering::Relaxed) == 0 {
        return;
    }
    // The tile with its halo of one pixel; there is no edge outside the picture.
    let tile = shared::<[[u32; 34]; 34]>();
    let (tx, ty) = (thread::idx().x, thread::idx().y);
    let (left, top) = (32 * block::idx().x, 32 * block::idx().y);
    let mut faint = false;
    let mut row = ty;
    while row < 34 {
        let mut column = tx;
        while column < 34 {
            let (x, y) = (left + column, top + row);
            let mut mark = 0;
            if x > 0 && y > 0 && x <= width && y <= height {
                mark = marks[(y - 1) * width + x - 1].load(Ordering::Relaxed);
            }
            tile[row][column] = mark;
            faint |= mark == 1;
            column += 32;
        }
        row += 8;
    }
    let mut growing = block::sync_or(faint);
    while growing {
        // All threads read before any of them writes.
        let mut clear = [false; 4];
        for k in 0..4 {
            let (x, y) = (tx + 1, ty + 8 * k + 1);
            if tile[y][x] == 1 {
                for dy in 0..3 {
                    for dx in 0..3 {
                        clear[k] |= tile[y + dy - 1][x + dx - 1] == 2;
                    }
                }
            }
        }
        block::sync();
        let mut grew = false;
        for k in 0..4 {
            let (x, y) = (tx + 1, ty + 8 * k + 1);
            if clear[k] {
                tile[y][x] = 2;
                marks[(top + y - 1) * width + left + x - 1].store(2, Ordering::Relaxed);
                grew = true;
                if x == 1 || x == 32 || y == 1 || y == 32 {
                    grown[round].store(1, Ordering::Relaxed);
                }
            }
        }
        growing = block::sync_or(grew);
    }
}

/// Clear edges in white on black.
#[vyre::kernel]
pub fn paint(#[each] mark: &u32, #[each] out: &mut u8) {
    *out = if *mark == 2 { 255 } else { 0 };
}
