//! `#[cfg(..)]` inside kernels and device items: rustc decides it.

// `all()` and `any()` are the predicates that always hold and never do.
#![allow(clippy::non_minimal_cfg)]

use vyre::prelude::*;

#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    x: u32,
    #[cfg(all())]
    y: u32,
    #[cfg(any())]
    z: Missing,
}

#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Empty,
    #[cfg(not(any()))]
    Square(u32),
    #[cfg(any())]
    Circle(f32, Missing),
}

#[vyre::device]
fn area(shape: Shape, #[cfg(any())] scale: Missing) -> u32 {
    #[cfg(any())]
    return missing(scale);
    match shape {
        Shape::Empty => 0,
        #[cfg(all())]
        Shape::Square(side) => side * side,
        #[cfg(any())]
        Shape::Circle(radius, _) => radius as u32,
    }
}

#[vyre::device]
mod offsets {
    #[cfg(all())]
    pub(crate) fn first() -> u32 {
        100
    }

    #[cfg(not(all()))]
    pub(crate) fn first() -> u32 {
        missing()
    }
}

/// Statements, expressions, match arms, fields, patterns and parameters.
#[vyre::kernel]
fn chosen(points: &[Point], #[cfg(any())] gone: &[Missing], #[cfg(all())] y: &mut [u32]) {
    let i = thread::index();
    #[cfg(all())]
    let factor = 10;
    #[cfg(any())]
    let factor = missing();
    #[cfg(any())]
    {
        y[i] = 0;
    }
    if i < y.len() {
        #[cfg(any())]
        missing(y);
        let Point {
            x,
            #[cfg(all())]
                y: other,
            #[cfg(any())]
            z,
        } = points[i];
        let point = Point {
            x: x * factor,
            #[cfg(all())]
            y: other,
            #[cfg(any())]
            z: missing(),
        };
        let table = [
            1,
            #[cfg(any())]
            missing(),
            2,
        ];
        #[cfg_attr(all(), allow(unused_mut))]
        let mut sum = point.x + point.y + table[1];
        for k in 0..2 {
            #[cfg(all())]
            {
                sum += k;
            }
            #[cfg(not(all()))]
            missing(k);
        }
        #[cfg(debug_assertions)]
        {
            sum += 1000;
        }
        y[i] = match i {
            #[cfg(any())]
            0 => missing(),
            0 => sum,
            _ => area(Shape::Square(sum)) + area(Shape::Empty) + offsets::first(),
        };
    }
}

/// The instances of a generic kernel are those of its decided form.
#[vyre::kernel(T = [u32, f32])]
fn filled<T: Number>(#[each] y: &mut T) {
    #[cfg(any())]
    let value = missing();
    #[cfg(all())]
    let value = T::ONE;
    *y = value;
}

/// A kernel that is left out.
#[vyre::kernel]
#[cfg(any())]
fn absent(y: &mut [u32]) {
    #[cfg(all())]
    missing(y);
}

mod inside_a_function {
    use vyre::prelude::*;

    #[test]
    fn a_kernel_in_a_function() -> vyre::Result<()> {
        #[vyre::kernel]
        fn local(#[each] y: &mut u32) {
            #[cfg(any())]
            missing();
            *y += 1;
        }
        let device = Device::cpu();
        let mut y = device.upload(&[1u32, 2])?;
        local(&mut y).launch(&device)?;
        assert_eq!(y.download()?, [2u32, 3]);
        Ok(())
    }
}

#[test]
fn what_cfg_leaves_out_is_not_there() -> vyre::Result<()> {
    for device in Device::all() {
        let points = device.upload(&[Point { x: 1, y: 2 }, Point { x: 3, y: 4 }])?;
        let mut y = device.zeros::<u32>(2)?;
        chosen(&points, &mut y).over(2).launch(&device)?;
        let debug = if cfg!(debug_assertions) { 1000 } else { 0 };
        let sums = [10 + 2 + 2 + 1 + debug, 30 + 4 + 2 + 1 + debug];
        assert_eq!(y.download()?, [sums[0], sums[1] * sums[1] + 100]);
    }
    Ok(())
}

#[test]
fn generic_kernels_are_decided() -> vyre::Result<()> {
    let device = Device::cpu();
    let mut y = device.zeros::<f32>(3)?;
    filled(&mut y).launch(&device)?;
    assert_eq!(y.download()?, [1.0; 3]);
    Ok(())
}
