//! Types of another crate, under other names and by globs, in kernels and device functions of this one.

use vyre::prelude::*;
use vyre_functions::lines::{self, Line, mark as mark_of};
use vyre_functions::shapes::{Slots as Table, SlotsViews, sum_of_slot};
use vyre_functions::{Point as P, Side};
use vyre_semantics::everywhere;

/// The same name as a type of the other crate.
#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    number: u32,
    of: P,
}

mod globbed {
    use vyre_functions::*;

    #[vyre::device]
    pub(super) fn turned(p: Point) -> Point {
        Point { x: -p.y, y: p.x }
    }
}

/// Connects neighbours.
#[vyre::kernel]
fn connect(points: &[P], #[each] line: &mut Line, #[each] numbered: &mut Point) {
    let i = thread::index();
    let next = points[(i + 1) % points.len()];
    *line = lines::line(points[i], next);
    let weight = match line.side {
        Side::Left => 100,
        Side::Right => 1,
    };
    numbered.number = weight + mark_of(line);
    let P { x, y } = globbed::turned(points[i]);
    numbered.of = P { x: x + 1.0, y };
}

#[test]
fn types_of_other_crates() {
    let points: Vec<P> = (0..100)
        .map(|i| P {
            x: (i * 7 % 10) as f32,
            y: i as f32,
        })
        .collect();
    everywhere(|place| {
        let there = place.device().upload(&points)?;
        let mut lines = place.device().zeros::<Line>(100)?;
        let mut numbered = place.device().zeros::<Point>(100)?;
        place.over(connect(&there, &mut lines, &mut numbered), 100usize)?;
        let (lines, numbered) = (lines.download()?, numbered.download()?);
        for (i, p) in points.iter().enumerate() {
            let next = points[(i + 1) % 100];
            assert_eq!(lines[i], lines::line(*p, next));
            let number = if lines[i].side == Side::Left { 107 } else { 8 };
            let of = P { x: 1.0 - p.y, y: p.x };
            assert_eq!(numbered[i], Point { number, of });
        }
        Ok(())
    });
}

/// Types of a function body.
#[test]
fn types_inside_of_functions() {
    #[vyre::device]
    #[derive(Clone, Copy)]
    struct Factor {
        by: f32,
    }

    #[vyre::kernel]
    fn scale(factor: Factor, #[each] p: &mut P) {
        p.x *= factor.by;
        p.y *= factor.by;
    }

    everywhere(|place| {
        let mut points = place.device().upload(&[P { x: 1.0, y: 2.0 }; 3])?;
        place.over(scale(Factor { by: 3.0 }, &mut points), 3usize)?;
        assert_eq!(points.download()?, [P { x: 3.0, y: 6.0 }; 3]);
        Ok(())
    });
}

#[vyre::device]
#[derive(Clone, Copy, Debug)]
struct Pair(P, [i16; 2]);

/// Structs as `{:?}` writes them, in what is printed and in faults.
#[vyre::kernel]
fn show(#[each] point: &Point) {
    println!("{point:?} {{{:6.2?}}}", Pair(point.of, [-7, 300]));
    assert!(point.number < 3, "at {:?}", point.of);
}

#[test]
fn structs_are_printed() {
    everywhere(|place| {
        let point = Point {
            number: 1,
            of: P { x: 0.5, y: -1e9 },
        };
        let input = place.device().upload(&[point])?;
        let (text, result) = place.printed(Show { point: (&input).into() }, 1);
        result?;
        let expected = format!("{point:?} {{{:6.2?}}}\n", Pair(point.of, [-7, 300]));
        assert_eq!(text, expected, "on {}", place.name());

        let faulty = Point { number: 3, ..point };
        let input = place.device().upload(&[faulty])?;
        let (_, result) = place.printed(Show { point: (&input).into() }, 1);
        let said = result.expect_err("three is too many").to_string();
        assert!(said.contains(&format!("at {:?}", faulty.of)), "{said}");
        Ok(())
    });
}

/// A struct of slices of another crate, under another name.
#[vyre::kernel]
fn look_up(slots: Table<'_>, k: f32) {
    let i = thread::index();
    if i < slots.found.len() {
        slots.found[i] = k * sum_of_slot(&slots, i) + slots.shift.y;
    }
}

#[test]
fn structs_of_slices_of_other_crates() {
    let points: Vec<P> = (0..10).map(|i| P { x: i as f32, y: 0.5 }).collect();
    let keys: Vec<u32> = (0..100).map(|i| i * 7 % 23).collect();
    let shift = P { x: 0.25, y: -1.0 };
    everywhere(|place| {
        let (points, keys) = (place.device().upload(&points)?, place.device().upload(&keys)?);
        let mut found = place.device().zeros(100)?;
        let views = SlotsViews {
            keys: &keys,
            points: &points,
            found: &mut found,
            shift,
        };
        place.over(look_up(views, 2.0), 100usize)?;
        for (i, &found) in found.download()?.iter().enumerate() {
            assert_eq!(
                found,
                2.0 * ((i * 7 % 23 % 10) as f32 + 0.75) - 1.0,
                "on {}",
                place.name()
            );
        }
        Ok(())
    });
}
