#[vyre::kernel(block = 32)]
fn fetch(x: &[f32], n: usize, y: &mut [f32]) {
    let tile = vyre::shared::<[f32; 64]>();
    let t = vyre::thread::idx().x;
    vyre::pipeline::copy(&mut tile[t..n], &x[t..n]);
    vyre::pipeline::copy(&mut tile[t..], &x[t..]);
    vyre::pipeline::copy(&mut tile[0..=3], &x[0..=3]);
    vyre::pipeline::copy(&mut tile[vyre::lane::index()..vyre::lane::index() + 4], &x[..4]);
    y[t] = tile[t];
}

fn main() {}
