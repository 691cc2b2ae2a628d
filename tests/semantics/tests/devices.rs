//! Devices, streams and buffers as a user meets them, on the CPU and on a GPU.

use vyre::prelude::*;
use vyre::{Error, Result};
use vyre_semantics::places::{devices, gpu};

#[vyre::kernel]
fn add(x: &mut [u32], by: u32) {
    let i = thread::index();
    if i < x.len() {
        x[i] += by;
    }
}

/// A kernel that takes a while.
#[vyre::kernel]
fn spin(x: &mut [u32], rounds: u32) {
    let i = thread::index();
    if i < x.len() {
        let mut v = x[i];
        for _ in 0..rounds {
            v = v * 1_664_525 + 1_013_904_223;
        }
        x[i] = v;
    }
}

#[vyre::kernel]
fn copy(x: &[u32], y: &mut [u32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] = x[i];
    }
}

fn spun(v: u32, rounds: u32) -> u32 {
    (0..rounds).fold(v, |v, _| v.wrapping_mul(1_664_525).wrapping_add(1_013_904_223))
}

#[test]
fn two_streams_write_one_buffer() -> Result<()> {
    for device in devices() {
        let (a, b) = (device.stream()?, device.stream()?);
        let mut x = device.upload(&vec![3u32; 5000])?;
        let mut expected = 3u32;
        for round in 0..20 {
            let (stream, by) = if round % 2 == 0 { (&a, round) } else { (&b, round * 7) };
            spin(&mut x, 500).over(5000).on(stream).launch(&device)?;
            add(&mut x, by).over(5000).on(stream).launch(&device)?;
            expected = spun(expected, 500).wrapping_add(by);
        }
        assert_eq!(x.download()?, vec![expected; 5000]);
    }
    Ok(())
}

#[test]
fn one_stream_reads_what_another_wrote() -> Result<()> {
    for device in devices() {
        let (a, b) = (device.stream()?, device.stream()?);
        let mut x = device.upload(&(0..4000).collect::<Vec<u32>>())?;
        let mut y = device.zeros::<u32>(4000)?;
        let mut z = device.zeros::<u32>(4000)?;
        spin(&mut x, 2000).over(4000).on(&a).launch(&device)?;
        // Two readers, then a writer that must wait for both.
        copy(&x, &mut y).over(4000).on(&b).launch(&device)?;
        copy(&x, &mut z).over(4000).launch(&device)?;
        add(&mut x, 1).over(4000).on(&a).launch(&device)?;
        let expected: Vec<u32> = (0..4000).map(|v| spun(v, 2000)).collect();
        assert_eq!(y.download()?, expected);
        assert_eq!(z.download()?, expected);
        assert!(
            x.download()?
                .iter()
                .zip(&expected)
                .all(|(&x, &v)| x == v.wrapping_add(1))
        );
    }
    Ok(())
}

#[test]
fn buffers_dropped_while_in_use() -> Result<()> {
    for device in devices() {
        let stream = device.stream()?;
        let mut kept = Vec::new();
        for round in 0..30u32 {
            let mut x = device.upload(&vec![round; 3000])?;
            let mut y = device.zeros::<u32>(3000)?;
            spin(&mut x, 3000).over(3000).on(&stream).launch(&device)?;
            copy(&x, &mut y).over(3000).on(&stream).launch(&device)?;
            // The memory of `x` may be reallocated immediately; the copy must not observe that.
            drop(x);
            let other = device.upload(&vec![0xdead_beefu32; 3000])?;
            kept.push((y, other));
        }
        drop(stream);
        for (round, (y, other)) in kept.iter().enumerate() {
            assert_eq!(y.download()?, vec![spun(round as u32, 3000); 3000]);
            assert_eq!(other.download()?, vec![0xdead_beef; 3000]);
        }
    }
    Ok(())
}

#[test]
fn host_copies_wait_for_kernels() -> Result<()> {
    for device in devices() {
        let stream = device.stream()?;
        let mut x = device.upload(&vec![1u32; 2000])?;
        spin(&mut x, 5000).over(2000).on(&stream).launch(&device)?;
        x.write(&vec![5; 2000])?;
        add(&mut x, 1).over(2000).launch(&device)?;
        let mut part = [0; 10];
        x.slice(7..17)?.download_into(&mut part)?;
        assert_eq!(part, [6; 10]);
        let copy = x.try_clone()?;
        add(&mut x, 1).over(2000).on(&stream).launch(&device)?;
        assert_eq!(copy.download()?, vec![6; 2000]);
        let mut y = device.zeros::<u32>(2000)?;
        y.copy_from(&x)?;
        assert_eq!(y.download()?, vec![7; 2000]);
    }
    Ok(())
}

#[test]
fn a_grid_without_blocks() -> Result<()> {
    for device in devices() {
        let mut x = device.upload(&[1u32, 2])?;
        add(&mut x, 1).over(0).launch(&device)?;
        let error = add(&mut x, 1).grid(0).launch(&device).unwrap_err();
        assert!(
            matches!(
                &error,
                Error::EmptyGrid { kernel, grid: [0, 1, 1] } if kernel == "add"
            ),
            "{error}"
        );
        assert!(error.to_string().contains("`add`"), "{error}");
        assert_eq!(x.download()?, [1, 2]);
    }
    Ok(())
}

#[test]
fn a_buffer_of_another_device() -> Result<()> {
    let Some(gpu) = gpu() else { return Ok(()) };
    let cpu = Device::cpu();
    let mut there = gpu.upload(&[1u32, 2])?;
    let mut here = cpu.upload(&[1u32, 2])?;
    for (result, parameter) in [
        (add(&mut there, 1).over(2).launch(&cpu), "x"),
        (copy(&there, &mut here).over(2).launch(&cpu), "x"),
        (copy(&there, &mut here).over(2).launch(&gpu), "y"),
        (add(&mut there, 1).over(2).on(&cpu.stream()?).launch(&gpu), "the stream"),
    ] {
        match result.unwrap_err() {
            Error::WrongDevice { what: named, .. } => assert_eq!(named, parameter),
            other => panic!("{other}"),
        }
    }
    assert_eq!(there.download()?, [1, 2]);
    assert_eq!(here.download()?, [1, 2]);
    Ok(())
}

#[test]
fn ranges_of_buffers() -> Result<()> {
    for device in devices() {
        let mut x = device.upload(&[0u32, 1, 2, 3])?;
        assert_eq!(x.slice(1..3)?.download()?, [1, 2]);
        assert_eq!(x.slice(..)?.len(), 4);
        assert!(x.slice(4..)?.is_empty());
        for error in [
            x.slice(2..5).map(|_| ()).unwrap_err(),
            x.slice_mut(5..).map(|_| ()).unwrap_err(),
            x.split_at_mut(5).map(|_| ()).unwrap_err(),
        ] {
            assert!(matches!(error, Error::RangeOutOfBounds { length: 4, .. }), "{error}");
        }
        let error = x.write(&[1; 3]).unwrap_err();
        assert!(matches!(error, Error::LengthMismatch { .. }), "{error}");
        // Two parts of one buffer as two arguments.
        let (first, second) = x.split_at_mut(2)?;
        copy(first.as_view(), second).over(2).launch(&device)?;
        assert_eq!(x.download()?, [0, 1, 0, 1]);
    }
    Ok(())
}

#[test]
fn more_than_there_is() -> Result<()> {
    for device in devices() {
        // CPU memory is provided by the operating system, which may overcommit.
        let error = device.zeros::<u64>(usize::MAX / 16).map(|_| ()).unwrap_err();
        assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
        assert_eq!(device.upload(&[1u8])?.download()?, [1]);
    }
    Ok(())
}

#[test]
fn from_many_threads() -> Result<()> {
    for device in devices() {
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..4u32)
                .map(|worker| {
                    let device = &device;
                    scope.spawn(move || -> Result<()> {
                        for round in 0..20 {
                            let mut x = device.upload(&vec![worker; 1000])?;
                            add(&mut x, round).over(1000).launch(device)?;
                            assert_eq!(x.download()?, vec![worker + round; 1000]);
                        }
                        Ok(())
                    })
                })
                .collect();
            workers
                .into_iter()
                .try_for_each(|worker| worker.join().expect("no panic"))
        })?;
    }
    Ok(())
}

#[test]
fn the_best_device_and_all_devices() -> Result<()> {
    let all = Device::all();
    assert_eq!(all.iter().filter(|device| !device.is_cuda()).count(), 1);
    assert_eq!(all.last(), Some(&Device::cpu()));
    assert_eq!(Some(&Device::best()?), all.first());
    let error = Device::cuda(1000).unwrap_err();
    assert!(
        matches!(error, Error::NoDriver { .. } | Error::NoDevice { .. }),
        "{error}"
    );
    Ok(())
}
