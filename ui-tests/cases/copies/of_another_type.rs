#[vyre::kernel(block = 32)]
fn fetch(x: &[i32], y: &mut [f32]) {
    let tile = vyre::shared::<[f32; 32]>();
    let t = vyre::thread::idx().x;
    vyre::pipeline::copy(&mut tile[t], &x[t]);
    vyre::pipeline::copy(&mut tile[t..t + 4], &x[t]);
    y[t] = tile[t];
}

fn main() {}
