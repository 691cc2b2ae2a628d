#[vyre::device]
#[derive(Clone, Copy)]
enum Side {
    Left,
    Right,
}

#[vyre::kernel]
fn fill(n: u32, y: &mut [u32]) {
    let side = if n == 0 { Side::Left } else { Side::Right };
    y[0] = match side {
        Side::Left => 1,
    };
}

fn main() {}
