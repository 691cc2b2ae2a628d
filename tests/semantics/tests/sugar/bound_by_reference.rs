//! `ref` in patterns, `as_ref` and `as_mut` of an `Option`, and `const` blocks.

use vyre_semantics::agree;

agree! {
    fn of_a_tuple(a: u32, b: u32) -> u32 {
        let mut pair = (a, b);
        let (ref mut first, ref second) = pair;
        *first = first.wrapping_add(*second);
        let ref mut third = pair.1;
        *third ^= 5;
        pair.0 ^ pair.1.rotate_left(7)
    }
    fn of_a_variant(a: u32, b: u32) -> u32 {
        let mut found = if a > b { Some((a, b)) } else { None };
        match found {
            Some((ref mut x, y)) if y > 3 => *x -= 1,
            Some((_, ref mut y)) => *y += 9,
            None => {}
        }
        if let Some((ref mut x, ref y)) = found && *y != 4 {
            *x ^= *y;
        }
        let mut result = b;
        loop {
            let Some((ref x, _)) = found else { break };
            result ^= *x;
            break;
        }
        result ^ found.map_or(0, |(x, y)| x ^ y.rotate_left(3))
    }
    fn of_an_array(a: u32, b: u32) -> u32 {
        let mut values = [a, b, a ^ b, 7];
        let [ref mut first, .., ref mut last] = values;
        (*first, *last) = (last.wrapping_mul(3), first.wrapping_sub(1));
        if let [_, ref mut middle @ .., _] = values {
            middle[0] = middle[1];
        }
        values[0] ^ values[1].rotate_left(5) ^ values[2].rotate_left(9) ^ values[3].rotate_left(13)
    }
    fn of_a_copy(a: u32, b: u32) -> u32 {
        let (x, y) = (a, b);
        match (x, y) {
            (ref mut one, other) => { *one ^= other; *one ^ x.rotate_left(3) }
        }
    }
    fn of_a_part_of_a_tuple(a: u32, b: u32) -> u32 {
        let mut x = a;
        let (ref mut one, _) = (x, b);
        *one = one.wrapping_add(1);
        let copy = *one;
        let (ref two, ref three) = (x, (b, a));
        x = 9;
        let ((ref mut four, _), _) = ((b, x), a);
        *four ^= 3;
        copy ^ x.rotate_left(3) ^ two.rotate_left(5) ^ three.1.rotate_left(9) ^ four.rotate_left(13)
    }
    fn of_parameters(a: u32, b: u32) -> u32 {
        let add = |(ref mut x, y): (u32, u32)| { *x = x.wrapping_add(y); *x };
        let values = [a, b];
        let mut sum = 0;
        for (ref mut i, v) in values.iter().enumerate() {
            *i += 5;
            sum ^= v.rotate_left(*i as u32);
        }
        add((a, b)) ^ sum
    }
    fn with_a_type(a: u32, b: u32) -> u32 {
        let found = if a > b { Some(a) } else { None };
        let mut result = b;
        loop {
            let Some(ref v): Option<u32> = found else { break };
            result ^= *v;
            break;
        }
        let ref mut last: u32 = result;
        *last ^= 7;
        result
    }
    fn or_patterns(a: u32, b: u32) -> u32 {
        let mut one = if a % 2 == 0 { Ok(a) } else { Err(b) };
        match one { Ok(ref mut v) | Err(ref mut v) => *v = v.wrapping_add(3) }
        match one { Ok(v) => v, Err(v) => v ^ 1 }
    }
    fn of_an_option(a: u32, b: u32) -> u32 {
        let mut one = a.checked_sub(b);
        if let Some(v) = one.as_mut() { *v ^= 3; }
        one.as_mut().map(|v| *v = v.wrapping_mul(5));
        let other = one.as_ref().map_or(1, |v| *v / 3);
        let mut sure = Some(b);
        *sure.as_mut().unwrap() ^= 9;
        match sure.as_mut() { Some(v) => *v = v.rotate_left(3), None => {} }
        let seen = one.as_ref().is_some_and(|v| *v > 100) as u32;
        one.unwrap_or(7) ^ other ^ sure.unwrap_or(0) ^ seen
    }
    fn constants(a: u32) -> u32 {
        const { assert!(u32::BITS == 32) };
        let table = const { [3, 5 * 2, u32::MAX >> 4] };
        a.wrapping_mul(const { let x = 3; x * x }) ^ table[(a % 3) as usize]
    }
}
