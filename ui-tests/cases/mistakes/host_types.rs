//! Buffers and views in the signatures of kernels and device functions.
use vyre::prelude::*;

#[vyre::kernel]
fn buffers(x: &DeviceBuffer<f32>, y: &mut DeviceBuffer<f32>) {
    let i = thread::index();
    y[i] = x[i];
}

#[vyre::kernel]
fn views(x: View<'_, f32>, mut y: ViewMut<f32>) {
    let i = thread::index();
    y[i] = x[i];
}

#[vyre::kernel]
fn matrices(x: View2<'_, f32>, #[each] y: &mut f32) {
    let [row, column] = thread::index_2d();
    *y = x[[row, column]];
}

#[vyre::kernel]
fn counters(x: vyre::AtomicView<'_, u32>) {
    x[0].fetch_add(1, Ordering::Relaxed);
}

#[vyre::kernel]
fn devices(device: &Device, stream: &Stream, #[each] y: &mut f32) {
    *y = device.name().len() as f32;
}

#[vyre::device]
fn first(x: View<f32>, y: &DeviceBuffer<f32>) -> f32 {
    x[0] + y[0]
}

#[vyre::kernel]
fn calls(x: &[f32], #[each] y: &mut f32) {
    *y = first(x, x);
}

mod of_its_name {
    use vyre::prelude::*;

    #[vyre::kernel]
    pub fn view(x: View<'_, f32>, #[each] y: &mut f32) {
        *y = x[0];
    }
}

/// A kernel whose launcher hides what another function means.
mod hidden {
    use vyre::prelude::*;

    #[vyre::kernel]
    pub fn view(#[each] y: &mut f32) {
        *y = 1.0;
    }

    pub fn length(x: View<'_, f32>) -> usize {
        x.len()
    }
}

/// Types of the user with such names.
mod own {
    use vyre::prelude::*;

    #[vyre::device]
    #[derive(Clone, Copy)]
    pub struct View<T> {
        pub width: T,
    }

    #[vyre::device]
    fn half(view: View<f32>) -> f32 {
        view.width / 2.0
    }

    #[vyre::kernel]
    pub fn halves(view: View<f32>, y: &mut [f32]) {
        y[thread::index()] = half(view);
    }
}

fn main() {}
