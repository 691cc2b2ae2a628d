//! `cast`, `to_f32` and `to_f64` between all numbers, beside `as`; on the host too.

/// For each type: the value that `as` casts, and the value that a half is made of.
macro_rules! casts {
    ($($T:ident $a:ident => $plain:expr, $from:ident $value:expr;)*) => {$(
        mod $T {
            use vyre::{Float, Number, bf16, f16};
            use vyre_semantics::agree;

            agree! {
                fn to_integers($a: $T) -> u64 {
                    let narrow = ($a.cast::<i8>() as u64) ^ ($a.cast::<u8>() as u64).rotate_left(8) ^ ($a.cast::<i16>() as u64).rotate_left(16) ^ ($a.cast::<u16>() as u64).rotate_left(24);
                    let word = ($a.cast::<i32>() as u64).rotate_left(32) ^ ($a.cast::<u32>() as u64).rotate_left(3);
                    let long = ($a.cast::<i64>() as u64).rotate_left(11) ^ $a.cast::<u64>().rotate_left(19);
                    let (signed, unsigned): (isize, usize) = ($a.cast(), $a.cast());
                    narrow ^ word ^ long ^ (signed as u64).rotate_left(27) ^ (unsigned as u64).rotate_left(35)
                } as {
                    let v = $plain;
                    let narrow = (v as i8 as u64) ^ (v as u8 as u64).rotate_left(8) ^ (v as i16 as u64).rotate_left(16) ^ (v as u16 as u64).rotate_left(24);
                    let word = (v as i32 as u64).rotate_left(32) ^ (v as u32 as u64).rotate_left(3);
                    let long = (v as i64 as u64).rotate_left(11) ^ (v as u64).rotate_left(19);
                    narrow ^ word ^ long ^ (v as isize as u64).rotate_left(27) ^ (v as usize as u64).rotate_left(35)
                }
                fn to_single($a: $T) -> f32 { $a.to_f32() } as { $plain as f32 }
                fn to_double($a: $T) -> f64 { $a.to_f64() } as { $plain as f64 }
                fn to_f16($a: $T) -> f16 { $a.cast() } as { <f16 as Float>::$from($value) }
                fn to_bf16($a: $T) -> bf16 { $a.cast::<bf16>() } as { <bf16 as Float>::$from($value) }
            }

            /// A generic function on the host has the values of `as`.
            #[test]
            #[allow(warnings, clippy::all, reason = "the same for all types")]
            fn on_the_host() {
                use vyre_semantics::values::{Value, singles};
                for $a in singles::<$T>() {
                    let v = $plain;
                    assert_eq!((v as i8, v as u16, v as i32, v as u64), super::mixed::integers($a), "{:?}", $a);
                    let (single, double, half) = super::mixed::floats($a);
                    assert!((v as f32).same(single) && (v as f64).same(double), "{:?}", $a);
                    assert!(<f16 as Float>::$from($value).same(half), "{:?}", $a);
                }
            }
        }
    )*};
}

casts! {
    i8 a => a, from_f32 a as f32;
    i16 a => a, from_f32 a as f32;
    i32 a => a, from_f32 a as f32;
    i64 a => a, from_f32 a as f32;
    isize a => a, from_f32 a as f32;
    u8 a => a, from_f32 a as f32;
    u16 a => a, from_f32 a as f32;
    u32 a => a, from_f32 a as f32;
    u64 a => a, from_f32 a as f32;
    usize a => a, from_f32 a as f32;
    f32 a => a, from_f32 a;
    f64 a => a, from_f64 a;
    f16 a => f16::to_f32(a), from_f32 f16::to_f32(a);
    bf16 a => bf16::to_f32(a), from_f32 bf16::to_f32(a);
}

/// Generic functions and kernels.
mod mixed {
    use vyre::prelude::*;
    use vyre::{Element, bf16, f16};
    use vyre_semantics::everywhere;

    pub(super) fn integers<T: Number>(value: T) -> (i8, u16, i32, u64) {
        (value.cast(), value.cast(), value.cast(), value.cast())
    }

    pub(super) fn floats<T: Number>(value: T) -> (f32, f64, f16) {
        (value.to_f32(), value.to_f64(), value.cast())
    }

    /// A mean of numbers of one type in another one, computed in a third.
    #[vyre::device]
    fn mean<T: Number, S: Float, const N: usize>(values: &[T; N]) -> S {
        let mut sum = S::ZERO;
        for value in values {
            sum += value.cast::<S>();
        }
        sum / N.cast()
    }

    #[vyre::kernel(T = [bf16, f32, i16], U = [f16, f64, u8])]
    fn means<T: Number, U: Number>(#[each] x: &[T; 4], #[each] y: &mut U, #[each] z: &mut f32) {
        *y = mean::<T, f64, 4>(x).cast();
        let [first, ..] = *x;
        *z = T::to_f32(first) * 0.5 + U::cast::<f32>(*y);
    }

    /// Each instance has the values of the same function on the host.
    fn check<T, U>(values: [[T; 4]; 2])
    where
        T: Number + MeansInstance<U> + Element,
        U: Number + Element,
    {
        everywhere(|place| {
            let device = place.device();
            let (x, mut y, mut z) = (device.upload(&values)?, device.zeros::<U>(2)?, device.zeros::<f32>(2)?);
            place.over(means::<T, U>(&x, &mut y, &mut z), 2)?;
            for ((x, y), z) in values.iter().zip(y.download()?).zip(z.download()?) {
                assert!(y == mean::<T, f64, 4>(x).cast(), "on {}", place.name());
                assert!(z == x[0].to_f32() * 0.5 + y.to_f32(), "on {}", place.name());
            }
            Ok(())
        });
    }

    #[test]
    fn mixed_precision() {
        let halves = [[1.5, 2.25, 300.0, -7.0], [0.1, 0.2, 0.3, 0.5]].map(|row| row.map(bf16::from_f32));
        check::<bf16, f16>(halves);
        check::<bf16, u8>(halves);
        check::<f32, f64>([[1.0e9, 2.5, -3.0, 0.1], [0.1; 4]]);
        check::<i16, f16>([[1, -2, 300, 4], [i16::MAX; 4]]);
        check::<i16, u8>([[1, -2, 300, 4], [i16::MIN; 4]]);
    }
}
