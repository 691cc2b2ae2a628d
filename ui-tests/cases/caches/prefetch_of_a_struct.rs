#[vyre::device]
#[derive(Clone, Copy)]
struct Pair {
    a: f32,
    b: f32,
}

#[vyre::kernel]
fn ask(x: &[Pair]) {
    vyre::prefetch::l2(&x[0]);
    vyre::prefetch::l1(&x[0].b);
}

fn main() {}
