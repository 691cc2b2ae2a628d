#[vyre::kernel(block = 32)]
fn fetch(x: &[f32], y: &mut [f32]) {
    let tile = vyre::shared::<[[f32; 32]; 2]>();
    let t = vyre::thread::idx().x;
    let current = &tile[0];
    vyre::pipeline::copy(&mut tile[1][t], &x[t]);
    vyre::pipeline::commit();
    vyre::pipeline::wait_prior::<0>();
    y[t] = current[t];
}

fn main() {}
