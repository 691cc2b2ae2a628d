//! Conway's Game of Life on a torus.

use vyre::prelude::*;
use vyre_algorithms::Random;
use vyre_semantics::{Place, everywhere};

super::kernels! { NextGeneration }

/// A cell survives with two or three neighbours and is born with three. The block's cells and a
/// halo of one cell are in shared memory.
#[vyre::kernel(block = [32, 8])]
fn next_generation(now: &[u8], next: &mut [u8], width: usize, height: usize) {
    let tile = shared::<[[u8; 34]; 10]>();
    let (column, row) = thread::index_2d();
    let (across, down) = (thread::idx().x, thread::idx().y);
    for k in (down * 32 + across..34 * 10).step_by(256) {
        let x = (block::idx().x * 32 + k % 34 + width - 1) % width;
        let y = (block::idx().y * 8 + k / 34 + height - 1) % height;
        tile[k / 34][k % 34] = now[y * width + x];
    }
    block::sync();
    if column < width && row < height {
        let mut neighbours = 0;
        for dy in 0..3 {
            for dx in 0..3 {
                if dx != 1 || dy != 1 {
                    neighbours += tile[down + dy][across + dx];
                }
            }
        }
        next[row * width + column] = match (tile[down + 1][across + 1], neighbours) {
            (1, 2) | (_, 3) => 1,
            _ => 0,
        };
    }
}

fn generations(place: &Place, cells: &[u8], width: usize, height: usize, count: usize) -> vyre::Result<Vec<u8>> {
    let mut now = place.device().upload(cells)?;
    let mut next = now.try_clone()?;
    for _ in 0..count {
        place.over(next_generation(&now, &mut next, width, height), [width, height])?;
        std::mem::swap(&mut now, &mut next);
    }
    now.download()
}

/// The same in plain Rust.
fn followed(cells: &[u8], width: usize, height: usize) -> Vec<u8> {
    (0..cells.len())
        .map(|place| {
            let (x, y) = (place % width, place / width);
            let around = (0..9).filter(|&k| k != 4).map(|k| {
                let (x, y) = ((x + width + k % 3 - 1) % width, (y + height + k / 3 - 1) % height);
                cells[y * width + x]
            });
            let neighbours: u8 = around.sum();
            u8::from(neighbours == 3 || (neighbours == 2 && cells[place] == 1))
        })
        .collect()
}

#[test]
fn generations_follow() {
    everywhere(|place| {
        for (width, height) in [(1, 1), (2, 1), (3, 3), (32, 8), (33, 9), (31, 20), (70, 17)] {
            let mut random = Random::new(16);
            let cells: Vec<u8> = (0..width * height).map(|_| (random.index(3) == 0) as u8).collect();
            let mut expected = cells.clone();
            for _ in 0..3 {
                expected = followed(&expected, width, height);
            }
            assert_eq!(
                generations(place, &cells, width, height, 3)?,
                expected,
                "{width} x {height}"
            );
        }
        Ok(())
    });
}

/// After four generations a glider is one field further along both axes.
#[test]
fn a_glider_crosses_the_border() {
    let (width, height) = (12, 10);
    let glider = |left: usize, top: usize| {
        let mut cells = vec![0; width * height];
        for (x, y) in [(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)] {
            cells[(top + y) % height * width + (left + x) % width] = 1;
        }
        cells
    };
    everywhere(|place| {
        assert_eq!(generations(place, &glider(8, 7), width, height, 20)?, glider(13, 12));
        Ok(())
    });
}
