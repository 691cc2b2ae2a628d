//! Calls of generic functions on their parameters, resolved by rustc and vyre through the bounds
//! alone, on every back end. The same functions run on the host.

use core::ops::{Add, AddAssign, Mul, Neg, Sub};

use vyre::prelude::*;
use vyre_semantics::{everywhere, ptx};

/// Implemented for all floats, but never selected: `Float` has a method of this name.
trait Root: Sized {
    fn sqrt(self) -> Self;
}

impl<T: Float> Root for T {
    fn sqrt(self) -> T {
        T::from_f32(42.0)
    }
}

#[vyre::device]
mod algebra {
    use core::ops::{Add, Mul, Neg, Sub};

    use vyre::{Float, Number};

    pub(super) trait Zero: Copy {
        const ZERO: Self;

        fn is_zero(&self) -> bool;

        fn zero() -> Self {
            Self::ZERO
        }
    }

    pub(super) trait Space: Zero + Add<Output = Self> + Mul<f32, Output = Self> + Neg<Output = Self> {
        type Scalar: Number;
        type Key: Copy + PartialEq;
        const SIZE: usize;

        fn dot(self, other: Self) -> Self::Scalar;
        fn key(&self) -> Self::Key;
        fn of_key(key: Self::Key) -> u32;

        fn scaled(self, by: f32) -> Self {
            self * by
        }

        fn double(&mut self) {
            *self = *self + *self;
        }
    }

    #[derive(Clone, Copy)]
    pub(super) struct V2(pub(super) f32, pub(super) f32);

    impl Zero for V2 {
        const ZERO: V2 = V2(0.0, 0.0);

        fn is_zero(&self) -> bool {
            self.0 == 0.0
        }
    }

    impl Add for V2 {
        type Output = V2;

        fn add(self, o: V2) -> V2 {
            V2(self.0 + o.0, self.1 + o.1)
        }
    }

    impl Sub for V2 {
        type Output = V2;

        fn sub(self, o: V2) -> V2 {
            V2(self.0 - o.0, self.1 - o.1)
        }
    }

    impl Neg for V2 {
        type Output = V2;

        fn neg(self) -> V2 {
            V2(-self.0, -self.1)
        }
    }

    impl Mul<f32> for V2 {
        type Output = V2;

        fn mul(self, by: f32) -> V2 {
            V2(self.0 * by, self.1 * by)
        }
    }

    impl Space for V2 {
        type Scalar = f32;
        type Key = u32;
        const SIZE: usize = 2;

        fn dot(self, o: V2) -> f32 {
            self.0 * o.0 + self.1 * o.1
        }

        fn key(&self) -> u32 {
            self.0 as u32
        }

        fn of_key(key: u32) -> u32 {
            key + 1
        }
    }

    impl Zero for f32 {
        const ZERO: f32 = 0.0;

        fn is_zero(&self) -> bool {
            *self == 0.0
        }
    }

    impl Space for f32 {
        type Scalar = f32;
        type Key = (u32, bool);
        const SIZE: usize = 1;

        fn dot(self, o: f32) -> f32 {
            self * o
        }

        fn key(&self) -> (u32, bool) {
            (*self as u32, *self > 1.0)
        }

        fn of_key(key: (u32, bool)) -> u32 {
            if key.1 { key.0 } else { 7 }
        }
    }

    pub(super) trait Area: Copy {
        fn area(&self) -> f32;

        fn twice(&self) -> f32 {
            2.0 * self.area()
        }
    }

    #[derive(Clone, Copy)]
    pub(super) struct Pair<T> {
        pub(super) a: T,
        pub(super) b: T,
    }

    impl<T: Float> Pair<T> {
        pub(super) const COUNT: u32 = 2;

        pub(super) fn new(a: T, b: T) -> Self {
            Pair { a, b }
        }

        pub(super) fn sum(&self) -> T {
            self.a + self.b
        }

        pub(super) fn map(self, f: impl Fn(T) -> T) -> Self {
            Self::new(f(self.a), f(self.b))
        }

        pub(super) fn norm(&self) -> T {
            (self.a * self.a + self.b * self.b).sqrt()
        }

        pub(super) fn largest(&self) -> T {
            let a = &self.a;
            a.max(self.b).abs()
        }

        pub(super) fn swap(&mut self) {
            (self.a, self.b) = (self.b, self.a);
        }
    }

    impl<T: Float> Add for Pair<T> {
        type Output = Pair<T>;

        fn add(self, o: Self) -> Self {
            Pair::new(self.a + o.a, self.b + o.b)
        }
    }

    impl<T: Float> Mul<T> for Pair<T> {
        type Output = Pair<T>;

        fn mul(self, by: T) -> Self {
            self.map(|x| x * by)
        }
    }

    impl<T: Float> Area for Pair<T> {
        fn area(&self) -> f32 {
            1.5
        }
    }
}
use algebra::{Area, Pair, Space, V2};

#[vyre::device]
fn numbers<T: Float>(x: T, y: &T) -> T {
    (x * x + *y * *y).sqrt() + y.abs().max(x) - T::max(x, T::ONE) + T::default()
}

#[vyre::device]
fn integers<T: Integer>(x: T, n: u32) -> T {
    let y = (x << 3) ^ (x >> n) & !x;
    if y.count_ones() > 3 && x.min(y) < y {
        y.rotate_left(n).wrapping_add(T::ONE)
    } else {
        x.clamp(T::MIN, y.max(x))
    }
}

#[vyre::device]
fn spaces<S>(x: S, y: &S) -> f32
where
    S: Space<Scalar = f32>,
{
    let mut z = x + *y * 2.0;
    z.double();
    let d = z.scaled(0.5).dot(-*y);
    if y.is_zero() || S::zero().key() == z.key() {
        d.abs()
    } else {
        (d + d).max(d) + S::of_key(x.key()) as f32 + S::SIZE as f32
    }
}

#[vyre::device]
fn between<V>(a: V, b: V, t: f32) -> V
where
    V: Copy + Add<Output = V> + Sub<Output = V> + Mul<f32, Output = V> + Neg,
{
    a + (b - a) * t
}

/// Operator results of unspecified type.
#[vyre::device]
fn yields<T: Copy + Add + Sub>(a: T, b: T) -> bool {
    let sum = Some(a + b);
    let difference = if sum.is_some() { Some(a - b) } else { None };
    difference.is_some()
}

#[vyre::device]
fn folded<T: Copy + AddAssign, const N: usize>(xs: [T; N], first: T, f: impl Fn(&T) -> T) -> T {
    let mut sum = first;
    for x in &xs {
        sum += f(x);
    }
    for i in 0..xs.len() {
        sum += xs[i];
    }
    sum
}

#[vyre::device]
fn pairs<T: Float>(p: Pair<T>, q: &Pair<T>) -> T {
    let mut r = (p + *q) * T::from_f32(0.5);
    r.swap();
    let whole = Some(r.a).filter(|x| x.is_finite()).map(|x| x.floor());
    let list = [r.sum(), q.norm(), q.largest(), whole.unwrap_or(T::ZERO)];
    let mut best = list[0];
    for v in list.iter() {
        best = best.max(*v);
    }
    let areas = r.area() + Pair::<T>::new(best, list[3]).twice();
    best + T::from_f32(areas) + list.iter().copied().fold(T::ZERO, |a, b| a + b)
}

#[vyre::device]
fn each<F: FnMut(usize, &mut f32), const N: usize>(xs: &mut [f32; N], mut f: F) {
    for i in 0..N {
        f(i, &mut xs[i]);
    }
}

#[vyre::device]
fn smaller<T: PartialOrd + Copy>(xs: &[T], than: &T) -> usize {
    let mut count = 0;
    for x in xs {
        if *x < *than {
            count += 1;
        }
    }
    count + xs.len()
}

#[vyre::device]
fn mixed(a: f32, b: f32) -> f32 {
    let p = Pair { a, b };
    let mut xs = [a, b, 1.0];
    each(&mut xs, |i, x| *x += i as f32);
    let of_types = spaces(V2(a, b), &V2(b, 1.0)) + spaces(a, &b) + pairs(p, &Pair { a: b, b: a });
    let of_bounds = between(V2(a, b), V2(b, a), 0.25).0 + folded([a, b, 3.0], 0.5, |x| *x * 2.0);
    let of_numbers = numbers(a, &b) + integers(77u32, 3) as f32 + integers(-5i16, 2) as f32;
    of_types
        + of_bounds
        + of_numbers
        + xs[2]
        + smaller(&xs, &2.0) as f32
        + Pair::<f32>::COUNT as f32
        + yields(a, b) as u32 as f32
}

#[vyre::kernel]
fn everything(#[each] x: &[f32; 2], #[each] y: &mut f32) {
    *y = mixed(x[0], x[1]);
}

#[test]
fn methods_of_bounds() {
    everywhere(|place| {
        let inputs = [[3.5, -1.25], [0.0, 2.0], [-7.5, 0.5], [1.0, 0.0]];
        let x = place.device().upload(&inputs)?;
        let mut y = place.device().zeros::<f32>(inputs.len())?;
        let kernel = Everything {
            x: (&x).into(),
            y: (&mut y).into(),
        };
        place.over(kernel, inputs.len())?;
        let wanted = inputs.map(|[a, b]| mixed(a, b).to_bits());
        let found: Vec<u32> = y.download()?.into_iter().map(f32::to_bits).collect();
        assert_eq!(found, wanted, "on {}", place.name());
        assert_eq!(Root::sqrt(1.0f32), 42.0);
        Ok(())
    });
}

#[test]
fn ptxas_accepts_it() {
    use vyre::Kernel as _;
    ptx::assembled(&[Everything::info()]);
}
