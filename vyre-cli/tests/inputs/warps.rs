//! Kernels that warps run badly, for reports.

#[vyre::kernel(block = [32, 8])]
pub fn transpose(src: &[f32], dst: &mut [f32], width: usize, height: usize) {
    let tile = shared::<[[f32; 32]; 32]>();
    let (tx, ty) = (thread::idx().x, thread::idx().y);
    let (x, y) = (block::idx().x * 32 + tx, block::idx().y * 32 + ty);
    for k in 0..4 {
        tile[ty + 8 * k][tx] = src[(y + 8 * k) * width + x];
    }
    block::sync();
    let (x, y) = (block::idx().y * 32 + tx, block::idx().x * 32 + ty);
    for k in 0..4 {
        dst[(y + 8 * k) * height + x] = tile[tx][ty + 8 * k];
    }
}

#[vyre::kernel]
pub fn row_sums(x: &[f32], out: &mut [f32], width: usize) {
    let row = thread::index();
    if row < out.len() {
        let mut sum = 0.0;
        for k in 0..width {
            sum += x[row * width + k];
        }
        out[row] = sum;
    }
}

#[vyre::kernel]
pub fn alternate(points: &[[f32; 2]], steps: &[u32], out: &mut [f32]) {
    let i = thread::index();
    if i < out.len() {
        if thread::idx().x % 2 == 0 {
            out[i] = points[i][0] + points[i][1];
        } else {
            let mut at = i;
            while steps[at] > 0 {
                at = steps[at] as usize;
            }
            out[i] = at as f32;
        }
    }
}

#[vyre::kernel(deny(bounds_checks))]
pub fn gather(at: &[u32], x: &[f32], #[each] out: &mut f32) {
    *out = x[at[thread::index()] as usize];
}

#[vyre::kernel(block = [32])]
pub fn strides(x: &[f32], out: &mut [f32], columns: usize) {
    let i = thread::index();
    let mut sum = 0.0;
    for k in (i..x.len()).step_by(grid::dim().x * 32) {
        sum += x[k];
    }
    for k in (thread::idx().x..columns).step_by(32) {
        sum += x[k];
    }
    for k in (0..columns).step_by(grid::dim().x) {
        sum += x[k];
    }
    for k in (i..columns * i).step_by(4) {
        sum += x[k];
    }
    out[i] = sum;
}
