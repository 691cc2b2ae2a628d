#[vyre::device]
#[derive(Clone, Copy)]
enum Op {
    Add(f32),
    Nop,
}

#[vyre::kernel]
fn fill(y: &mut [f32]) {
    if Op::Add(y[0]) == Op::Nop {
        y[0] = 1.0;
    }
}

fn main() {}
