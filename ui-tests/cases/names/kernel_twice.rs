//! rustc's own errors: the name of the kernel and that of its launcher.
#[vyre::kernel]
fn fill(y: &mut [f32]) {
    y[0] = 1.0;
}

#[vyre::kernel(launcher = Fill2)]
fn fill(y: &mut [f32]) {
    y[0] = 2.0;
}

fn main() {}
