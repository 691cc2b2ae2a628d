#[vyre::kernel(block = 32)]
fn fetch(x: &[u16], y: &mut [u16]) {
    let tile = vyre::shared::<[u16; 32]>();
    let t = vyre::thread::idx().x;
    vyre::pipeline::copy(&mut tile[t], &x[t]);
    vyre::pipeline::copy(&mut tile[t..t + 3], &x[t..t + 3]);
    vyre::pipeline::commit();
    vyre::pipeline::wait_prior::<0>();
    y[t] = tile[t];
}

fn main() {}
