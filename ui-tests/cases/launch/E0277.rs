// Elements of buffers are scalars.
mod buffer_of_foreign_type {
    use vyre::prelude::*;

    fn main() -> vyre::Result<()> {
        let device = Device::cpu();
        let _names = device.upload(&[String::new()])?;
        Ok(())
    }
}

mod element_type {
    use vyre::prelude::*;

    #[vyre::kernel]
    fn double(x: &mut [f32]) {
        let i = thread::index();
        if i < x.len() {
            x[i] *= 2.0;
        }
    }

    fn main() -> vyre::Result<()> {
        let device = Device::cpu();
        let mut x = device.upload(&[1.0f64; 16])?;
        double(&mut x).over(16).launch(&device)
    }
}

mod host_slice {
    use vyre::prelude::*;

    #[vyre::kernel]
    fn double(x: &mut [f32]) {
        let i = thread::index();
        if i < x.len() {
            x[i] *= 2.0;
        }
    }

    fn main() -> vyre::Result<()> {
        let device = Device::cpu();
        let mut x = [1.0f32; 16];
        double(&mut x).over(16).launch(&device)
    }
}

// One call could otherwise pass a buffer both ways.
mod shared_buffer_for_atomics {
    use core::sync::atomic::{AtomicU32, Ordering};
    use vyre::prelude::*;

    #[vyre::kernel]
    fn count(hits: &[AtomicU32]) {
        hits[0].fetch_add(1, Ordering::Relaxed);
    }

    fn main() -> vyre::Result<()> {
        let device = Device::cpu();
        let hits = device.upload(&[0u32; 16])?;
        count(&hits).over(16).launch(&device)
    }
}

mod shared_buffer_for_mut {
    use vyre::prelude::*;

    #[vyre::kernel]
    fn double(x: &mut [f32]) {
        let i = thread::index();
        if i < x.len() {
            x[i] *= 2.0;
        }
    }

    fn main() -> vyre::Result<()> {
        let device = Device::cpu();
        let x = device.upload(&[1.0f32; 16])?;
        double(&x).over(16).launch(&device)
    }
}

fn main() {}
