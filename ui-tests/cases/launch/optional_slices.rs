use vyre::prelude::*;

#[vyre::kernel]
fn add(x: Option<&[f32]>, y: Option<&mut [f32]>) {
    if let (Some(x), Some(y)) = (x, y) {
        y[0] += x[0];
    }
}

fn main() {
    let device = Device::best().unwrap();
    let (x, mut y) = (device.zeros::<f32>(1).unwrap(), device.zeros::<f32>(1).unwrap());
    add(&x, None).over(1).launch(&device).unwrap();
    add(Some(&x), Some(&y)).over(1).launch(&device).unwrap();
    let z = device.zeros::<u32>(1).unwrap();
    add(Some(&z), Some(&mut y)).over(1).launch(&device).unwrap();
}
