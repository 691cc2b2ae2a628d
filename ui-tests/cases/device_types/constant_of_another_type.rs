#[vyre::device]
#[derive(Clone, Copy)]
struct Value<const BIG: bool> {
    x: f32,
}

fn main() {}
