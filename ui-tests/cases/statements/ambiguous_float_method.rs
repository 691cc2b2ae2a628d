//! rustc's own error, once: the type of the literal is not known where the method is called.
#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let a = 2.0;
    y[0] = a.sqrt();
}

fn main() {}
