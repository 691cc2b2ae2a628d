//! Comparisons of values with parts, functions inside kernels, and functions as values: each function runs on every
//! back end, and as plain Rust.

use vyre_semantics::agree;

agree! {
    fn ordered_tuples(a: i32, b: i32) -> u32 {
        let (x, y) = ((a / 2, b), (b / 2, a));
        let strict = (x < y) as u32 | ((x > y) as u32) << 1;
        strict | ((x <= y) as u32) << 2 | ((x >= y) as u32) << 3 | (((a, (true, b)) < (b, (false, a))) as u32) << 4
    }
    fn ordered_floats(a: f32, b: f32) -> u32 {
        let (x, y) = ((a, b, 1u8), (b, a, 2));
        let strict = (x < y) as u32 | ((x > y) as u32) << 1;
        strict | ((x <= y) as u32) << 2 | ((x >= y) as u32) << 3 | (([a, 0.0] < [-0.0, b]) as u32) << 4
            | (([a, b] <= [a, b]) as u32) << 5
    }
    fn ordered_arrays(a: u32, b: u32) -> u32 {
        let (x, y) = ([[a % 3, b], [a, 1]], [[b % 3, a], [1, b]]);
        (x < y) as u32 | ((x >= y) as u32) << 1 | ((x == y) as u32) << 2 | (([[a, b], [1, 2]] != [[b, a], [1, 2]]) as u32) << 3
    }
    fn ordered_options(a: u32, b: u32) -> u32 {
        let x = if a % 3 == 0 { None } else { Some((a % 5, b)) };
        let y = if b % 3 == 0 { None } else { Some((b % 5, a)) };
        let r: Result<u32, i32> = if a % 2 == 0 { Ok(b) } else { Err(a as i32) };
        let s: Result<u32, i32> = if b % 2 == 0 { Ok(a) } else { Err(b as i32) };
        let options = (x < y) as u32 | ((x >= y) as u32) << 1 | ((x == y) as u32) << 2 | ((x <= None) as u32) << 3;
        options | ((r < s) as u32) << 4 | ((r > s) as u32) << 5 | ((r == s) as u32) << 6
            | ((a.cmp(&b) < core::cmp::Ordering::Equal) as u32) << 7
    }
    fn functions_inside(a: u32, b: u32) -> u32 {
        const STEP: u32 = 3;
        let half = a / 2;
        fn last(x: u32) -> u32 {
            if x % 2 == 0 {
                return square(x) ^ STEP;
            }
            square(x).rotate_left(STEP)
        }
        fn square(x: u32) -> u32 { x.wrapping_mul(x) }
        fn set(to: &mut [u32], (i, v): (usize, u32)) { to[i] = v; }
        let mut list = [a, b, half];
        set(&mut list, (1, last(b)));
        {
            fn square(x: u32) -> u32 { x ^ 0xff }
            set(&mut list[1..], (1, square(half)));
        }
        list.iter().fold(0u32, |sum, v| sum.rotate_left(7) ^ last(*v))
    }
    fn bindings_of_functions_inside(a: u32, b: u32) -> u32 {
        let v = a as f32 * 2.0;
        fn rounded(v: f32) -> f32 {
            let w = v as u32;
            let mut sum = 0;
            for v in 0..w % 5 {
                let w = v as f32 + 0.5;
                sum += w as u32;
            }
            (w ^ sum) as f32
        }
        let last = {
            let i = b % 7;
            fn chosen(v: u32) -> u32 {
                let v = some(v);
                if let Some(z) = v { z } else { 3 }
            }
            fn some(v: u32) -> Option<u32> {
                let more = v.wrapping_add(1);
                if more > 2 { Some(more) } else { None }
            }
            let mut found = 0;
            for k in [1u32, 2] {
                let twice = k * 2;
                if twice == i {
                    found = chosen(twice);
                }
            }
            chosen(i) ^ found
        };
        let w = rounded(v) as u32;
        w.wrapping_mul(31) ^ last
    }
    fn function_values(a: f32, b: f32) -> f32 {
        let pick = |x: f32, y: f32| x.max(y);
        let turned = |x: f32| match (a as i32) % 3 {
            0 => f32::abs(x),
            1 | -1 => f32::floor(x),
            _ => f32::ceil(x),
        };
        let root = |x: f32| x.sqrt();
        pick(turned(a), 1.5) + root(pick(b, 4.0).abs())
    }
}

#[vyre::device]
fn up(x: u32) -> u32 {
    x.wrapping_add(1)
}

#[vyre::device]
fn doubled<T: Copy + core::ops::BitXor<Output = T>>(x: T, y: T) -> T {
    x ^ y
}

#[vyre::device]
fn seven() -> u32 {
    7
}

#[vyre::device]
fn twice(f: impl Fn(u32) -> u32, x: u32) -> u32 {
    f(f(x))
}

#[vyre::device]
mod shapes {
    #[derive(Clone, Copy)]
    pub(super) struct Side {
        pub(super) length: u32,
    }

    impl Side {
        pub(super) fn new(length: u32) -> Self {
            Side { length }
        }

        pub(super) fn half(self) -> u32 {
            self.length / 2
        }

        pub(super) fn third(self) -> u32 {
            self.length / 3
        }
    }

    pub(super) fn down(x: u32) -> u32 {
        x ^ 0x55
    }
}

use shapes::Side;

agree! {
    // Functions as arguments, of devices and of types.
    fn names_of_functions(a: u32, b: u32) -> u32 {
        let both = |x: u32| doubled(x, 5);
        up(a) ^ shapes::down(b).rotate_left(3) ^ both(a) ^ seven() ^ Some(a).map(Side::new).map_or(7, Side::half)
            ^ twice(up, b).rotate_left(7) ^ [a, b].map(shapes::down)[1].rotate_left(11) ^ Some(b).map_or(3, up)
    }
    fn conversions_as_functions(a: u32, b: u32) -> u32 {
        let wide = a.checked_sub(b).map_or(3, u64::from) ^ [a as u8, b as u8].map(u64::from)[1];
        let float = Some(b & 0x7f7f_ffff).map(f32::from_bits).map_or(7, f32::to_bits);
        let bytes = [a, b].map(u32::to_be_bytes).map(u32::from_le_bytes)[1];
        let from = Some(a as u16).map_or(5, u32::from);
        wide as u32 ^ float.rotate_left(3) ^ bytes ^ from
    }
    fn chosen_in_closures(a: u32, b: u32) -> u32 {
        let step = |x: u32| if a > b { up(x) } else { shapes::down(x) };
        let part = |side: Side| match a % 3 {
            1 => side.third(),
            _ => Side::half(side),
        };
        let number = || seven();
        // Names of variables, and not of functions.
        let down = match a.checked_sub(b).ok_or(a) { Ok(up) | Err(up) => up };
        let up = if let Some(seven) = a.checked_sub(b) && seven > 3 { seven } else { let twice = a / 2; twice };
        down ^ up.rotate_left(13) ^ step(a) ^ part(Side { length: b }).rotate_left(5) ^ twice(step, b).rotate_left(9) ^ number()
    }
}

#[vyre::device]
#[derive(Clone, Copy)]
enum Event {
    Key(u32),
    Wheel { by: u32, at: u8 },
    Move(u8, u32),
    None,
}

agree! {
    // The enum has not been read when its pattern is.
    fn alternatives_of_an_enum(a: u32, b: u32) -> u32 {
        let event = match a % 4 {
            0 => Event::Key(b),
            1 => Event::Wheel { by: b, at: 3 },
            2 => Event::Move(7, b),
            _ => Event::None,
        };
        let amount = match event {
            Event::Key(n) | Event::Wheel { by: n, .. } | Event::Move(_, n) => n,
            Event::None => 50,
        };
        let mut s = amount;
        if let Event::Wheel { at, by: _ } | Event::Move(at, _) = event {
            s ^= at as u32;
        }
        while let Some(Event::Key(side) | Event::Move(_, side)) = Some(event) && s != side {
            s = side;
        }
        s
    }
}

#[vyre::device]
fn saturated<T: vyre::Integer>(x: T, y: T) -> T {
    x.saturating_add(y).saturating_sub(T::ONE).saturating_mul(y) ^ x.saturating_pow(3)
}

macro_rules! saturate {
    ($x:expr, $y:expr) => {
        $x.saturating_add($y).saturating_sub(1).saturating_mul($y) ^ $x.saturating_pow(3)
    };
}

agree! {
    fn saturation_by_a_bound(a: u32, b: i32) -> u32 {
        let wide = saturated(b as i64 * 2_000_000_000, a as i64);
        saturated(a, b as u32) ^ saturated(a as u8, b as u8) as u32 ^ saturated(b as i16, a as i16) as u32
            ^ wide as u32 ^ (wide >> 32) as u32
    } as {
        let wide = saturate!((b as i64 * 2_000_000_000), (a as i64));
        saturate!(a, (b as u32)) ^ saturate!((a as u8), (b as u8)) as u32 ^ saturate!((b as i16), (a as i16)) as u32
            ^ wide as u32 ^ (wide >> 32) as u32
    }
}

agree! {
    fn signs_of_nans(a: f32, b: f32) -> u32 {
        let nan = f32::NAN.copysign(b);
        let from = 1.0f32.copysign(f32::NAN.copysign(-2.0)) as i32 as u32;
        let other = 2.0f32.copysign(nan).to_bits() ^ (a + nan).is_nan() as u32;
        from ^ other.rotate_left(3) ^ nan.is_sign_negative() as u32 ^ nan.abs().is_nan() as u32
    } as {
        // Each NaN is positive.
        1 ^ (2.0f32.to_bits() ^ 1).rotate_left(3) ^ 1
    }
}
