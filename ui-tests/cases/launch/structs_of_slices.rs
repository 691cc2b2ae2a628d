//! Launches with something else than the views of a struct of slices.

use vyre::prelude::*;

#[vyre::device]
struct Mesh<'a> {
    x: &'a [f32],
    out: &'a mut [f32],
    hits: &'a [AtomicU32],
    n: u32,
}

#[vyre::kernel]
fn smooth(mesh: Mesh<'_>) {
    let i = thread::index();
    mesh.out[i] = mesh.x[i];
    mesh.hits[0].fetch_add(mesh.n, Ordering::Relaxed);
}

fn main() -> vyre::Result<()> {
    let device = Device::best()?;
    let (x, mut out) = (device.zeros::<u32>(4)?, device.zeros::<f32>(4)?);
    let (y, mut hits) = (device.zeros::<f32>(4)?, device.zeros::<u32>(1)?);
    smooth(MeshViews { x: &x, out: &mut out, hits: &mut hits, n: 4 }).over(4).launch(&device)?;
    smooth(MeshViews { x: &y, out: &out, hits: &mut hits, n: 4 }).over(4).launch(&device)?;
    smooth(MeshViews { x: &y, out: &mut out, n: 4 }).over(4).launch(&device)?;
    smooth(&y).over(4).launch(&device)
}
