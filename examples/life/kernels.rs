//! The rule, and the light that cells leave.

use vyre::prelude::*;

/// The next generation of J. H. Conway's game of life (1970): 1 for a live cell, else 0. The board has no border; its
/// last row lies above the first one, its last column beside the first one.
#[vyre::kernel(block = [32, 8])]
pub fn evolve(now: Slice2<'_, u8>, mut next: SliceMut2<'_, u8>) {
    let (x, y) = thread::index_2d();
    let (width, height) = (now.cols(), now.rows());
    if x < width && y < height {
        let left = if x > 0 { x - 1 } else { width - 1 };
        let right = if x + 1 < width { x + 1 } else { 0 };
        let above = if y > 0 { y - 1 } else { height - 1 };
        let below = if y + 1 < height { y + 1 } else { 0 };
        let mut neighbours = now[[y, left]] + now[[y, right]];
        for row in [above, below] {
            neighbours += now[[row, left]] + now[[row, x]] + now[[row, right]];
        }
        let alive = neighbours == 3 || neighbours == 2 && now[[y, x]] == 1;
        next[[y, x]] = alive as u8;
    }
}

/// A live cell shines with 255; a dead one loses an eighth of its light in each generation.
#[vyre::kernel]
pub fn glow(#[each] cell: &u8, #[each] light: &mut u8) {
    *light = if *cell == 1 { 255 } else { *light - light.div_ceil(8) };
}
