//! rustc's own error, once.
#[vyre::kernel]
fn fill(flag: bool, y: &mut [f32]) {
    let a: f32;
    if flag {
        a = 1.0;
    }
    y[0] = a;
}

fn main() {}
