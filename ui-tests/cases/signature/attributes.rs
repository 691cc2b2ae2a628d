//! Attributes of vyre's that do not stand together, and one of a parameter.

#[vyre::kernel]
#[vyre::kernel(block = 64)]
fn fill(y: &mut [f32]) {
    y[0] = 1.0;
}

#[vyre::kernel]
#[vyre::device]
fn clear(y: &mut [f32]) {
    y[0] = 0.0;
}

#[vyre::kernel]
fn double(#[deprecated] count: &mut [u32], y: &mut [f32]) {
    y[0] *= 2.0;
}

fn main() {}
