// The same where rustc reports the error.
mod after_a_type_error {
    use vyre::prelude::*;

    #[vyre::kernel]
    fn scale(a: f32, x: &mut [f32]) {
        let b: u32 = a;
        x[0] *= a;
    }

    fn main() -> vyre::Result<()> {
        let device = Device::cpu();
        let mut x = device.upload(&[1.0f32; 16])?;
        scale(2.0, &mut x).over(16).launch(&device)
    }
}

mod one_dimension_for_two {
    use vyre::prelude::*;

    #[vyre::kernel(block = [8, 8])]
    fn double(x: &mut [f32], width: usize) {
        let (column, row) = thread::index_2d();
        if row * width + column < x.len() {
            x[row * width + column] *= 2.0;
        }
    }

    fn main() -> vyre::Result<()> {
        let device = Device::cpu();
        let mut x = device.upload(&[1.0f32; 16])?;
        double(&mut x, 4).over(16).launch(&device)
    }
}

mod scalar_type {
    use vyre::prelude::*;

    #[vyre::kernel]
    fn scale(a: f32, x: &mut [f32]) {
        let i = thread::index();
        if i < x.len() {
            x[i] *= a;
        }
    }

    fn main() -> vyre::Result<()> {
        let device = Device::cpu();
        let mut x = device.upload(&[1.0f32; 16])?;
        scale(2, &mut x).over(16).launch(&device)
    }
}

mod two_dimensions_for_one {
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
        let mut x = device.upload(&[1.0f32; 16])?;
        double(&mut x).over([4, 4]).launch(&device)
    }
}

fn main() {}
