//! Kernels are launched by the host, and not called.

#[vyre::kernel]
fn clear(#[each] out: &mut f32) {
    *out = 0.0;
}

#[vyre::device]
fn cleared(out: &mut [f32]) {
    clear(out);
}

#[vyre::kernel]
fn through_a_function(out: &mut [f32]) {
    cleared(out);
}

#[vyre::kernel]
fn from_a_kernel(out: &mut [f32]) {
    clear(out);
}

fn main() {}
