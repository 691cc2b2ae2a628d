#[vyre::kernel(block = [])]
fn block_empty(y: &mut [f32]) {
    y[0] = 1.0;
}

#[vyre::kernel(block = 64.0)]
fn block_float(y: &mut [f32]) {
    y[0] = 1.0;
}

#[vyre::kernel(block = -64)]
fn block_negative(y: &mut [f32]) {
    y[0] = 1.0;
}

#[vyre::kernel(block = [2, 2, 2, 2])]
fn block_of_four_axes(y: &mut [f32]) {
    y[0] = 1.0;
}

#[vyre::kernel(block = "64")]
fn block_string(y: &mut [f32]) {
    y[0] = 1.0;
}

fn main() {}
