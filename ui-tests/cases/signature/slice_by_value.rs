#[vyre::kernel]
fn fill(x: [f32], #[each] y: &mut f32) {
    *y = x[0];
}

fn main() {}
