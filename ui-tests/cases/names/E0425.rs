//! rustc's own errors, each once.
#[vyre::kernel]
fn unknown_constant(y: &mut [f32]) {
    y[0] = SCALE * y[1];
}

#[vyre::kernel]
fn unknown_variable(y: &mut [f32]) {
    y[0] = value;
}

fn main() {}
