//! Kernels that a build script has compiled.

#![deny(warnings, clippy::all, clippy::pedantic, missing_docs)]

/// The kernels of `kernels.rs`.
pub mod kernels {
    vyre::include_kernels!("kernels");
}

/// Another file of the same name.
pub mod more {
    vyre::include_kernels!("more/kernels");
}

#[cfg(test)]
mod tests {
    use super::kernels::complex::Complex;
    use super::kernels::{self, WIDTH};
    use super::more;
    use vyre::{Device, Kernel, Result};

    #[test]
    fn kernels_of_a_build_script_run() -> Result<()> {
        let device = Device::cpu();
        let from = device.upload(&[1.0; 3 * WIDTH])?;
        let mut to = device.zeros(3 * WIDTH)?;
        kernels::blur(&from, &mut to).over(3 * WIDTH).launch(&device)?;
        let to = to.download()?;
        for (i, &value) in to.iter().enumerate() {
            let wanted: f32 = if i % WIDTH == 0 || i % WIDTH == WIDTH - 1 {
                0.75
            } else {
                1.0
            };
            assert_eq!(value.to_bits(), wanted.to_bits());
        }
        assert_eq!(kernels::weighted(&[1.0, 8.0], 1, 1).to_bits(), 4.0f32.to_bits());
        let mut threefold = [0u32; 6];
        kernels::RepeatU32N3::dispatch(&device, 6, &[7, 8], &mut threefold)?;
        assert_eq!(threefold, [7, 7, 7, 8, 8, 8]);
        let mut out = [0; 70];
        kernels::inner::Counter::dispatch(&device, 70, &mut out)?;
        assert_eq!((out[0], out[69], kernels::host()), (100, 169, 16));
        let mut numbers = [4, 5];
        kernels::Levels::dispatch(&device, &mut numbers)?;
        assert_eq!(numbers, [14, 25]);
        kernels::LEVELS::set(&device, &[0, 1]);
        kernels::Levels::dispatch(&device, &mut numbers)?;
        assert_eq!((numbers, kernels::LEVELS::get(&device)), ([14, 26], [0, 1]));
        let mut numbers = [Complex::new(3.0, -2.0), Complex::I];
        let mut distances = [0.0; 2];
        kernels::Turn::dispatch(&device, &mut numbers, &mut distances)?;
        assert_eq!(numbers, [Complex::new(2.0, 3.0), Complex::new(-1.0, 0.0)]);
        assert_eq!(distances.map(f32::to_bits), [10.0f32, 4.0].map(f32::to_bits));
        Ok(())
    }

    /// Two files of one name, with a kernel of one name.
    #[test]
    fn files_of_one_name_are_two_modules() -> Result<()> {
        let device = Device::cpu();
        let mut numbers = [4, 5];
        more::Levels::dispatch(&device, &mut numbers)?;
        assert_eq!(numbers, [8, 10]);
        assert_ne!(kernels::Levels::info().ptx, more::Levels::info().ptx);
        Ok(())
    }
}
