//! The launcher and its constructor are as visible as the kernel.
mod kernels {
    #[vyre::kernel]
    fn fill(y: &mut [f32]) {
        y[0] = 1.0;
    }
}

use kernels::fill;

fn main() {}
