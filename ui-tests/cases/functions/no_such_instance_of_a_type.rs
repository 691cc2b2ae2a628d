#[vyre::kernel(T = [f32, u32])]
fn duplicate<T: Copy>(#[each] x: &T, #[each] y: &mut T) {
    *y = *x;
}

fn run(device: &vyre::Device) -> vyre::Result<()> {
    let x = device.upload(&[1.0f64])?;
    let mut y = device.zeros::<f64>(1)?;
    duplicate(&x, &mut y).launch(device)
}

fn main() {
    run(&vyre::Device::cpu()).unwrap();
}
