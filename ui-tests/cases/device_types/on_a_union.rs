#[vyre::device]
#[derive(Clone, Copy)]
union Value {
    x: f32,
    n: u32,
}

fn main() {}
