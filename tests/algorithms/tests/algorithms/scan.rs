//! Prefix sums in a single pass with decoupled look-back.

use vyre::prelude::*;
use vyre_algorithms::Random;
use vyre_semantics::everywhere;

super::kernels! { RunningSums }

/// sums[i] := x[0] + .. + x[i]
///
/// Blocks claim tiles in the order in which they start, so that a block waits only for running
/// blocks. A block first publishes the sum of its tile. Then its first warp looks back, 32 tiles at
/// a time, until it finds one that has published its inclusive prefix; with that, the block
/// publishes its own. State and sum share one word, so that they are read atomically.
#[vyre::kernel(block = 128)]
fn running_sums(x: &[u32], sums: &mut [u32], tiles: &[AtomicU64], taken: &[AtomicU32]) {
    const EACH: usize = 4;
    /// The states of a tile, in the upper half of its word; 0 is a tile without a published sum.
    const OWN_SUM: u64 = 1 << 32;
    const WHOLE_SUM: u64 = 2 << 32;
    let tile_of_block = shared::<[usize; 1]>();
    let sum_of_warp = shared::<[u32; 4]>();
    let sum_before = shared::<[u32; 1]>();
    let t = thread::idx().x;
    if t == 0 {
        tile_of_block[0] = taken[0].fetch_add(1, Ordering::Relaxed) as usize;
    }
    block::sync();
    let tile = tile_of_block[0];

    // The thread's own sum, then the exclusive prefix in its warp.
    let first = (tile * 128 + t) * EACH;
    let mut own = [0; EACH];
    let mut sum: u32 = 0;
    for k in 0..EACH {
        if first + k < x.len() {
            sum += x[first + k];
        }
        own[k] = sum;
    }
    let mut before = warp::exclusive_sum(sum);
    if lane::index() == 31 {
        sum_of_warp[t / 32] = before + sum;
    }
    block::sync();
    let mut total = 0;
    for w in 0..4 {
        if w < t / 32 {
            before += sum_of_warp[w];
        }
        total += sum_of_warp[w];
    }

    if t < 32 {
        let mut outside = 0;
        if t == 0 && tile > 0 {
            tiles[tile].store(OWN_SUM | total as u64, Ordering::Release);
        }
        // Tiles from here on are already added. Lane 0 reads the previous one, lane 1 the one
        // before that; before the first tile the prefix is 0.
        let mut from = tile;
        loop {
            let mut word = WHOLE_SUM;
            if lane::index() < from {
                word = tiles[from - 1 - lane::index()].load(Ordering::Acquire);
                while word < OWN_SUM {
                    word = tiles[from - 1 - lane::index()].load(Ordering::Acquire);
                }
            }
            let whole = warp::ballot(word >= WHOLE_SUM);
            let nearest = whole.trailing_zeros() as usize;
            outside += warp::sum(if lane::index() <= nearest { word as u32 } else { 0 });
            if whole != 0 {
                break;
            }
            from -= 32;
        }
        if t == 0 {
            tiles[tile].store(WHOLE_SUM | (outside + total) as u64, Ordering::Release);
            sum_before[0] = outside;
        }
    }
    block::sync();
    before += sum_before[0];
    for k in 0..EACH {
        if first + k < sums.len() {
            // A tile is one block's, by its ticket.
            store::relaxed(&mut sums[first + k], before + own[k]);
        }
    }
}

#[test]
fn sums_up_to_each() {
    const TILE: usize = 512;
    everywhere(|place| {
        for length in [0, 1, 3, TILE - 1, TILE, TILE + 1, 5 * TILE + 77, 40 * TILE] {
            let values = Random::new(4).words(length);
            let count = length.div_ceil(TILE);
            let x = place.device().upload(&values)?;
            let mut sums = place.device().zeros::<u32>(length)?;
            let mut tiles = place.device().zeros::<u64>(count)?;
            let mut taken = place.device().zeros::<u32>(1)?;
            let kernel = running_sums(&x, &mut sums, &mut tiles, &mut taken);
            place.over(kernel, count * 128)?;
            let expected: Vec<u32> = (values.iter())
                .scan(0u32, |sum, &value| {
                    *sum = sum.wrapping_add(value);
                    Some(*sum)
                })
                .collect();
            assert!(sums.download()? == expected, "{length} on {}", place.name());
            assert_eq!(taken.download()?, [count as u32]);
        }
        Ok(())
    });
}
