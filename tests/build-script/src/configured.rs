//! `#[cfg(..)]` that the build script decides.

use vyre::prelude::*;

/// Elements that a thread adds.
#[cfg(unix)]
#[vyre::device]
pub const COUNT: usize = 3;

/// Elements that a thread adds.
#[cfg(not(unix))]
#[vyre::device]
pub const COUNT: usize = 5;

/// A point, with a field for each coordinate that there is.
#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The first coordinate.
    pub x: u32,
    /// The second one.
    #[cfg(feature = "flat")]
    pub y: u32,
    /// Never there.
    #[cfg(target_os = "none")]
    pub z: Missing,
}

/// A shape.
#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// Nothing.
    Empty,
    /// A square.
    #[cfg(any(unix, windows))]
    Square(u32),
    #[cfg(not(any(unix, windows)))]
    Circle(Missing),
}

/// Types whose functions are chosen.
#[vyre::device]
pub mod offsets {
    /// The first offset.
    #[must_use]
    #[cfg(debug_assertions)]
    pub fn first() -> u32 {
        1000
    }

    /// The first offset.
    #[must_use]
    #[cfg(not(debug_assertions))]
    pub fn first() -> u32 {
        2000
    }
}

#[vyre::device]
fn area(shape: Shape, #[cfg(target_os = "none")] scale: Missing) -> u32 {
    #[cfg(target_os = "none")]
    return missing(scale);
    match shape {
        Shape::Empty => 0,
        #[cfg(any(unix, windows))]
        Shape::Square(side) => side * side,
        #[cfg(not(any(unix, windows)))]
        Shape::Circle(_) => missing(),
    }
}

/// Statements, arms, fields, patterns, parameters and elements.
#[vyre::kernel]
pub fn chosen(points: &[Point], #[cfg(target_os = "none")] gone: &[Missing], y: &mut [u32]) {
    let i = thread::index();
    if i >= y.len() {
        return;
    }
    let Point {
        x,
        #[cfg(feature = "flat")]
            y: second,
        #[cfg(target_os = "none")]
        z,
    } = points[i];
    #[cfg(not(feature = "flat"))]
    let second = 0;
    #[cfg(target_os = "none")]
    missing();
    let table = [
        x,
        #[cfg(target_pointer_width = "16")]
        missing(),
        second,
    ];
    let mut sum = 0;
    for k in 0..COUNT {
        #[cfg(not(target_endian = "big"))]
        {
            sum += table[k % 2];
        }
        #[cfg(target_endian = "big")]
        missing(k);
    }
    y[i] = match i {
        #[cfg(target_os = "none")]
        0 => missing(),
        0 => sum + offsets::first(),
        _ => area(Shape::Square(sum)),
    };
}

/// A kernel for another target.
#[cfg(target_os = "none")]
#[vyre::kernel]
pub fn elsewhere(y: &mut [Missing]) {
    missing(y);
}

/// A condition that only the crate's own build decides stays, on a whole item.
#[cfg(test)]
#[vyre::kernel]
pub fn tested(#[each] y: &mut u32) {
    *y += 1;
}
