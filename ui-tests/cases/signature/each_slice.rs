#[vyre::kernel]
fn scale(a: f32, #[each] y: &mut [f32]) {
    y[0] *= a;
}

fn main() {}
