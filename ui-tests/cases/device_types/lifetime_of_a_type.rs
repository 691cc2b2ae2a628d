#[vyre::device]
#[derive(Clone, Copy)]
struct Value<'a> {
    x: &'a f32,
}

fn main() {}
