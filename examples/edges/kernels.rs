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

/// Non-maximum suppression: keeps the crest of each ridge, as a faint edge or a clear one. The border of the picture has no
/// edges. `faint` and `clear` have a word for each 32 pixels of a row, with a bit for each of them.
#[vyre::kernel(block = [32, 8])]
pub fn thin(
    steepness: &[f32],
    axis: &[u8],
    mut faint: SliceMut2<'_, u32>,
    mut clear: SliceMut2<'_, u32>,
    width: usize,
    low: f32,
    high: f32,
) {
    let (x, y) = thread::index_2d();
    let height = faint.rows();
    let (mut is_edge, mut is_clear) = (false, false);
    if x > 0 && y > 0 && x + 1 < width && y + 1 < height {
        let i = y * width + x;
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
        // Neither comparison decides about the other, since no processor could predict that.
        let is_crest = (here > steepness[i - step]) & (here >= steepness[i + step]);
        is_edge = is_crest & (here >= low);
        is_clear = is_crest & (here >= high);
    }
    // A warp has 32 pixels of a row. Its lanes vote together, those outside of the picture too.
    let (edges, clears) = (warp::ballot(is_edge), warp::ballot(is_clear));
    if thread::idx().x == 0 && y < height {
        faint[[y, block::idx().x]] = edges & !clears;
        clear[[y, block::idx().x]] = clears;
    }
}

/// Hysteresis: makes faint edges clear if they are connected to a clear one, within each tile of 256
/// by 32 pixels, a thread for each word. Lines that leave their tile are followed by the next launch:
/// `grown` records for each launch whether that happened, and a launch after one where it did not
/// returns at once.
///
/// The launch that reaches an edge depends on the order of the blocks; the final set of clear edges
/// does not.
#[vyre::kernel(block = [8, 32])]
pub fn link(faint: Slice2<'_, u32>, clear: &[AtomicU32], grown: &[AtomicU32], round: usize) {
    if round > 0 && grown[round - 1].load(Ordering::Relaxed) == 0 {
        return;
    }
    // The tile with its halo of one word; there is no edge outside the picture.
    let tile = shared::<[[u32; 10]; 34]>();
    let (columns, rows) = (faint.cols(), faint.rows());
    let (tx, ty) = (thread::idx().x, thread::idx().y);
    let (left, top) = (8 * block::idx().x, 32 * block::idx().y);
    let mut row = ty;
    while row < 34 {
        let mut column = tx;
        while column < 10 {
            let (x, y) = (left + column, top + row);
            let mut word = 0;
            if x > 0 && y > 0 && x <= columns && y <= rows {
                word = clear[(y - 1) * columns + x - 1].load(Ordering::Relaxed);
            }
            tile[row][column] = word;
            column += 8;
        }
        row += 32;
    }
    // The faint edges of the thread's own word that are not clear yet, and those that become clear.
    let (x, y) = (left + tx, top + ty);
    let mut open = 0;
    if x < columns && y < rows {
        open = faint[[y, x]] & !clear[y * columns + x].load(Ordering::Relaxed);
    }
    let mut found = 0;
    let mut growing = block::sync_or(open != 0);
    while growing {
        // All threads read before any of them writes.
        let mut near = 0;
        for k in 0..3 {
            let word = tile[ty + k][tx + 1];
            near |= word | word << 1 | word >> 1 | tile[ty + k][tx] >> 31 | tile[ty + k][tx + 2] << 31;
        }
        let linked = open & near;
        block::sync();
        tile[ty + 1][tx + 1] |= linked;
        open ^= linked;
        found |= linked;
        growing = block::sync_or(linked != 0);
    }
    if found != 0 {
        clear[y * columns + x].fetch_or(found, Ordering::Relaxed);
        let is_row = ty == 0 || ty == 31;
        if is_row || tx == 0 && found & 1 == 1 || tx == 7 && found >> 31 == 1 {
            grown[round].store(1, Ordering::Relaxed);
        }
    }
}

/// Clear edges in white on black.
#[vyre::kernel(block = [32, 8])]
pub fn paint(clear: Slice2<'_, u32>, mut out: SliceMut2<'_, u8>) {
    let (x, y) = thread::index_2d();
    if x < out.cols() && y < out.rows() {
        let word = clear[[y, block::idx().x]];
        out[[y, x]] = if word >> thread::idx().x & 1 == 1 { 255 } else { 0 };
    }
}
