#[vyre::kernel(block = [64, 32])]
fn block_product_too_large(y: &mut [f32]) {
    y[0] = 1.0;
}

#[vyre::kernel(block = 2048)]
fn block_too_large(y: &mut [f32]) {
    y[0] = 1.0;
}

#[vyre::kernel(block = [1, 1, 128])]
fn block_z_too_large(y: &mut [f32]) {
    y[0] = 1.0;
}

#[vyre::kernel(block = 0)]
fn block_zero(y: &mut [f32]) {
    y[0] = 1.0;
}

fn main() {}
