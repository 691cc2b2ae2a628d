#[vyre::kernel(block = 32)]
fn fetch(x: &[f32], y: &mut [f32]) {
    let tile = vyre::shared::<[f32; 64]>();
    let t = vyre::thread::idx().x;
    vyre::pipeline::copy(&mut tile[t..t + 4], &x[t..t + 2]);
    y[t] = tile[t];
}

fn main() {}
