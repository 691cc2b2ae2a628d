//! References that control flow chooses, elements that may not exist, and slices that move, against plain Rust.

use core::sync::atomic::{AtomicU32, Ordering};

use vyre_semantics::everywhere;

#[vyre::device]
fn total(part: &[u32]) -> u32 {
    let mut left = part;
    let mut sum = 0u32;
    while left.len() > 1 {
        sum = sum.wrapping_mul(3).wrapping_add(left[0] ^ left[1]);
        left = &left[2..];
    }
    let last: &[u32] = if left.is_empty() { &[9, 7] } else { left };
    sum + last[0]
}

#[vyre::kernel(allow(races))] // a reference to one of two arrays
fn guarded(x: &[u32], y: &mut [u32], hits: &[AtomicU32]) {
    let i = vyre::thread::index();
    if i < x.len()
        && let Some(slot) = y.get_mut(i)
    {
        *slot = x[i] * 2;
        if let Some(next) = x.get(i + 1)
            && *next > x[i]
            && let Some(hit) = hits.first()
        {
            hit.fetch_add(1, Ordering::Relaxed);
            *slot += *next;
        } else {
            *slot += 100;
        }
    }
    let counter = match hits.get(1 + i % 2) {
        Some(counter) => counter,
        None => return,
    };
    counter.fetch_add(1, Ordering::Relaxed);
    let half = if i & 1 == 0 { &x[..x.len() / 2] } else { x };
    if let Some(slot) = y.get_mut(i) {
        *slot += total(half);
    }
}

fn guarded_of(x: &[u32]) -> (Vec<u32>, [u32; 3]) {
    let mut hits = [0; 3];
    let mut y = Vec::new();
    for i in 0..x.len() {
        let mut slot = x[i] * 2;
        match x.get(i + 1).filter(|&&next| next > x[i]) {
            Some(next) => {
                hits[0] += 1;
                slot += next;
            }
            None => slot += 100,
        }
        let half = if i & 1 == 0 { &x[..x.len() / 2] } else { x };
        let mut sum = 0u32;
        for pair in half.chunks_exact(2) {
            sum = sum.wrapping_mul(3).wrapping_add(pair[0] ^ pair[1]);
        }
        y.push(slot + sum + half.chunks_exact(2).remainder().first().unwrap_or(&9));
    }
    for thread in 0..x.len().next_multiple_of(256) {
        hits[1 + thread % 2] += 1;
    }
    (y, hits)
}

#[test]
fn conditions_of_several_parts() {
    everywhere(|place| {
        for length in [1, 2, 3, 300] {
            let x: Vec<u32> = (0..length).map(|i| i * 7 % 5 + i / 3).collect();
            let input = place.device().upload(&x)?;
            let mut y = place.device().zeros::<u32>(x.len())?;
            let mut hits = place.device().zeros::<u32>(3)?;
            let kernel = Guarded {
                x: (&input).into(),
                y: (&mut y).into(),
                hits: (&mut hits).into(),
            };
            place.over(kernel, x.len())?;
            let (expected, counts) = guarded_of(&x);
            assert_eq!(y.download()?, expected, "on {}", place.name());
            assert_eq!(hits.download()?, counts, "on {}", place.name());
        }
        Ok(())
    });
}

/// One thread a row: what is chosen is written through.
#[vyre::kernel(allow(races))] // a reference to one of two elements
fn through(rows: &mut [[u32; 4]], log: &mut [u32]) {
    let i = vyre::thread::index();
    let Some(row) = rows.get_mut(i) else { return };
    let at = (row[0] % 4) as usize;
    let chosen = if row[1] > 5 { &mut row[at] } else { &mut row[3] };
    *chosen += 10;
    let mut spare = 1u32;
    let other = match at {
        0 => &mut row[1],
        1 => &mut spare,
        _ => row.last_mut().unwrap(),
    };
    *other ^= 3;
    let changed = row.get_mut(at + 1).map(|cell| {
        *cell *= 2;
        *cell
    });
    let (mut low, mut high) = row.split_at(2);
    if i & 1 == 0 {
        (low, high) = (high, low);
    }
    log[i] = low[0] + high[1] * 7 + spare * 100 + changed.unwrap_or(50) * 1000;
}

fn through_of(row: &mut [u32; 4], i: usize) -> u32 {
    let at = (row[0] % 4) as usize;
    row[if row[1] > 5 { at } else { 3 }] += 10;
    let mut spare = 1;
    match at {
        0 => row[1] ^= 3,
        1 => spare ^= 3,
        _ => row[3] ^= 3,
    }
    let changed = if at < 3 {
        row[at + 1] *= 2;
        row[at + 1]
    } else {
        50
    };
    let (low, high) = if i & 1 == 0 { (2, 0) } else { (0, 2) };
    row[low] + row[high + 1] * 7 + spare * 100 + changed * 1000
}

#[test]
fn chosen_references() {
    everywhere(|place| {
        let mut expected: Vec<[u32; 4]> = (0..70).map(|i| [i, i * 3 % 11, i / 2, 5]).collect();
        let mut rows = place.device().upload(&expected)?;
        let mut log = place.device().zeros::<u32>(expected.len())?;
        let kernel = Through {
            rows: (&mut rows).into(),
            log: (&mut log).into(),
        };
        place.over(kernel, expected.len())?;
        let said: Vec<u32> = (0..).zip(&mut expected).map(|(i, row)| through_of(row, i)).collect();
        assert_eq!(rows.download()?, expected, "on {}", place.name());
        assert_eq!(log.download()?, said, "on {}", place.name());
        Ok(())
    });
}
