//! The kernels: by the interpreter and the machine that runs PTX, too, and their machine code.

use vyre::{Kernel, KernelInfo};
use vyre_primitives::kernels::{histogram, reduce, scan, segments, select, sort};
use vyre_primitives::{SCAN_TILE, scan_state};
use vyre_primitives_tests::any;
use vyre_semantics::{everywhere, ptx};

macro_rules! infos {
    ($module:ident: $($launcher:ident)*) => { vec![$(<$module::$launcher<'_> as Kernel>::info()),*] };
}

/// All kernels, by their modules.
fn modules() -> Vec<(&'static str, Vec<&'static KernelInfo>)> {
    vec![
        (
            "reduce",
            infos!(reduce:
            SumU32 SumF32 SumU64 SumF64
            ProductU32 ProductF32 ProductU64 ProductF64
            MinimumU32 MinimumI32 MinimumF32 MinimumU64 MinimumI64 MinimumF64
            MaximumU32 MaximumI32 MaximumF32 MaximumU64 MaximumI64 MaximumF64),
        ),
        ("scan", infos!(scan: ScanOf32U32 ScanOf32F32 ScanOf64U64 ScanOf64F64)),
        (
            "select",
            infos!(select:
            FlaggedU32 FlaggedU64
            UniqueU32 UniqueF32 UniqueU64 UniqueF64
            RunStartsU32 RunStartsF32 RunStartsU64 RunStartsF64),
        ),
        (
            "segments",
            infos!(segments:
            SegmentSumsU32 SegmentSumsF32 SegmentSumsU64 SegmentSumsF64
            SegmentMinimaU32 SegmentMinimaI32 SegmentMinimaF32 SegmentMinimaU64 SegmentMinimaI64 SegmentMinimaF64
            SegmentMaximaU32 SegmentMaximaI32 SegmentMaximaF32 SegmentMaximaU64 SegmentMaximaI64 SegmentMaximaF64),
        ),
        (
            "histogram",
            infos!(histogram: BinsOfU8 BinsOfU16 BinsOfU32 EvenF32 EvenF64),
        ),
        (
            "sort",
            infos!(sort: Count32 Count64 FirstPlaces Scatter3232 Scatter3264 Scatter6432 Scatter6464),
        ),
    ]
}

/// The machine code is unchanged.
#[test]
fn machine_code_is_as_it_was() {
    ptx::counts("counts.txt", "primitives", &modules());
}

/// Arrays that are indexed by loop counters are in registers.
#[test]
fn arrays_are_in_registers() {
    for (_, kernels) in modules() {
        for kernel in kernels {
            assert!(!kernel.ptx.contains(".local"), "{}", kernel.name);
        }
    }
}

#[test]
fn reductions() {
    everywhere(|place| {
        let x = any::<u32>(1, 16_384 + 700);
        let (values, mut out) = (place.device().upload(&x)?, place.device().zeros::<u32>(2)?);
        place.over(reduce::sum(&values, &mut out), reduce::threads(x.len()))?;
        let sum = |tile: &[u32]| tile.iter().fold(0u32, |a, &b| a.wrapping_add(b));
        assert_eq!(
            out.download()?,
            [sum(&x[..16_384]), sum(&x[16_384..])],
            "{}",
            place.name()
        );
        Ok(())
    });
}

/// More tiles than a look-back sees would take the interpreter minutes.
#[test]
fn scans() {
    everywhere(|place| {
        let x = any::<u32>(2, 2 * 8192 + 100);
        let (values, mut y) = (place.device().upload(&x)?, place.device().zeros::<u32>(x.len())?);
        let mut state = place.device().zeros::<u64>(scan::words::<u32>(x.len()))?;
        let kernel = scan::scan_of_32(&values, &mut y, 5u32, true, &mut state);
        place.over(kernel, scan::threads::<u32>(x.len()))?;
        let mut sum = 5u32;
        for (x, y) in x.iter().zip(y.download()?) {
            assert_eq!(y, sum, "{}", place.name());
            sum = sum.wrapping_add(*x);
        }
        Ok(())
    });
}

#[test]
fn selections() {
    everywhere(|place| {
        let x: Vec<u64> = any::<u64>(3, SCAN_TILE + 300).into_iter().map(|x| x % 3).collect();
        let mut expected = x.clone();
        expected.dedup();
        let (values, mut y) = (place.device().upload(&x)?, place.device().zeros::<u64>(x.len())?);
        let (mut count, mut state) = (
            place.device().zeros::<u64>(1)?,
            place.device().zeros::<u64>(scan_state::<u64>(x.len()))?,
        );
        let kernel = select::unique(&values, &mut y, &mut count, &mut state);
        place.grid(kernel, [select::blocks(x.len(), 1), 1, 1])?;
        assert_eq!(count.download()?, [expected.len() as u64], "{}", place.name());
        assert!(y.slice(..expected.len())?.download()? == expected, "{}", place.name());
        Ok(())
    });
}

#[test]
fn segmented_reductions() {
    everywhere(|place| {
        let (x, offsets) = (any::<i32>(4, 1500), [0, 3, 3, 40, 1300, 1500]);
        let (values, ends) = (place.device().upload(&x)?, place.device().upload(&offsets)?);
        let mut y = place.device().zeros::<i32>(5)?;
        place.over(
            segments::segment_maxima(&values, &ends, &mut y, i32::MIN),
            segments::threads(5),
        )?;
        let segments = offsets.windows(2).map(|ends| &x[ends[0] as usize..ends[1] as usize]);
        let expected: Vec<i32> = segments.map(|x| x.iter().copied().max().unwrap_or(i32::MIN)).collect();
        assert_eq!(y.download()?, expected, "{}", place.name());
        Ok(())
    });
}

#[test]
fn histograms() {
    everywhere(|place| {
        let x = any::<u32>(5, 3000);
        let bytes: Vec<u8> = x.iter().map(|&x| x as u8).collect();
        let values = place.device().upload(&bytes)?;
        for shared_bytes in [0, 4 * 256] {
            let mut counts = place.device().zeros::<u64>(256)?;
            place.grid_sharing(histogram::bins_of_u8(&values, &mut counts), [2, 1, 1], shared_bytes)?;
            let mut expected = [0; 256];
            bytes.iter().for_each(|&byte| expected[byte as usize] += 1);
            assert_eq!(counts.download()?, expected, "{}", place.name());
        }
        Ok(())
    });
}

/// A pass for one digit, in two launches, of which the second goes on where the first has ended.
#[test]
fn sort_passes() {
    sort_pass(u64::MAX >> 1);
}

/// A first pass over floats leaves the same bits for all NaNs.
#[test]
fn sort_passes_with_nans() {
    sort_pass(f64::INFINITY.to_bits());
}

fn sort_pass(infinity: u64) {
    everywhere(|place| {
        let mut x = any::<u64>(6, 2 * sort::TILE_OF_64 + 50);
        x[..4].copy_from_slice(&[
            u64::MAX,
            0xfff0_0000_0000_0001,
            f64::INFINITY.to_bits(),
            f64::NEG_INFINITY.to_bits(),
        ]);
        let device = place.device();
        let keys = device.upload(&x)?;
        let mut starts = device.zeros::<u64>(8 * 256)?;
        place.grid(sort::count_64(&keys, infinity, 0, 0, &mut starts), [3, 1, 1])?;
        place.grid(sort::first_places(&mut starts), [8, 1, 1])?;

        let (mut to, values, mut to_values) = (
            device.zeros::<u64>(x.len())?,
            device.upload(&(0..x.len() as u32).collect::<Vec<_>>())?,
            device.zeros(x.len())?,
        );
        let (mut second, mut end) = (device.zeros::<u64>(256)?, device.zeros::<u64>(256)?);
        let split = sort::TILE_OF_64;
        let mut starts = starts.slice(256..512)?;
        for (range, next) in [(0..split, &mut second), (split..x.len(), &mut end)] {
            let mut state = device.zeros::<u32>(1 + range.len().div_ceil(sort::TILE_OF_64) * 256)?;
            let threads = sort::threads(range.len(), sort::TILE_OF_64);
            let kernel = sort::scatter_64_32(
                keys.slice(range.clone())?,
                &mut to,
                values.slice(range)?,
                &mut to_values,
                8,
                infinity,
                0,
                0,
                starts,
                &mut *next,
                &mut state,
            );
            place.over(kernel, threads)?;
            starts = next.as_view();
        }
        let most = u64::MAX >> 1;
        let one = |key: u64| if key & most > infinity { most } else { key };
        let mut expected: Vec<(u64, u32)> = x.into_iter().map(one).zip(0..).collect();
        expected.sort_by_key(|pair| pair.0 >> 8 & 255);
        let found: Vec<(u64, u32)> = to.download()?.into_iter().zip(to_values.download()?).collect();
        assert!(found == expected, "{}", place.name());
        Ok(())
    });
}
