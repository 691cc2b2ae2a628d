//! Loops over elements, and destructuring conditions.

use super::{Kind, Pair, run};

#[test]
fn loops_over_elements() {
    same!(|x| {
        let a = [1, x, 3];
        let mut s = 0;
        for v in a {
            s = s * 3 + v;
        }
        s
    });
    same!(|x| {
        let a = [1, x, 3];
        let mut s = 0;
        for v in &a {
            s = s * 3 + *v;
        }
        s
    });
    same!(|x| {
        let a = [1, x, 3];
        let mut s = 0;
        for v in a.iter() {
            s = s * 3 + v;
        }
        s
    });
    same!(|x| {
        let a = [1, x, 3];
        let mut s = 0;
        for &v in a.iter().rev() {
            s = s * 3 + v;
        }
        s
    });
    same!(|x| {
        let a = [1, x, 3];
        let mut s = 0;
        for v in a.iter().copied() {
            s = s * 3 + v;
        }
        s
    });
    same!(|x| {
        let mut a = [1, x, 3];
        for v in a.iter_mut() {
            *v += 2;
        }
        for v in &mut a {
            *v *= 2;
        }
        a[0] + a[1] * 3 + a[2]
    });
    same!(|x| {
        let mut a = [1, x, 3];
        let mut s = 0;
        for v in a {
            a[2] = 7;
            s = s * 3 + v;
        }
        s + a[2]
    });
    same!(|x| {
        let a = [Pair(1, 2), Pair(x, 4)];
        let mut s = 0;
        for (i, p) in a.iter().enumerate() {
            if i == 0 {
                continue;
            }
            s += p.0 * 3 + p.1 + i as u32;
        }
        s
    });
    same!(|x| {
        let a = [Pair(1, 2), Pair(x, 4)];
        let mut s = 0;
        for (i, &Pair(p, _)) in a.iter().enumerate() {
            s += p + i as u32;
        }
        s
    });
    same!(|x| {
        let a = [[1, 2], [x, 4]];
        let mut s = 0;
        for row in &a {
            for v in row {
                s = s * 5 + v;
            }
        }
        s
    });
    same!(|x| {
        let a = [[1, 2], [x, 4]];
        let mut s = 0;
        'o: for row in a {
            for mut v in row {
                v += 1;
                if v == 4 {
                    break 'o;
                }
                s = s * 5 + v;
            }
        }
        s
    });
    same!(|x| {
        let mut s = 0;
        for v in [x, 2, 5] {
            s += v;
        }
        s
    });
}

#[test]
fn conditions_that_take_apart() {
    same!(|x| { if let Pair(3, b) = Pair(x, 8) { b } else { 1 } });
    same!(|x| {
        let k = if x > 2 { Kind::Gas } else { Kind::Solid };
        let mut e = 0;
        if let Kind::Gas = k {
            e = 5;
        }
        let n = if let Kind::Solid = k { 1 } else { 2 };
        n + e
    });
    same!(|x| {
        let mut p = Pair(x % 16, 0);
        while let Pair(1.., n) = p {
            p = Pair(p.0 - 1, n + 2);
            if n > 12 {
                break;
            }
        }
        p.1
    });
    same!(|x| {
        let y = if let (0 | 1, n) = (x, 4) {
            let m = n + 1;
            m
        } else if let 2 = x {
            7
        } else {
            x
        };
        let z = y;
        z
    });
}

#[test]
fn matches_as_a_macro() {
    same!(|x| {
        let k = if x > 2 { Kind::Gas } else { Kind::Solid };
        matches!(k, Kind::Gas | Kind::Liquid) as u32
    });
    same!(|x| { (matches!(Pair(x, 3), Pair(1..=5, n) if n > 2) && !matches!((x, 1), (3, _),)) as u32 });
}

/// Variables of undetermined types, which control does not reach.
#[test]
#[allow(
    unreachable_code,
    clippy::let_unit_value,
    reason = "the tokens are what kernels have"
)]
fn variables_without_values() {
    same!(|x| {
        loop {
            if x > 3 {
                let _done = break x * 2;
            }
            let _other = {
                break x + 1;
            };
        }
    });
    same!(|x| {
        let mut sum = 0;
        for i in 0..x % 9 {
            let next = if i == 3 { continue } else { i };
            sum += next;
            let _none = if i == 5 { break } else { continue };
        }
        sum
    });
}
