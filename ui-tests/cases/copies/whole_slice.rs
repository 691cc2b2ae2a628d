#[vyre::device]
fn fetch(to: &mut [f32], from: &[f32]) {
    vyre::pipeline::copy(to, from);
}

#[vyre::kernel(block = 32)]
fn windows(x: &[f32], y: &mut [f32]) {
    let tile = vyre::shared::<[f32; 32]>();
    fetch(tile, x);
    y[0] = tile[0];
}

fn main() {}
