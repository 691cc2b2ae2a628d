//! Kernels and device functions in modules that import nothing of vyre's.

mod kernels {
    #[vyre::kernel]
    pub fn fill(y: &mut [f32]) {
        y[thread::index()] = 1.0;
    }
}

/// One error for the module, and those of other mistakes.
mod of_several {
    use vyre::Device;

    #[vyre::device]
    fn place() -> usize {
        thread::index()
    }

    #[vyre::kernel]
    pub fn fill(y: &mut [f32]) {
        let i = place();
        if i < y.len() {
            y[i] = block::idx().x as f32;
        }
    }

    #[vyre::kernel]
    pub fn count(y: &[AtomicU32]) {
        y[0].fetch_add(1u32, Ordering::Relaxed);
        let mut tile = shared::<[f32; 32]>();
        tile[thread::index()] = 1.0;
    }

    #[vyre::kernel(T = [f32, f64])]
    pub fn scale<T: Float>(#[each] x: &mut T) {
        *x = *x * *x;
    }

    pub fn run(device: &Device) -> vyre::Result<()> {
        let mut x = device.upload(&[1.0f32])?;
        fill(&mut x).over(1).launch(device)?;
        scale(&mut x).launch(device)
    }
}

/// rustc reports what one of these might have.
mod with_a_glob {
    use super::of_several::*;

    #[vyre::kernel]
    pub fn fill(y: &mut [f32]) {
        y[thread::index()] = 1.0;
    }
}

/// The module around them has none of vyre's names either.
mod of_the_parent {
    use super::*;

    #[vyre::kernel]
    pub fn fill(y: &mut [f32]) {
        y[thread::index()] = 1.0;
    }
}

/// rustc reports the import, with the right name.
mod misspelt {
    use vyre::{blocks, threads};

    #[vyre::kernel]
    pub fn fill(y: &mut [f32]) {
        y[thread::index()] = block::idx().x as f32;
    }
}

mod inside {
    #[vyre::kernel]
    pub fn fill(y: &mut [f32]) {
        use vyre::thread;
        y[thread::index()] = 1.0;
    }
}

fn main() {}
