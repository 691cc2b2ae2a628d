//! Let chains.

use vyre_semantics::agree;

agree! {
    fn one_after_the_other(a: u32, b: u32) -> u32 {
        if let Some(sum) = a.checked_add(b) && sum > 7 && let Some(rest) = sum.checked_sub(a / 2) {
            rest
        } else if a > b && let (7..=99, low) = (a % 128, b % 128) {
            low
        } else {
            !a
        }
    }
    fn parts_change_what_they_bind(a: i32, b: i32) -> i32 {
        let mut steps = 1;
        let found = if { steps += 1; a > -5 }
            && let Some(mut v) = a.checked_add(1)
            && { v /= 2; steps += 10; v != b }
            && let w @ 0.. = v
        {
            w ^ b
        } else {
            b / 2
        };
        found ^ (steps << 20)
    }
    fn rounds(a: u8, b: u8) -> u32 {
        let (mut left, mut count) = (Some(a), 0);
        'all: while count < 300 && let Some(v) = left && let Some(next) = v.checked_sub(b / 8 + 1) {
            count += 1;
            left = if next == 7 { None } else { Some(next) };
            if v & 3 == 1 && let Some(5..=9) = left {
                break 'all;
            }
            if let Some(n) = left && n == 100 {
                continue;
            }
            count += 2;
        }
        count * 1000 + left.unwrap_or(0) as u32
    }
}
