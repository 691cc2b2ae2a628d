//! The two steps of Lloyd's algorithm.

use vyre::prelude::*;

/// Gives each point, a row, the label of its nearest centre, the first of equally near ones. Counts in `changed` the
/// points that had another label.
#[vyre::kernel(block = 256)]
pub fn assign(points: Slice2<'_, f32>, centres: Slice2<'_, f32>, labels: &mut [u32], changed: &[AtomicU32]) {
    let i = thread::index();
    let mut other = false;
    if i < labels.len() {
        let (mut label, mut least) = (0, f32::INFINITY);
        for k in 0..centres.rows() {
            let mut square = 0.0;
            for column in 0..points.cols() {
                let difference = points[[i, column]] - centres[[k, column]];
                square += difference * difference;
            }
            if square < least {
                (label, least) = (k as u32, square);
            }
        }
        other = labels[i] != label;
        labels[i] = label;
    }
    let others = block::sync_count(other);
    if thread::idx().x == 0 {
        changed[0].fetch_add(others as u32, Ordering::Relaxed);
    }
}

/// Adds the points of each label, column by column, and counts them.
///
/// The sums are integers, in units of `1 / scale`: their order has no influence on the result, as that of floats would
/// have. A block adds in shared memory, where atomics are cheap, and takes there 8 bytes for each sum and 4 for each
/// count.
#[vyre::kernel(block = 256)]
pub fn gather(points: Slice2<'_, f32>, labels: &[u32], scale: f32, sums: &[AtomicI64], counts: &[AtomicU32]) {
    let own_sums = shared::slice::<AtomicI64>(sums.len());
    let own_counts = shared::slice::<AtomicU32>(counts.len());
    let t = thread::idx().x;
    for k in (t..sums.len()).step_by(256) {
        own_sums[k].store(0, Ordering::Relaxed);
    }
    for k in (t..counts.len()).step_by(256) {
        own_counts[k].store(0, Ordering::Relaxed);
    }
    block::sync();

    for i in (thread::index()..labels.len()).step_by(grid::dim().x * 256) {
        let label = labels[i] as usize;
        own_counts[label].fetch_add(1, Ordering::Relaxed);
        for column in 0..points.cols() {
            let units = (points[[i, column]] * scale) as i64;
            own_sums[label * points.cols() + column].fetch_add(units, Ordering::Relaxed);
        }
    }
    block::sync();

    for k in (t..sums.len()).step_by(256) {
        sums[k].fetch_add(own_sums[k].load(Ordering::Relaxed), Ordering::Relaxed);
    }
    for k in (t..counts.len()).step_by(256) {
        counts[k].fetch_add(own_counts[k].load(Ordering::Relaxed), Ordering::Relaxed);
    }
}
