//! Faults of every kind, on every back end, with all their details; the device stays usable.

mod waiting;

use core::sync::atomic::{AtomicU32, Ordering};

use vyre::prelude::*;
use vyre::{Error, Fault, FaultKind};
use vyre_semantics::everywhere;
use vyre_semantics::places::{Place, places};

const SOURCES: [(&str, &str); 2] = [
    ("main.rs", include_str!("main.rs")),
    ("waiting.rs", include_str!("waiting.rs")),
];

#[vyre::kernel(block = 64)]
fn read(x: &[u32], y: &mut [u32], at: usize) {
    let i = thread::index();
    if i < y.len() {
        y[i] = x[i + at];
    }
}

#[vyre::kernel(block = 64)]
fn write(y: &mut [u32], at: usize) {
    let i = thread::index();
    if i == 70 {
        y[at] = 1;
    }
}

#[vyre::kernel(block = [8, 4])]
fn add(y: &mut [f32], width: usize) {
    let (column, row) = thread::index_2d();
    y[row * width + column] += 1.0;
}

#[vyre::kernel(block = 64)]
fn own_array(y: &mut [u32], shift: usize) {
    let i = thread::index();
    let mut own = [1u32, 2, 3];
    own[i % 3 + shift] = 5;
    if i < y.len() {
        y[i] = own[0] + own[2];
    }
}

#[vyre::kernel(block = 64)]
fn tile(y: &mut [u32], at: usize) {
    let tile = shared::<[[u32; 4]; 16]>();
    let t = thread::idx().x;
    tile[t / 4][t % 4] = t as u32;
    block::sync();
    y[t] = tile[at / 4][at % 4];
}

/// The place of an atomic, which is not loaded.
#[vyre::kernel(block = 64)]
fn named_only(counts: &[AtomicU32], at: usize) {
    // One thread: of faults of two warps either may be the first.
    if thread::idx().x == 0 {
        let _ = &counts[at];
    }
}

#[vyre::kernel(block = 64)]
fn count(x: &[u32], counts: &[AtomicU32]) {
    let i = thread::index();
    if i < x.len() {
        counts[x[i] as usize].fetch_add(1, Ordering::Relaxed);
    }
}

#[vyre::kernel(block = 64)]
fn divide(x: &[i32], y: &mut [i32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] = 100 / x[i];
    }
}

#[vyre::kernel(block = 64)]
fn remainder(x: &[i64], y: &mut [i64], d: i64) {
    let i = thread::index();
    if i < y.len() {
        y[i] = x[i] % d;
    }
}

#[vyre::kernel(block = 64)]
fn asserts(x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        assert!(x[i] >= 0.0);
        assert!(x[i] < 10.0, "x is below ten");
        y[i] = x[i].sqrt();
    }
}

#[vyre::kernel(block = 64)]
fn panics(x: &[u32], y: &mut [u32]) {
    let i = thread::index();
    if i < y.len() {
        if x[i] == 13 {
            panic!("thirteen");
        }
        y[i] = x[i];
    }
}

/// In each access, the cell's index is checked before the operands are evaluated.
#[vyre::kernel(block = 1)]
fn cells_first(x: &[u32], cells: &[AtomicU32], how: u32, cell: usize, at: usize) {
    let own = shared::<[AtomicU32; 3]>();
    if how == 0 {
        cells[cell].fetch_add(x[at], Ordering::Relaxed);
    } else if how == 1 {
        let mut other = cell;
        cells[other].fetch_add(
            {
                other = 0;
                let v = x[at];
                v + other as u32
            },
            Ordering::Relaxed,
        );
    } else if how == 2 {
        if cells[cell]
            .compare_exchange(x[at], 7, Ordering::Relaxed, Ordering::Relaxed)
            .is_err()
        {
            cells[0].store(9, Ordering::Relaxed);
        }
    } else {
        own[cell].store(
            {
                let v = x[at];
                v + 1
            },
            Ordering::Relaxed,
        );
        cells[cell].store(own[cell].load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// Operands before a diverging expression are evaluated, and may fault.
#[vyre::kernel(block = 1)]
#[allow(
    unreachable_code,
    clippy::diverging_sub_expression,
    reason = "what follows the expression that leaves is what is tested"
)]
fn leaves(x: &[u32], y: &mut [u32], how: u32, at: usize) {
    y[0] = 1;
    if how == 0 {
        y[1] = x[at].max(return);
    } else if how == 1 {
        y[1] = x[at] + {
            return;
            1
        };
    } else {
        y[{
            return;
            1usize
        }] = x[at];
    }
    y[0] = 2;
}

fn fault(result: vyre::Result<()>) -> Fault {
    match result {
        Err(Error::Fault(fault)) => *fault,
        other => panic!("a fault was planted, not {other:?}"),
    }
}

/// Checks the location of a fault: at `source` in one of these files, in this block and thread.
fn at(fault: &Fault, kernel: &str, source: &str, block: [u32; 3], thread: [u32; 3]) {
    assert_eq!(fault.kernel, kernel);
    let (_, file) = SOURCES
        .into_iter()
        .find(|(name, _)| fault.file.ends_with(name))
        .unwrap_or_else(|| panic!("{fault}"));
    let line = file
        .lines()
        .nth(fault.line as usize - 1)
        .unwrap_or_else(|| panic!("{fault}"));
    let found = line
        .get(fault.column as usize - 1..)
        .unwrap_or_else(|| panic!("{fault}"));
    assert!(
        found.starts_with(source),
        "{source:?} is not what stands there: {found:?}\n{fault}"
    );
    assert_eq!((fault.block, fault.thread), (block, thread), "{fault}");
}

#[test]
fn index_read() {
    everywhere(|place| {
        let x = place.device().upload(&[1u32; 100])?;
        let mut y = place.device().zeros::<u32>(71)?;
        let fault = fault(place.over(read(&x, &mut y, 30), 71));
        assert_eq!((fault.kind, fault.values), (FaultKind::IndexOutOfBounds, [100, 100]));
        at(&fault, "read", "x[i + at]", [1, 0, 0], [6, 0, 0]);
        let text = fault.to_string();
        assert!(
            text.contains("index 100 of `x` is out of bounds of length 100"),
            "{text}"
        );
        assert!(text.contains("`read`") && text.contains("main.rs:"), "{text}");
        Ok(())
    });
}

#[test]
fn index_of_a_place() {
    everywhere(|place| {
        let mut counts = place.device().zeros::<u32>(10)?;
        place.over(named_only(&mut counts, 9), 1)?;
        let fault = fault(place.over(named_only(&mut counts, 10), 1));
        assert_eq!((fault.kind, fault.values), (FaultKind::IndexOutOfBounds, [10, 10]));
        at(&fault, "named_only", "counts[at]", [0; 3], [0; 3]);
        Ok(())
    });
}

#[test]
fn index_written() {
    everywhere(|place| {
        for (length, index) in [(10, 10), (10, usize::MAX), (0, 0), (5, 1 << 40)] {
            let mut y = place.device().zeros::<u32>(length)?;
            let fault = fault(place.over(write(&mut y, index), 71));
            assert_eq!(
                (fault.kind, fault.values),
                (FaultKind::IndexOutOfBounds, [index as u64, length as u64])
            );
            assert_eq!(fault.message, "y");
            at(&fault, "write", "y[at]", [1, 0, 0], [6, 0, 0]);
        }
        Ok(())
    });
}

#[test]
fn index_of_two_axes() {
    everywhere(|place| {
        // 16 x 8 threads, the last of which is outside.
        let mut y = place.device().zeros::<f32>(16 * 8 - 1)?;
        let fault = fault(place.over(add(&mut y, 16), [16, 8]));
        assert_eq!((fault.kind, fault.values), (FaultKind::IndexOutOfBounds, [127, 127]));
        at(&fault, "add", "y[row * width + column]", [1, 1, 0], [7, 3, 0]);
        Ok(())
    });
}

#[test]
fn index_of_a_local_array() {
    everywhere(|place| {
        let mut y = place.device().zeros::<u32>(64)?;
        place.over(own_array(&mut y, 0), 1)?;
        assert_eq!(y.download()?[..3], [5 + 3, 1 + 3, 1 + 5]);
        let fault = fault(place.over(own_array(&mut y, 1), 1));
        assert_eq!((fault.kind, fault.values), (FaultKind::IndexOutOfBounds, [3, 3]));
        assert_eq!((fault.block, fault.thread[0] % 3), ([0; 3], 2));
        Ok(())
    });
}

#[test]
fn index_of_shared_memory() {
    everywhere(|place| {
        let mut y = place.device().zeros::<u32>(64)?;
        place.grid(tile(&mut y, 63), [1, 1, 1])?;
        assert_eq!(y.download()?, [63; 64]);
        let fault = fault(place.grid(tile(&mut y, 64), [1, 1, 1]));
        assert_eq!((fault.kind, fault.values), (FaultKind::IndexOutOfBounds, [16, 16]));
        assert_eq!(fault.kernel, "tile");
        Ok(())
    });
}

#[test]
fn index_of_atomics() {
    everywhere(|place| {
        let x = place.device().upload(&[0u32, 1, 2, 7, 1])?;
        let mut counts = place.device().zeros::<u32>(3)?;
        let fault = fault(place.over(count(&x, &mut counts), 5));
        assert_eq!((fault.kind, fault.values), (FaultKind::IndexOutOfBounds, [7, 3]));
        at(&fault, "count", "counts[x[i] as usize]", [0; 3], [3, 0, 0]);
        Ok(())
    });
}

#[test]
fn cells_of_atomics_before_operands() {
    everywhere(|place| {
        let x = place.device().upload(&[0u32, 5])?;
        for how in 0..4 {
            let mut cells = place.device().zeros::<u32>(3)?;
            let fault = fault(place.over(cells_first(&x, &mut cells, how, 3, 2), 1));
            assert_eq!(fault.kind, FaultKind::IndexOutOfBounds);
            assert_eq!(fault.values, [3, 3], "{how}: {fault}");
            let fault = self::fault(place.over(cells_first(&x, &mut cells, how, 2, 2), 1));
            assert_eq!(fault.values, [2, 2], "{how}: {fault}");
            let mut cells = place.device().zeros::<u32>(3)?;
            place.over(cells_first(&x, &mut cells, how, 2, 1), 1)?;
            let wanted = [[0, 0, 5], [0, 0, 5], [9, 0, 0], [0, 0, 6]];
            assert_eq!(cells.download()?, wanted[how as usize], "{how}");
        }
        Ok(())
    });
}

#[test]
fn values_before_a_return() {
    everywhere(|place| {
        let x = place.device().upload(&[0u32, 5])?;
        for how in 0..3 {
            let mut y = place.device().zeros::<u32>(2)?;
            let fault = fault(place.over(leaves(&x, &mut y, how, 2), 1));
            assert_eq!(
                (fault.kind, fault.values),
                (FaultKind::IndexOutOfBounds, [2, 2]),
                "{how}"
            );
            at(&fault, "leaves", "x[at]", [0; 3], [0; 3]);
            y.fill(0)?;
            place.over(leaves(&x, &mut y, how, 1), 1)?;
            assert_eq!(y.download()?, [1, 0], "{how}");
        }
        Ok(())
    });
}

#[test]
fn division_by_zero() {
    everywhere(|place| {
        let mut x = [3; 70];
        x[65] = 0;
        let mut y = place.device().zeros::<i32>(70)?;
        let fault = fault(place.over(divide(&place.device().upload(&x)?, &mut y), 70));
        assert_eq!(fault.kind, FaultKind::DivisionByZero);
        at(&fault, "divide", "100 / x[i]", [1, 0, 0], [1, 0, 0]);
        Ok(())
    });
}

#[test]
fn division_that_overflows() {
    everywhere(|place| {
        let x = place.device().upload(&[i64::MAX, i64::MIN, 5])?;
        let mut y = place.device().zeros::<i64>(3)?;
        let fault = fault(place.over(remainder(&x, &mut y, -1), 3));
        assert_eq!(fault.kind, FaultKind::DivisionOverflow);
        at(&fault, "remainder", "x[i] % d", [0; 3], [1, 0, 0]);
        let fault = self::fault(place.over(remainder(&x, &mut y, 0), 1));
        assert_eq!(fault.kind, FaultKind::DivisionByZero);
        y.fill(0)?;
        place.over(remainder(&x, &mut y, -2), 3)?;
        assert_eq!(y.download()?, [1, 0, 1]);
        Ok(())
    });
}

#[test]
fn failed_assertions() {
    everywhere(|place| {
        let mut y = place.device().zeros::<f32>(3)?;
        let fault = fault(place.over(asserts(&place.device().upload(&[1.0f32, 2.0, -3.0])?, &mut y), 3));
        assert_eq!(
            (fault.kind, fault.message.as_str()),
            (FaultKind::Assertion, "x[i] >= 0.0")
        );
        at(&fault, "asserts", "assert!(x[i] >= 0.0)", [0; 3], [2, 0, 0]);
        let fault = self::fault(place.over(asserts(&place.device().upload(&[1.0f32, 11.0, 3.0])?, &mut y), 3));
        assert_eq!(
            (fault.kind, fault.message.as_str()),
            (FaultKind::Assertion, "x is below ten")
        );
        at(&fault, "asserts", "assert!(x[i] < 10.0", [0; 3], [1, 0, 0]);
        // A NaN is not at least zero.
        let fault = self::fault(place.over(asserts(&place.device().upload(&[f32::NAN; 3])?, &mut y), 3));
        assert_eq!(fault.kind, FaultKind::Assertion);
        Ok(())
    });
}

#[test]
fn panics_with_a_text() {
    everywhere(|place| {
        let x: Vec<u32> = (0..40).collect();
        let mut y = place.device().zeros::<u32>(40)?;
        let fault = fault(place.over(panics(&place.device().upload(&x)?, &mut y), 40));
        assert_eq!((fault.kind, fault.message.as_str()), (FaultKind::Panic, "thirteen"));
        at(&fault, "panics", "panic!(\"thirteen\")", [0; 3], [13, 0, 0]);
        Ok(())
    });
}

#[test]
fn life_goes_on() {
    everywhere(|place| {
        let x = place.device().upload(&[1u32; 100])?;
        let mut y = place.device().zeros::<u32>(100)?;
        for round in 0..3 {
            fault(place.over(read(&x, &mut y, 90 + round), 100));
            // The same kernel, another one, and the buffers of the launch that faulted.
            y.fill(0)?;
            place.over(read(&x, &mut y, 0), 100)?;
            assert_eq!(y.download()?, [1; 100]);
            place.over(write(&mut y, 3), 71)?;
            assert_eq!(place.device().upload(&[7u8, 8])?.download()?, [7, 8]);
        }
        Ok(())
    });
}

#[test]
fn a_fault_is_told_once() -> vyre::Result<()> {
    for place in places() {
        let Place::Device(device, stream) = &place else {
            continue;
        };
        let x = device.upload(&[1u32; 10])?;
        let mut y = device.zeros::<u32>(10)?;
        read(&x, &mut y, 5).over(10).on(stream).launch(device)?;
        read(&x, &mut y, 0).over(10).on(stream).launch(device)?;
        fault(stream.synchronize());
        stream.synchronize()?;

        // Each stream has its own.
        let other = device.stream()?;
        read(&x, &mut y, 7).over(10).on(&other).launch(device)?;
        stream.synchronize()?;
        assert_eq!(fault(other.synchronize()).values, [10, 10]);
    }
    Ok(())
}

#[test]
fn of_many_faults_one_is_told() {
    everywhere(|place| {
        let x = place.device().zeros::<u32>(0)?;
        let mut y = place.device().zeros::<u32>(10_000)?;
        let fault = fault(place.over(read(&x, &mut y, 0), 10_000));
        assert_eq!(fault.kind, FaultKind::IndexOutOfBounds);
        // All fields are of one thread.
        let thread = u64::from(fault.block[0]) * 64 + u64::from(fault.thread[0]);
        assert_eq!(fault.values, [thread, 0]);
        Ok(())
    });
}

/// PTX and machine code are unchanged.
#[test]
fn ptx() {
    use vyre_runtime::kernel::Kernel;
    let kernels = vec![
        Read::info(),
        Write::info(),
        Add::info(),
        OwnArray::info(),
        Tile::info(),
        Count::info(),
        CellsFirst::info(),
        Leaves::info(),
        Divide::info(),
        Remainder::info(),
        Asserts::info(),
        Panics::info(),
        waiting::Waits::info(),
        waiting::WaitsAtBarriers::info(),
    ];
    let modules = [("faults", kernels)];
    vyre_semantics::ptx::snapshots("snapshots", &modules);
    vyre_semantics::ptx::counts("counts/faults.txt", "semantics", &modules);
}
