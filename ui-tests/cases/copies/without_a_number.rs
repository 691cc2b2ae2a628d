#[vyre::kernel(block = 32)]
fn fetch(x: &[f32], y: &mut [f32]) {
    let tile = vyre::shared::<[f32; 32]>();
    let t = vyre::thread::idx().x;
    vyre::pipeline::copy(&mut tile[t], x[t]);
    vyre::pipeline::commit();
    vyre::pipeline::wait_prior();
    vyre::pipeline::wait();
    y[t] = tile[t];
}

#[vyre::kernel]
fn number_as_an_argument() {
    vyre::pipeline::wait_prior(0);
}

fn main() {}
