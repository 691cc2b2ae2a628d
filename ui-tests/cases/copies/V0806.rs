#[vyre::kernel(block = 32)]
fn odd_size(x: &[u16], y: &mut [u16]) {
    let tile = vyre::shared::<[u16; 32]>();
    let t = vyre::thread::idx().x;
    vyre::pipeline::copy(&mut tile[t], &x[t]);
    vyre::pipeline::copy(&mut tile[t..t + 3], &x[t..t + 3]);
    vyre::pipeline::commit();
    vyre::pipeline::wait_prior::<0>();
    y[t] = tile[t];
}

#[vyre::kernel(block = 32)]
fn two_lengths(x: &[f32], y: &mut [f32]) {
    let tile = vyre::shared::<[f32; 64]>();
    let t = vyre::thread::idx().x;
    vyre::pipeline::copy(&mut tile[t..t + 4], &x[t..t + 2]);
    y[t] = tile[t];
}

#[vyre::kernel(block = 32)]
fn unknown_length(x: &[f32], n: usize, y: &mut [f32]) {
    let tile = vyre::shared::<[f32; 64]>();
    let t = vyre::thread::idx().x;
    vyre::pipeline::copy(&mut tile[t..n], &x[t..n]);
    vyre::pipeline::copy(&mut tile[t..], &x[t..]);
    vyre::pipeline::copy(&mut tile[0..=3], &x[0..=3]);
    vyre::pipeline::copy(&mut tile[vyre::lane::index()..vyre::lane::index() + 4], &x[..4]);
    y[t] = tile[t];
}

#[vyre::kernel(block = 32)]
fn variable_length(x: &[f32], n: usize, y: &mut [f32]) {
    let tile = vyre::shared::<[f32; 64]>();
    let t = vyre::thread::idx().x;
    vyre::pipeline::copy(&mut tile[t..t + n], &x[t..t + n]);
    vyre::pipeline::copy(&mut tile[..n], &x[..n]);
    y[t] = tile[t];
}

fn main() {}
