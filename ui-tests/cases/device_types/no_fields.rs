#[vyre::device]
#[derive(Clone, Copy)]
struct Value;

#[vyre::kernel]
fn fill(values: &[Value], y: &mut [u32]) {
    y[0] = 1;
}

fn main() {}
