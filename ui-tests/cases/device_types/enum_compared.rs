#[derive(Clone, Copy, PartialEq)]
#[vyre::device]
enum Side {
    Left,
    Right,
}

#[vyre::kernel]
fn fill(y: &mut [u32]) {
    let side = Side::Left;
    if side == Side::Right {
        y[0] = 1;
    }
}

fn main() {}
