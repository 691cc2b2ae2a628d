//! Types with parameters against plain Rust.

use crate::behaviour::in_module;
use crate::support::{in_file, run_lowered, slice};

const SMALL: [u32; 8] = [0, 1, 2, 3, 4, 5, 9, 20];

#[test]
fn structs_with_type_parameters() {
    in_module!({
        #[derive(Clone, Copy, PartialEq)]
        pub struct Pair<T> { pub a: T, pub b: T }
        #[derive(Clone, Copy)]
        pub struct Two<A, B>(pub A, pub B);
        pub fn swapped<T: Copy>(p: Pair<T>) -> Pair<T> { Pair { a: p.b, b: p.a } }
        pub fn first<T: Copy>(p: &Pair<Pair<T>>) -> T { p.a.a }
        pub fn change<T: Copy>(p: &mut Pair<T>, to: T) { p.b = to; }
    } |x: u32| -> u32 {
        let p = swapped(Pair { a: x, b: 7 });
        let wide = Pair::<u64> { b: 1 << 40, a: x as u64 };
        let mut nested = Pair { a: p, b: Pair { a: 1, ..p } };
        let before = first(&nested);
        change(&mut nested.b, before + 3);
        let Pair { a, b: Pair { b: inner, .. } } = nested;
        let two = Two(1.5f32, Two::<u32, i32>(inner, -2));
        let Two(half, Two(number, sign)) = two;
        let same = Pair { a: a, b: a } == Pair { a: p, b: swapped(swapped(p)) };
        let literals = Pair { a: 250, b: 3 };
        number + half as u32 + (sign + 2) as u32 + (wide.b >> 38) as u32 + wide.a as u32 + same as u32
            + literals.a + (literals.b as u8 as u32)
    }, SMALL);
}

#[test]
fn structs_with_lengths() {
    in_module!({
        #[derive(Clone, Copy)]
        pub struct Mat<const R: usize, const C: usize> { pub rows: [[f32; C]; R] }
        #[derive(Clone, Copy)]
        pub struct V<T, const N: usize> { pub of: [T; N] }
        pub type V3<T> = V<T, 3>;
        pub fn product<const R: usize, const K: usize, const C: usize>(a: &Mat<R, K>, b: &Mat<K, C>) -> Mat<R, C> {
            let mut rows = [[0.0; C]; R];
            for r in 0..R {
                for c in 0..C {
                    for k in 0..K { rows[r][c] += a.rows[r][k] * b.rows[k][c]; }
                }
            }
            Mat { rows }
        }
        pub fn sum<T: Copy + core::ops::Add<Output = T>, const N: usize>(v: V<T, N>) -> T {
            let mut sum = v.of[0];
            for i in 1..N { sum = sum + v.of[i]; }
            sum
        }
    } |x: f32| -> f32 {
        let a = Mat { rows: [[x, 1.0, 2.0], [3.0, x, 4.0]] };
        let b = Mat::<3, 2> { rows: [[1.0, 2.0], [x, 4.0], [5.0, x]] };
        let c: Mat<2, 2> = product(&a, &b);
        let v: V3<f32> = V { of: [x, 2.0, 3.0] };
        let w: V<_, 2> = if (V3 { of: [1u8, 2, 3] }).of.len() == 3 { V { of: [1.5, 2.5] } } else { V { of: [x, x] } };
        c.rows[0][0] + 10.0 * c.rows[0][1] + 100.0 * c.rows[1][0] + 1000.0 * c.rows[1][1] + sum(v) + sum(w)
    }, [0.0, 1.0, -2.5, 3.25]);
}

#[test]
fn enums_with_parameters() {
    in_module!({
        #[derive(Clone, Copy, PartialEq)]
        pub enum Either<A, B> { Left(A), Right(B), Both { a: A, b: B }, Neither }
        #[derive(Clone, Copy)]
        pub struct Pair<T> { pub a: T, pub b: T }
        #[derive(Clone, Copy)]
        pub enum Small<T, const N: usize> { Full([T; N]), Part([T; N], usize) }
        pub fn classify(x: u32) -> Either<u32, Pair<f32>> {
            match x % 4 {
                0 => Either::Left(x),
                1 => Either::Right(Pair { a: x as f32, b: 0.5 }),
                2 => Either::Both { b: Pair { a: 1.0, b: 2.0 }, a: 9 },
                _ => Either::Neither,
            }
        }
        pub fn value<A: Copy, B: Copy>(e: Either<A, B>, default: A) -> A {
            match e {
                Either::Left(a) => a,
                Either::Both { a, .. } => a,
                Either::Right(_) | Either::<A, B>::Neither => default,
            }
        }
    } |x: u32| -> u32 {
        let e = classify(x);
        let other = Either::Left::<u32, Pair<f32>>(x);
        let right = match e {
            Either::Right(Pair { a, b }) => (a + b) * 2.0,
            Either::Both { b, .. } => b.b,
            _ => 0.0,
        };
        let small: Small<u32, 3> = if x > 4 { Small::Full([x, 1, 2]) } else { Small::Part([x, 5, 6], 1) };
        let counted = match small {
            Small::Full(all) => all[0] + all[1] + all[2],
            Small::Part(some, n) => some[n],
        };
        let mut last: Either<i32, u8> = Either::Neither;
        if let Either::Left(n) = other { last = Either::Right(n as u8); }
        let same = last == Either::Right(x as u8);
        value(e, 77) * 1000 + right as u32 + counted * 100 + same as u32
    }, SMALL);
}

#[test]
fn behaviour_with_parameters() {
    in_module!({
        use core::ops::{Add, AddAssign, Mul, Neg};
        pub trait Num: Copy + Add<Output = Self> + Mul<Output = Self> + core::ops::MulAssign { const NONE: Self; }
        impl Num for u32 { const NONE: u32 = 0; }
        impl Num for f32 { const NONE: f32 = 0.0; }
        #[derive(Clone, Copy)]
        pub struct Vec2<T> { pub x: T, pub y: T }
        impl<T: Num> Vec2<T> {
            pub const ZERO: Self = Self { x: T::NONE, y: T::NONE };
            pub fn new(x: T, y: T) -> Self { Self { x, y } }
            pub fn splat(v: T) -> Vec2<T> { Vec2::new(v, v) }
            pub fn dot(self, other: Self) -> T { self.x * other.x + self.y * other.y }
            pub fn scale(&mut self, by: T) { self.x *= by; self.y *= by; }
            pub fn turned(&self) -> Self { let Self { x, y } = *self; Self { x: y, y: x } }
        }
        impl Vec2<f32> {
            pub fn half(self) -> Self { self * 0.5 }
        }
        impl<T: Add<Output = T>> Add for Vec2<T> {
            type Output = Self;
            fn add(self, other: Self) -> Self::Output { Vec2 { x: self.x + other.x, y: self.y + other.y } }
        }
        impl<T: Copy + AddAssign> AddAssign for Vec2<T> {
            fn add_assign(&mut self, other: Self) { self.x += other.x; self.y += other.y; }
        }
        impl<T: Mul<Output = T> + Copy> Mul<T> for Vec2<T> {
            type Output = Vec2<T>;
            fn mul(self, by: T) -> Vec2<T> { Vec2 { x: self.x * by, y: self.y * by } }
        }
        impl<T: Neg<Output = T>> Neg for Vec2<T> {
            type Output = Vec2<T>;
            fn neg(self) -> Vec2<T> { Vec2 { x: -self.x, y: -self.y } }
        }
        pub trait Size { const WEIGHT: u32; type Part; fn size(&self) -> u32; fn part(self) -> Self::Part; fn weighed(&self) -> u32 { self.size() * Self::WEIGHT } }
        impl Size for u32 { const WEIGHT: u32 = 1; type Part = u32; fn size(&self) -> u32 { *self } fn part(self) -> u32 { self } }
        impl<T: Size + Copy> Size for Vec2<T> {
            const WEIGHT: u32 = 10 + T::WEIGHT;
            type Part = T;
            fn size(&self) -> u32 { self.x.size() + self.y.size() }
            fn part(self) -> T { self.x }
        }
        #[derive(Clone, Copy)]
        pub struct Row<const N: usize> { pub of: [u32; N] }
        impl<const N: usize> Row<N> {
            pub const LENGTH: usize = N;
            pub fn total(&self) -> u32 { let mut sum = 0; for i in 0..Self::LENGTH { sum += self.of[i]; } sum }
            pub fn filled(with: u32) -> Self { Row { of: [with; N] } }
        }
        pub fn total<S: Size>(a: S, b: &S) -> u32 { a.weighed() + b.size() }
    } |x: u32| -> u32 {
        let mut v = Vec2::new(x, 2) + Vec2::splat(1);
        v += Vec2::ZERO;
        v.scale(3);
        let w = (-Vec2 { x: 1.5f32, y: x as f32 }).turned().half() * 2.0;
        let nested = Vec2 { x: v, y: Vec2::<u32>::ZERO };
        let row = Row::<4>::filled(x);
        v.dot(v.turned()) + (w.y + 2.0 - w.x) as u32 + total(v, &v.turned()) + nested.weighed() + nested.part().part()
            + row.total() + Row { of: [1, 2] }.total() + Row::<5>::LENGTH as u32
    }, SMALL);
}

#[test]
fn methods_that_take_closures() {
    in_module!({
        #[derive(Clone, Copy)]
        pub struct V<T, const N: usize> { pub of: [T; N] }
        impl<T: Copy, const N: usize> V<T, N> {
            pub fn map<U: Copy>(self, f: impl Fn(T) -> U) -> V<U, N> {
                let mut of = [f(self.of[0]); N];
                for i in 1..N { of[i] = f(self.of[i]); }
                V { of }
            }
            pub fn fold<A, F>(&self, first: A, mut f: F) -> A where F: FnMut(A, T) -> A {
                let mut all = first;
                for i in 0..N { all = f(all, self.of[i]); }
                all
            }
            pub fn change(&mut self, f: &impl Fn(usize, T) -> T) {
                for i in 0..N { self.of[i] = f(i, self.of[i]); }
            }
            pub fn zip<B: Copy, C>(self, other: V<B, N>, of: C, f: impl Fn(C, T, B) -> C) -> C where C: Copy {
                let mut all = of;
                for i in 0..N { all = f(all, self.of[i], other.of[i]); }
                all
            }
        }
        pub trait Each: Copy {
            fn each(self, f: impl Fn(u32) -> u32) -> u32;
            fn twice(self, f: impl Fn(u32) -> u32) -> u32 { f(self.each(|x| f(x) + 1)) }
        }
        impl Each for u32 { fn each(self, f: impl Fn(u32) -> u32) -> u32 { f(self) } }
        impl<const N: usize> Each for V<u32, N> {
            fn each(self, f: impl Fn(u32) -> u32) -> u32 { self.map(f).fold(0, |a, b| a + b) }
        }
        impl V<u32, 2> { pub fn new(a: u32, b: u32) -> Self { V { of: [a, b] } } pub fn double(x: u32) -> u32 { 2 * x } }
        pub fn tripled(x: u32) -> u32 { 3 * x }
        pub fn all<E: Each>(e: E, by: u32) -> u32 { e.each(|x| x + by) + Each::each(e, tripled) }
    } |x: u32| -> u32 {
        let mut v = V::new(x, 2);
        v.change(&|i, a| a + i as u32);
        let mut n = 0;
        let doubled = v.map(|a| { a * 2 });
        let wide = v.map(|a| a as u64);
        let sum = doubled.fold(1.5, |sum: f32, a| { n += a; sum + a as f32 });
        let scale = |a: u32| a * x;
        let pair = wide.zip(v, x, |c, a, b| c + a as u32 * b);
        v.map(scale).fold(0, u32::max) + sum as u32 + n + pair + v.map(tripled).of[1] + v.map(V::<u32, 2>::double).of[0]
            + v.twice(|x| x + 5) + V::map(v, |x| x as u16).of[1] as u32 + all(v, 7) + all(x, x)
    }, SMALL);
}

#[test]
fn methods_with_written_types() {
    in_module!({
        #[derive(Clone, Copy)]
        pub struct Metres(pub f32);
        impl Metres {
            pub fn times<T: Copy + core::ops::Mul<Output = T>>(self, by: T, of: T) -> T { by * of }
            pub fn repeat<T: Copy, const N: usize>(&self, value: T) -> [T; N] { [value; N] }
            pub fn length<const N: usize>(self) -> usize { N }
        }
        pub const FOUR: usize = 4;
    } |x: u32| -> u32 {
        let m = Metres(x as f32);
        let all = m.repeat::<u8, 3>(200);
        let inferred = m.repeat::<_, FOUR>(x);
        m.times::<u64>(1 << 40, 2).count_ones() + all[2] as u32 + inferred[3] + m.length::<{ 2 + 3 }>() as u32
    }, SMALL);
}

#[test]
fn methods_of_traits_that_are_imported() {
    let modules = "
        #[device] mod a {
            pub trait A: Copy { fn area(&self) -> u32; fn both(self) -> u32 { self.area() + 100 } }
            #[derive(Clone, Copy)] pub struct S { pub x: u32 }
            impl A for S { fn area(&self) -> u32 { self.x + 1 } }
        }
        #[device] mod b {
            use super::a::S;
            pub trait B { fn area(&self) -> u32; fn both(self) -> u32; }
            impl B for S { fn area(&self) -> u32 { self.x + 20 } fn both(self) -> u32 { self.area() } }
        }";
    for (imports, wanted) in [
        ("use a::{A, S};", [4, 104]),
        ("use a::S; use b::B;", [23, 23]),
        ("use a::S; use b::B as Other;", [23, 23]),
        ("use a::S; use b::*;", [23, 23]),
        ("use a::S; use a::A as _;", [4, 104]),
    ] {
        let source = format!(
            "{modules} {imports}
            fn k(x: &[u32], y: &mut [u32]) {{ let s = S {{ x: x[0] }}; y[0] = s.area(); y[1] = s.both(); }}"
        );
        let lowered = in_file(&source).unwrap_or_else(|rejected| panic!("{:?}\n{source}", rejected.errors));
        let mut data = [slice(&[3u32]), slice(&[0u32; 2])];
        if let Err(error) = run_lowered(&lowered, &mut data, [1, 1, 1]) {
            panic!("{error:?}\n{source}");
        }
        assert_eq!(data[1].values::<u32>(), wanted, "{source}");
    }
}
