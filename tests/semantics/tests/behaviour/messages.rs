//! Printed output of kernels, and the values in the messages of their assertions.

use vyre::prelude::*;
use vyre::{Error, FaultKind, Kernel};
use vyre_semantics::everywhere;
use vyre_semantics::places::{Place, devices};

/// The kernels of this module.
pub(crate) fn kernels() -> Vec<&'static vyre::KernelInfo> {
    vec![
        Greet::info(),
        Scalars::info(),
        Compounds::info(),
        Measured::info(),
        Variants::info(),
        Lines::info(),
        Sides::info(),
        Phases::info(),
        Flood::info(),
        Checked::info(),
        GivesUp::info(),
    ]
}

#[vyre::kernel(block = 32)]
fn greet() {
    println!("hello");
    print!("{{{}}} ", thread::idx().x);
    println!();
}

#[vyre::kernel(block = 1)]
fn scalars(a: f32, b: f64, c: i32, d: u64, e: bool, y: &mut [u8]) {
    println!("{a} {b:?} {c:+} {d:#x} {e}");
    println!("[{:8.2}] [{:<6}] [{:^5}] [{:>7}] [{:08.3e}]", a, c, d, e, b);
    println!("{0:?} {0} {1:b} {n:o}", a, y[0], n = c as u8);
    println!("{}", y[1] as i8);
}

#[vyre::kernel(block = 1)]
fn compounds(x: &[u32]) {
    let pair = (x[0], -1i64);
    println!("{pair:?} {:?} {:?} {:?}", (pair, (2.5f32,)), [[x[1], 7], [8, 9]], ());
    let at = x[2];
    println!("{:3?}", [at as u8; 3]);
}

#[vyre::kernel(block = 1)]
fn measured(a: f64, w: usize, p: usize, x: &[usize]) {
    println!(
        "[{a:w$}] [{a:.p$}] [{a:>w$.p$}] [{:.*}] [{:<3$}] [{0:^3$.*}]",
        p, a, x[1], w
    );
    println!(
        "[{:0$}] [{:+03$.1$}] [{2:0width$}] [{:-<w$}]",
        w,
        p,
        x[0],
        9,
        width = x[1]
    );
    println!(
        "[{:w$?}] [{:.p$?}] [{:w$?}] [{:$>w$}] [{:04$}]",
        (a, true),
        [a; 2],
        ((), 1),
        p,
        w
    );
    println!("{:x?} {:#X?} {:#06x?}", (255u8, -1i16, a), 171u32, [x[0]; 1]);
}

#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(i8)]
enum Level {
    Low = -3,
    Middle = 0,
    High,
}

#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Reading {
    level: Level,
    fill: [u8; 3],
    r#type: f32,
}

#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Metres(f32);

#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Event {
    Start,
    Moved { by: Metres, r#at: (i32, bool) },
    Seen(Reading, Option<i32>),
    Both(i32, i32),
    Nothing(),
    Blank {},
}

#[vyre::device]
fn event(number: u32, level: Level) -> Event {
    let fill = [number as u8; 3];
    match number {
        0 => Event::Start,
        1 => Event::Moved {
            by: Metres(-0.5),
            at: (7, true),
        },
        2 => Event::Seen(
            Reading {
                level,
                fill,
                r#type: 2.0,
            },
            Some(-1),
        ),
        3 => Event::Seen(
            Reading {
                level,
                fill,
                r#type: 1e20,
            },
            None,
        ),
        4 => Event::Both(1, -2),
        5 => Event::Nothing(),
        _ => Event::Blank {},
    }
}

#[vyre::kernel(block = 1)]
fn variants(levels: &[Level], n: u32) {
    let found = if n & 1 == 0 { Some(n) } else { None };
    let checked: Result<(), u8> = if n < 3 { Ok(()) } else { Err(n as u8) };
    let nested: Result<Option<Level>, (u32, bool)> = match n {
        0 => Ok(None),
        1 => Ok(Some(levels[1])),
        _ => Err((n, false)),
    };
    for level in levels {
        println!("{level:?} {level:9?} {:?}", [(*level, 1); 1]);
    }
    println!("{:?} {found:5?} {checked:?} {nested:?}", event(n, levels[0]));
}

#[vyre::kernel(block = 1)]
fn lines(levels: &[Level], n: u32) {
    let level = levels[0];
    println!("{:#?}", event(n, level));
    let (nested, single) = (Some(Some([Metres(1.5), Metres(n as f32)])), (level,));
    println!("{nested:#?} {single:#?} {:#?} {:#x?}", (), [(n, 1.0)]);
    println!("{:#6.1?}", (0.25, ((), true), Some(2.0f32)));
}

#[vyre::kernel(block = 1)]
fn sides(x: &[u32], metres: &[Metres]) {
    assert_eq!(metres[0], Metres(1.0));
    assert_ne!((x[0], metres[1]), (7, Metres(2.0)), "of {}", x[0]);
    let found = if x[0] > 3 { Some(x[0]) } else { None };
    assert_eq!(found, None);
    assert_eq!([x[0]; 5], [0; 5]);
}

#[vyre::kernel(block = 16)]
fn phases(y: &mut [u32]) {
    let i = thread::index();
    for round in 0..2 {
        if i % 8 == round {
            println!("{round}: {i}");
        }
        block::sync();
    }
    y[i] = twice(i as u32);
}

#[vyre::device]
fn twice(value: u32) -> u32 {
    if value == 15 {
        println!("doubled {value}");
    }
    assert!(value < 16, "{value}");
    2 * value
}

#[vyre::kernel(block = 32)]
fn flood(lines: usize) {
    for line in 0..lines {
        println!("line {line}");
    }
}

#[vyre::kernel(block = 32)]
fn checked(x: &[i32], limit: i32) {
    let i = thread::index();
    println!("{i}");
    assert!(x[i] < limit, "x[{i}] is {}, of {} and {:?}", x[i], limit, (i, 0.5));
    assert_ne!(x[i], -1);
    assert_eq!(x[i] / 2 * 2, x[i], "odd");
}

#[vyre::kernel(block = 32)]
fn gives_up(x: &[u32]) {
    let i = thread::index();
    if x[i] == 3 {
        panic!("{:04} at {i}", x[i]);
    }
    if x[i] == 4 {
        unreachable!("{}", x[i + 100]);
    }
    match x[i] {
        5 => todo!(),
        6 => todo!("{i}"),
        7 => unimplemented!(),
        8 => unimplemented!("{i}"),
        _ => {}
    }
}

fn printed(place: &Place, kernel: impl vyre_semantics::places::Kernel, domain: usize) -> String {
    let (text, result) = place.printed(kernel, domain);
    result.unwrap_or_else(|error| panic!("on {}: {error}", place.name()));
    text
}

/// The sorted lines: threads print in any order.
fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<_> = text.lines().collect();
    lines.sort_unstable();
    lines
}

#[test]
fn text_and_places() {
    everywhere(|place| {
        let text = printed(place, greet(), 64);
        let expected: Vec<String> = (0..64).map(|i| format!("{{{}}} ", i % 32)).collect();
        // The parts of a line come one by one.
        assert_eq!(text.matches("hello\n").count(), 64);
        assert_eq!(text.matches('\n').count(), 128);
        assert!(expected.iter().all(|part| text.matches(part).count() == 2), "{text}");
        Ok(())
    });
}

#[test]
fn values_read_as_in_rust() {
    everywhere(|place| {
        let mut y = place.device().upload(&[6u8, 200])?;
        let (a, b, c, d, e) = (0.1f32, -1.0f64, 7i32, u64::MAX, true);
        let text = printed(place, scalars(a, b, c, d, e, &mut y), 1);
        let mut expected = format!("{a} {b:?} {c:+} {d:#x} {e}\n");
        expected += &format!("[{a:8.2}] [{c:<6}] [{d:^5}] [{e:>7}] [{b:08.3e}]\n");
        expected += &format!("{a:?} {a} {:b} {:o}\n", 6, c as u8);
        expected += "-56\n";
        assert_eq!(text, expected);
        Ok(())
    });
}

#[test]
fn compounds_read_as_in_rust() {
    everywhere(|place| {
        let x = place.device().upload(&[5u32, 6, 300])?;
        let pair = (5u32, -1i64);
        let mut expected = format!("{pair:?} {:?} {:?} {:?}\n", (pair, (2.5f32,)), [[6, 7], [8, 9]], ());
        expected += &format!("{:3?}\n", [44u8; 3]);
        assert_eq!(printed(place, compounds(&x), 1), expected);
        Ok(())
    });
}

#[test]
fn widths_and_precisions_are_values() {
    everywhere(|place| {
        let (a, w, p) = (-1.0f64 / 3.0, 11, 4);
        let (x, at) = ([3usize, 8], place.device().upload(&[3usize, 8])?);
        let mut expected = format!(
            "[{a:w$}] [{a:.p$}] [{a:>w$.p$}] [{:.*}] [{:<3$}] [{0:^3$.*}]\n",
            p, a, x[1], w
        );
        expected += &format!(
            "[{:0$}] [{:+03$.1$}] [{2:0width$}] [{:-<w$}]\n",
            w,
            p,
            x[0],
            9,
            width = x[1]
        );
        expected += &format!(
            "[{:w$?}] [{:.p$?}] [{:w$?}] [{:$>w$}] [{:04$}]\n",
            (a, true),
            [a; 2],
            ((), 1),
            p,
            w
        );
        expected += &format!("{:x?} {:#X?} {:#06x?}\n", (255u8, -1i16, a), 171u32, [x[0]; 1]);
        assert_eq!(printed(place, measured(a, w, p, &at), 1), expected);
        Ok(())
    });
}

#[test]
fn variants_read_as_in_rust() {
    everywhere(|place| {
        let levels = [Level::High, Level::Low, Level::Middle];
        let at = place.device().upload(&levels)?;
        for n in 0..7 {
            let found = if n & 1 == 0 { Some(n) } else { None };
            let checked: Result<(), u8> = if n < 3 { Ok(()) } else { Err(n as u8) };
            let nested: Result<Option<Level>, (u32, bool)> = match n {
                0 => Ok(None),
                1 => Ok(Some(Level::Low)),
                _ => Err((n, false)),
            };
            let mut expected = String::new();
            for level in levels {
                expected += &format!("{level:?} {level:9?} {:?}\n", [(level, 1); 1]);
            }
            expected += &format!("{:?} {found:5?} {checked:?} {nested:?}\n", event(n, levels[0]));
            assert_eq!(printed(place, variants(&at, n), 1), expected);
        }
        Ok(())
    });
}

#[test]
fn compounds_in_lines_read_as_in_rust() {
    everywhere(|place| {
        let levels = [Level::Low];
        let at = place.device().upload(&levels)?;
        for n in 0..7 {
            let level = levels[0];
            let mut expected = format!("{:#?}\n", event(n, level));
            let (nested, single) = (Some(Some([Metres(1.5), Metres(n as f32)])), (level,));
            expected += &format!("{nested:#?} {single:#?} {:#?} {:#x?}\n", (), [(n, 1.0)]);
            expected += &format!("{:#6.1?}\n", (0.25, ((), true), Some(2.0f32)));
            assert_eq!(printed(place, lines(&at, n), 1), expected);
        }
        Ok(())
    });
}

#[test]
fn sides_with_parts_are_shown() {
    everywhere(|place| {
        let five = "[x[0]; 5] == [0; 5]";
        for (x, metres, message) in [
            (
                0,
                [2.0, 0.0],
                "metres[0] == Metres(1.0)\n  left: Metres(2.0)\n right: Metres(1.0)",
            ),
            (
                7,
                [1.0, 2.0],
                "of 7\n  left: (7, Metres(2.0))\n right: (7, Metres(2.0))",
            ),
            (5, [1.0, 2.0], "found == None\n  left: Some(5)\n right: None"),
            // More values than a message has.
            (1, [1.0, 2.0], five),
        ] {
            let metres = place.device().upload(&metres.map(Metres))?;
            let Err(Error::Fault(fault)) = place.over(sides(&place.device().upload(&[x])?, &metres), 1) else {
                panic!("no fault")
            };
            assert_eq!(fault.message, message);
        }
        Ok(())
    });
}

#[test]
fn prints_of_a_thread_and_across_barriers_keep_their_order() {
    everywhere(|place| {
        let mut y = place.device().zeros::<u32>(16)?;
        let text = printed(place, phases(&mut y), 16);
        let (first, rest) = text.split_at(10);
        let (second, last) = rest.split_at(10);
        assert_eq!(sorted(first), ["0: 0", "0: 8"], "{text}");
        assert_eq!(sorted(second), ["1: 1", "1: 9"], "{text}");
        assert_eq!(last, "doubled 15\n");
        assert!(y.download()?.iter().zip(0..).all(|(&y, i)| y == 2 * i));
        // Nothing is printed twice.
        assert_eq!(printed(place, flood(0), 1), "");
        Ok(())
    });
}

#[test]
fn launches_print_in_their_order() {
    for device in devices() {
        let stream = device.stream().expect("a stream");
        let kept = std::sync::Arc::new(std::sync::Mutex::new(String::new()));
        let sink = kept.clone();
        stream.print_to(move |text| sink.lock().unwrap().push_str(text));
        for lines in [1usize, 2, 3] {
            flood(lines).grid(1).on(&stream).launch(&device).expect("a launch");
        }
        assert_eq!(*kept.lock().unwrap(), "", "nothing is printed before a wait");
        stream.synchronize().expect("no fault");
        let text = std::mem::take(&mut *kept.lock().unwrap());
        let count = |range: std::ops::Range<usize>, line: &str| {
            let lines: Vec<_> = text.lines().skip(range.start).take(range.len()).collect();
            lines.iter().filter(|&&found| found == line).count()
        };
        assert_eq!(text.lines().count(), 32 * 6);
        assert_eq!(count(0..32, "line 0"), 32);
        assert_eq!((count(32..96, "line 0"), count(32..96, "line 1")), (32, 32));
        assert_eq!(count(96..192, "line 2"), 32);
    }
}

/// A stream keeps a mebibyte of records, each of three words here.
#[test]
fn what_has_no_room_is_counted() {
    for device in devices() {
        let stream = device.stream().expect("a stream");
        let place = Place::Device(device, stream);
        let (text, result) = place.printed(flood(1500), 1);
        result.expect("no fault");
        let room = (1 << 20) / 24;
        let (lines, lost) = (
            text.lines().filter(|line| line.starts_with("line ")).count(),
            1500 * 32 - room,
        );
        assert_eq!(lines, room);
        let last = text.lines().last().expect("a line");
        assert!(last.starts_with(&format!("[vyre: {lost} more lines")), "{last}");
        // There is room again after a wait.
        assert_eq!(printed(&place, flood(2), 1).lines().count(), 64);
    }
}

#[test]
fn assertions_show_values() {
    everywhere(|place| {
        for (value, message) in [
            (50, "x[5] is 50, of 40 and (5, 0.5)"),
            (-1, "x[i] != -1\n  left: -1\n right: -1"),
            (7, "odd\n  left: 6\n right: 7"),
        ] {
            let mut x = [0; 32];
            x[5] = value;
            let x = place.device().upload(&x)?;
            let (text, result) = place.printed(checked(&x, 40), 32);
            let Err(Error::Fault(fault)) = result else {
                panic!("{result:?}")
            };
            assert_eq!((fault.kind, &*fault.message), (FaultKind::Assertion, message));
            assert_eq!((fault.block, fault.thread, fault.values), ([0; 3], [5, 0, 0], [0, 0]));
            // Output printed before the fault is not lost.
            assert!(sorted(&text).contains(&"5"), "{text}");
        }
        let x = place.device().upload(&[4; 32])?;
        assert_eq!(printed(place, checked(&x, 40), 32).lines().count(), 32);
        Ok(())
    });
}

#[test]
fn panics_show_values() {
    everywhere(|place| {
        let mut x = [0u32; 32];
        x[9] = 3;
        let found = place.over(gives_up(&place.device().upload(&x)?), 32);
        let Err(Error::Fault(fault)) = found else {
            panic!("{found:?}")
        };
        assert_eq!((fault.kind, &*fault.message), (FaultKind::Panic, "0003 at 9"));
        // The values of a message may fault themselves.
        x[9] = 4;
        let found = place.over(gives_up(&place.device().upload(&x)?), 32);
        let Err(Error::Fault(fault)) = found else {
            panic!("{found:?}")
        };
        assert_eq!((fault.kind, fault.values), (FaultKind::IndexOutOfBounds, [109, 32]));
        for (value, message) in [
            (5, "not yet implemented"),
            (6, "not yet implemented: 9"),
            (7, "not implemented"),
            (8, "not implemented: 9"),
        ] {
            x[9] = value;
            let found = place.over(gives_up(&place.device().upload(&x)?), 32);
            let Err(Error::Fault(fault)) = found else {
                panic!("{found:?}")
            };
            assert_eq!((fault.kind, &*fault.message), (FaultKind::Panic, message));
        }
        Ok(())
    });
}
