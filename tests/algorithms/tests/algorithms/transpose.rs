//! Matrix transpose, without and with a tile of shared memory.

use vyre::prelude::*;
use vyre_algorithms::{Random, bits};
use vyre_semantics::everywhere;

super::kernels! { Plain Tiled }

/// One element per thread: the reads of a warp are coalesced, its writes are not.
#[vyre::kernel]
fn plain(source: &[f32], target: &mut [f32], width: usize, height: usize) {
    let (x, y) = thread::index_2d();
    if x < width && y < height {
        target[x * height + y] = source[y * width + x];
    }
}

/// Through a tile, so that reads and writes are coalesced. The tile has a padding column, which
/// puts the elements of a column into different banks.
#[vyre::kernel(block = [32, 8])]
fn tiled(source: Slice2<'_, f32>, mut target: SliceMut2<'_, f32>) {
    const SIDE: usize = 32;
    let tile = shared::<[[f32; SIDE + 1]; SIDE]>();
    let (across, down) = (thread::idx().x, thread::idx().y);
    let (left, top) = (block::idx().x * SIDE, block::idx().y * SIDE);
    for k in (0..SIDE).step_by(8) {
        let row = down + k;
        if left + across < source.cols() && top + row < source.rows() {
            tile[row][across] = source[[top + row, left + across]];
        }
    }
    block::sync();
    for k in (0..SIDE).step_by(8) {
        let row = down + k;
        if top + across < target.cols() && left + row < target.rows() {
            target[[left + row, top + across]] = tile[across][row];
        }
    }
}

#[test]
fn transposes() {
    everywhere(|place| {
        for (width, height) in [
            (0, 0),
            (1, 1),
            (32, 32),
            (64, 32),
            (1, 70),
            (33, 31),
            (31, 33),
            (70, 45),
        ] {
            let values = Random::new(1).floats(width * height, -1.0, 1.0);
            let mut expected = vec![0.0; values.len()];
            for y in 0..height {
                for x in 0..width {
                    expected[x * height + y] = values[y * width + x];
                }
            }
            let source = place.device().upload(&values)?;
            let mut target = place.device().zeros::<f32>(values.len())?;
            place.over(plain(&source, &mut target, width, height), [width, height])?;
            assert_eq!(bits(&target.download()?), bits(&expected), "plain, {width} x {height}");
            if values.is_empty() {
                continue;
            }
            let mut target = place.device().zeros::<f32>(values.len())?;
            let blocks = [width.div_ceil(32) as u32, height.div_ceil(32) as u32, 1];
            let (from, to) = (source.view2(height, width)?, target.view2_mut(width, height)?);
            place.grid(tiled(from, to), blocks)?;
            assert_eq!(bits(&target.download()?), bits(&expected), "tiled, {width} x {height}");
        }
        Ok(())
    });
}
