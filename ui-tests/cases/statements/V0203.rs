//! rustc's own errors, each once.
#[vyre::kernel]
fn return_value(y: &mut [f32]) {
    y[0] = 1.0;
    return 1.0;
}

#[vyre::kernel]
fn trailing_value(y: &mut [f32]) {
    y[0] + 1.0
}

fn main() {}
