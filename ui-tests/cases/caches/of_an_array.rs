#[vyre::kernel]
fn first(x: &[[f32; 2]], y: &mut [f32]) {
    y[0] = vyre::load::streaming(&x[0])[1];
}

fn main() {}
