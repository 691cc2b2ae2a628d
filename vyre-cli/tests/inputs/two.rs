//! Two kernels, one in a module, with a device function.

#[vyre::device]
fn square(x: f32) -> f32 {
    x * x
}

#[vyre::kernel]
pub fn squares(#[each] x: &mut f32) {
    *x = square(*x);
}

pub mod sums {
    /// Sums of blocks.
    #[vyre::kernel(block = 64)]
    pub fn blocks(x: &[f32], out: &mut [f32]) {
        let tile = shared::<[f32; 64]>();
        let t = thread::idx().x;
        tile[t] = x[thread::index()];
        block::sync();
        if t == 0 {
            let mut sum = 0.0;
            for i in 0..64 {
                sum += tile[i];
            }
            out[block::idx().x] = sum;
        }
    }
}
