//! Algorithms whose data is distributed over the shared memory of a cluster, on every back end.

use vyre::Kernel;
use vyre::prelude::*;
use vyre_algorithms::Random;
use vyre_semantics::{Place, everywhere, ptx};

/// Bins of one block.
#[vyre::device]
const PART: usize = 1000;

/// Counts keys below 4000, which do not fit into one block's shared memory; larger keys count in
/// the last bin.
#[vyre::kernel(block = 128, cluster = 4)]
fn histogram(keys: &[u32], bins: &[AtomicU32]) {
    let part = shared::<[AtomicU32; PART]>();
    let t = thread::idx().x;
    let mut own = t;
    while own < PART {
        part[own].store(0, Ordering::Relaxed);
        own += block::dim().x;
    }
    cluster::sync();
    let mut i = thread::index();
    while i < keys.len() {
        let bin = (keys[i] as usize).min(cluster::num_blocks() * PART - 1);
        cluster::map_shared(part, bin / PART)[bin % PART].fetch_add(1, Ordering::Relaxed);
        i += grid::dim().x * block::dim().x;
    }
    cluster::sync();
    let mut own = t;
    while own < PART {
        let count = part[own].load(Ordering::Relaxed);
        if count > 0 {
            bins[cluster::block_rank() * PART + own].fetch_add(count, Ordering::Relaxed);
        }
        own += block::dim().x;
    }
}

fn counted(place: &Place, keys: &[u32], blocks: u32) -> vyre::Result<Vec<u32>> {
    let keys = place.device().upload(keys)?;
    let mut bins = place.device().zeros::<u32>(4 * PART)?;
    place.grid(histogram(&keys, &mut bins), [blocks, 1, 1])?;
    bins.download()
}

#[test]
fn histograms() {
    everywhere(|place| {
        let mut random = Random::new(11);
        for (length, blocks) in [(0, 4), (1, 4), (3000, 8), (20_000, 12)] {
            let keys: Vec<u32> = (0..length).map(|_| random.index(5000) as u32).collect();
            let mut expected = vec![0; 4 * PART];
            keys.iter().for_each(|&key| expected[(key as usize).min(3999)] += 1);
            assert_eq!(counted(place, &keys, blocks)?, expected, "{length}, {blocks}");
        }
        Ok(())
    });
    ptx::assembled(&[Histogram::info()]);
}

/// Steps of the heat equation along rods of 256 cells, one rod per cluster: a block keeps a quarter
/// of them in its shared memory and reads past its ends from its neighbours.
#[vyre::kernel(block = 64, cluster = 4)]
fn heat(steps: usize, cells: &mut [f32]) {
    let states = shared::<[[f32; 64]; 2]>();
    let (i, t, rank) = (thread::index(), thread::idx().x, cluster::block_rank());
    let left = cluster::map_shared(states, if rank > 0 { rank - 1 } else { 0 });
    let right = cluster::map_shared(states, (rank + 1).min(3));
    states[0][t] = cells[i];
    cluster::sync();
    for step in 0..steps {
        let now = step % 2;
        let own = states[now][t];
        let mut before = own;
        let mut after = own;
        if t > 0 {
            before = states[now][t - 1];
        } else if rank > 0 {
            before = left[now][63];
        }
        if t < 63 {
            after = states[now][t + 1];
        } else if rank < 3 {
            after = right[now][0];
        }
        states[1 - now][t] = own + 0.25 * (before - 2.0 * own + after);
        cluster::sync();
    }
    cells[i] = states[steps % 2][t];
}

#[test]
fn rods_cool_down() {
    let mut random = Random::new(5);
    let cells: Vec<f32> = (0..768).map(|_| random.index(1000) as f32).collect();
    everywhere(|place| {
        for steps in [0, 1, 2, 25] {
            let mut given = place.device().upload(&cells)?;
            place.over(heat(steps, &mut given), 768)?;
            let mut expected = cells.clone();
            for _ in 0..steps {
                let old = expected.clone();
                for (i, cell) in expected.iter_mut().enumerate() {
                    let before = if i % 256 > 0 { old[i - 1] } else { old[i] };
                    let after = if i % 256 < 255 { old[i + 1] } else { old[i] };
                    *cell = old[i] + 0.25 * (before - 2.0 * old[i] + after);
                }
            }
            assert_eq!(given.download()?, expected, "{steps}");
        }
        Ok(())
    });
    ptx::assembled(&[Heat::info()]);
}
