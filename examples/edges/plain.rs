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

/// The pixels with such a mark, as the bits of words, each for 32 pixels of a row.
pub fn pack(marks: &[u32], mark: u32, width: usize, words: &mut [u32]) {
    for (row, words) in marks
        .chunks_exact(width)
        .zip(words.chunks_exact_mut(width.div_ceil(32)))
    {
        for (pixels, word) in row.chunks(32).zip(words) {
            let bits = pixels.iter().enumerate();
            *word = bits.fold(0, |word, (bit, &it)| word | u32::from(it == mark) << bit);
        }
    }
}

/// The same as [`link`] by the algorithm of the kernel, which needs no stack: tile after tile until none changes, and for each
/// tile, sweep after sweep. `columns` is the number of words of a row.
pub fn link_tiles(faint: &[u32], clear: &mut [u32], columns: usize) {
    let rows = clear.len() / columns;
    let mut growing = true;
    while growing {
        growing = false;
        for top in (0..rows).step_by(32) {
            for left in (0..columns).step_by(8) {
                growing |= link_tile(faint, clear, [columns, rows], [left, top]);
            }
        }
    }
}

/// Follows the edges of a tile. True if one came to the border of the tile.
fn link_tile(faint: &[u32], clear: &mut [u32], [columns, rows]: [usize; 2], [left, top]: [usize; 2]) -> bool {
    // With a halo of one word.
    let mut tile = [[0u32; 10]; 34];
    let mut open = [[0u32; 8]; 32];
    let mut growing = false;
    for (row, tile) in tile.iter_mut().enumerate() {
        for (column, word) in tile.iter_mut().enumerate() {
            let (x, y) = (left + column, top + row);
            if x > 0 && y > 0 && x <= columns && y <= rows {
                let at = (y - 1) * columns + x - 1;
                *word = clear[at];
                if (1..33).contains(&row) && (1..9).contains(&column) {
                    open[row - 1][column - 1] = faint[at] & !clear[at];
                    growing |= open[row - 1][column - 1] != 0;
                }
            }
        }
    }
    let mut found = [[0u32; 8]; 32];
    while growing {
        growing = false;
        let before = tile;
        for y in 0..32 {
            for x in 0..8 {
                let mut near = 0;
                for row in &before[y..y + 3] {
                    let word = row[x + 1];
                    near |= word | word << 1 | word >> 1 | row[x] >> 31 | row[x + 2] << 31;
                }
                let linked = open[y][x] & near;
                tile[y + 1][x + 1] |= linked;
                open[y][x] ^= linked;
                found[y][x] |= linked;
                growing |= linked != 0;
            }
        }
    }
    let mut reached = false;
    for (y, row) in found.iter().enumerate() {
        for (x, &word) in row.iter().enumerate() {
            if word != 0 {
                clear[(top + y) * columns + left + x] |= word;
                reached |= y == 0 || y == 31 || x == 0 && word & 1 == 1 || x == 7 && word >> 31 == 1;
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
