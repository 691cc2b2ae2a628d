#[vyre::kernel]
async fn async_fn(x: &mut [f32]) {
    x[0] *= 2.0;
}

#[vyre::kernel]
const fn const_fn(x: &mut [f32]) {
    x[0] *= 2.0;
}

#[vyre::kernel]
extern "C" fn extern_fn(x: &mut [f32]) {
    x[0] *= 2.0;
}

#[vyre::kernel]
unsafe fn unsafe_fn(x: &mut [f32]) {
    x[0] *= 2.0;
}

#[target_feature(enable = "sse2")]
#[vyre::kernel]
fn with_features(x: &mut [f32]) {
    x[0] *= 2.0;
}

fn run(device: &vyre::Device, x: &mut vyre::DeviceBuffer<f32>) -> vyre::Result<()> {
    with_features(x).over(1).launch(device)
}

fn main() {}
