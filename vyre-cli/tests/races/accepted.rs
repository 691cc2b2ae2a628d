//! Kernels without a race. Some are proven for launches that keep a condition, some are unknown.

use core::sync::atomic::{AtomicU32, Ordering};

#[vyre::kernel]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

#[vyre::kernel]
fn strided(y: &mut [f32]) {
    let i = thread::index();
    if 3 * i + 2 < y.len() {
        y[3 * i] = 1.0;
        y[3 * i + 1] = 2.0;
        y[3 * i + 2] = 3.0;
    }
}

#[vyre::kernel]
fn grid_stride(y: &mut [f32]) {
    let step = block::dim().x * grid::dim().x;
    let mut i = thread::index();
    while i < y.len() {
        y[i] += 1.0;
        i += step;
    }
}

#[vyre::kernel(block = [32, 8])]
fn stencil_2d(x: &[f32], y: &mut [f32], w: usize, h: usize) {
    let (c, r) = thread::index_2d();
    if c > 0 && r > 0 && c + 1 < w && r + 1 < h {
        let i = r * w + c;
        y[i] = x[i - 1] + x[i + 1] + x[i - w] + x[i + w];
    }
}

#[vyre::kernel(block = [32, 8])]
fn stencil_2d_words(x: &[f32], y: &mut [f32], width: u32, height: u32) {
    let (c, r) = thread::index_2d();
    let (w, h) = (width as usize, height as usize);
    if c > 0 && r > 0 && c + 1 < w && r + 1 < h {
        let i = r * w + c;
        y[i] = x[i - 1] + x[i + 1] + x[i - w] + x[i + w];
    }
}

#[vyre::kernel(block = [8, 8, 4])]
fn stencil_3d(x: &[f32], y: &mut [f32], w: usize, h: usize, d: usize) {
    let (a, b, c) = thread::index_3d();
    if a + 1 < w && b + 1 < h && c + 1 < d && a > 0 && b > 0 && c > 0 {
        let i = (c * h + b) * w + a;
        y[i] = x[i - 1] + x[i + 1];
    }
}

#[vyre::kernel(block = [32, 32])]
fn transpose(x: &[f32], y: &mut [f32], width: usize) {
    let tile = shared::<[[f32; 33]; 32]>();
    let (tx, ty) = (thread::idx().x, thread::idx().y);
    let (bx, by) = (block::idx().x * 32, block::idx().y * 32);
    tile[ty][tx] = x[(by + ty) * width + bx + tx];
    block::sync();
    y[(bx + ty) * width + by + tx] = tile[tx][ty];
}

#[vyre::kernel(block = [16, 16])]
fn gemm(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
    let (col, row) = thread::index_2d();
    if row < n && col < n {
        let mut sum = 0.0;
        for k in 0..n {
            sum += a[row * n + k] * b[k * n + col];
        }
        c[row * n + col] = sum;
    }
}

#[vyre::kernel(block = [16, 16])]
fn gemm_tiled(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
    let tile_a = shared::<[[f32; 16]; 16]>();
    let tile_b = shared::<[[f32; 16]; 16]>();
    let (tx, ty) = (thread::idx().x, thread::idx().y);
    let (col, row) = thread::index_2d();
    let mut sum = 0.0;
    for m in 0..n / 16 {
        tile_a[ty][tx] = a[row * n + m * 16 + tx];
        tile_b[ty][tx] = b[(m * 16 + ty) * n + col];
        block::sync();
        for k in 0..16 {
            sum += tile_a[ty][k] * tile_b[k][tx];
        }
        block::sync();
    }
    c[row * n + col] = sum;
}

/// Each thread has four rows of a tile of 64 columns, in registers.
#[vyre::kernel(block = [16, 16])]
fn gemm_registers(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
    let tile_a = shared::<[[f32; 16]; 64]>();
    let tile_b = shared::<[[f32; 16]; 16]>();
    let (tx, ty) = (thread::idx().x, thread::idx().y);
    let (row, col) = (block::idx().y * 64 + ty, block::idx().x * 16 + tx);
    let mut sums = [0.0; 4];
    for m in 0..n / 16 {
        for q in 0..4 {
            tile_a[q * 16 + ty][tx] = a[(row + q * 16) * n + m * 16 + tx];
        }
        tile_b[ty][tx] = b[(m * 16 + ty) * n + col];
        block::sync();
        for k in 0..16 {
            for q in 0..4 {
                sums[q] += tile_a[q * 16 + ty][k] * tile_b[k][tx];
            }
        }
        block::sync();
    }
    for q in 0..4 {
        c[(row + q * 16) * n + col] = sums[q];
    }
}

#[vyre::kernel(block = 256)]
fn block_sum(x: &[f32], y: &mut [f32]) {
    let tile = shared::<[f32; 256]>();
    let t = thread::idx().x;
    let i = thread::index();
    tile[t] = if i < x.len() { x[i] } else { 0.0 };
    block::sync();
    let mut s = 128;
    while s > 0 {
        if t < s {
            tile[t] += tile[t + s];
        }
        block::sync();
        s /= 2;
    }
    if t == 0 {
        y[block::idx().x] = tile[0];
    }
}

#[vyre::kernel]
fn histogram(x: &[u32], counts: &[AtomicU32]) {
    let i = thread::index();
    if i < x.len() {
        counts[x[i] as usize].fetch_add(1, Ordering::Relaxed);
    }
}

#[vyre::kernel(block = 128)]
fn n_body(x: &[f32], y: &mut [f32]) {
    let tile = shared::<[f32; 128]>();
    let t = thread::idx().x;
    let i = thread::index();
    let own = if i < x.len() { x[i] } else { 0.0 };
    let mut sum = 0.0;
    for m in 0..x.len() / 128 {
        tile[t] = x[m * 128 + t];
        block::sync();
        for k in 0..128 {
            sum += tile[k] - own;
        }
        block::sync();
    }
    if i < y.len() {
        y[i] = sum;
    }
}

#[vyre::kernel]
fn clamped_filter(x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        let left = i.saturating_sub(1);
        let right = (i + 1).min(x.len() - 1);
        y[i] = x[left] + x[i] + x[right];
    }
}

#[vyre::kernel(block = 256)]
fn bitonic(x: &mut [u32]) {
    let tile = shared::<[u32; 256]>();
    let t = thread::idx().x;
    let i = thread::index();
    tile[t] = x[i];
    block::sync();
    let mut k = 2;
    while k <= 256 {
        let mut j = k / 2;
        while j > 0 {
            let other = t ^ j;
            if other > t {
                let (a, b) = (tile[t], tile[other]);
                if (a > b) == (t & k == 0) {
                    tile[t] = b;
                    tile[other] = a;
                }
            }
            block::sync();
            j /= 2;
        }
        k *= 2;
    }
    x[i] = tile[t];
}

#[vyre::kernel(block = 128)]
fn warp_rows(x: &[f32], y: &mut [f32], width: usize) {
    let i = thread::index();
    let (row, lane) = (i / 32, i % 32);
    let mut sum = 0.0;
    let mut c = lane;
    while c < width {
        sum += x[row * width + c];
        c += 32;
    }
    sum = warp::sum(sum);
    if lane == 0 {
        y[row] = sum;
    }
}

#[vyre::kernel]
fn tickets(x: &[u32], next: &[AtomicU32], y: &mut [u32]) {
    let i = thread::index();
    if i < x.len() && x[i] > 7 {
        let slot = next[0].fetch_add(1, Ordering::Relaxed);
        y[slot as usize] = x[i];
    }
}

/// A slot of two elements.
#[vyre::kernel]
fn slots_of_two(x: &[u32], next: &[AtomicU32], y: &mut [u32]) {
    let i = thread::index();
    if i < x.len() && x[i] > 7 {
        let slot = next[0].fetch_add(2, Ordering::Relaxed) as usize;
        y[slot] = x[i];
        y[slot + 1] = i as u32;
    }
}

#[vyre::kernel]
fn halves(y: &mut [f32], half: usize) {
    let i = thread::index();
    if i < half {
        y[i] = 1.0;
        y[i + half] = 2.0;
    }
}

#[vyre::kernel]
fn swaps(y: &mut [f32], j: usize) {
    let i = thread::index();
    let other = i ^ j;
    if other > i && other < y.len() {
        let (a, b) = (y[i], y[other]);
        y[i] = b;
        y[other] = a;
    }
}

#[vyre::kernel]
fn mixed_radix(y: &mut [f32], a: usize, b: usize, c: usize) {
    let i = thread::index();
    if i < a * b * c {
        let (p, q, r) = (i % a, i / a % b, i / a / b);
        y[(r * b + q) * a + p] = 1.0;
    }
}

/// The greater of two threads swaps, in rows of the block.
#[vyre::kernel(block = 128)]
fn swaps_of_rows(x: &mut [u32], steps: u32) {
    let tile = shared::<[[u32; 2]; 128]>();
    let t = thread::idx().x;
    tile[t] = [x[thread::index()], 1];
    block::sync();
    for step in 0..steps {
        let other = t ^ (1 << (step % 7));
        if t > other {
            let (a, b) = (tile[t][0], tile[other][0]);
            tile[t][0] = b;
            tile[other][0] = a;
        }
        block::sync();
    }
    x[thread::index()] = tile[t][0];
}

/// Threads without an element leave before the barrier.
#[vyre::kernel(block = 256)]
fn early_return(x: &[f32], y: &mut [f32]) {
    let tile = shared::<[f32; 256]>();
    let t = thread::idx().x;
    let i = thread::index();
    if i >= x.len() {
        return;
    }
    tile[t] = x[i];
    block::sync();
    y[i] = tile[t] + tile[255 - t];
}

/// A step of heat in two buffers that change places.
#[vyre::kernel(block = 64)]
fn two_buffers(x: &mut [f32], steps: u32) {
    let tiles = shared::<[[f32; 66]; 2]>();
    let t = thread::idx().x + 1;
    tiles[0][t] = x[thread::index()];
    let mut now = 0;
    block::sync();
    for _ in 0..steps {
        tiles[1 - now][t] = 0.5 * tiles[now][t] + 0.25 * (tiles[now][t - 1] + tiles[now][t + 1]);
        block::sync();
        now = 1 - now;
    }
    x[thread::index()] = tiles[now][t];
}

/// Columns of a border are written by the threads of the first ones.
#[vyre::kernel(block = [16, 16])]
fn border(x: &[f32], y: &mut [f32], width: usize) {
    let tile = shared::<[[f32; 20]; 16]>();
    let (tx, ty) = (thread::idx().x, thread::idx().y);
    let (column, row) = thread::index_2d();
    tile[ty][tx + 2] = x[row * width + column];
    if tx + 2 < 4 {
        tile[ty][tx] = 0.0;
        tile[ty][tx + 18] = 0.0;
    }
    block::sync();
    if column < width {
        y[row * width + column] = tile[ty][tx] + tile[ty][tx + 4];
    }
}

/// Indices of 32 bits.
#[vyre::kernel]
fn narrow_index(x: &[f32], y: &mut [f32], n: u32) {
    let i = thread::index() as u32;
    if i < n {
        y[i as usize] = x[i as usize];
    }
}

/// The step is computed in the loop.
#[vyre::kernel]
fn stride_in_loop(y: &mut [f32]) {
    let mut i = thread::index();
    while i < y.len() {
        y[i] += 1.0;
        i += grid::dim().x * block::dim().x;
    }
}

/// The same by an iterator.
#[vyre::kernel]
fn stride_by_iterator(y: &mut [f32]) {
    for i in (thread::index()..y.len()).step_by(grid::dim().x * block::dim().x) {
        y[i] += 1.0;
    }
}

/// A tile with its border, which the threads load in turns along both axes.
#[vyre::kernel(block = [8, 32])]
fn tile_in_turns(x: &[f32], y: &mut [f32], width: usize) {
    let tile = shared::<[[f32; 10]; 34]>();
    let (tx, ty) = (thread::idx().x, thread::idx().y);
    let mut row = ty;
    while row < 34 {
        let mut column = tx;
        while column < 10 {
            tile[row][column] = x[(block::idx().y * 32 + row) * (width + 2) + block::idx().x * 8 + column];
            column += 8;
        }
        row += 32;
    }
    block::sync();
    let (column, row) = thread::index_2d();
    if column < width {
        y[row * width + column] = tile[ty][tx] + tile[ty + 2][tx + 2];
    }
}

/// The lanes behind the end have returned.
#[vyre::kernel]
fn exchange_behind_a_return(#[each] x: &mut u32) {
    *x = warp::exclusive_sum(*x) + warp::tile::<8>().sum(*x);
}

/// Some leave their mark and return.
#[vyre::kernel(block = 64)]
fn barrier_behind_a_return(x: &[u32], y: &mut [u32]) {
    let tile = shared::<[u32; 64]>();
    let (i, t) = (thread::index(), thread::idx().x);
    tile[t] = 0;
    block::sync();
    if i >= x.len() {
        y[i] = 0;
        return;
    }
    tile[t] = x[i];
    block::sync();
    y[i] = tile[63 - t];
}

/// The count of a barrier is the same for all threads.
#[vyre::kernel(block = 64)]
fn halved_until_small(x: &mut [u32]) {
    let i = thread::index();
    while block::sync_or(x[i] > 3) {
        x[i] /= 2;
    }
}

/// Only in a grid of one block.
#[vyre::kernel(block = 64)]
fn total(x: &[u32], y: &mut [u32]) {
    let sum = block::sum(x[thread::idx().x]);
    if thread::idx().x == 0 {
        y[0] = sum;
    }
}

/// Only in a grid of one column of blocks.
#[vyre::kernel(block = [32, 8])]
fn row_total(x: &[u32], y: &mut [u32], width: usize) {
    let (column, row) = thread::index_2d();
    let sum = warp::sum(x[row * width + column]);
    if thread::idx().x == 0 {
        y[row] = sum;
    }
}

/// The first warp alone has lanes that are its threads.
#[vyre::kernel(block = 128)]
fn lanes_of_a_warp(y: &mut [u32]) {
    if thread::idx().x < 32 {
        y[block::idx().x * 32 + lane::index()] = 1;
    }
}

/// One lane of each tile.
#[vyre::kernel(block = 64)]
fn first_of_each_tile(x: &[u32], y: &mut [u32]) {
    let tile = warp::tile::<4>();
    let sum = tile.sum(x[thread::index()]);
    if tile.lane() == 0 {
        y[thread::index() / 4] = sum;
    }
}

/// Elements of four numbers, of which each thread has one.
#[vyre::kernel]
fn normalised(#[each] x: &mut [f32; 4]) {
    let mut squares = 0.0;
    for v in x.iter() {
        squares += v * v;
    }
    x[0] = squares;
}

/// A condition that a launch without a race keeps: the grid is no wider than the rows.
#[vyre::kernel(block = [16, 16])]
fn unguarded_rows(y: &mut [u32], width: usize) {
    let (column, row) = thread::index_2d();
    y[row * width + column] = 1;
}

/// One that such a launch may break, as there is one row.
#[vyre::kernel(block = [256, 1])]
fn unguarded_long_rows(y: &mut [u32], width: usize) {
    let (column, row) = thread::index_2d();
    y[row * width + column] = 1;
}

/// As are these, if nobody comes there.
#[vyre::kernel(block = [16, 16])]
fn unguarded_rows_at_times(y: &mut [u32], width: usize, is_first: bool) {
    let (column, row) = thread::index_2d();
    if is_first {
        y[row * width + column] = 1;
    }
}

/// Threads past the end return, and the others go on with a loop around barriers.
#[vyre::kernel(block = 64)]
fn returns_before_a_loop(x: &[u32], y: &mut [u32]) {
    let cells = shared::<[u32; 64]>();
    let (i, t) = (thread::index(), thread::idx().x);
    if i >= x.len() {
        return;
    }
    cells[t] = x[i];
    block::sync();
    let mut distance = 1;
    while distance < 64 {
        let below = if t >= distance { cells[t - distance] } else { 0 };
        block::sync();
        cells[t] += below;
        block::sync();
        distance *= 2;
    }
    y[i] = cells[t];
}

/// A barrier does not wait for threads that fault.
#[vyre::kernel(block = 64)]
fn assertions_before_barriers(x: &[u32], y: &mut [u32]) {
    let cells = shared::<[u32; 64]>();
    let (i, t) = (thread::index(), thread::idx().x);
    for round in 0..8 {
        cells[t] = x[i] + round;
        assert!(x[i] != round, "round {round}");
        block::sync();
        y[i] += cells[63 - t];
        assert!(y[i] < 1000);
        block::sync();
    }
}

/// One thread of the launch, wherever it comes.
#[vyre::kernel]
fn one_thread(at: &[usize], y: &mut [u32]) {
    if thread::index() == 0 {
        for k in 0..at.len() {
            y[at[k]] += y[k / 2];
            y[0] = 1;
        }
    }
}

/// One thread of each block, in memory of the block.
#[vyre::kernel(block = [8, 8])]
fn one_thread_of_each_block(at: &[usize], y: &mut [u32]) {
    let cells = shared::<[u32; 64]>();
    let (x, row) = (thread::idx().x, thread::idx().y);
    cells[row * 8 + x] = 0;
    block::sync();
    if x == 3 && row == 5 {
        cells[at[0]] = 1;
        cells[at[1]] += 2;
    }
    block::sync();
    let (column, row) = thread::index_2d();
    if column < 64 {
        y[row * 64 + column] = cells[at[2]];
    }
}

/// A block has one thread, and the grid one block.
#[vyre::kernel(block = 1)]
fn alone(y: &mut [u32]) {
    for i in 0..y.len() {
        y[i] = if i < 2 { 1 } else { y[i - 1] + y[i - 2] };
    }
}

/// Rows of 128 elements, of which a column is filled at once: the last trip is none of the loop's body.
#[vyre::kernel(block = 256)]
fn quotients_of_trips(x: &[f32], y: &mut [f32]) {
    let tile = shared::<[[f32; 128]; 8]>();
    let t = thread::idx().x;
    for k in 0..4 {
        let place = t + k * 256;
        tile[place % 8][place / 8] = x[place];
    }
    block::sync();
    y[thread::index()] = tile[t % 8][t / 2];
}
