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

/// Kernels with `cfg` in them.
pub mod configured {
    vyre::include_kernels!("configured");
}

/// The kernel of a program that `build.rs` has made.
pub mod fused {
    vyre::include_kernels!("fused");
}

/// Triples each number: a kernel that the attribute compiles.
#[vyre::kernel]
pub fn triple(#[each] y: &mut u32) {
    *y *= 3;
}

const FACTOR: u32 = 5;

/// A kernel whose PTX has the value of a constant only when rustc has run.
#[vyre::kernel]
pub fn scale(#[each] y: &mut u32) {
    *y *= FACTOR;
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, MutexGuard, PoisonError};

    use super::kernels::complex::Complex;
    use super::kernels::{self, WIDTH};
    use super::{Scale, Triple, fused, more};
    use vyre::{Device, Kernel, KernelInfo, Result};

    /// Tests load kernels on the same devices, and some count what is loaded.
    fn alone() -> MutexGuard<'static, ()> {
        static ALONE: Mutex<()> = Mutex::new(());
        ALONE.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[test]
    fn kernels_of_a_build_script_run() -> Result<()> {
        let _alone = alone();
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
        let (values, mut sums) = (device.upload(&[1.0, 2.0, 3.0, 4.0])?, device.zeros(2)?);
        let rows = kernels::RowsViews {
            values: &values,
            sums: &mut sums,
            columns: 2,
        };
        kernels::sum_rows(rows, 0.5).over(2).launch(&device)?;
        assert!(
            sums.download()?
                .iter()
                .zip([1.5f32, 3.5])
                .all(|(a, b)| a.to_bits() == b.to_bits())
        );
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

    /// rustc decides here what the build script has decided there.
    #[test]
    fn what_cfg_leaves_out_is_not_there() -> Result<()> {
        use super::configured::{COUNT, Chosen, Point, Tested, offsets};

        let _alone = alone();
        let count = if cfg!(unix) { 3 } else { 5 };
        let first = if cfg!(debug_assertions) { 1000 } else { 2000 };
        assert_eq!((COUNT, offsets::first()), (count, first));
        let points = [1, 2].map(|x| Point { x, y: 10 * x });
        let sum = |x: u32| (0..count).map(|k| if k % 2 == 0 { x } else { 10 * x }).sum::<u32>();
        for device in Device::all() {
            let mut y = [0; 2];
            Chosen::dispatch(&device, 2, &points, &mut y)?;
            assert_eq!(y, [sum(1) + first, sum(2) * sum(2)]);
            let mut y = [1];
            Tested::dispatch(&device, &mut y)?;
            assert_eq!(y, [2]);
        }
        Ok(())
    }

    /// Two files of one name, with a kernel of one name.
    #[test]
    fn files_of_one_name_are_two_modules() -> Result<()> {
        let _alone = alone();
        let device = Device::cpu();
        let mut numbers = [4, 5];
        more::Levels::dispatch(&device, &mut numbers)?;
        assert_eq!(numbers, [8, 10]);
        assert_ne!(kernels::Levels::info().ptx, more::Levels::info().ptx);
        Ok(())
    }

    #[test]
    fn a_program_of_the_build_script_has_a_launcher() -> Result<()> {
        let _alone = alone();
        let x = [-1.5, 0.0, 3.0f32];
        for device in Device::all() {
            let mut y = [0.0; 3];
            fused::Polynomial::dispatch(&device, 3, &x, &mut y)?;
            let wanted = x.map(|x| ((0.0 * x + 0.5) * x - 1.0) * x + 2.0);
            assert_eq!(y.map(f32::to_bits), wanted.map(f32::to_bits), "{}", device.name());
        }
        Ok(())
    }

    /// True if the build script has found ptxas.
    fn has_machine_code() -> bool {
        !more::Levels::info().cubins.is_empty()
    }

    /// Each kernel has code for the architectures that the build script names, and their GPUs run it.
    #[test]
    fn machine_code_is_loaded_where_it_fits() -> Result<()> {
        let _alone = alone();
        if !has_machine_code() {
            eprintln!("skipped machine_code_is_loaded_where_it_fits: built without ptxas");
            return Ok(());
        }
        for info in [
            kernels::Blur::info(),
            kernels::inner::Counter::info(),
            fused::Polynomial::info(),
        ] {
            let targets: Vec<_> = info.cubins.iter().map(|cubin| cubin.target.to_string()).collect();
            assert_eq!(targets, ["sm_80", "sm_90"], "{}", info.name);
            for cubin in info.cubins {
                assert!(cubin.code.starts_with(b"\x7fELF") && cubin.code.as_ptr().addr() % 8 == 0);
            }
        }
        for device in Device::all() {
            let before = device.stats();
            let mut numbers = [4, 5];
            more::Levels::dispatch(&device, &mut numbers)?;
            assert_eq!(numbers, [8, 10]);
            let done = device.stats().since(&before);
            let fits = matches!(device.compute_capability(), Some((8 | 9, _)));
            assert_eq!(
                (done.cubins_loaded, done.cubins_refused),
                (u64::from(fits), 0),
                "{}",
                device.name()
            );
        }
        Ok(())
    }

    /// The report agrees with the driver about the blocks that run at a time.
    #[test]
    fn the_report_has_each_kernel() -> Result<()> {
        let _alone = alone();
        let report = include_str!(concat!(env!("OUT_DIR"), "/vyre/report.json"));
        let lines: Vec<&str> = report
            .lines()
            .filter(|line| line.contains("\"entry\": \"polynomial\"") && line.contains("\"target\": "))
            .collect();
        assert_eq!(lines.len(), 2, "{report}");
        for device in Device::all() {
            let Some((major, minor)) = device.compute_capability() else {
                continue;
            };
            let target = format!("\"target\": \"sm_{major}{minor}\"");
            let Some(line) = lines.iter().find(|line| line.contains(&target) && has_machine_code()) else {
                continue;
            };
            let (_, rest) = line.split_once("\"resident_blocks\": ").expect("the report has it");
            let each: u64 = rest
                .split(',')
                .next()
                .and_then(|number| number.parse().ok())
                .expect("a number");
            let (x, mut y) = (device.zeros::<f32>(1)?, device.zeros::<f32>(1)?);
            let resident = device.resident_blocks(&fused::polynomial(&x, &mut y), 0)?;
            assert_eq!(
                u64::from(resident),
                each * u64::from(device.profile().multiprocessors),
                "{line}"
            );
        }
        Ok(())
    }

    /// The attribute has ptxas called, with the targets that the build script names.
    #[test]
    fn attributes_embed_machine_code() -> Result<()> {
        let _alone = alone();
        let targets =
            |info: &KernelInfo| -> Vec<String> { info.cubins.iter().map(|cubin| cubin.target.to_string()).collect() };
        if has_machine_code() {
            assert_eq!(targets(Triple::info()), ["sm_86", "sm_90a"]);
            assert!(
                Triple::info()
                    .cubins
                    .iter()
                    .all(|cubin| cubin.code.starts_with(b"\x7fELF"))
            );
        }
        assert_eq!(targets(Scale::info()), [""; 0]);
        for device in Device::all() {
            let before = device.stats();
            let mut numbers = [4, 5];
            Triple::dispatch(&device, &mut numbers)?;
            Scale::dispatch(&device, &mut numbers)?;
            assert_eq!(numbers, [60, 75]);
            let done = device.stats().since(&before);
            let fits = has_machine_code() && matches!(device.compute_capability(), Some((8, 6 | 9) | (9, 0)));
            assert_eq!(done.cubins_loaded, u64::from(fits), "{}", device.name());
        }
        Ok(())
    }
}
