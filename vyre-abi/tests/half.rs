//! Floats of 16 bits against the crate `half`, and where it is not specified, against exact
//! integers.

use vyre_abi::scalar::Constant;
use vyre_abi::semantics::{BF16, F16, Half, mul_add};

#[path = "../../tests/support/src/random.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "the generator of all tests; a dependency on its package would be a circle"
)]
mod random;

/// Random bits.
fn random(count: usize) -> impl Iterator<Item = u32> {
    random::Random::new(1).words(count).into_iter()
}

#[test]
fn all_widen_as_in_half() {
    for bits in 0..=u16::MAX {
        for (ours, theirs) in [
            (F16::from_bits(bits).widen(), half::f16::from_bits(bits).to_f32()),
            (BF16::from_bits(bits).widen(), half::bf16::from_bits(bits).to_f32()),
        ] {
            let same = ours.to_bits() == theirs.to_bits() || ours.is_nan() && theirs.is_nan();
            assert!(same, "{bits:#x}: {ours:e}, not {theirs:e}");
            assert_eq!(ours.is_sign_negative(), bits >> 15 == 1);
        }
        let (f16, bf16) = (F16::from_bits(bits).widen(), BF16::from_bits(bits).widen());
        assert!(f16.is_nan() || F16::narrow(f16).to_bits() == bits);
        assert!(bf16.is_nan() || BF16::narrow(bf16).to_bits() == bits);
        assert_eq!(F16::narrow(f16).widen().is_nan(), f16.is_nan());
    }
}

#[test]
fn floats_narrow_as_in_half() {
    // Next to every value, and halfway to the next.
    let near = (0..=u16::MAX).flat_map(|bits| {
        let f16 = F16::from_bits(bits).widen().to_bits();
        let bf16 = u32::from(bits) << 16;
        [
            f16,
            f16 | 0xfff,
            f16 | 0x1000,
            f16 | 0x1001,
            bf16 | 0x7fff,
            bf16 | 0x8000,
            bf16 | 0x8001,
        ]
    });
    for bits in near.chain(random(1 << 20)) {
        let value = f32::from_bits(bits);
        let (ours, theirs) = (F16::narrow(value).to_bits(), half::f16::from_f32(value).to_bits());
        assert!(
            ours == theirs || value.is_nan() && ours & 0x7fff > 0x7c00,
            "{value:e}: {ours:#x}, not {theirs:#x}"
        );
        let (ours, theirs) = (BF16::narrow(value).to_bits(), half::bf16::from_f32(value).to_bits());
        assert!(
            ours == theirs || value.is_nan() && ours & 0x7fff > 0x7f80,
            "{value:e}: {ours:#x}, not {theirs:#x}"
        );
        assert!(!value.is_nan() || ours >> 15 == (bits >> 31) as u16);
    }
}

/// Checks by its neighbours that `result` is `value` rounded to nearest, ties to even.
fn nearest<T: Half>(value: f64, result: T, bits: u16, infinity: u16) {
    assert_eq!(bits >> 15 == 1, value.is_sign_negative(), "{value:e}");
    let of = |size: u16| match size {
        // Past the largest number, the next one of an unbounded exponent counts.
        _ if size == infinity => f64::from(of_bits::<T>(infinity - 1)) * 2.0 - f64::from(of_bits::<T>(infinity - 2)),
        _ => f64::from(of_bits::<T>(size)),
    };
    let (size, own) = (value.abs(), bits & 0x7fff);
    // Half steps are exact in f64.
    let even = own % 2 == 0;
    if own > 0 {
        let middle = f64::midpoint(of(own - 1), of(own));
        assert!(
            size > middle || size == middle && even,
            "{value:e} becomes {:e}",
            result.widen()
        );
    }
    if own < infinity {
        let middle = f64::midpoint(of(own), of(own + 1));
        assert!(
            size < middle || size == middle && even,
            "{value:e} becomes {:e}",
            result.widen()
        );
    }
}

fn of_bits<T: Half>(bits: u16) -> f32 {
    T::of(Constant::new(T::SCALAR, u64::from(bits))).widen()
}

#[test]
fn wide_floats_round_once() {
    let ties = (0..=u16::MAX).flat_map(|bits| {
        let (f16, bf16) = (F16::from_bits(bits).widen(), BF16::from_bits(bits).widen());
        let f16 = f64::from(f32::from_bits(f16.to_bits() | 0x1000)).to_bits();
        let bf16 = f64::from(f32::from_bits(bf16.to_bits() | 0x8000)).to_bits();
        [f16 - 1, f16, f16 + 1, bf16 - 1, bf16, bf16 + 1]
    });
    let limits = [
        0.0,
        f64::from_bits(1),
        f64::MIN_POSITIVE,
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
    ];
    let limits = limits
        .into_iter()
        .flat_map(|value| [value.to_bits(), (-value).to_bits()]);
    let random = random(1 << 16).map(|bits| u64::from(bits) << 30 | 0x3000_0000_1234_5678);
    for value in ties.chain(limits).chain(random).map(f64::from_bits) {
        let (f16, bf16) = (F16::narrow_wide(value), BF16::narrow_wide(value));
        if value.is_nan() {
            assert!(f16.widen().is_nan() && bf16.widen().is_nan());
            continue;
        }
        nearest(value, f16, f16.to_bits(), 0x7c00);
        nearest(value, bf16, bf16.to_bits(), 0x7f80);
    }
    // As an `f32` this is a tie.
    assert_eq!(
        F16::narrow_wide(1.0 + 2f64.powi(-11) + 2f64.powi(-50)).to_bits(),
        0x3c01
    );
}

/// A finite `f16` in units of 2^-48.
fn units(value: f32) -> i128 {
    (f64::from(value) * 2f64.powi(48)) as i128
}

#[test]
fn mul_add_of_f16_rounds_once() {
    let of = |bits: u32| F16::from_bits(bits as u16);
    let mut values = random(1 << 18);
    while let (Some(a), Some(b)) = (values.next(), values.next()) {
        let (a, b, c) = (of(a), of(a >> 16), of(b));
        let [x, y, z] = [a, b, c].map(F16::widen);
        let result = mul_add(a, b, c);
        if ![x, y, z].iter().all(|x| x.is_finite()) {
            continue;
        }
        // Products of units of 2^-24 are units of 2^-48.
        let exact = (units(x) >> 24) * (units(y) >> 24) + units(z);
        let (bits, got) = (result.to_bits(), units(result.widen()));
        if !result.widen().is_finite() {
            assert!(exact.abs() >= 65520 << 48);
            continue;
        }
        let gap = |other: u16| (units(of(u32::from(other)).widen()) - got).abs();
        let own = bits & 0x7fff;
        let up = if own == 0x7bff { 32 << 48 } else { gap(bits + 1) };
        let down = if own == 0 { up } else { gap(bits - 1) };
        let rest = exact.abs() - got.abs();
        let step = if rest > 0 { up } else { down };
        let near = 2 * rest.abs() < step || 2 * rest.abs() == step && own % 2 == 0;
        assert!(near, "{x:e} * {y:e} + {z:e} = {:e}", result.widen());
    }
}
