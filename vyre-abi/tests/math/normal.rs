//! Reciprocals and roots as `vyre-core/src/ptx/normal.rs` refines them from approximations.

/// The number so many steps away.
fn moved(x: f32, steps: i32) -> f32 {
    f32::from_bits(x.to_bits().wrapping_add_signed(steps))
}

/// Every how manieth mantissa is tried: an odd number.
const STEP: usize = if cfg!(debug_assertions) { 257 } else { 1 };

/// Numbers whose inverse roots are nearest to the middle between two numbers.
const NEAR_MIDDLES: [u32; 5] = [0x3fba2a39, 0x3fdae942, 0x3fed3230, 0x4009f038, 0x407ffffe];

/// The number nearest to 1 / sqrt(x), by exact comparisons with the middle between two numbers; for x from 1 to 4.
fn nearest(x: f32) -> f32 {
    let mut y = (1.0 / f64::from(x).sqrt()) as f32;
    for steps in [1, -1] {
        let next = moved(y, steps);
        // middle^2 x, beside 1: 30 bits behind the point of the middle, and 23 behind that of x.
        let middle = ((f64::from(y) + f64::from(next)) / 2.0 * f64::from(1 << 30)) as u128;
        let product = middle * middle * (f64::from(x) * f64::from(1 << 23)) as u128;
        if (product < 1 << 83) == (steps > 0) {
            y = next;
        }
    }
    y
}

#[test]
fn all_approximations_lead_to_the_nearest_inverse_root() {
    // One of each 4 powers of two has all relations of mantissas.
    for bits in (0x3f800001..0x40800000u32).step_by(STEP).chain(NEAR_MIDDLES) {
        let x = f32::from_bits(bits);
        let root = nearest(x);
        assert_eq!(vyre_abi::semantics::normal_rsqrt(x), root, "{x:e}");
        for steps in -4..=4 {
            let y = moved(root, steps);
            if (f64::from(y) * f64::from(x).sqrt() - 1.0).abs() > 2f64.powf(-22.9) {
                continue;
            }
            let product = x * y;
            let cut = x.mul_add(y, -product);
            let error = (-cut).mul_add(y, (-product).mul_add(y, 1.0));
            let step = y * error;
            assert_eq!(step.mul_add(error.mul_add(0.40625, 0.5), y), root, "{x:e} from {y:e}");
        }
    }
}
