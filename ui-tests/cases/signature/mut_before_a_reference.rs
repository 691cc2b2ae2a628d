//! rustc has refused the type before.

#[vyre::kernel]
fn clear(y: mut &[f32]) {
    y[0] = 0.0;
}

fn main() {}
