//! Patterns matched through references: the bindings are references.

use vyre_semantics::everywhere;

#[vyre::device]
mod shapes {
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) enum Shape {
        Circle { r: f32 },
        Rect { w: f32, h: f32 },
        Empty,
    }

    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(u8)]
    pub(super) enum Turn {
        Left,
        Right,
        Back,
    }

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) struct Point {
        pub(super) x: i32,
        pub(super) y: i32,
    }

    impl Turn {
        pub(super) fn weight(&self) -> u32 {
            match self {
                Turn::Left => 1,
                Self::Right | Self::Back => *self as u32 * 10,
            }
        }

        pub(super) fn turn(&mut self) {
            *self = match self {
                Self::Left => Self::Right,
                Self::Right => Self::Back,
                Self::Back => Self::Left,
            }
        }
    }

    impl Shape {
        pub(super) fn area(&self) -> f32 {
            match self {
                Shape::Circle { r } if *r < 0.0 => -1.0,
                Shape::Circle { r } => 3.0 * r * r.abs(),
                Self::Rect { w, h } => w * h,
                Shape::Empty => 0.0,
            }
        }

        pub(super) fn grow(&mut self, by: f32) {
            match self {
                Shape::Circle { r } => *r += by,
                Shape::Rect { w, h } => {
                    *w += by;
                    *h = *w + 1.0;
                    exchange(w, h);
                }
                Shape::Empty => {}
            }
        }

        pub(super) fn is_round(&self) -> bool {
            matches!(self, Self::Circle { .. })
        }

        pub(super) fn width(&self) -> Option<f32> {
            if let Self::Rect { w, .. } = self {
                Some(*w)
            } else {
                None
            }
        }

        pub(super) fn radius(&self) -> f32 {
            let Self::Circle { r } = self else { return -2.0 };
            *r
        }
    }

    fn exchange(a: &mut f32, b: &mut f32) {
        (*a, *b) = (*b, *a);
    }

    impl Point {
        fn product(&self) -> i32 {
            match self {
                Point { x: 0, y } => *y,
                Point { x, y: 0 } => -x,
                Point { x, y } => x * y,
            }
        }
    }

    fn borrowed(point: Option<Point>) -> i32 {
        match &point {
            Some(p) => p.x + p.product(),
            None => -1,
        }
    }

    fn changed(mut point: Option<Point>) -> i32 {
        if let Some(p) = &mut point {
            p.x += 1;
            *p = Point { x: p.x * 2, y: p.y };
        }
        point.map(|p| p.x * 10 + p.y).unwrap_or(-1)
    }

    fn number(n: &i32) -> i32 {
        match n {
            0 => 5,
            1..=3 => 6,
            other if *other < 0 => -other,
            other => *other,
        }
    }

    fn difference(pair: &[i32; 2]) -> i32 {
        match pair {
            [0, b] => *b,
            [a, b] => a - b,
        }
    }

    fn nested(of: &Option<(i32, Option<Point>)>) -> i32 {
        match of {
            Some((1, Some(Point { x, .. }))) => *x,
            Some((n, None)) => *n,
            Some((_, Some(p))) => p.y,
            None => 0,
        }
    }

    pub(super) fn all(i: u32) -> ([f32; 5], [u32; 2], [i32; 6]) {
        let shapes = [
            Shape::Circle { r: i as f32 - 3.0 },
            Shape::Rect { w: i as f32, h: 2.0 },
            Shape::Empty,
        ];
        let mut shape = shapes[i as usize % 3];
        let before = shape.area();
        shape.grow(1.5);
        let mut turn = [Turn::Left, Turn::Right, Turn::Back][i as usize % 3];
        let weight = turn.weight();
        turn.turn();
        let p = Point {
            x: i as i32 % 3,
            y: i as i32 % 4,
        };
        let point = if i.is_multiple_of(5) { None } else { Some(p) };
        let pair = point.map(|p| (p.x, if p.y > 1 { Some(p) } else { None }));
        (
            [
                before,
                shape.area(),
                shape.is_round() as u32 as f32,
                shape.width().unwrap_or(-9.0),
                shape.radius(),
            ],
            [weight, turn.weight()],
            [
                p.product(),
                borrowed(point),
                changed(point),
                number(&(i as i32 - 4)),
                difference(&[i as i32 % 2, 3]),
                nested(&pair),
            ],
        )
    }
}

#[vyre::kernel]
fn take_apart(#[each] sizes: &mut [f32; 5], #[each] weights: &mut [u32; 2], #[each] numbers: &mut [i32; 6]) {
    (*sizes, *weights, *numbers) = shapes::all(vyre::thread::index() as u32);
}

#[test]
fn names_refer_to_parts() {
    const N: usize = 60;
    everywhere(|place| {
        let device = place.device();
        let (mut sizes, mut weights) = (device.zeros::<[f32; 5]>(N)?, device.zeros::<[u32; 2]>(N)?);
        let mut numbers = device.zeros::<[i32; 6]>(N)?;
        place.over(take_apart(&mut sizes, &mut weights, &mut numbers), N)?;
        let (sizes, weights, numbers) = (sizes.download()?, weights.download()?, numbers.download()?);
        for i in 0..N {
            assert_eq!((sizes[i], weights[i], numbers[i]), shapes::all(i as u32), "{i}");
        }
        Ok(())
    });
}
