#[vyre::device]
#[derive(Clone, Copy)]
struct Value<T = f32, const N: usize = 2> {
    x: [T; N],
}

fn main() {}
