#[vyre::kernel(block = 32)]
fn fetch(x: &[f32], n: usize, y: &mut [f32]) {
    let tile = vyre::shared::<[f32; 64]>();
    let t = vyre::thread::idx().x;
    vyre::pipeline::copy(&mut tile[t..t + n], &x[t..t + n]);
    vyre::pipeline::copy(&mut tile[..n], &x[..n]);
    y[t] = tile[t];
}

fn main() {}
