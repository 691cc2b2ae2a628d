// A kernel cannot stand in an `impl`: its launcher is an item, which an `impl` cannot hold.
mod impl_method {
    use vyre::prelude::*;

    pub struct Filter;

    impl Filter {
        /// Doubles.
        #[vyre::kernel(block = 64)]
        pub fn double(x: &mut [f32]) {
            let i = thread::index();
            if i < x.len() {
                x[i] *= 2.0;
            }
        }

        /// The launch of a refused kernel is not another mistake.
        pub fn run(device: &Device, x: &mut DeviceBuffer<f32>) -> vyre::Result<()> {
            let launcher = Self::double(&mut *x);
            launcher.over(x.len()).launch(device)?;
            Self::double(x).grid(1).launch_timed(device)?.device;
            Filter::double(x).launch(device)
        }
    }
}

// A method has a receiver, which no launch could supply.
mod self_parameter {
    struct Filter;

    impl Filter {
        #[vyre::kernel]
        fn double(&self, x: &mut [f32]) {
            x[0] *= 2.0;
        }
    }

    fn main() {
        Filter.double(&mut [1.0]);
    }
}

pub trait Filter {
    #[vyre::kernel]
    fn double(x: &mut [f32]) {
        x[0] *= 2.0;
    }
}

fn main() {}
