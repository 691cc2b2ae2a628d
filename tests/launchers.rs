//! The interface of launchers, on the CPU.

use vyre::prelude::*;
use vyre::{Error, FaultKind, Launch, Result};

/// y := a*x + y
#[vyre::kernel]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] += a * x[i];
    }
}

/// Debuggers and profilers show the lines of the source, since the PTX names them.
#[test]
fn ptx_names_the_lines_of_the_source() {
    use vyre::Kernel;
    let ptx = Saxpy::info().ptx;
    let line = 11;
    assert_eq!(
        include_str!("launchers.rs").lines().nth(line - 1),
        Some("        y[i] += a * x[i];")
    );
    assert!(ptx.contains("\n.file 1 \"tests/launchers.rs\"\n"), "{ptx}");
    assert!(ptx.contains(&format!("\n    .loc 1 {line} ")), "{ptx}");
}

#[test]
fn launchers_and_kernels_can_be_written() {
    use vyre::Kernel;

    #[vyre::kernel]
    fn stamp(y: &mut [u32]) {
        y[thread::index()] = 1;
    }

    let device = Device::cpu();
    let (x, mut y) = (device.zeros(4).unwrap(), device.zeros(4).unwrap());
    assert_eq!(format!("{:?}", saxpy(2.0, &x, &mut y)), "saxpy(a, x, y)");
    let info = format!("{:?}", Stamp::info());
    assert!(
        info.contains("name: \"stamp\"") && info.contains("block: [256, 1, 1]"),
        "{info}"
    );
}

/// The same, without an index.
#[vyre::kernel(block = 128, launcher = Scale)]
fn scale_each(a: f32, #[each] x: &f32, #[each] y: &mut f32) {
    *y += a * *x;
}

/// Each element is combined with one at another index.
#[vyre::kernel]
fn pick(#[each] index: &u32, table: &[f32], #[each] out: &mut f32) {
    *out = table[*index as usize];
}

#[vyre::kernel]
fn rows(width: usize, height: usize, out: &mut [u32]) {
    let (x, y) = thread::index_2d();
    if x < width && y < height {
        out[y * width + x] = (y * 1000 + x) as u32;
    }
}

#[vyre::kernel(block = [4, 2, 2])]
fn cells(width: usize, height: usize, depth: usize, out: &mut [u64]) {
    let (x, y, z) = thread::index_3d();
    if x < width && y < height && z < depth {
        out[(z * height + y) * width + x] = (thread::index() % 16) as u64;
    }
}

#[vyre::kernel(block = 64)]
fn neighbours(out: &mut [u32]) {
    let shared = shared::<[u32; 64]>();
    let t = thread::idx().x;
    shared[t] = (t * t) as u32;
    block::sync();
    let i = thread::index();
    if i < out.len() {
        out[i] = shared[(t + 1) % 64] + block::idx().x as u32;
    }
}

#[vyre::kernel]
fn count(values: &[u32], counts: &[AtomicU32], sum: &[AtomicF32]) {
    let i = thread::index();
    if i < values.len() {
        counts[values[i] as usize % counts.len()].fetch_add(1, Ordering::Relaxed);
        sum[0].fetch_add(0.5, Ordering::Relaxed);
    }
}

mod constants {
    pub(crate) const WIDTH: usize = 3 * 7;
    pub(crate) const SCALE: f64 = -1.5;
    pub(crate) static FLAG: u32 = 1;
}

#[vyre::kernel]
fn elsewhere(out: &mut [f64]) {
    let i = thread::index();
    let width: usize = constants::WIDTH;
    if i < out.len() {
        out[i] = constants::SCALE * (i % width) as f64;
    }
}

#[test]
fn slices_of_the_host_are_dispatched() -> Result<()> {
    let device = Device::cpu();
    let mut y = [2.0; 1000];
    Saxpy::dispatch(&device, 1000, 3.0, &[1.0; 1000], &mut y)?;
    assert_eq!(y, [5.0; 1000]);
    Scale::dispatch(&device, 2.0, &[1.0; 1000], &mut y)?;
    assert_eq!(y, [7.0; 1000]);
    let (mut counts, mut sum) = ([0; 3], [0.0]);
    Count::dispatch(&device, 10, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], &mut counts, &mut sum)?;
    assert_eq!((counts, sum), ([4, 3, 3], [5.0]));
    assert_eq!(constants::FLAG, 1);
    Ok(())
}

#[test]
fn each_element_has_a_thread() -> Result<()> {
    let device = Device::cpu();
    let x = device.upload(&[1.0f32; 300])?;
    let mut y = device.upload(&[2.0f32; 300])?;
    scale_each(3.0, &x, &mut y).launch(&device)?;
    assert_eq!(y.download()?, [5.0; 300]);
    let timing = scale_each(0.0, &x, &mut y).launch_timed(&device)?;
    assert!(timing.device.is_some() && timing.wall >= timing.enqueue);
    // More threads than elements do no harm, fewer leave some out.
    scale_each(1.0, &x, &mut y).over(1000).launch(&device)?;
    scale_each(1.0, &x, &mut y).grid(1).launch(&device)?;
    let y = y.download()?;
    assert!(y[..128].iter().all(|&v| v == 7.0) && y[128..].iter().all(|&v| v == 6.0));
    // For slices that are not `#[each]`, the number of threads is given explicitly.
    let (index, table) = (device.upload(&[2u32, 0, 1])?, device.upload(&[0.5f32, 1.5, 2.5])?);
    let mut out = device.zeros::<f32>(3)?;
    pick(&index, &table, &mut out).over(3).launch(&device)?;
    assert_eq!(out.download()?, [2.5, 0.5, 1.5]);
    Ok(())
}

#[test]
fn each_needs_equal_lengths() -> Result<()> {
    let device = Device::cpu();
    let (x, mut y) = (device.upload(&[1.0f32; 3])?, device.upload(&[2.0f32; 4])?);
    match scale_each(3.0, &x, &mut y).launch(&device) {
        Err(Error::LengthMismatch {
            first,
            first_length,
            second,
            second_length,
        }) => {
            assert_eq!((&*first, first_length, &*second, second_length), ("x", 3, "y", 4));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(y.download()?, [2.0; 4]);
    Ok(())
}

#[test]
fn domains_have_the_dimensions_of_the_kernel() -> Result<()> {
    let device = Device::cpu();
    let (width, height) = (37, 11);
    let mut out = device.zeros::<u32>(width * height)?;
    rows(width, height, &mut out).over([width, height]).launch(&device)?;
    for (i, &value) in out.download()?.iter().enumerate() {
        assert_eq!(value as usize, i / width * 1000 + i % width);
    }
    let mut out = device.zeros::<u64>(5 * 3 * 3)?;
    cells(5, 3, 3, &mut out).grid([2, 2, 2]).launch(&device)?;
    let cells = out.download()?;
    for (i, &value) in cells.iter().enumerate() {
        let (x, y, z) = (i % 5, i / 5 % 3, i / 15);
        assert_eq!(value as usize, (z % 2 * 2 + y % 2) * 4 + x % 4, "cell {i}");
    }
    Ok(())
}

#[test]
fn blocks_share_memory() -> Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<u32>(200)?;
    neighbours(&mut out).over(200).launch(&device)?;
    for (i, &value) in out.download()?.iter().enumerate() {
        let next = (i % 64 + 1) % 64;
        assert_eq!(value as usize, next * next + i / 64);
    }
    Ok(())
}

#[test]
fn constants_come_from_anywhere() -> Result<()> {
    let mut out = [0.0; 50];
    Elsewhere::dispatch(&Device::cpu(), 50, &mut out)?;
    for (i, &value) in out.iter().enumerate() {
        assert_eq!(value, -1.5 * (i % 21) as f64);
    }
    Ok(())
}

#[test]
fn launchers_are_values() -> Result<()> {
    let device = Device::cpu();
    let x = device.upload(&[1.0f32; 10])?;
    let mut y = device.upload(&[0.0f32; 10])?;
    // Fields, parts of buffers, and a launch that is kept.
    let part = Saxpy {
        a: 2.0,
        x: x.slice(5..)?,
        y: y.slice_mut(..5)?,
    };
    assert_eq!(part.y.len(), 5);
    let launch: Launch<Saxpy<'_>> = part.over(5);
    launch.launch(&device)?;
    assert_eq!(y.download()?, [2.0, 2.0, 2.0, 2.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    // A second dimension would run each thread twice.
    let twice = Launch::grid(saxpy(1.0, &x, &mut y), [1, 2, 1]).launch(&device);
    assert!(matches!(
        twice,
        Err(Error::WrongDimensions {
            dimensions: 1,
            blocks: [1, 2, 1],
            ..
        })
    ));
    // An empty domain is no work, a grid without blocks is a mistake.
    saxpy(1.0, &x, &mut y).over(0).launch(&device)?;
    assert!(matches!(
        saxpy(1.0, &x, &mut y).grid(0).launch(&device),
        Err(Error::EmptyGrid { .. })
    ));
    Ok(())
}

/// Thread 70 faults as selected by `kind`.
#[vyre::kernel(block = 32, allow(races))] // it faults, and no result counts
fn faulty(kind: u32, zero: i32, out: &mut [i32]) {
    let i = thread::index();
    if i == 70 {
        if kind == 1 {
            out[i + 1000] = 1;
        }
        assert!(kind != 2, "kind two");
        if kind == 3 {
            panic!("kind three");
        }
        if kind == 4 {
            out[i] = 1 / zero;
        }
        if kind == 5 {
            out[i] = i32::MIN % (zero - 1);
        }
    }
    if i < out.len() {
        out[i] = 1;
    }
}

#[test]
fn faults_come_out_of_the_next_wait() -> Result<()> {
    let device = Device::cpu();
    // A separate stream: other tests wait on the default stream, and would receive these faults.
    let stream = device.stream()?;
    let mut out = device.zeros::<i32>(96)?;
    for (kind, wanted, line) in [
        (1, FaultKind::IndexOutOfBounds, "out[i + 1000]"),
        (2, FaultKind::Assertion, "assert!"),
        (3, FaultKind::Panic, "panic!"),
        (4, FaultKind::DivisionByZero, "1 / zero"),
        (5, FaultKind::DivisionOverflow, "i32::MIN %"),
    ] {
        faulty(kind, 0, &mut out).over(96).on(&stream).launch(&device)?;
        let Err(Error::Fault(fault)) = stream.synchronize() else {
            panic!("kind {kind} faults")
        };
        assert_eq!((fault.kind, fault.block, fault.thread), (wanted, [2, 0, 0], [6, 0, 0]));
        assert_eq!((fault.kernel.as_str(), fault.file.as_str()), ("faulty", file!()));
        let source = include_str!("launchers.rs").lines().nth(fault.line as usize - 1);
        assert!(
            source.is_some_and(|source| source.contains(line)),
            "{fault} is not at `{line}`"
        );
        // A wait reports it once, a download of `out` until it is overwritten. The device stays usable.
        stream.synchronize()?;
        assert!(matches!(out.download(), Err(Error::Fault(again)) if again == fault));
        out.fill(0)?;
        faulty(0, 0, &mut out).over(96).on(&stream).launch(&device)?;
        assert_eq!(out.download()?, [1; 96]);
    }
    Ok(())
}

#[test]
#[should_panic(expected = "has a meaning only in a kernel")]
fn the_vocabulary_belongs_to_kernels() {
    let _ = thread::index();
}

/// Values of constant parameters in the embedded texts of a generic kernel.
#[test]
fn constants_are_written_into_texts_in_place() {
    use vyre::__private::{bits, patch, utf8};
    const TEXT: &[u8] = &patch(
        *b"a 0xV0000000, 0xV000000000000001;",
        &[(4, 8, bits(&-1.5f32, 4)), (16, 16, bits(&3usize, 8))],
    );
    assert_eq!(utf8(TEXT), "a 0xbfc00000, 0x0000000000000003;");
    assert_eq!(bits(&-1i16, 2), 0xffff);
    assert_eq!(bits(&true, 1), 1);
}
