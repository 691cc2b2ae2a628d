//! Functions of `core`, comparisons and patterns, as rustc sees them too.

use core::cmp::Ordering;
use core::mem;

use vyre_semantics::everywhere;

#[vyre::device]
fn later(a: &(u32, f32), b: &(u32, f32)) -> Ordering {
    a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
}

#[vyre::kernel]
fn shuffled(#[each] row: &[u32; 6], #[each] found: &mut [u32; 6]) {
    let [first, middle @ .., last] = row;
    let scores: [f32; 4] = core::array::from_fn(|i| middle[i] as f32 * 0.5);
    let best = scores
        .iter()
        .enumerate()
        .max_by(|(_, a), (_, b)| a.total_cmp(b))
        .map_or(9, |p| p.0);
    let odd = row.iter().min_by_key(|v| (**v ^ 5) % 7).unwrap();
    let mut pairs = row.map(|v| (v % 3, v as f32));
    for i in 1..6 {
        let mut k = i;
        while k > 0 && later(&pairs[k - 1], &pairs[k]).is_gt() {
            pairs.swap(k - 1, k);
            k -= 1;
        }
    }
    let (mut low, mut high) = (&row[..3], &row[3..]);
    if low[0] > high[0] {
        mem::swap(&mut low, &mut high);
    }
    let ((1, side) | (side, _)) = (low[1] % 2, high[2]);
    let taken = mem::replace(&mut pairs[0].0, 7) + size_of::<[u32; 6]>() as u32;
    *found = [
        first + last * 10,
        best as u32,
        *odd,
        pairs
            .iter()
            .copied()
            .fold(0, |s, (n, f)| (s * 31 + n + f as u32) % 9973),
        side,
        taken + core::cmp::max(*first, *last),
    ];
}

fn shuffled_of(row: &[u32; 6]) -> [u32; 6] {
    let mut best = 0;
    for i in 1..4 {
        if row[1 + i] >= row[1 + best] {
            best = i;
        }
    }
    let odd = *row.iter().rev().min_by_key(|v| (**v ^ 5) % 7).unwrap();
    let odd = *row.iter().find(|v| (**v ^ 5) % 7 == (odd ^ 5) % 7).unwrap();
    let mut sorted = *row;
    sorted.sort_by_key(|v| (v % 3, *v));
    let hash = sorted.iter().enumerate().fold(0, |s, (i, v)| {
        let n = if i == 0 { 7 } else { v % 3 };
        (s * 31 + n + v) % 9973
    });
    let (low, high) = if row[0] > row[3] {
        (&row[3..], &row[..3])
    } else {
        (&row[..3], &row[3..])
    };
    let side = if low[1] % 2 == 1 { high[2] } else { low[1] % 2 };
    [
        row[0] + row[5] * 10,
        best as u32,
        odd,
        hash,
        side,
        sorted[0] % 3 + 24 + row[0].max(row[5]),
    ]
}

#[test]
fn idioms_of_rust() {
    everywhere(|place| {
        let rows: Vec<[u32; 6]> = (0..50u32)
            .map(|i| core::array::from_fn(|k| (i * 7 + k as u32 * 13) % 19 + i / 9))
            .collect();
        let input = place.device().upload(&rows)?;
        let mut found = place.device().upload(&vec![[0u32; 6]; rows.len()])?;
        let kernel = Shuffled {
            row: (&input).into(),
            found: (&mut found).into(),
        };
        place.over(kernel, rows.len())?;
        let expected: Vec<[u32; 6]> = rows.iter().map(shuffled_of).collect();
        assert_eq!(found.download()?, expected, "on {}", place.name());
        Ok(())
    });
}

#[vyre::kernel]
fn mapped(#[each] x: &mut u32) {
    let mut sums = [0; 3];
    for (i, sum) in sums.iter_mut().enumerate() {
        *sum += *x + i as u32;
    }
    // The array is a variable, a literal, the result of a method.
    let count = *x % 3 + 1;
    let [low, middle, high] = sums.map(|sum| sum / count);
    *x = [low, middle].map(|part| part ^ 5).map(|part| part as u64)[1] as u32 * 1000 + high;
}

#[test]
fn arrays_are_mapped() {
    everywhere(|place| {
        let start: Vec<u32> = (0..100).collect();
        let mut x = place.device().upload(&start)?;
        let kernel = Mapped { x: (&mut x).into() };
        place.over(kernel, start.len())?;
        let expected: Vec<u32> = start
            .iter()
            .map(|&x| {
                let [_, middle, high] = [0, 1, 2].map(|i| (x + i) / (x % 3 + 1));
                (middle ^ 5) * 1000 + high
            })
            .collect();
        assert_eq!(x.download()?, expected, "on {}", place.name());
        Ok(())
    });
}
