#[vyre::device]
#[derive(Clone, Copy, Default)]
struct Pair {
    a: f32,
    b: f32,
}

#[vyre::kernel]
fn fill(n: u32, y: &mut [f32]) {
    let pair = (n > 3).then_some(Pair { a: 1.0, b: 2.0 });
    y[0] = pair.unwrap_or_default().b;
}

fn main() {}
