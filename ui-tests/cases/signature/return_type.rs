//! Results leave a kernel through `&mut` slices.
#[vyre::kernel]
fn first(x: &[f32]) -> f32 {
    x[0]
}

fn main() {}
