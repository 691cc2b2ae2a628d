//! A stencil in three dimensions with radius two.

use vyre::prelude::*;
use vyre_algorithms::{Random, bits};
use vyre_semantics::everywhere;

super::kernels! { Star }

/// Each element becomes `weights[0]` times itself, plus `weights[1]` times the six neighbours at
/// distance one, plus `weights[2]` times the six at distance two; outside elements are 0.
///
/// A block marches along z. Each thread keeps the five elements along z in registers, and the
/// current plane is in shared memory with a halo of two. The planes have `height` rows each.
#[vyre::kernel(block = [16, 16])]
fn star(x: Slice2<'_, f32>, mut y: SliceMut2<'_, f32>, weights: &[f32], height: usize) {
    const REACH: usize = 2;
    const SIDE: usize = 16;
    let plane = shared::<[[f32; SIDE + 2 * REACH]; SIDE + 2 * REACH]>();
    let (column, row) = thread::index_2d();
    let (across, down) = (thread::idx().x + REACH, thread::idx().y + REACH);
    let (width, depth) = (x.cols(), x.rows() / height);
    let is_inside = column < width && row < height;
    let mut queue = [0.0; 5];
    for z in 0..REACH {
        if is_inside && z < depth {
            queue[REACH + 1 + z] = x[[z * height + row, column]];
        }
    }
    for z in 0..depth {
        for k in 0..4 {
            queue[k] = queue[k + 1];
        }
        queue[4] = if is_inside && z + REACH < depth {
            x[[(z + REACH) * height + row, column]]
        } else {
            0.0
        };

        plane[down][across] = queue[REACH];
        let here = z * height + row;
        if down < 2 * REACH {
            let is_above = column < width && row >= REACH && row - REACH < height;
            plane[down - REACH][across] = if is_above { x[[here - REACH, column]] } else { 0.0 };
            let is_below = column < width && row + SIDE < height;
            plane[down + SIDE][across] = if is_below { x[[here + SIDE, column]] } else { 0.0 };
        }
        if across < 2 * REACH {
            let is_left = row < height && column >= REACH && column - REACH < width;
            plane[down][across - REACH] = if is_left { x[[here, column - REACH]] } else { 0.0 };
            let is_right = row < height && column + SIDE < width;
            plane[down][across + SIDE] = if is_right { x[[here, column + SIDE]] } else { 0.0 };
        }
        block::sync();
        let mut sum = weights[0] * queue[REACH];
        for far in 1..=REACH {
            sum += weights[far] * (plane[down][across - far] + plane[down][across + far]);
            sum += weights[far] * (plane[down - far][across] + plane[down + far][across]);
            sum += weights[far] * (queue[REACH - far] + queue[REACH + far]);
        }
        block::sync();
        if is_inside {
            y[[here, column]] = sum;
        }
    }
}

#[test]
fn stars() {
    const WEIGHTS: [f32; 3] = [-5.0, 1.25, -0.125];
    everywhere(|place| {
        for [width, height, depth] in [[1, 1, 1], [1, 1, 7], [16, 16, 2], [17, 3, 4], [3, 18, 5], [35, 33, 3]] {
            let values = Random::new(15).floats(width * height * depth, -1.0, 1.0);
            let at = |x: usize, y: usize, z: usize, far: [isize; 3]| {
                let [x, y, z] = [(x, far[0]), (y, far[1]), (z, far[2])].map(|(at, far)| at.wrapping_add_signed(far));
                let is_inside = x < width && y < height && z < depth;
                if is_inside {
                    values[(z * height + y) * width + x]
                } else {
                    0.0
                }
            };
            let mut expected = Vec::new();
            for z in 0..depth {
                for y in 0..height {
                    for x in 0..width {
                        let mut sum = WEIGHTS[0] * at(x, y, z, [0; 3]);
                        for far in 1..3isize {
                            for axis in 0..3 {
                                let (mut before, mut after) = ([0; 3], [0; 3]);
                                (before[axis], after[axis]) = (-far, far);
                                sum += WEIGHTS[far as usize] * (at(x, y, z, before) + at(x, y, z, after));
                            }
                        }
                        expected.push(sum);
                    }
                }
            }
            let x = place.device().upload(&values)?;
            let weights = place.device().upload(&WEIGHTS)?;
            let mut y = place.device().zeros::<f32>(values.len())?;
            let (from, to) = (x.view2(depth * height, width)?, y.view2_mut(depth * height, width)?);
            place.over(star(from, to, &weights, height), [width, height])?;
            assert_eq!(bits(&y.download()?), bits(&expected), "{width} x {height} x {depth}");
        }
        Ok(())
    });
}
