//! `?` in device functions: each function runs on every back end, and as plain Rust.

use vyre_semantics::agree;

#[vyre::device]
fn half(x: u32) -> Option<u32> {
    if x.is_multiple_of(2) { Some(x / 2) } else { None }
}

#[vyre::device]
fn halves(x: u32, y: u32) -> Option<(u32, u32)> {
    let all = [x, y, 7, x ^ y];
    let mut s = 0u32;
    for i in 0..x % 5 {
        s = s.rotate_left(3) ^ all.get((i + y % 2) as usize)?;
    }
    Some((half(x)? ^ half(y)?, s ^ half(half(x)?)?))
}

#[vyre::device]
fn checked(x: u32, y: u32) -> Result<u32, (u32, bool)> {
    let difference = x.checked_sub(y).ok_or((x, true))?;
    let half = half(difference).ok_or((difference, false))?;
    Ok(half ^ x)
}

#[vyre::device]
fn both(x: u32, y: u32) -> Result<u64, (u32, bool)> {
    let one = checked(x, y)?;
    if one % 3 == 0 {
        return Err((one, false));
    }
    Ok(one as u64 + checked(one, y / 2)? as u64)
}

agree! {
    fn of_options(a: u32, b: u32) -> u32 {
        halves(a, b).map_or(5, |(v, s)| v.rotate_left(7) ^ s)
    }
    fn of_results(a: u32, b: u32) -> u64 {
        match both(a, b) {
            Ok(v) => v,
            Err((v, less)) => (v as u64).rotate_left(21) ^ less as u64,
        }
    }
}
