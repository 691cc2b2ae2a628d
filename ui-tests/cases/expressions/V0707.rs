#[vyre::kernel]
fn copy_of_a_slice(x: &[f32], y: &mut [f32]) {
    let _v = x.to_vec();
    y[0] = 1.0;
}

#[vyre::kernel]
fn float_method_without_lowering(y: &mut [f32]) {
    let _c = y[1].classify();
    y[0] = 1.0;
}

fn main() {}
