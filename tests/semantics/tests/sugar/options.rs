//! The methods of `Option`, `Result` and `bool`.

use vyre_semantics::agree;

agree! {
    fn chains(a: u32, b: u32) -> u32 {
        a.checked_sub(b)
            .map(|v| v / 2)
            .filter(|&v| v % 3 != 1)
            .or_else(|| b.checked_sub(a).and_then(|v| v.checked_mul(5)))
            .map_or(7, |v| v ^ a)
    }
    fn closures_change_what_they_see(a: i32, b: i32) -> i32 {
        let (mut calls, mut last) = (0, 0);
        let one = (a > b).then(|| { calls += 1; a });
        let other = (b < 100).then_some(b).inspect(|v| last = *v);
        let both = one.zip(other).map(|(x, y)| { calls += 10; x ^ y });
        let value = both.xor(one).unwrap_or_else(|| { calls += 100; -1 });
        value ^ (calls << 16) ^ last
    }
    fn places(a: u16, b: u16) -> u16 {
        let mut cells = [Some(a), None, Some(b)];
        let taken = cells[2].take();
        let old = cells[(b % 3) as usize].replace(b / 2);
        let mut sum = 0;
        for cell in cells {
            sum = cell.map_or(sum, |v| v.wrapping_mul(3) ^ sum);
        }
        sum ^ taken.unwrap_or_default() ^ old.unwrap_or(77)
    }
    fn results(a: i64, b: i64) -> i64 {
        let checked = if a < b { Ok(a) } else { Err(b as i16) };
        let next = checked.and_then(|v| v.checked_add(b).ok_or(9)).map_err(|e| e as i32 * 2);
        next.or_else(|e| if e > 0 { Ok(e as i64) } else { Err(e) }).unwrap_or_else(|e| e as i64)
            ^ checked.ok().unwrap_or_default()
            ^ checked.err().is_some_and(|e| e > 3) as i64
            ^ checked.map_or_else(|e| e as i64, |v| v / 3)
    }
    fn functions_by_their_paths(a: f32, b: f32) -> f32 {
        Some(a).map(f32::abs).map(Some).flatten().zip(Some(b)).map_or(b, |(x, y)| f32::copysign(y, x))
    }
}
