//! The steps from a picture to its edges. `plain.rs` has the same steps for one thread of a CPU.

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

/// Weighted mean along the rows. Outside the picture stands what stands at its border.
#[vyre::kernel(block = [32, 8])]
pub fn blur_rows(source: &[f32], weights: &[f32], out: &mut [f32], width: usize, height: usize) {
    let (x, y) = thread::index_2d();
    if x < width && y < height {
        let radius = weights.len() / 2;
        let mut sum = 0.0;
        for k in 0..weights.len() {
            let at = ((x + k).max(radius) - radius).min(width - 1);
            sum += weights[k] * source[y * width + at];
        }
        out[y * width + x] = sum;
    }
}

/// Weighted mean along the columns.
#[vyre::kernel(block = [32, 8])]
pub fn blur_columns(source: &[f32], weights: &[f32], out: &mut [f32], width: usize, height: usize) {
    let (x, y) = thread::index_2d();
    if x < width && y < height {
        let radius = weights.len() / 2;
        let mut sum = 0.0;
        for k in 0..weights.len() {
            let at = ((y + k).max(radius) - radius).min(height - 1);
            sum += weights[k] * source[at * width + x];
        }
        out[y * width + x] = sum;
    }
}

/// The length of the gradient, and the axis that it is nearest to: 0 for a row, 1 for a falling
/// diagonal, 2 for a column, 3 for a rising diagonal.
#[vyre::kernel(block = [32, 8])]
pub fn sobel(source: &[f32], steepness: &mut [f32], axis: &mut [u8], width: usize, height: usize) {
    // The tangent of an eighth of a half turn.
    const FLAT: f32 = 0.41421357;

    let (x, y) = thread::index_2d();
    if x < width && y < height {
        let left = x.max(1) - 1;
        let right = (x + 1).min(width - 1);
        let above = (y.max(1) - 1) * width;
        let here = y * width;
        let below = (y + 1).min(height - 1) * width;

        let gx = (source[above + right] - source[above + left])
            + 2.0 * (source[here + right] - source[here + left])
            + (source[below + right] - source[below + left]);
        let gy = (source[below + left] - source[above + left])
            + 2.0 * (source[below + x] - source[above + x])
            + (source[below + right] - source[above + right]);

        steepness[here + x] = (gx * gx + gy * gy).sqrt();
        axis[here + x] = if gy.abs() <= FLAT * gx.abs() {
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

/// Leaves of each ridge its crest, and marks it: 0 for no edge, 1 for a faint one, 2 for a clear
/// one. The border of the picture has no edges. Clear ones go on a list, in any order.
#[vyre::kernel(block = [32, 8])]
pub fn thin(
    steepness: &[f32],
    axis: &[u8],
    marks: &mut [u32],
    list: &[AtomicU32],
    length: &[AtomicU32],
    width: usize,
    height: usize,
    faint: f32,
    clear: f32,
) {
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
                    let slot = length[0].fetch_add(1, Ordering::Relaxed) as usize;
                    list[slot].store(i as u32, Ordering::Relaxed);
                } else if here >= faint {
                    mark = 1;
                }
            }
        }
        marks[i] = mark;
    }
}

/// From each of the first `count` edges of a list, follows faint ones that hang together with it and
/// makes them clear. Where a line branches, the branches go on a list of their own, for the next launch.
///
/// Who follows which line depends on who comes first; which lines are clear in the end does not.
#[vyre::kernel]
pub fn link(marks: &[AtomicU32], from: &[u32], count: usize, list: &[AtomicU32], length: &[AtomicU32], width: usize) {
    let i = thread::index();
    if i < count {
        let mut here = from[i] as usize;
        let mut ahead = true;
        while ahead {
            ahead = false;
            let mut next = here;
            // The border has no edges, so the eight neighbours of an edge lie in the picture.
            for dy in 0..3 {
                for dx in 0..3 {
                    let there = here + dy * width + dx - width - 1;
                    if marks[there].load(Ordering::Relaxed) == 1
                        && marks[there]
                            .compare_exchange(1, 2, Ordering::Relaxed, Ordering::Relaxed)
                            .is_ok()
                    {
                        if ahead {
                            let slot = length[0].fetch_add(1, Ordering::Relaxed) as usize;
                            list[slot].store(there as u32, Ordering::Relaxed);
                        } else {
                            ahead = true;
                            next = there;
                        }
                    }
                }
            }
            here = next;
        }
    }
}

/// Clear edges in white, all else in black.
#[vyre::kernel]
pub fn paint(#[each] mark: &u32, #[each] out: &mut u8) {
    *out = if *mark == 2 { 255 } else { 0 };
}
