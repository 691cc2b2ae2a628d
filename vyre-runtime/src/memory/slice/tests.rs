use std::panic::catch_unwind;

use super::Slice;

const X: [i32; 5] = [10, 11, 12, 13, 14];

#[test]
fn integers_of_every_type_index() {
    let x = Slice::of(&X);
    assert_eq!([x[1u8], x[1u16], x[1u32], x[1u64], x[1usize]], [11; 5]);
    assert_eq!([x[1i8], x[1i16], x[1i32], x[1i64], x[1isize]], [11; 5]);
    let of_literals: i32 = (0..5).map(|i| x[i]).sum();
    assert_eq!(of_literals, 60);
}

#[test]
fn ranges_yield_slices() {
    let mut y = X;
    let y = Slice::of_mut(&mut y);
    y[3u32..][1u8] = 0;
    y[..2u8].fill(7);
    y[2..=2i64][0] = 8;
    y[..][3] = 9;
    assert_eq!(*y[..=4u16], [7, 7, 8, 9, 0]);
    let part: &[i32] = &y[1u32..3];
    assert_eq!(part, [7, 8]);
}

#[test]
#[expect(clippy::reversed_empty_ranges, reason = "one is out of bounds, too")]
fn what_is_negative_or_too_large_is_out_of_bounds() {
    let x = || Slice::of(&X);
    let faults: [fn() -> i32; 8] = [
        || Slice::of(&X)[5u32],
        || Slice::of(&X)[-1],
        || Slice::of(&X)[i8::MIN],
        || Slice::of(&X)[i64::MIN],
        || Slice::of(&X)[u64::MAX],
        || Slice::of(&X)[-1..][0],
        || Slice::of(&X)[..=-1][0],
        || Slice::of(&X)[2u32..1][0],
    ];
    for (number, fault) in faults.into_iter().enumerate() {
        assert!(catch_unwind(fault).is_err(), "{number}");
    }
    assert_eq!(x().len(), 5);
}

#[test]
fn it_is_a_slice_in_all_else() {
    let mut y = X;
    let y = Slice::of_mut(&mut y);
    for v in &mut *y {
        *v += 1;
    }
    y.reverse();
    assert_eq!(y.iter().sum::<i32>(), 65);
    assert_eq!(y.get(1), Some(&14));
    assert_eq!((&*y).into_iter().count(), 5);
    assert_eq!(format!("{y:?}"), "[15, 14, 13, 12, 11]");
}

#[test]
fn comparisons_are_those_of_slices() {
    let (x, y) = (Slice::of(&X), Slice::of(&X[..2]));
    assert_eq!(x, x);
    assert_ne!(x, y);
    assert_eq!(x[..2u32], *y);
    assert_eq!(*y, [10, 11]);
    assert_eq!([10, 11], *y);
    assert_eq!(X[..2], *y);
    assert_eq!(*y, X[..2]);
    let nan = Slice::of(&[f32::NAN]);
    assert!(nan != nan);
}
