//! Types with methods, in modules of a file, against plain Rust: the module exists once in the file
//! and once here.

use crate::support::{in_file, run_lowered, slice};

/// Checks that `y[i] = <body of x[i]>` computes with a module what plain Rust does.
macro_rules! with {
    ({ $($module:tt)* } |$x:ident: $t:ty| -> $u:ty $body:block, $inputs:expr) => {{
        use crate::support::Value;
        #[allow(dead_code, unused, unreachable_pub, clippy::all, reason = "the module is of the device")]
        let plain = {
            mod m { $($module)* }
            use m::*;
            |$x: $t| -> $u { $body }
        };
        let source = format!(
            "#[device] mod m {{ {module} }}
            use m::*;
            fn k({x}s: &[{t}], ys: &mut [{u}]) {{
                let i = thread::index();
                if i < {x}s.len() {{ let {x} = {x}s[i]; ys[i] = {body}; }}
            }}",
            module = stringify!($($module)*),
            x = stringify!($x),
            t = stringify!($t),
            u = stringify!($u),
            body = stringify!($body),
        );
        let lowered = match in_file(&source) {
            Ok(lowered) => lowered,
            Err(rejected) => panic!("{:?}, {:?}, elsewhere: {}\n{source}", rejected.errors, rejected.notes, rejected.elsewhere),
        };
        let inputs: Vec<$t> = ($inputs).to_vec();
        let expected: Vec<$u> = inputs.iter().map(|&x| plain(x)).collect();
        let mut data = [slice(&inputs), slice(&vec![<$u as Value>::of(0); inputs.len()])];
        if let Err(error) = run_lowered(&lowered, &mut data, [1, 1, 1]) {
            panic!("{error:?}\n{source}");
        }
        assert_eq!(data[1].values::<$u>(), expected, "{source}\n{}", vyre_ir::text::print(&lowered.program));
        let text = vyre_ir::text::print(&lowered.program);
        assert_eq!(vyre_ir::text::print(&vyre_ir::text::parse(&text).expect("the text form can be read")), text);
    }};
}

pub(crate) use with as in_module;

const FLOATS: [f32; 6] = [0.0, 1.0, -2.5, 3.25, 1e10, -0.0];
const SMALL: [u32; 8] = [0, 1, 2, 3, 4, 5, 9, 20];

#[test]
fn methods_of_a_struct() {
    with!({
        use core::ops::{Add, AddAssign, Mul, Neg, Sub};
        #[derive(Clone, Copy)]
        pub struct Vec3 { pub x: f32, pub y: f32, z: f32 }
        impl Vec3 {
            pub const ZERO: Self = Self { x: 0.0, y: 0.0, z: 0.0 };
            pub const ONES: Vec3 = Vec3::new(1.0, 1.0, 1.0);
            const SCALE: f32 = 2.0 * 1.5;
            pub const fn new(x: f32, y: f32, z: f32) -> Self { Self { x, y, z } }
            pub fn splat(v: f32) -> Self { Self::new(v, v, v) }
            pub fn dot(self, o: Vec3) -> f32 { dot(self, o) }
            pub fn square(&self) -> f32 { self.dot(*self) }
            pub fn scale(&mut self, by: f32) { self.x *= by; self.y *= by; self.z *= by; }
            pub fn tripled(mut self) -> Self { self.scale(Self::SCALE); self }
        }
        fn dot(a: Vec3, b: Vec3) -> f32 { a.x * b.x + a.y * b.y + a.z * b.z }
        impl Add for Vec3 { type Output = Self; fn add(self, o: Self) -> Self::Output { Self::new(self.x + o.x, self.y + o.y, self.z + o.z) } }
        impl Sub for Vec3 { type Output = Self; fn sub(self, o: Self) -> Self { self + -o } }
        impl Neg for Vec3 { type Output = Vec3; fn neg(self) -> Vec3 { Vec3 { x: -self.x, y: -self.y, z: -self.z } } }
        impl Mul<f32> for Vec3 { type Output = Vec3; fn mul(self, by: f32) -> Vec3 { let mut v = self; v.scale(by); v } }
        impl Mul<Vec3> for Vec3 { type Output = Vec3; fn mul(self, o: Vec3) -> Vec3 { Vec3::new(self.x * o.x, self.y * o.y, self.z * o.z) } }
        impl Mul<Vec3> for f32 { type Output = Vec3; fn mul(self, v: Vec3) -> Vec3 { v * self } }
        impl AddAssign for Vec3 { fn add_assign(&mut self, o: Vec3) { *self = *self + o; } }
        impl PartialEq for Vec3 { fn eq(&self, o: &Self) -> bool { self.x == o.x } }
    } |x: f32| -> f32 {
        let mut v = Vec3::new(x, 1.0, 2.0);
        v += Vec3::splat(0.5) * 2.0;
        v.scale(0.25);
        let w = 2.0 * v - Vec3::ONES * v.tripled() + Vec3::ZERO;
        let mut list = [v, w];
        list[1].scale(3.0);
        list[0] += -list[1];
        if v == w || v != Vec3::ZERO { list[0].x += 1.0; }
        let r = &list[0];
        (v + w).dot(w) + v.square() + list[1].y + list[0].square() + r.dot(v) + r.square()
    }, FLOATS);
}

#[test]
fn traits() {
    with!({
        pub trait Shape: Copy {
            const SIDES: u32;
            const TWICE: u32 = Self::SIDES * 2;
            type Size;
            fn area(&self) -> u32;
            fn named(x: u32) -> Self;
            fn area2(&self) -> u32 { self.area() * 2 + Self::TWICE }
            fn both(self, other: Self) -> u32 { self.area2() + other.area() }
        }
        #[derive(Clone, Copy)]
        pub struct Square(pub u32);
        #[derive(Clone, Copy)]
        pub struct Rect { pub a: u32, pub b: u32 }
        impl Shape for Square {
            const SIDES: u32 = 4;
            type Size = u32;
            fn area(&self) -> u32 { self.0 * self.0 }
            fn named(x: u32) -> Self { Self(x) }
        }
        impl Shape for Rect {
            const SIDES: u32 = 40;
            type Size = (u32, u32);
            fn area(&self) -> u32 { self.a * self.b }
            fn named(x: u32) -> Self { Self { a: x, b: 2 } }
            fn area2(&self) -> u32 { 1 }
        }
        impl Shape for u32 {
            const SIDES: u32 = 7;
            const TWICE: u32 = 15;
            type Size = u32;
            fn area(&self) -> u32 { *self }
            fn named(x: u32) -> u32 { x + 1 }
        }
        pub fn total<T: Shape>(x: u32, n: u32) -> u32 {
            let mut sum = T::TWICE;
            let s = T::named(x);
            for _ in 0..n { sum += s.area2() + Shape::area(&s) + s.both(T::named(1)); }
            sum
        }
        pub fn free(x: u32, _: u32) -> u32 { x.area2() + u32::named(4) }
    } |x: u32| -> u32 {
        let s = Square(x);
        total::<Square>(x, 3) + total::<Rect>(x, 2) * 1000 + total::<u32>(x, 2) * 100_000
            + s.area() + s.both(Square::named(3)) + <Rect as Shape>::named(x).area() + <Rect as Shape>::SIDES + free(x, 1)
            + Square::SIDES + Shape::area(&x)
    }, SMALL);
}

#[test]
fn enums() {
    with!({
        #[derive(Clone, Copy, PartialEq)]
        pub enum Side { Left, Right }
        impl Side {
            pub const START: Side = Side::Left;
            pub const COUNT: usize = 2;
            pub fn of(x: u32) -> Self { if x % 2 == 0 { Self::Left } else { Side::Right } }
            pub fn other(self) -> Self { match self { Self::Left => Self::Right, Side::Right => Self::Left } }
            pub fn number(&self) -> u32 { *self as u32 + Self::COUNT as u32 }
        }
        impl core::ops::Not for Side { type Output = Self; fn not(self) -> Self { self.other() } }
        pub const WEIGHTS: [u32; Side::COUNT] = [5, 6];
    } |x: u32| -> u32 {
        let s = Side::of(x);
        let n = if !s == Side::START { 100 } else { 0 };
        n + s.other().number() + WEIGHTS[(x % 2) as usize] + s.number() * 10
    }, SMALL);
}
