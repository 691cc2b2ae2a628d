//! Twins of the CUDA C++ kernels in `kernels.cu`, beside those of the examples: the same algorithms
//! over the same arguments.

use vyre::prelude::*;

/// y += a*x.
#[vyre::kernel(block = 256)]
pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] += a * x[i];
    }
}

/// c = a*b of square matrices, one thread per element.
#[vyre::kernel(block = [32, 8])]
pub fn matmul_naive(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
    let (x, y) = thread::index_2d();
    if x < n && y < n {
        let mut sum = 0.0;
        for k in 0..n {
            sum += a[y * n + k] * b[k * n + x];
        }
        c[y * n + x] = sum;
    }
}

/// c = a*b with tiles in shared memory; `n` is a multiple of 32.
#[vyre::kernel(block = [32, 32])]
pub fn matmul_tiled(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
    let ta = shared::<[[f32; 32]; 32]>();
    let tb = shared::<[[f32; 32]; 32]>();
    let (x, y) = thread::index_2d();
    let (tx, ty) = (thread::idx().x, thread::idx().y);
    let mut sum = 0.0;
    let mut first = 0;
    while first < n {
        ta[ty][tx] = a[y * n + first + tx];
        tb[ty][tx] = b[(first + ty) * n + x];
        block::sync();
        for k in 0..32 {
            sum += ta[ty][k] * tb[k][tx];
        }
        block::sync();
        first += 32;
    }
    c[y * n + x] = sum;
}

/// The mean of a cell and its four neighbours, inside the border.
#[vyre::kernel(block = [32, 8])]
pub fn stencil(source: &[f32], out: &mut [f32], width: usize, height: usize) {
    let (x, y) = thread::index_2d();
    if x >= 1 && y >= 1 && x + 1 < width && y + 1 < height {
        let i = y * width + x;
        out[i] = 0.2 * (source[i] + source[i - 1] + source[i + 1] + source[i - width] + source[i + width]);
    }
}

/// The sum of each row.
#[vyre::kernel(block = 256)]
pub fn row_sums(source: &[f32], sums: &mut [f32], width: usize) {
    let row = thread::index();
    if row < sums.len() {
        let mut sum = 0.0;
        for k in 0..width {
            sum += source[row * width + k];
        }
        sums[row] = sum;
    }
}

/// The side of a tile of [`transpose`]: a constant of the crate.
#[vyre::device]
pub const SIDE: usize = 32;

/// The rows of a tile that a block has threads for.
#[vyre::device]
pub const ROWS: usize = 8;

/// The transpose of a square matrix whose side is a multiple of 32.
#[vyre::kernel(block = [32, 8])]
pub fn transpose(source: &[f32], out: &mut [f32], width: usize) {
    let tile = shared::<[[f32; SIDE + 1]; SIDE]>();
    let (tx, ty) = (thread::idx().x, thread::idx().y);
    let (left, top) = (block::idx().x * SIDE, block::idx().y * SIDE);
    for row in (0..SIDE).step_by(ROWS) {
        tile[ty + row][tx] = source[(top + ty + row) * width + left + tx];
    }
    block::sync();
    for row in (0..SIDE).step_by(ROWS) {
        // SAFETY: each block has another tile, and each of its threads another column and other rows of it.
        unsafe { *out.get_unchecked_mut((left + ty + row) * width + top + tx) = tile[tx][ty + row] };
    }
}

/// A convolution by 7 x 7 weights, inside the border.
#[vyre::kernel(block = [32, 8])]
pub fn conv7(source: &[f32], weights: &[f32], out: &mut [f32], width: usize, height: usize) {
    let (x, y) = thread::index_2d();
    if x >= 3 && y >= 3 && x + 3 < width && y + 3 < height {
        let mut sum = 0.0;
        for v in 0..7 {
            for u in 0..7 {
                sum += weights[v * 7 + u] * source[(y + v - 3) * width + x + u - 3];
            }
        }
        out[y * width + x] = sum;
    }
}

/// The iterations after which a point of the plane escapes.
#[vyre::kernel(block = [32, 8])]
pub fn escapes(out: &mut [u32], width: usize, height: usize, scale: f32, limit: u32) {
    let (x, y) = thread::index_2d();
    if x < width && y < height {
        let (re, im) = (x as f32 * scale - 2.0, y as f32 * scale - 1.25);
        let (mut a, mut b) = (0.0f32, 0.0f32);
        let mut n = 0;
        while n < limit && a * a + b * b <= 4.0 {
            let next = a * a - b * b + re;
            b = 2.0 * a * b + im;
            a = next;
            n += 1;
        }
        out[y * width + x] = n;
    }
}

/// The constants of SHA-256.
#[vyre::device]
const K: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
    0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
    0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
    0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2,
];

/// The state of SHA-256 after a block of 16 words, one block a thread.
#[vyre::kernel(block = 128)]
pub fn sha256(blocks: &[[u32; 16]], digests: &mut [[u32; 8]]) {
    let i = thread::index();
    if i >= digests.len() {
        return;
    }
    let start = [
        0x6a09e667u32,
        0xbb67ae85,
        0x3c6ef372,
        0xa54ff53a,
        0x510e527f,
        0x9b05688c,
        0x1f83d9ab,
        0x5be0cd19,
    ];
    let mut words = blocks[i];
    let mut s = start;
    for round in 0..64 {
        if round >= 16 {
            let (early, late) = (words[(round + 1) % 16], words[(round + 14) % 16]);
            let early = early.rotate_right(7) ^ early.rotate_right(18) ^ (early >> 3);
            let late = late.rotate_right(17) ^ late.rotate_right(19) ^ (late >> 10);
            words[round % 16] = words[round % 16] + early + words[(round + 9) % 16] + late;
        }
        let mixed = s[4].rotate_right(6) ^ s[4].rotate_right(11) ^ s[4].rotate_right(25);
        let choice = (s[4] & s[5]) ^ (!s[4] & s[6]);
        let first = s[7] + mixed + choice + K[round] + words[round % 16];
        let mixed = s[0].rotate_right(2) ^ s[0].rotate_right(13) ^ s[0].rotate_right(22);
        let majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        s = [
            first + mixed + majority,
            s[0],
            s[1],
            s[2],
            s[3] + first,
            s[4],
            s[5],
            s[6],
        ];
    }
    for k in 0..8 {
        s[k] += start[k];
    }
    digests[i] = s;
}

/// The greatest distance of a value to those of a short list, by threads that stride over the values.
#[vyre::kernel(block = 256)]
pub fn strided(values: &[f32], list: &[f32], out: &mut [f32]) {
    let start = thread::index();
    let mut greatest = 0.0f32;
    for i in (start..values.len()).step_by(block::dim().x * grid::dim().x) {
        for k in (0..list.len()).step_by(2) {
            greatest = greatest.max((values[i] - list[k]).abs());
        }
    }
    out[start] = greatest;
}

/// The sum of each row by eight lanes, and the largest such sum of four rows.
#[vyre::kernel(block = 256)]
pub fn tile_rows(source: &[f32], sums: &mut [f32], width: usize) {
    let tile = warp::tile::<8>();
    let row = thread::index() / 8;
    let mut sum = 0.0;
    if row < sums.len() {
        let mut k = tile.lane();
        while k < width {
            sum += source[row * width + k];
            k += 8;
        }
    }
    let sum = tile.sum(sum);
    let largest = warp::max(sum);
    if tile.lane() == 0 && row < sums.len() {
        // SAFETY: one lane of the tile writes the value of its row.
        unsafe { *sums.get_unchecked_mut(row) = sum / largest };
    }
}

/// Exchanges among whole warps, in a kernel that also has some in tiles.
#[vyre::kernel(block = 256)]
pub fn exchanges(values: &mut [u32], rounds: u32) {
    let i = thread::index();
    let mut value = values[i];
    for round in 0..rounds {
        let below = warp::shuffle_up(value, 1);
        let above = warp::shuffle_down(value, 1);
        let across = warp::shuffle_xor(value, 16);
        let turned = warp::shuffle(value, (lane::index() + 5) % 32);
        value = (below ^ above) + across * turned + round;
    }
    values[i] = warp::tile::<8>().sum(value);
}

/// Reductions of warps.
#[vyre::kernel(block = 256)]
pub fn reductions(values: &mut [u32], rounds: u32) {
    let i = thread::index();
    let mut value = values[i];
    for round in 0..rounds {
        let (sum, all) = (warp::sum(value), warp::and(value | round));
        value = (value ^ sum) + all * warp::max(value & 0xffff) + thread::idx().x as u32;
    }
    values[i] = value;
}

/// The scaled complement of each pixel.
#[vyre::kernel]
pub fn complement(#[each] source: &u8, #[each] out: &mut u8, scale: u32) {
    *out = ((255 - *source as u32) * scale / 256) as u8;
}

/// c = a*b in tiles of 128 x 128, of which each thread computes 8 x 8; `n` is a multiple of 128.
#[vyre::kernel(block = 256)]
pub fn matmul_registers(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
    let ta = shared::<[[f32; 128]; 8]>();
    let tb = shared::<[[f32; 128]; 8]>();
    let t = thread::idx().x;
    let (tx, ty) = (t % 16, t / 16);
    let across = n / 128;
    let (left, top) = (block::idx().x % across * 128, block::idx().x / across * 128);
    let mut sums = [[0.0f32; 8]; 8];
    let mut first = 0;
    while first < n {
        for k in 0..4 {
            let place = t + k * 256;
            ta[place % 8][place / 8] = a[(top + place / 8) * n + first + place % 8];
            tb[place / 128][place % 128] = b[(first + place / 128) * n + left + place % 128];
        }
        block::sync();
        for k in 0..8 {
            let (mut of_a, mut of_b) = ([0.0f32; 8], [0.0f32; 8]);
            for i in 0..8 {
                of_a[i] = ta[k][ty * 8 + i];
                of_b[i] = tb[k][tx * 8 + i];
            }
            for i in 0..8 {
                for j in 0..8 {
                    sums[i][j] += of_a[i] * of_b[j];
                }
            }
        }
        block::sync();
        first += 8;
    }
    for i in 0..8 {
        for j in 0..8 {
            // SAFETY: each thread has another 8 x 8 of the matrix.
            unsafe { *c.get_unchecked_mut((top + ty * 8 + i) * n + left + tx * 8 + j) = sums[i][j] };
        }
    }
}

/// Sums over the corners of the faces of a cube, which a table names.
#[vyre::kernel(block = 256)]
pub fn faces(corners: &[[f32; 8]], out: &mut [f32]) {
    let i = thread::index();
    if i < out.len() {
        let v = corners[i];
        let mut sum = 0.0f32;
        for face in [
            [0, 1, 2, 3],
            [4, 5, 6, 7],
            [0, 1, 5, 4],
            [2, 3, 7, 6],
            [0, 3, 7, 4],
            [1, 2, 6, 5],
        ] {
            let mut side = 1.0f32;
            for corner in face {
                side *= v[corner];
            }
            sum += side;
        }
        out[i] = sum;
    }
}

/// The solution of a system of four equations whose lower triangle is in a table.
#[vyre::kernel(block = 256)]
pub fn triangle(rows: &[[f64; 10]], right: &[[f64; 4]], out: &mut [[f64; 4]]) {
    let i = thread::index();
    if i < out.len() {
        let (lower, b) = (rows[i], right[i]);
        let mut x = [0.0f64; 4];
        let mut at = 0;
        for row in 0..4 {
            let mut sum = b[row];
            for column in 0..row {
                sum -= lower[at] * x[column];
                at += 1;
            }
            if lower[at] == 0.0 {
                return;
            }
            x[row] = sum / lower[at];
            at += 1;
        }
        out[i] = x;
    }
}

/// Where each key stands in a sorted list: the first place that holds none smaller.
#[vyre::kernel(block = 256)]
pub fn lower_bounds(sorted: &[u32], keys: &[u32], out: &mut [u32]) {
    let i = thread::index();
    if i < keys.len() {
        let key = keys[i];
        let (mut low, mut high) = (0, sorted.len());
        while low < high {
            let middle = (low + high) / 2;
            if sorted[middle] < key {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        out[i] = low as u32;
    }
}

/// A sparse matrix times a vector, one thread per row.
#[vyre::kernel(block = 256)]
pub fn spmv(starts: &[u32], columns: &[u32], values: &[f32], x: &[f32], y: &mut [f32]) {
    let row = thread::index();
    if row < y.len() {
        let mut sum = 0.0;
        for k in starts[row] as usize..starts[row + 1] as usize {
            sum += values[k] * x[columns[k] as usize];
        }
        y[row] = sum;
    }
}

/// Steps of the mean of a cell and its neighbours, with a barrier of the grid after each.
#[vyre::kernel(block = 256, allow(races))] // a step reads what the one before wrote
pub fn steps(a: &mut [f32], b: &mut [f32], count: u32) {
    let i = thread::index();
    for step in 0..count {
        // SAFETY: each thread writes its own cell of the array that the others read before the last barrier.
        unsafe {
            if i >= 1 && i + 1 < a.len() {
                if step % 2 == 0 {
                    *b.get_unchecked_mut(i) = (a[i - 1] + a[i] + a[i + 1]) / 3.0;
                } else {
                    *a.get_unchecked_mut(i) = (b[i - 1] + b[i] + b[i + 1]) / 3.0;
                }
            }
        }
        grid::sync();
    }
}
