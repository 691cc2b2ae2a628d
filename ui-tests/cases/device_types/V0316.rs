#[vyre::device]
#[derive(Clone, Copy)]
struct Value<T = f32, const N: usize = 2> {
    x: [T; N],
}

#[vyre::device]
#[derive(Clone, Copy)]
enum Side<const N: usize> {
    Left,
    Right,
}

fn main() {}
