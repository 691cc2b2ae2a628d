//! The value of a `const` block is that which rustc computes, also where the kernel's own products fuse with sums and its
//! quotients are approximations.

#![allow(
    clippy::eq_op,
    reason = "the roundings of the two sides differ, which clippy does not see"
)]

use vyre_semantics::places::everywhere;

/// A constant that rustc alone knows.
const SCALE: f32 = 0.1;

#[vyre::device]
const OFFSET: f32 = -1.0;

#[vyre::device]
const fn tenfold(x: f32) -> f32 {
    x * 10.0 - 1.0
}

#[vyre::device]
const fn by_a_call(x: f32) -> f32 {
    tenfold(x) + x / 3.0
}

/// The same code, with options and without.
macro_rules! forms {
    ($name:ident $($option:ident)?) => {
        #[vyre::kernel(block = 1 $(, $option)?)]
        fn $name(x: f32, y: &mut [f32], wide: &mut [f64]) {
            y[0] = const { 0.1 * 10.0 - 1.0 };
            y[1] = const { SCALE * 10.0 + OFFSET };
            y[2] = const { let p = SCALE * SCALE; 0.01 - p };
            y[3] = const { by_a_call(0.1) };
            y[4] = const { SCALE / 3.0 + 10.0 / 7.0 };
            // The product of the block is rounded, and then subtracted.
            y[5] = const { SCALE * 10.0 } - x * 10.0;
            let product = const { let p = SCALE * 0.3; p };
            y[6] = product - 0.03;
            let table = const { [SCALE * 10.0 - 1.0, 0.3 * 0.3 - 0.09] };
            y[7] = table[(x * 10.0) as usize];
            wide[0] = const { 0.1 * 10.0 - 1.0 };
            wide[1] = x as f64 * 10.0 - 1.0;
        }
    };
}
forms!(separate);
forms!(fused contract);
forms!(approximate fast_math);

/// The values of rustc, and of the two that the kernel computes with its argument what they are if products do not fuse.
fn expected() -> ([f32; 8], [f64; 2]) {
    const Y: [f32; 5] = [
        0.1 * 10.0 - 1.0,
        SCALE * 10.0 + OFFSET,
        0.01 - SCALE * SCALE,
        by_a_call(0.1),
        SCALE / 3.0 + 10.0 / 7.0,
    ];
    let x = std::hint::black_box(SCALE);
    let rest = [SCALE * 10.0 - x * 10.0, SCALE * 0.3 - 0.03, 0.3 * 0.3 - 0.09];
    let mut y = [0.0; 8];
    y[..5].copy_from_slice(&Y);
    y[5..].copy_from_slice(&rest);
    const WIDE: f64 = 0.1 * 10.0 - 1.0;
    (y, [WIDE, f64::from(x) * 10.0 - 1.0])
}

#[test]
fn values_are_those_of_rustc() {
    let (y, wide) = expected();
    // Fused, the product of the argument is not rounded before the sum.
    let mut fused = y;
    fused[5] = (-SCALE).mul_add(10.0, SCALE * 10.0);
    assert_ne!(fused[5], y[5]);
    let fused_wide = [wide[0], f64::from(SCALE).mul_add(10.0, -1.0)];
    assert_ne!(SCALE.mul_add(10.0, -1.0), y[0]);
    everywhere(|place| {
        let device = place.device();
        let (mut found, mut found_wide) = (device.zeros::<f32>(8)?, device.zeros::<f64>(2)?);
        place.over(separate(SCALE, &mut found, &mut found_wide), 1)?;
        assert_eq!(found.download()?, y, "on {}", place.name());
        assert_eq!(found_wide.download()?, wide, "on {}", place.name());
        place.over(self::fused(SCALE, &mut found, &mut found_wide), 1)?;
        assert_eq!(found.download()?, fused, "on {}", place.name());
        assert_eq!(found_wide.download()?, fused_wide, "on {}", place.name());
        place.over(approximate(SCALE, &mut found, &mut found_wide), 1)?;
        assert_eq!(found.download()?, fused, "on {}", place.name());
        assert_eq!(found_wide.download()?, fused_wide, "on {}", place.name());
        Ok(())
    });
}
