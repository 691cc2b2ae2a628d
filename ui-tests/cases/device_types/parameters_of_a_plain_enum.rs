#[vyre::device]
#[derive(Clone, Copy)]
enum Side<const N: usize> {
    Left,
    Right,
}

fn main() {}
