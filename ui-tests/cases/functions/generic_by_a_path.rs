//! Generic functions and kernels of another module, which have no type before they are called.

mod helpers {
    pub fn twice<T: Copy + core::ops::Add<Output = T>>(x: T) -> T {
        x + x
    }

    #[vyre::kernel]
    pub fn clear(#[each] out: &mut f32) {
        *out = 0.0;
    }
}

#[vyre::kernel]
fn double(#[each] y: &mut f32) {
    *y = helpers::twice(*y);
}

#[vyre::kernel]
fn from_a_kernel(out: &mut [f32]) {
    helpers::clear(out);
}

fn main() {}
