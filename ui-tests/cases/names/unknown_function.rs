#[vyre::kernel]
fn fill(y: &mut [f32]) {
    y[0] = square(y[1]);
}

#[vyre::kernel]
fn macro_without_its_mark(n: usize, x: &mut [u32]) {
    assert(n > 0);
    x[0] = 1;
}

fn main() {}
