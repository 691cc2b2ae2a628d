//! Enums with fields, and functions that yield an `Option` or a `Result`.

/// A shape in the plane.
#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// By its radius.
    Circle(f32),
    /// From one corner to the opposite one.
    Box {
        /// The lower left corner.
        low: super::Point,
        /// The upper right corner.
        high: super::Point,
    },
    /// The parts of a private type.
    Stripes(hidden::Stripes, u32),
    /// Nothing at all.
    Nothing,
}

mod hidden {
    /// A private type beside it.
    #[vyre::device]
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum Stripes {
        Every(f32),
        Between([f32; 2]),
    }
}

/// The shape of a number.
#[vyre::device]
pub fn shape(number: u32) -> Shape {
    let size = number as f32;
    let low = super::Point { x: -size, y: 0.5 };
    match number % 5 {
        0 => Shape::Circle(size * 0.5),
        1 => Shape::Box {
            high: super::Point { x: size, y: size },
            low,
        },
        2 => Shape::Stripes(hidden::Stripes::Every(size), number),
        3 => Shape::Stripes(hidden::Stripes::Between([low.x, low.y + size]), number + 1),
        _ => Shape::Nothing,
    }
}

/// How much a shape covers; nothing has no measure.
#[vyre::device]
pub fn measure(shape: &Shape) -> Option<f32> {
    let measure = match *shape {
        Shape::Nothing => return None,
        Shape::Circle(radius) if radius < 1.0 => 0.0,
        Shape::Circle(radius) => radius * radius * 3.0,
        Shape::Box { low, high } => (high.x - low.x) * (high.y - low.y),
        Shape::Stripes(hidden::Stripes::Every(width), count) => width * count as f32,
        Shape::Stripes(hidden::Stripes::Between([from, to]), 4 | 9) => to - from,
        Shape::Stripes(_, count) => -(count as f32),
    };
    Some(measure)
}

/// The place of a value in a table, or how many are less.
#[vyre::device]
pub fn find<T: Copy + PartialOrd>(table: &[T], value: T) -> Result<usize, u8> {
    let mut less = 0;
    for i in 0..table.len() {
        if table[i] == value {
            return Ok(i);
        }
        if table[i] < value {
            less += 1;
        }
    }
    Err(less)
}

/// Points with their numbers, as one argument of a kernel.
#[vyre::device]
pub struct Slots<'a> {
    /// A number of each point.
    pub keys: &'a [u32],
    /// The points.
    pub points: &'a [super::Point],
    /// A result for each of them.
    pub found: &'a mut [f32],
    /// Added to all.
    pub shift: super::Point,
}

/// The sum of the coordinates of a point by its number.
#[vyre::device]
pub fn sum_of_slot(slots: &Slots<'_>, i: usize) -> f32 {
    let at = slots.keys[i] as usize % slots.points.len();
    slots.points[at].x + slots.points[at].y + slots.shift.x
}
