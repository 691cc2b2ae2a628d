#[vyre::kernel]
async fn async_fn(x: &mut [f32]) {
    x[0] *= 2.0;
}

#[vyre::kernel]
const fn const_fn(x: &mut [f32]) {
    x[0] *= 2.0;
}

#[vyre::kernel]
extern "C" fn extern_fn(x: &mut [f32]) {
    x[0] *= 2.0;
}

#[vyre::kernel]
unsafe fn unsafe_fn(x: &mut [f32]) {
    x[0] *= 2.0;
}

fn main() {}
