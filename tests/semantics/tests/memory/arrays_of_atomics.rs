//! Buffers of arrays of atomics, which other kernels see as plain arrays.

use vyre::prelude::*;
use vyre_semantics::places::everywhere;

/// The number and the sum of the values of each group.
#[vyre::kernel]
fn gather(x: &[u32], groups: &[[AtomicU32; 2]]) {
    let i = thread::index();
    if i < x.len() {
        let [count, sum] = &groups[x[i] as usize % groups.len()];
        count.fetch_add(1, Ordering::Relaxed);
        sum.fetch_add(x[i], Ordering::Relaxed);
    }
}

/// The same arrays as values.
#[vyre::kernel]
fn means(#[each] groups: &[u32; 2], #[each] mean: &mut f32) {
    let [count, sum] = *groups;
    *mean = if count > 0 { sum as f32 / count as f32 } else { -1.0 };
}

#[test]
fn atomics_then_values() {
    let values: Vec<u32> = (0..100).filter(|v| v % 5 != 3).collect();
    let mut expected = [[0; 2]; 5];
    for v in &values {
        expected[*v as usize % 5][0] += 1;
        expected[*v as usize % 5][1] += v;
    }
    everywhere(|place| {
        let device = place.device();
        let (x, mut groups) = (device.upload(&values)?, device.zeros::<[u32; 2]>(5)?);
        place.over(gather(&x, &mut groups), values.len())?;
        assert_eq!(groups.download()?, expected, "on {}", place.name());
        let mut mean = device.zeros(5)?;
        place.over(means(&groups, &mut mean), 5)?;
        let wanted = expected.map(|[n, sum]| if n > 0 { sum as f32 / n as f32 } else { -1.0 });
        assert_eq!(mean.download()?, wanted, "on {}", place.name());
        Ok(())
    });
}

#[vyre::device]
fn add(row: &[AtomicF32; 3], at: usize, value: f32) {
    row[at].fetch_add(value, Ordering::Relaxed);
}

/// Nested, of floats, passed on, and perhaps not there.
#[vyre::kernel]
fn nested(cells: &[[[AtomicU64; 2]; 3]], rows: Option<&[[AtomicF32; 3]]>) {
    let i = thread::index();
    if i < 12 {
        cells[i / 6][i / 2 % 3][i % 2].fetch_max(i as u64 + 1, Ordering::Relaxed);
        if let Some(rows) = rows {
            add(&rows[i / 6], i % 3, 0.5);
        }
    }
}

#[test]
fn of_arrays() {
    everywhere(|place| {
        let device = place.device();
        let (mut cells, mut rows) = (device.zeros::<[[u64; 2]; 3]>(2)?, device.zeros::<[f32; 3]>(2)?);
        place.over(nested(&mut cells, Some(&mut rows)), 12)?;
        let expected = [[[1, 2], [3, 4], [5, 6]], [[7, 8], [9, 10], [11, 12]]];
        assert_eq!(cells.download()?, expected, "on {}", place.name());
        assert_eq!(rows.download()?, [[1.0; 3]; 2], "on {}", place.name());
        place.over(nested(&mut cells, None), 12)?;
        assert_eq!(rows.download()?, [[1.0; 3]; 2], "on {}", place.name());
        Ok(())
    });
    let mut cells = [[[0; 2]; 3]; 2];
    Nested::dispatch(&Device::cpu(), 12, &mut cells, None).unwrap();
    assert_eq!(cells[1][2], [11, 12]);
}
