#[vyre::device]
#[derive(Clone, Copy)]
enum Side {
    Left,
    Right,
}

#[vyre::kernel]
fn fill(sides: &[Side], y: &mut [u32]) {
    y[0] = sides[0] as u32;
}

fn main() {}
