//! Matrices as parameters: by row and column, with any pitch, submatrices, passed to functions, and
//! out-of-bounds accesses.

use vyre::prelude::*;
use vyre::{Error, FaultKind};
use vyre_semantics::places::everywhere;

vyre_semantics::kernels! { Transpose Reach Product Peaks }

/// Numbers that encode their position.
fn numbers(count: usize) -> Vec<u32> {
    (0..count as u32).map(|i| 1000 + i).collect()
}

#[vyre::kernel(block = [4, 4])]
fn transpose(src: Slice2<'_, u32>, mut dst: SliceMut2<'_, u32>) {
    let (x, y) = thread::index_2d();
    if y < src.rows() && x < src.cols() {
        dst[[x, y]] = src[[y, x]];
    }
}

#[test]
fn of_any_pitch() {
    everywhere(|place| {
        for (rows, cols, pitches) in [
            (5, 7, (7, 5)),
            (5, 7, (9, 6)),
            (1, 3, (3, 1)),
            (3, 0, (0, 3)),
            (0, 3, (4, 0)),
        ] {
            let (from, to) = (numbers(64), numbers(64));
            let device = place.device();
            let (src, mut dst) = (device.upload(&from)?, device.upload(&to)?);
            let a = src.view2(rows, cols)?.pitched(pitches.0)?;
            let mut b = dst.view2_mut(cols, rows)?.pitched(pitches.1)?;
            place.over(transpose(a, &mut b), [cols, rows])?;
            let mut expected = to;
            for y in 0..rows {
                for x in 0..cols {
                    expected[x * pitches.1 + y] = from[y * pitches.0 + x];
                }
            }
            assert_eq!(
                dst.download()?,
                expected,
                "{rows} {cols} {pitches:?} on {}",
                place.name()
            );
        }
        Ok(())
    });
}

#[test]
fn parts_of_matrices() {
    everywhere(|place| {
        let device = place.device();
        let (src, mut dst) = (device.upload(&numbers(60))?, device.upload(&[0; 60])?);
        let a = src.view2(6, 10)?;
        let mut b = dst.view2_mut(10, 6)?;
        // Every second row, and the columns from the third on.
        let a = a.every(2)?.part(1.., 2..=5)?;
        place.over(transpose(a, &mut b.part_mut(3..7, 4..)?), [4, 2])?;
        let mut expected = [0; 60];
        for (row, y) in [(2, 0), (4, 1)] {
            for x in 0..4 {
                expected[(3 + x) * 6 + 4 + y] = 1000 + row * 10 + 2 + x as u32;
            }
        }
        assert_eq!(dst.download()?, expected, "on {}", place.name());
        Ok(())
    });
}

#[test]
fn matrices_of_the_host() {
    let from = numbers(30);
    let mut to = vec![7; 30];
    let a = Slice2::new(&from, 3, 4).unwrap().pitched(10).unwrap();
    let b = SliceMut2::new(&mut to, 4, 3).unwrap().pitched(5).unwrap();
    for device in vyre_semantics::places::devices() {
        let mut to = to_like(&b);
        let result = SliceMut2::new(&mut to, 4, 3).unwrap().pitched(5).unwrap();
        Transpose::dispatch(&device, [4, 3], a, result).unwrap();
        for (i, &value) in to.iter().enumerate() {
            let (x, y) = (i / 5, i % 5);
            let expected = if x < 4 && y < 3 { 1000 + (y * 10 + x) as u32 } else { 7 };
            assert_eq!(value, expected, "at {i} on {device}");
        }
    }
}

fn to_like(matrix: &SliceMut2<'_, u32>) -> Vec<u32> {
    matrix.elements().to_vec()
}

#[vyre::kernel(block = 1)]
fn reach(row: usize, col: usize, a: Slice2<'_, f64>, mut b: SliceMut2<'_, f64>, how: u32) {
    match how {
        0 => b[[0, 0]] = a[[row, col]],
        1 => b[[row, col]] = a[[0, 0]],
        2 => b[[row, col]] += a[[0, 0]],
        3 => b[[0, 0]] = a.row(row)[col],
        4 => {
            let place = &mut b[[row, col]];
            *place = 2.0;
        }
        _ => b.row_mut(row)[col] = 1.0,
    }
}

#[test]
fn places_outside() {
    let launch = |place: &vyre_semantics::places::Place, (row, col), how| -> vyre::Result<Vec<f64>> {
        let device = place.device();
        let (a, mut b) = (device.upload(&[1.0; 40])?, device.upload(&[0.0; 40])?);
        let part = a.view2(4, 10)?.part(..3, 1..6)?;
        let mut b_part = b.view2_mut(3, 5)?.pitched(8)?;
        place.over(reach(row, col, part, &mut b_part, how), 1)?;
        b.download()
    };
    everywhere(|place| {
        for how in 0..6 {
            assert!(launch(place, (2, 4), how).is_ok(), "{how} on {}", place.name());
            let by_row = [3, 5].contains(&how);
            for (at, kind, values) in [
                ((3, 4), FaultKind::RowOutOfBounds, [3, 3]),
                ((usize::MAX, 0), FaultKind::RowOutOfBounds, [u64::MAX, 3]),
                ((1, 5), FaultKind::ColumnOutOfBounds, [5, 5]),
                ((0, 1 << 32), FaultKind::ColumnOutOfBounds, [1 << 32, 5]),
                // The row is checked first.
                ((9, 9), FaultKind::RowOutOfBounds, [9, 3]),
            ] {
                let kind = match kind {
                    FaultKind::ColumnOutOfBounds if by_row => FaultKind::IndexOutOfBounds,
                    other => other,
                };
                let Err(Error::Fault(fault)) = launch(place, at, how) else {
                    panic!("{at:?} by {how} is no fault on {}", place.name());
                };
                assert_eq!((fault.kind, fault.values), (kind, values), "{how} on {}", place.name());
            }
        }
        let text = launch(place, (3, 0), 0).unwrap_err().to_string();
        assert!(
            text.starts_with("row 3 is out of bounds of 3 rows\n  in kernel `reach` at "),
            "{text}"
        );
        let text = launch(place, (0, 7), 1).unwrap_err().to_string();
        assert!(text.starts_with("column 7 is out of bounds of 5 columns\n"), "{text}");
        Ok(())
    });
}

#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair {
    left: f32,
    right: f32,
}

/// The sum of a row; also a function of the host.
#[vyre::device]
fn row_sum(row: &[f32]) -> f32 {
    let mut sum = 0.0;
    for value in row {
        sum += value;
    }
    sum
}

/// An element of a product, at `[i, j]`.
#[vyre::device]
fn dot<T: Number>(a: Slice2<'_, T>, b: &Slice2<'_, T>, i: usize, j: usize) -> T {
    let mut sum = T::ZERO;
    for k in 0..a.cols() {
        sum += a[[i, k]] * b[[k, j]];
    }
    sum
}

/// Doubles an element, through a matrix that is passed on.
#[vyre::device]
fn double(mut a: SliceMut2<'_, f32>, row: usize, col: usize) {
    a[[row, col]] *= 2.0;
    let again = a.as_slice2();
    assert!(again.rows() == a.rows() && again.pitch() == a.pitch());
}

#[vyre::device]
fn negate(a: &mut SliceMut2<'_, f32>, place: [usize; 2]) {
    a[[place[0], place[1]]] = -a[[place[0], place[1]]];
}

#[vyre::kernel(block = [8, 4])]
fn product(
    a: Slice2<'_, f32>,
    b: Slice2<'_, f32>,
    mut c: SliceMut2<'_, f32>,
    sums: &mut [f32],
    pairs: Slice2<'_, Pair>,
) {
    let (x, y) = thread::index_2d();
    if y >= c.rows() || x >= c.cols() {
        return;
    }
    let left = a.rows();
    let right = b;
    c[[y, x]] = dot(a, &right, y, x);
    double(c.reborrow(), y, x);
    negate(&mut c, [y, x]);
    let mut other = c.reborrow();
    other[[y, x]] += pairs[[y, x]].left;
    // SAFETY: row and column were compared above, and each thread has an element of its own.
    unsafe {
        *other.get_unchecked_mut([y, x]) -= *a.get_unchecked([y, 0]) + pairs.get_unchecked([y, x]).right;
    }
    if x == 0 {
        let row = a.row(y);
        let mut scaled = 0.0;
        for (i, v) in a.row(y).iter().enumerate() {
            scaled += v * i as f32;
        }
        assert!(scaled >= 0.0);
        sums[y] = row_sum(row) + row_sum(a.row(y)) + left as f32;
    }
}

#[test]
fn passed_on_to_functions() {
    let (a, b): (Vec<f32>, Vec<f32>) = (0..35).map(|i| (i as f32, (i % 4) as f32 - 1.5)).unzip();
    let pairs: Vec<Pair> = (0..30)
        .map(|i| Pair {
            left: i as f32,
            right: 0.5 * i as f32,
        })
        .collect();
    let (left, right) = (Slice2::new(&a, 5, 7).unwrap(), Slice2::new(&b, 7, 5).unwrap());
    let mut expected = vec![0.0; 25];
    for i in 0..5 {
        for j in 0..5 {
            // The device function, on the host.
            let sum = dot(left, &right, i, j);
            let pair = pairs[i * 6 + j];
            expected[i * 5 + j] = -(2.0 * sum) + pair.left - (a[i * 7] + pair.right);
        }
    }
    let sums: Vec<f32> = (0..5).map(|i| 2.0 * row_sum(left.row(i)) + 5.0).collect();
    everywhere(|place| {
        let device = place.device();
        let (a, b, pairs) = (device.upload(&a)?, device.upload(&b)?, device.upload(&pairs)?);
        let (mut c, mut found) = (device.zeros(25)?, device.zeros(5)?);
        let mut matrix = c.view2_mut(5, 5)?;
        let launch = product(
            a.view2(5, 7)?,
            b.view2(7, 5)?,
            &mut matrix,
            &mut found,
            pairs.view2(5, 5)?.pitched(6)?,
        );
        place.over(launch, [5, 5])?;
        assert_eq!(c.download()?, expected, "on {}", place.name());
        assert_eq!(found.download()?, sums, "on {}", place.name());
        Ok(())
    });
}

/// Every type of element, by instances.
#[vyre::kernel(T = [u8, i16, u32, i64, f32, f64], block = [8, 8])]
fn doubled<T: Number>(a: Slice2<'_, T>, mut b: SliceMut2<'_, T>) {
    let (x, y) = thread::index_2d();
    if y < b.rows() && x < b.cols() {
        b[[y, x]] = a[[y, x]] + a[[y, x]];
    }
}

#[test]
fn of_every_type() {
    macro_rules! each {
        ($($ty:ident)*) => { $(
            everywhere(|place| {
                let values: Vec<$ty> = (0..60u8).map($ty::from).collect();
                let device = place.device();
                let (a, mut b) = (device.upload(&values)?, device.zeros::<$ty>(60)?);
                let mut all = b.view2_mut(6, 10)?;
                place.over(doubled(a.view2(6, 10)?, &mut all), [10, 6])?;
                let expected: Vec<$ty> = values.iter().map(|value| value + value).collect();
                assert_eq!(b.download()?, expected, "on {}", place.name());
                Ok(())
            });
        )* };
    }
    each!(u8 i16 u32 i64 f32 f64);
}

/// The largest of some numbers.
#[vyre::device]
fn largest(count: usize, at: impl Fn(usize) -> i32) -> i32 {
    let mut largest = i32::MIN;
    for i in 0..count {
        largest = largest.max(at(i));
    }
    largest
}

#[vyre::kernel(block = 8, allow(races))] // there are at least three columns, or it faults
fn peaks(a: Slice2<'_, i32>, mut found: SliceMut2<'_, i32>) {
    let y = thread::index();
    if y < a.rows() {
        found[[y, 0]] = largest(a.cols(), |x| a[[y, x]]);
        let mut put = |x: usize| found[[y, x]] = a[[y, 0]] + x as i32;
        put(1);
        put(2);
    }
}

#[test]
fn in_closures() {
    everywhere(|place| {
        let values: Vec<i32> = (0..24).map(|i| (i * 7) % 11).collect();
        let (a, mut found) = (place.device().upload(&values)?, place.device().zeros(12)?);
        place.over(peaks(a.view2(4, 6)?, found.view2_mut(4, 3)?), 4)?;
        let rows = values.chunks(6);
        let expected: Vec<i32> = rows
            .flat_map(|row| [*row.iter().max().unwrap(), row[0] + 1, row[0] + 2])
            .collect();
        assert_eq!(found.download()?, expected, "on {}", place.name());
        Ok(())
    });
}

#[test]
fn what_does_not_fit() {
    let device = Device::cpu();
    let mut buffer = device.zeros::<f32>(12).unwrap();
    let error = buffer.view2(3, 5).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a matrix of 3 rows and 5 columns, with a pitch of 5, has 15 elements, and there are 12"
    );
    let error = buffer.view2_mut(3, 4).unwrap().pitched(3).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("; the pitch is at least the number of columns")
    );
    assert!(matches!(
        buffer.view2(3, 4).unwrap().part(1..4, ..),
        Err(Error::RangeOutOfBounds { .. })
    ));
}
