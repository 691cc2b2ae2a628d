// `#[each]` is for what every thread has its own of: `&T` and `&mut T`.
#[vyre::kernel]
fn each_scalar(#[each] a: f32, #[each] y: &mut f32) {
    *y *= a;
}

#[vyre::kernel]
fn each_slice(a: f32, #[each] y: &mut [f32]) {
    y[0] *= a;
}

fn main() {}
