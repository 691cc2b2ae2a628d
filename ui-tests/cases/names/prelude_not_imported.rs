//! A file that imports nothing of vyre's.

#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] = 1.0;
    }
}

mod of_the_host {
    use vyre::prelude::host::*;

    #[vyre::kernel]
    pub fn scale(x: &mut Slice<f32>) {
        x[thread::index()] *= 2.0;
    }

    pub fn run(device: &Device, x: &mut DeviceBuffer<f32>) -> vyre::Result<()> {
        scale(x).over(1).launch(device)
    }
}

fn main() {}
