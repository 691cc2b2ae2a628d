use super::{inverse, inverse_signed};

/// Divisors and dividends at which such algorithms typically fail.
fn edges(width: u32) -> Vec<u64> {
    let most = u64::MAX >> (64 - width);
    let mut edges: Vec<u64> = (0..40).collect();
    for bit in 3..width {
        for near in [-2i64, -1, 0, 1, 2] {
            edges.push((1u64 << bit).wrapping_add(near as u64) & most);
        }
    }
    edges.extend([
        most,
        most - 1,
        most / 3,
        most / 5,
        most / 7,
        most / 7 + 1,
        641,
        6_700_417,
        1_000_000_007 & most,
    ]);
    edges
}

#[test]
fn unsigned_quotients_are_exact() {
    for width in [32, 64] {
        let most = u64::MAX >> (64 - width);
        for divisor in edges(width) {
            if divisor < 2 {
                continue;
            }
            for limit in [most, most / 2, 65535, divisor.saturating_mul(2).min(most)] {
                let Some((factor, shift)) = inverse(width, divisor, limit) else {
                    continue;
                };
                for number in edges(width)
                    .into_iter()
                    .flat_map(|e| [e, e / divisor * divisor, (e / divisor * divisor).wrapping_sub(1) & most])
                {
                    if number <= limit {
                        let quotient = ((u128::from(number) * u128::from(factor)) >> width) as u64 >> shift;
                        assert_eq!(quotient, number / divisor, "{number} / {divisor}, {width} bits");
                    }
                }
            }
        }
    }
}

#[test]
fn signed_quotients_are_exact() {
    for divisor in edges(32) {
        if divisor < 3 || divisor.is_power_of_two() || divisor > i32::MAX as u64 {
            continue;
        }
        let (factor, shift) = inverse_signed(32, divisor);
        for number in edges(32) {
            let number = number as u32 as i32;
            let mut product = ((i64::from(number) * i64::from(factor as u32 as i32)) >> 32) as i32;
            if (factor as u32 as i32) < 0 {
                product = product.wrapping_add(number);
            }
            let quotient = (product >> shift).wrapping_sub(number >> 31);
            assert_eq!(quotient, number / divisor as i32, "{number} / {divisor}");
        }
    }
}
