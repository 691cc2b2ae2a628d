//! A panic's text is fixed when the kernel is compiled.
#[vyre::kernel]
fn fill(n: u32, y: &mut [f32]) {
    if n > 4 {
        panic!("{n} is too large");
    }
    y[0] = 1.0;
}

fn main() {}
