//! Elements whose bits are no value of their type, as threads leave them that write one element at the same time: the
//! host refuses them wherever it reads, and kernels take any byte but 0 for a true `bool`.

use std::any::type_name;
use std::fmt::Debug;

use vyre::prelude::*;
use vyre::{Element, Error, Maybe, Sequence};
use vyre_runtime::kernel::reinterpret;
use vyre_semantics::places::everywhere;

vyre_semantics::kernels! { Truths Marked Turned }

#[vyre::device]
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Direction {
    North,
    East = 4,
    South,
}

#[vyre::device]
#[repr(i16)]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sign {
    Minus = -1,
    Zero,
}

#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Flags {
    number: u16,
    is_set: [bool; 2],
}

/// The last three bytes belong to no field.
#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Padded {
    number: u32,
    is_set: bool,
}

#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Empty,
    Number(u32),
    /// The fields begin at 4, at 6 and at 8.
    Flags(bool, i16, [bool; 2]),
    Nested {
        direction: Direction,
    },
}

#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair<T> {
    first: T,
    second: u8,
}

/// Reads words as elements of a type in every way that suits all types, and expects values, or the first that is none.
fn check<W: Element, T: Element + Debug + PartialEq>(words: &[W], expected: Result<&[T], usize>) {
    assert_eq!(size_of::<W>(), size_of::<T>());
    let same = |found: vyre::Result<Vec<T>>, how: &str| match (found, expected) {
        (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{how}"),
        (Err(Error::InvalidElement { index, element }), Err(expected)) => {
            assert_eq!((index, element), (expected, type_name::<T>()), "{how}");
        }
        (found, _) => panic!("{how}: {found:?}, not {expected:?}"),
    };
    everywhere(|place| {
        let device = place.device();
        let buffer = device.upload(words)?;
        // SAFETY: sizes and alignments are the same. What is no value of `T` is what is tested: it is copied to the host alone.
        let view = unsafe { reinterpret::<W, T>(buffer.as_view()) };
        same(view.download(), "download");
        let mut values = device.zeros::<T>(words.len())?.download()?;
        let zero = values[0];
        let read = view.download_into(&mut values);
        // Invalid elements have become zero.
        if let Err(index) = expected {
            assert_eq!(values[index], zero);
        }
        same(read.map(|()| values), "download_into");
        let mut steps = Sequence::new(device);
        let all = steps.read(view, ..)?;
        same(
            steps.run().map(|values| values.get(&all).unwrap().to_vec()),
            "a sequence",
        );
        Ok(())
    });
}

#[test]
fn bools() {
    check::<u8, bool>(&[0, 1, 1], Ok(&[false, true, true]));
    check::<u8, bool>(&[0, 1, 200, 2], Err(2));
    check::<[u8; 3], [bool; 3]>(&[[0, 1, 0]], Ok(&[[false, true, false]]));
    check::<[u8; 3], [bool; 3]>(&[[0; 3], [1; 3], [0, 0, 255]], Err(2));
}

#[test]
fn enums() {
    check::<u8, Direction>(&[5, 0, 4], Ok(&[Direction::South, Direction::North, Direction::East]));
    check::<u8, Direction>(&[0, 1], Err(1));
    check::<i16, Sign>(&[-1, 0], Ok(&[Sign::Minus, Sign::Zero]));
    check::<i16, Sign>(&[0, -1, 1], Err(2));
    check::<i16, Sign>(&[255], Err(0));
}

#[test]
fn structs() {
    check::<u32, Flags>(
        &[0x0100_ffff],
        Ok(&[Flags {
            number: 0xffff,
            is_set: [false, true],
        }]),
    );
    check::<u32, Flags>(&[0, 0x0200_0000], Err(1));
    let padded = |number, is_set| Padded { number, is_set };
    // Any bytes may lie in padding.
    check::<[u32; 2], Padded>(
        &[[200, 0], [7, 0xabcd_ef01]],
        Ok(&[padded(200, false), padded(7, true)]),
    );
    check::<[u32; 2], Padded>(&[[1, 0x0100]], Ok(&[padded(1, false)]));
    check::<[u32; 2], Padded>(&[[1, 1], [0, 2]], Err(1));
    check::<[u8; 2], Pair<bool>>(
        &[[1, 200]],
        Ok(&[Pair {
            first: true,
            second: 200,
        }]),
    );
    check::<[u8; 2], Pair<bool>>(&[[1, 200], [2, 0]], Err(1));
    check::<[u8; 2], Pair<u8>>(&[[2, 200]], Ok(&[Pair { first: 2, second: 200 }]));
}

#[test]
fn enums_with_fields() {
    let shapes = [
        Shape::Empty,
        Shape::Number(77),
        Shape::Flags(true, -1, [false, true]),
        Shape::Nested {
            direction: Direction::East,
        },
    ];
    // Bytes of other variants may be anything.
    let words = [[0, 77, 99], [1, 77, 99], [2, 0xffff_0001, 0x0100], [3, 0xff04, 200]];
    check::<[u32; 3], Shape>(&words, Ok(&shapes));
    check::<[u32; 3], Shape>(&[[0; 3], [4, 0, 0]], Err(1));
    check::<[u32; 3], Shape>(&[[2, 2, 0]], Err(0));
    check::<[u32; 3], Shape>(&[[2, 0, 0x0200]], Err(0));
    check::<[u32; 3], Shape>(&[[3, 1, 0]], Err(0));
    let some = Maybe::from(Some(true));
    check::<[u32; 2], Maybe<bool>>(&[bytes_of(some)], Ok(&[some]));
    let [tag, _] = bytes_of(some);
    check::<[u32; 2], Maybe<bool>>(&[[0; 2], [tag, 3]], Err(1));
}

/// The words that a device has of a value.
fn bytes_of<T: Element>(value: T) -> [u32; 2] {
    let buffer = Device::cpu().upload(&[value]).unwrap();
    // SAFETY: sizes and alignments are the same, and devices have zeros in bytes that belong to no field.
    let view = unsafe { reinterpret::<T, [u32; 2]>(buffer.as_view()) };
    view.download().unwrap()[0]
}

#[test]
fn pinned_memory() {
    everywhere(|place| {
        let device = place.device();
        let buffer = device.upload(&[1u8, 0, 200])?;
        // SAFETY: as in `check`.
        let view = unsafe { reinterpret::<u8, bool>(buffer.as_view()) };
        let read = view.read_into(device.pinned(3)?)?.wait();
        assert!(
            matches!(
                read,
                Err(Error::InvalidElement {
                    index: 2,
                    element: "bool"
                })
            ),
            "{read:?}"
        );
        let read = view.slice(..2)?.read_into(device.pinned(2)?)?.wait()?;
        assert_eq!(read[..], [true, false]);
        Ok(())
    });
}

#[test]
fn message() {
    let error = Error::InvalidElement {
        index: 3,
        element: "bool",
    };
    assert!(
        error
            .to_string()
            .starts_with("element 3 of what was read has bits that are no value of `bool`"),
        "{error}"
    );
}

/// Elements that each thread owns, elements of others, and shared memory.
#[vyre::kernel(block = 32)]
fn truths(x: &[bool], y: &mut [bool], z: &mut [u32]) {
    let own = shared::<[bool; 32]>();
    let i = thread::index();
    let other = (i + 1) % z.len();
    own[i] = x[other];
    block::sync();
    if i < z.len() {
        z[i] = x[i] as u32 + 2 * y[other] as u32 + 4 * own[i] as u32 + if x[i] == y[i] { 8 } else { 0 };
    }
}

#[vyre::kernel]
fn marked(#[each] x: &Flags, #[each] y: &mut Flags) {
    let flags = *x;
    *y = Flags {
        number: flags.is_set[0] as u16 + 2 * flags.is_set[1] as u16,
        is_set: flags.is_set,
    };
}

#[vyre::kernel]
fn turned(#[each] x: &Shape, #[each] y: &mut u32) {
    *y = match *x {
        Shape::Empty => 1,
        Shape::Number(number) => number,
        Shape::Flags(one, _, [other, _]) => one as u32 + 2 * other as u32,
        Shape::Nested { .. } => 7,
    };
}

#[test]
fn kernels_read_them() {
    everywhere(|place| {
        let device = place.device();
        let mut bytes = vec![0u8; 32];
        bytes[..6].copy_from_slice(&[0, 1, 200, 2, 0, 255]);
        let (x, z) = (device.upload(&bytes)?, &mut device.zeros::<u32>(32)?);
        let mut y = device.upload(&bytes)?;
        // SAFETY: sizes and alignments are the same, and kernels read any bits.
        let (x, y) = unsafe {
            (
                reinterpret::<u8, bool>(x.as_view()),
                vyre_runtime::kernel::reinterpret_mut::<u8, bool>(y.as_view_mut()),
            )
        };
        place.over(truths(x, y, &mut *z), 32)?;
        let is_set = |i: usize| u32::from(bytes[i % 32] != 0);
        let wanted: Vec<u32> = (0..32).map(|i| is_set(i) + 6 * is_set(i + 1) + 8).collect();
        assert_eq!(z.download()?, wanted, "on {}", place.name());

        let flags = device.upload(&[0xc800_0000u32, 0x0002_0000, 0x0101_ffff])?;
        let mut y = device.zeros::<Flags>(3)?;
        // SAFETY: as above.
        place.over(marked(unsafe { reinterpret::<u32, Flags>(flags.as_view()) }, &mut y), 3)?;
        let flags = |number, is_set| Flags { number, is_set };
        let wanted = [flags(2, [false, true]), flags(1, [true, false]), flags(3, [true, true])];
        assert_eq!(y.download()?, wanted, "on {}", place.name());

        // The variant of a discriminant that none has is not specified.
        let shapes = device.upload(&[[2u32, 0x00c8, 0], [2, 0, 0x0003], [1, 5, 0], [9, 9, 9]])?;
        let mut y = device.zeros::<u32>(4)?;
        // SAFETY: as above.
        place.over(
            // SAFETY: both types have 12 bytes, and a kernel may read any.
            turned(unsafe { reinterpret::<[u32; 3], Shape>(shapes.as_view()) }, &mut y),
            4,
        )?;
        assert_eq!(y.download()?[..3], [1, 2, 5], "on {}", place.name());
        Ok(())
    });
}
