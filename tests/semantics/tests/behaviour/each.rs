//! `#[each]` parameters, sub-slices, and kernels on host slices.

use vyre::prelude::*;
use vyre_semantics::{everywhere, places};

super::kernels! { Saxpy Mixed Numbered Swap Doubled }

#[vyre::kernel]
fn saxpy(a: f32, #[each] x: &f32, #[each] y: &mut f32) {
    *y += a * *x;
}

#[test]
fn each_element() {
    everywhere(|place| {
        for count in [1usize, 256, 300] {
            let x: Vec<f32> = (0..count).map(|k| k as f32).collect();
            let mut y = place.device().upload(&vec![0.5f32; count])?;
            place.over(saxpy(2.0, &place.device().upload(&x)?, &mut y), count)?;
            let expected: Vec<f32> = x.iter().map(|v| 2.0 * v + 0.5).collect();
            assert_eq!(y.download()?, expected);
        }
        Ok(())
    });
}

#[test]
fn lengths_give_the_domain() -> vyre::Result<()> {
    for device in places::devices() {
        let x = device.upload(&[1.0f32; 1000])?;
        let mut y = device.upload(&[2.0f32; 1000])?;
        saxpy(3.0, &x, &mut y).launch(&device)?;
        assert_eq!(y.download()?, [5.0; 1000]);

        let short = device.upload(&[1.0f32; 10])?;
        let error = saxpy(3.0, &short, &mut y).launch(&device).unwrap_err();
        assert!(matches!(error, vyre::Error::LengthMismatch { .. }), "{error}");

        let mut none = device.upload::<f32>(&[])?;
        let nothing = device.upload::<f32>(&[])?;
        saxpy(3.0, &nothing, &mut none).launch(&device)?;
    }
    Ok(())
}

#[test]
fn on_host_slices() -> vyre::Result<()> {
    for device in places::devices() {
        let mut y = [2.0f32; 33];
        Saxpy::dispatch(&device, 3.0, &[1.0; 33], &mut y)?;
        assert_eq!(y, [5.0; 33]);

        let mut doubled_in_place = [1.5f32, 2.5, 3.5];
        Doubled::dispatch(&device, 3, &mut doubled_in_place)?;
        assert_eq!(doubled_in_place, [3.0, 5.0, 7.0]);
    }
    Ok(())
}

/// `#[each]` beside a slice that every thread sees as a whole.
#[vyre::kernel]
fn mixed(#[each] at: &u32, table: &[f64], #[each] y: &mut f64) {
    if (*at as usize) < table.len() {
        *y += table[*at as usize];
    } else {
        *y = -1.0;
    }
}

#[test]
fn each_beside_a_slice() {
    everywhere(|place| {
        let at: Vec<u32> = (0..100).map(|k| k * 7 % 12).collect();
        let table: Vec<f64> = (0..10).map(|k| k as f64 * 1.25).collect();
        let (at_there, table_there) = (place.device().upload(&at)?, place.device().upload(&table)?);
        let mut y = place.device().upload(&[1.0f64; 100])?;
        place.over(mixed(&at_there, &table_there, &mut y), 100)?;
        let expected: Vec<f64> = at
            .iter()
            .map(|&k| table.get(k as usize).map_or(-1.0, |v| v + 1.0))
            .collect();
        assert_eq!(y.download()?, expected);
        Ok(())
    });
}

#[vyre::kernel]
fn numbered(#[each] y: &mut usize) {
    *y = *y * 2 + thread::index();
}

#[vyre::kernel]
fn swap(#[each] x: &mut i64, #[each] y: &mut i64) {
    if *x > *y {
        let larger = *x;
        *x = *y;
        *y = larger;
    }
}

#[test]
fn each_with_an_index_and_two_outputs() {
    everywhere(|place| {
        let mut y = place.device().upload(&[5usize; 40])?;
        place.over(numbered(&mut y), 40)?;
        assert_eq!(y.download()?, (10..50).collect::<Vec<usize>>());

        let mut less = place
            .device()
            .upload(&(0..50).map(|k| k * k % 11).collect::<Vec<i64>>())?;
        let mut more = place
            .device()
            .upload(&(0..50).map(|k| k * 3 % 7 - 2).collect::<Vec<i64>>())?;
        let (a, b) = (less.download()?, more.download()?);
        place.over(swap(&mut less, &mut more), 50)?;
        for (k, (less, more)) in less.download()?.into_iter().zip(more.download()?).enumerate() {
            assert_eq!((less, more), (a[k].min(b[k]), a[k].max(b[k])));
        }
        Ok(())
    });
}

#[vyre::kernel]
fn doubled(x: &mut [f32]) {
    let i = thread::index();
    if i < x.len() {
        x[i] *= 2.0;
    }
}

#[test]
fn parts_of_a_buffer() {
    everywhere(|place| {
        let mut x = place.device().upload(&(0..100).map(|k| k as f32).collect::<Vec<_>>())?;
        place.over(doubled(x.slice_mut(10..20)?), 10)?;
        let (left, mut right) = x.split_at_mut(50)?;
        place.over(saxpy(1.0, left.slice(0..5)?, right.slice_mut(0..5)?), 5)?;
        let got = x.download()?;
        for (k, &v) in got.iter().enumerate() {
            let k = k as f32;
            let expected = match k as u32 {
                10..20 => 2.0 * k,
                50..55 => k + (k - 50.0),
                _ => k,
            };
            assert_eq!(v, expected, "at {k}");
        }
        Ok(())
    });
}
