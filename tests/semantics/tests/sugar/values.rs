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
        let pick = if a > b { f32::max } else { f32::min };
        let turned = match (a as i32) % 3 {
            0 => f32::abs,
            1 | -1 => f32::floor,
            _ => f32::ceil,
        };
        let root = f32::sqrt;
        pick(turned(a), 1.5) + root(pick(b, 4.0).abs())
    }
}

agree! {
    fn signs_of_nans(a: f32, b: f32) -> u32 {
        let nan = f32::NAN.copysign(b);
        let from = 1.0f32.copysign(f32::NAN.copysign(-2.0)) as i32 as u32;
        let other = 2.0f32.copysign(nan).to_bits() ^ (a + nan).is_nan() as u32;
        from ^ other.rotate_left(3) ^ nan.is_sign_negative() as u32 ^ nan.abs().is_nan() as u32
    }
}
