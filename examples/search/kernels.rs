//! All scores, and the best of them.

use vyre::prelude::*;

/// The scalar product of each query, by the number of its row, with each vector. Vectors of length 1 have the cosine of
/// their angle.
#[vyre::kernel(block = [32, 8])]
pub fn score(vectors: Slice2<'_, f32>, queries: &[u32], mut scores: SliceMut2<'_, f32>) {
    let (row, query) = thread::index_2d();
    if row < scores.cols() && query < scores.rows() {
        let own = queries[query] as usize;
        let mut sum = 0.0;
        for column in 0..vectors.cols() {
            sum += vectors[[own, column]] * vectors[[row, column]];
        }
        scores[[query, row]] = sum;
    }
}

/// A number for each score and row, which is larger for a better score and, of equal ones, for the row that comes first.
#[vyre::device]
pub fn rank(score: f32, row: u32) -> u64 {
    // The bits of positive floats that are no NaN are ordered; those of negative ones are, too, if all are inverted.
    let bits = score.to_bits();
    let ordered = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
    (ordered as u64) << 32 | !row as u64
}

/// The row of a rank.
#[vyre::device]
pub fn row_of(rank: u64) -> u32 {
    !(rank as u32)
}

/// The rows with the best scores of each query but its own row, the best one first. A block looks at one query: in each
/// round it finds the largest rank below the last one.
#[vyre::kernel(block = 256)]
pub fn best(scores: Slice2<'_, f32>, queries: &[u32], mut found: SliceMut2<'_, u32>) {
    let query = block::idx().x;
    let own = queries[query] as usize;
    let mut last = u64::MAX;
    for place in 0..found.cols() {
        let mut largest = 0;
        for row in (thread::idx().x..scores.cols()).step_by(256) {
            let rank = rank(scores[[query, row]], row as u32);
            if rank < last && row != own {
                largest = largest.max(rank);
            }
        }
        last = block::max(largest);
        if thread::idx().x == 0 {
            // One thread of the block, which has a row of its own.
            store::relaxed(&mut found[[query, place]], row_of(last));
        }
    }
}
