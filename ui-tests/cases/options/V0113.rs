#[vyre::kernel(contract = true)]
fn contracted(y: &mut [f32]) {
    y[0] = 1.0;
}

#[vyre::kernel(fast_math(on))]
fn fast(y: &mut [f32]) {
    y[0] = 1.0;
}

fn main() {}
