//! The text of every error that they can mend, word by word.

use vyre_abi::fault::{Fault, FaultKind};
use vyre_runtime::{Device, Error, LaunchLimit};

fn fault(kind: FaultKind, values: [u64; 2]) -> Error {
    Fault {
        kind,
        kernel: "copy".to_owned(),
        file: "src/main.rs".to_owned(),
        line: 6,
        column: 5,
        message: "points[..].mass".to_owned(),
        values,
        block: [1, 0, 0],
        thread: [2, 0, 0],
    }
    .into()
}

/// A `main` that returns an error shows `{:?}` of it, and so does `unwrap`.
#[test]
fn what_main_shows_is_the_text() {
    fn main() -> vyre_runtime::Result<()> {
        Err(fault(FaultKind::IndexOutOfBounds, [4, 3]))
    }
    let error = main().expect_err("it fails");
    let text = "index 4 of `points[..].mass` is out of bounds of length 3\n  in kernel `copy` at src/main.rs:6:5\n  block [1, 0, 0], thread [2, 0, 0]";
    assert_eq!(
        (error.to_string(), format!("{error:?}")),
        (text.to_owned(), text.to_owned())
    );
    let caught = std::panic::catch_unwind(|| main().unwrap()).expect_err("it panics");
    let said = caught.downcast_ref::<String>().expect("a text");
    assert_eq!(*said, format!("called `Result::unwrap()` on an `Err` value: {text}"));
}

#[test]
fn faults() {
    for (kind, values, text) in [
        (
            FaultKind::RangeOutOfBounds,
            [3, 9],
            "range 3..9 of `points[..].mass` is out of bounds",
        ),
        (
            FaultKind::RangeOutOfBounds,
            [3, 1],
            "range 3..1 of `points[..].mass` ends before it begins",
        ),
        (FaultKind::RowOutOfBounds, [3, 2], "row 3 is out of bounds of 2 rows"),
        (
            FaultKind::ColumnOutOfBounds,
            [9, 2],
            "column 9 is out of bounds of 2 columns",
        ),
        (
            FaultKind::SharedMemory,
            [400, 0],
            "400 bytes of dynamic shared memory are used, but the launch gives 0; add `.shared_bytes(400)` to it",
        ),
        (FaultKind::DivisionByZero, [0, 0], "division by zero"),
        (
            FaultKind::DivisionOverflow,
            [0, 0],
            "division overflows: the least number by -1",
        ),
        (
            FaultKind::GridBarrier,
            [0, 0],
            "some threads do not come to this `grid::sync()`",
        ),
        (
            FaultKind::ClusterRank,
            [4, 2],
            "a cluster of 2 blocks has none of rank 4",
        ),
        (FaultKind::Assertion, [0, 0], "assertion failed: points[..].mass"),
        (FaultKind::Panic, [0, 0], "panicked: points[..].mass"),
    ] {
        let said = fault(kind, values).to_string();
        assert_eq!(said.lines().next(), Some(text));
    }
}

#[test]
fn launches() {
    let kernel = || "k".into();
    let too_large = |what, requested, limit| Error::TooLarge {
        kernel: kernel(),
        what,
        requested,
        limit,
    };
    for (error, text) in [
        (
            Error::WrongDimensions {
                kernel: kernel(),
                dimensions: 1,
                blocks: [4, 20, 1],
            },
            "`k` has 1 dimension, and a launch of [4, 20, 1] blocks more; launch it with an extent for each of its own",
        ),
        (
            Error::BrokenClusters {
                kernel: kernel(),
                cluster: [2, 1, 1],
                blocks: [3, 1, 1],
            },
            "`k` has clusters of [2, 1, 1] blocks, and [3, 1, 1] blocks make no whole ones; launch a multiple, or `over` a \
             domain, which rounds up",
        ),
        (
            Error::EmptyGrid {
                kernel: kernel(),
                grid: [0, 3, 1],
            },
            "`k` was launched on a grid of 0 x 3 x 1 blocks; every axis needs at least one (a domain given to `over` may be \
             empty)",
        ),
        (
            too_large(LaunchLimit::Threads, 2048, 1024),
            "`k` needs 2048 threads in a block, and the device has at most 1024; give the kernel smaller blocks",
        ),
        (
            too_large(
                LaunchLimit::SharedMemory {
                    own: 16,
                    dynamic: u64::MAX,
                },
                u64::MAX,
                232_448,
            ),
            "`k` needs 18446744073709551631 bytes of shared memory in a block, 16 of its own and 18446744073709551615 of the \
             launch, and the device has at most 232448; share less, or give the launch less by `.shared_bytes(n)`",
        ),
        (
            too_large(LaunchLimit::Resident, 4096, 264),
            "`k` waits for the whole grid, so all of its 4096 blocks run at the same time, and the device runs at most 264; \
             launch as many as `device.resident_blocks(&kernel, shared_bytes)` says, and let each do more",
        ),
        (
            Error::WrongDevice {
                user: kernel(),
                what: "x".into(),
                belongs: "GPU 0".into(),
                wanted: "GPU 1".into(),
            },
            "`x` belongs to GPU 0, but `k` runs on GPU 1; run it on GPU 0, or copy the data over first",
        ),
        (
            Error::WrongDevice {
                user: kernel(),
                what: "the stream".into(),
                belongs: "GPU 0".into(),
                wanted: "GPU 1".into(),
            },
            "the stream belongs to GPU 0, but `k` runs on GPU 1; run it on GPU 0, or copy the data over first",
        ),
    ] {
        assert_eq!(error.to_string(), text);
    }
}

#[test]
fn lengths() {
    let device = Device::cpu();
    let mut buffer = device.zeros::<f32>(3).expect("memory");
    let said = |result: Result<(), Error>| result.expect_err("it is refused").to_string();
    assert_eq!(
        said(buffer.write(&[1.0; 5])),
        "the source has 5 elements and the buffer has 3; the lengths must be equal, so take a part of the longer one"
    );
    assert_eq!(
        said(buffer.download_into(&mut [0.0; 2])),
        "the buffer has 3 elements and the target has 2; the lengths must be equal, so take a part of the longer one"
    );
    assert_eq!(
        said(buffer.slice(1..9).map(drop)),
        "range 1..9 is out of bounds of length 3"
    );
    let (from, to) = (3, 2);
    assert_eq!(
        said(buffer.slice(from..to).map(drop)),
        "range 3..2 ends before it begins"
    );
    assert_eq!(
        said(buffer.view2(2, 2).map(drop)),
        "a matrix of 2 rows and 2 columns, with a pitch of 2, has 4 elements, and there are 3"
    );
    assert_eq!(
        said(buffer.view2(1, 2).and_then(|view| view.pitched(1)).map(drop)),
        "a matrix of 1 rows and 2 columns, with a pitch of 1, has rows that overlap; the pitch is at least the number of \
         columns"
    );
    assert_eq!(
        said(buffer.view2(1, 1 << 40).map(drop)),
        "a matrix of 1 rows and 1099511627776 columns, with a pitch of 1099511627776, is too large; none of them is more \
         than 4294967295"
    );
}
