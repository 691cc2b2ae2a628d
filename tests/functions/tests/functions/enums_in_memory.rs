//! Enums with fields, and structs with padding, in buffers, structs and parameters. What rustc makes of the same
//! functions is the reference.

use std::marker::PhantomData;

use vyre::prelude::*;
use vyre::{Kernel as _, Maybe};
use vyre_semantics::{everywhere, ptx};

/// Fields of one type lie over one another.
#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Circle(f32),
    Box { w: f32, h: f32 },
    Nothing,
}

#[vyre::device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(u8)]
enum Phase {
    #[default]
    Solid = 7,
    Liquid = 0,
}

#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Unit;

/// Padded before `weight`, `phase` and at the end.
#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Mixed {
    flag: bool,
    weight: f32,
    small: u8,
    phase: u16,
    nothing: Unit,
    of: PhantomData<f64>,
    wide: i64,
    last: Phase,
}

/// Fields of different types and sizes lie over one another.
#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u8)]
enum Command {
    Move(f32, f32) = 3,
    Paint(u32) = 0,
    Pair { small: u16, bytes: [u8; 2], wide: f64 } = 200,
    Wide(i64, bool),
    Mixed(Mixed),
    Inner(Shape, Phase),
    Marked(Unit),
    Bytes([u8; 5], Phase),
}

#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Task {
    done: bool,
    command: Command,
    shapes: [Shape; 2],
}

#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Either<A, B> {
    Left(A),
    Right(B, A),
}

#[vyre::device]
fn area(shape: Shape) -> f32 {
    match shape {
        Shape::Circle(r) => r * r * 3.0,
        Shape::Box { w, h } => w * h,
        Shape::Nothing => -1.0,
    }
}

/// Writes through references to fields.
#[vyre::device]
fn grow(shape: &mut Shape, by: f32) {
    match shape {
        Shape::Circle(r) => *r += by,
        Shape::Box { w, .. } if *w > 8.0 => *shape = Shape::Circle(*w),
        Shape::Box { w, h } => {
            *w += by;
            *h *= by;
        }
        Shape::Nothing => *shape = Shape::Box { w: by, h: 1.0 },
    }
}

#[vyre::device]
fn double(x: &mut f32) -> f32 {
    *x *= 2.0;
    *x
}

#[vyre::device]
fn next(command: &mut Command) -> u32 {
    match command {
        Command::Move(x, y) => {
            *x += 1.5;
            let doubled = double(y);
            std::mem::swap(x, y);
            return doubled as u32;
        }
        Command::Paint(color) => *color = color.wrapping_mul(3) ^ 0xff00,
        Command::Pair { small, bytes, wide } => {
            *small += 1;
            bytes[1] = bytes[0].wrapping_add(9);
            for byte in bytes.iter_mut() {
                *byte ^= 0x55;
            }
            *wide = *wide * 0.5 + *small as f64;
        }
        Command::Wide(number, flag) if *number > 1000 => {
            *flag = !*flag;
            *command = Command::Pair {
                small: 65,
                bytes: [1, 2],
                wide: -0.25,
            };
        }
        Command::Wide(number, flag) => {
            *number += 1 << 33;
            *flag |= *number % 2 == 0;
        }
        Command::Mixed(mixed) => {
            mixed.weight -= 1.0;
            mixed.phase = mixed.phase.rotate_left(3);
            mixed.wide = -mixed.wide;
            if mixed.flag {
                mixed.last = Phase::Liquid;
            }
        }
        Command::Inner(shape, phase) => {
            grow(shape, 2.0);
            if let Shape::Circle(r) = shape {
                *r -= 0.5;
                *phase = Phase::Solid;
            }
        }
        Command::Marked(unit) => *command = Command::Bytes([1, 2, 3, 4, (*unit == Unit) as u8], Phase::Solid),
        Command::Bytes(bytes, phase) => {
            let sum: u32 = bytes.iter().map(|&b| b as u32).sum();
            *bytes = [bytes[4], bytes[0], bytes[1], bytes[2], sum as u8];
            return sum + (*phase == Phase::Liquid) as u32 * 1000;
        }
    }
    7
}

#[vyre::device]
fn step(task: &Task, either: Either<f32, u64>) -> (Task, Either<f32, u64>, u32) {
    let mut new = *task;
    let mut found = next(&mut new.command);
    grow(&mut new.shapes[0], found as f32);
    if let Shape::Box { h, .. } = &mut new.shapes[1] {
        *h += 1.0;
    }
    found = found * 4 + (new == *task) as u32 + (new.command == task.command) as u32 * 2;
    new.done = matches!(new.shapes, [Shape::Circle(_), Shape::Box { .. }]);
    let either = match either {
        Either::Left(x) if x > 2.0 => Either::Right(x as u64 + 5, x),
        Either::Left(x) => Either::Left(x + area(new.shapes[0])),
        Either::Right(n, x) => Either::Right(n << 40 | 1, x - 1.0),
    };
    (new, either, found)
}

#[vyre::kernel]
fn steps(
    extra: Either<f32, u64>,
    first: Task,
    tasks: &[Task],
    eithers: &mut [Either<f32, u64>],
    out: &mut [Task],
    found: &mut [u32],
) {
    let i = thread::index();
    if i < tasks.len() {
        let either = if i.is_multiple_of(5) { extra } else { eithers[i] };
        let task = if i == 3 { first } else { tasks[i] };
        let (task, either, n) = step(&task, either);
        out[i] = task;
        eithers[i] = either;
        found[i] = n;
    }
}

/// In place, through references to elements of buffers.
#[vyre::kernel]
fn in_place(#[each] shape: &mut Shape, #[each] command: &mut Command, #[each] mixed: &mut Mixed) {
    grow(shape, 3.0);
    next(command);
    mixed.weight += area(*shape);
    mixed.small = mixed.small.wrapping_add(mixed.flag as u8);
}

fn mixed(i: u32) -> Mixed {
    Mixed {
        flag: i.is_multiple_of(3),
        weight: i as f32 * 0.5,
        small: i as u8,
        phase: i as u16 * 77,
        nothing: Unit,
        of: PhantomData,
        wide: i64::from(i) << 35,
        last: if i.is_multiple_of(2) {
            Phase::Solid
        } else {
            Phase::Liquid
        },
    }
}

fn shape(i: u32) -> Shape {
    match i % 4 {
        0 => Shape::Circle(i as f32),
        1 => Shape::Box {
            w: i as f32 * 0.25,
            h: -2.0,
        },
        2 => Shape::Nothing,
        _ => Shape::Box { w: 1.0, h: i as f32 },
    }
}

fn command(i: u32) -> Command {
    match i % 9 {
        0 => Command::Move(i as f32, -1.0),
        1 => Command::Paint(i * 0x0101_0101),
        2 => Command::Pair {
            small: i as u16,
            bytes: [i as u8, 3],
            wide: f64::from(i) / 3.0,
        },
        3 => Command::Wide(i64::from(i) << 20, i.is_multiple_of(2)),
        4 => Command::Wide(-i64::from(i), false),
        5 => Command::Mixed(mixed(i)),
        6 => Command::Inner(shape(i / 9), Phase::Liquid),
        7 => Command::Marked(Unit),
        _ => Command::Bytes(
            [i as u8, 200, 3, 4, 5],
            if i.is_multiple_of(2) {
                Phase::Solid
            } else {
                Phase::Liquid
            },
        ),
    }
}

fn task(i: u32) -> Task {
    Task {
        done: i.is_multiple_of(2),
        command: command(i),
        shapes: [shape(i + 1), shape(i / 3)],
    }
}

fn either(i: u32) -> Either<f32, u64> {
    match i % 2 {
        0 => Either::Left(i as f32 * 0.125),
        _ => Either::Right(u64::from(i), 0.5),
    }
}

#[test]
fn enums_in_buffers_structs_and_parameters() {
    const COUNT: u32 = 90;
    let tasks: Vec<Task> = (0..COUNT).map(task).collect();
    let eithers: Vec<_> = (0..COUNT).map(either).collect();
    everywhere(|place| {
        let device = place.device();
        let there = device.upload(&tasks)?;
        let mut changed = device.upload(&eithers)?;
        let (mut out, mut found) = (device.zeros::<Task>(tasks.len())?, device.zeros::<u32>(tasks.len())?);
        assert_eq!(
            out.download()?[0].command,
            Command::Paint(0),
            "zeros are the variant of discriminant 0"
        );
        let kernel = steps(Either::Left(9.5), task(8), &there, &mut changed, &mut out, &mut found);
        place.over(kernel, tasks.len())?;
        let (changed, out, found) = (changed.download()?, out.download()?, found.download()?);
        for i in 0..tasks.len() {
            let either = if i.is_multiple_of(5) {
                Either::Left(9.5)
            } else {
                eithers[i]
            };
            let of = if i == 3 { task(8) } else { tasks[i] };
            assert_eq!(
                (out[i], changed[i], found[i]),
                step(&of, either),
                "{i} on {}",
                place.name()
            );
        }
        assert_eq!(there.download()?, tasks);
        Ok(())
    });
}

#[test]
fn enums_through_references_to_elements() {
    const COUNT: u32 = 90;
    everywhere(|place| {
        let device = place.device();
        let (shapes, commands, all): (Vec<_>, Vec<_>, Vec<_>) = (
            (0..COUNT).map(shape).collect(),
            (0..COUNT).map(command).collect(),
            (0..COUNT).map(mixed).collect(),
        );
        let mut there = (device.upload(&shapes)?, device.upload(&commands)?, device.upload(&all)?);
        place.over(in_place(&mut there.0, &mut there.1, &mut there.2), COUNT as usize)?;
        let found = (there.0.download()?, there.1.download()?, there.2.download()?);
        for i in 0..COUNT as usize {
            let (mut shape, mut command, mut mixed) = (shapes[i], commands[i], all[i]);
            grow(&mut shape, 3.0);
            next(&mut command);
            mixed.weight += area(shape);
            mixed.small = mixed.small.wrapping_add(u8::from(mixed.flag));
            assert_eq!(
                (found.0[i], found.1[i], found.2[i]),
                (shape, command, mixed),
                "{i} on {}",
                place.name()
            );
        }
        Ok(())
    });
}

/// The first of a window that is less than a limit, if there is one.
#[vyre::device]
fn first_below(window: &[f32; 3], limit: Option<f32>) -> Option<f32> {
    let limit = limit.unwrap_or(0.0);
    let mut k = 0;
    while k < window.len() {
        if window[k] < limit {
            return Some(window[k]);
        }
        k += 1;
    }
    None
}

#[vyre::kernel]
fn below(limit: Maybe<f32>, #[each] window: &[f32; 3], #[each] found: &mut Maybe<f32>) {
    let before = found.get();
    let limit = before.or(limit.get());
    *found = match first_below(window, limit) {
        None => Maybe::new(None),
        some => Maybe::from(some),
    };
}

#[test]
fn options_in_buffers_and_parameters() {
    let windows: Vec<[f32; 3]> = (0..50).map(|i| [i as f32, 20.0 - i as f32, 3.0]).collect();
    let before: Vec<Option<f32>> = (0..50).map(|i| (i % 3 == 0).then_some(i as f32 * 0.5)).collect();
    let given: Vec<Maybe<f32>> = before.iter().map(|&it| it.into()).collect();
    everywhere(|place| {
        for limit in [None, Some(7.5)] {
            let (there, mut found) = (place.device().upload(&windows)?, place.device().upload(&given)?);
            place.over(below(limit.into(), &there, &mut found), windows.len())?;
            for (i, found) in found.download()?.into_iter().enumerate() {
                let expected = first_below(&windows[i], before[i].or(limit));
                assert_eq!(Option::from(found), expected, "{i} on {}", place.name());
            }
        }
        Ok(())
    });
}

/// Options by value: one that is changed, of an array, and of a type of the device; in a generic kernel too.
#[vyre::kernel]
fn given(limit: Option<u32>, mut pair: Option<[f32; 2]>, mixed: Option<Mixed>, #[each] x: &u32, #[each] y: &mut f32) {
    if limit.is_some_and(|limit| *x > limit) {
        pair = None;
    }
    let weight = mixed.map_or(0.5, |mixed| mixed.weight);
    *y = match pair {
        Some([a, b]) => a + b * weight,
        None => -weight,
    };
}

#[vyre::kernel(T = [f32, u64])]
fn start<T: Number>(first: Option<T>, #[each] y: &mut T) {
    if let Some(first) = first {
        *y = first;
    }
}

#[test]
fn kernels_take_options() {
    let x: Vec<u32> = (0..40).collect();
    everywhere(|place| {
        for (limit, pair, mixed) in [
            (None, None, None),
            (Some(7), Some([1.0, 4.0]), None),
            (Some(u32::MAX), Some([1.5, -2.0]), Some(mixed(3))),
            (None, Some([0.0, 1.0]), Some(mixed(3))),
        ] {
            let (there, mut y) = (place.device().upload(&x)?, place.device().zeros(x.len())?);
            place.over(given(limit, pair, mixed, &there, &mut y), x.len())?;
            let weight = mixed.map_or(0.5, |mixed| mixed.weight);
            let expected: Vec<f32> = x
                .iter()
                .map(|&x| match (limit, pair) {
                    (Some(limit), _) if x > limit => -weight,
                    (_, Some([a, b])) => a + b * weight,
                    (_, None) => -weight,
                })
                .collect();
            assert_eq!(y.download()?, expected, "{limit:?}, {pair:?} on {}", place.name());
        }
        let mut y = place.device().upload(&[3u64, 4])?;
        place.over(start(None, &mut y), 2)?;
        assert_eq!(y.download()?, [3, 4]);
        place.over(start(Some(1 << 40), &mut y), 2)?;
        assert_eq!(y.download()?, [1 << 40; 2]);
        Ok(())
    });
    let mut y = [0.0f32; 2];
    StartF32::dispatch(&Device::cpu(), Some(2.5), &mut y).expect("a dispatch on the CPU");
    assert_eq!(y, [2.5; 2]);
}

/// Sizes as the kernel has them, and a variant from another lane.
#[vyre::kernel]
fn sizes_and_exchanges(first: Mixed, #[each] command: &mut Command, #[each] sizes: &mut [usize; 5]) {
    *sizes = [
        size_of::<Mixed>(),
        size_of::<Command>(),
        align_of::<Command>(),
        size_of::<Task>(),
        size_of::<Either<u8, [u16; 3]>>(),
    ];
    *command = warp::shuffle_xor(*command, 1);
    if let Command::Mixed(mixed) = command {
        *mixed = first;
    }
}

#[test]
fn sizes_are_those_of_rustc_and_lanes_exchange_variants() {
    let expected = [
        size_of::<Mixed>(),
        size_of::<Command>(),
        align_of::<Command>(),
        size_of::<Task>(),
        size_of::<Either<u8, [u16; 3]>>(),
    ];
    let commands: Vec<Command> = (0..64).map(command).collect();
    everywhere(|place| {
        let (mut there, mut sizes) = (
            place.device().upload(&commands)?,
            place.device().zeros::<[usize; 5]>(64)?,
        );
        place.over(sizes_and_exchanges(mixed(4), &mut there, &mut sizes), 64usize)?;
        assert_eq!(sizes.download()?, [expected; 64], "on {}", place.name());
        for (i, found) in there.download()?.into_iter().enumerate() {
            let other = match commands[i ^ 1] {
                Command::Mixed(_) => Command::Mixed(mixed(4)),
                other => other,
            };
            assert_eq!(found, other, "{i} on {}", place.name());
        }
        Ok(())
    });
}

#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Small {
    Move(f32, f32) = 9,
    Paint(u32) = 0,
}

/// A fault shows the variant, also where its fields share bytes with others.
#[vyre::kernel]
fn told(#[each] small: &Small) {
    assert_eq!(*small, Small::Paint(7));
}

#[test]
fn variants_in_messages_of_faults() {
    everywhere(|place| {
        let there = place.device().upload(&[Small::Move(1.5, -2.0)])?;
        let text = place.over(told(&there), 1usize).expect_err("they differ").to_string();
        let sides = ["left: Move(1.5, -2.0)", "right: Paint(7)"];
        assert!(
            sides.iter().all(|side| text.contains(side)),
            "{text} on {}",
            place.name()
        );
        Ok(())
    });
}

#[test]
fn ptxas_accepts_it() {
    ptx::assembled(&[
        Steps::info(),
        InPlace::info(),
        Below::info(),
        SizesAndExchanges::info(),
        Told::info(),
    ]);
}

#[test]
fn arrays_of_none_have_no_bytes() -> vyre::Result<()> {
    let mut buffer = Device::cpu().upload(&[[Shape::Nothing; 0]; 3])?;
    buffer.fill([])?;
    buffer.write(&[[]; 3])?;
    assert_eq!(buffer.download()?, [[]; 3]);
    Ok(())
}
