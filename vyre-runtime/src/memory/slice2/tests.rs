use super::*;

#[test]
fn elements_by_row_and_column() {
    let mut numbers: Vec<u32> = (0..40).collect();
    let mut matrix = SliceMut2::new(&mut numbers, 5, 6).unwrap().pitched(8).unwrap();
    assert_eq!((matrix.rows(), matrix.cols(), matrix.pitch()), (5, 6, 8));
    assert_eq!(
        (matrix[[0, 0]], matrix[[4, 5]], matrix.row(1)),
        (0, 37, &[8, 9, 10, 11, 12, 13][..])
    );
    matrix.part_mut(1..4, 2..5).unwrap()[[2, 1]] = 100;
    matrix.row_mut(2)[0] = 200;
    let every = matrix.as_slice2().every(2).unwrap();
    assert_eq!((every.rows(), every[[1, 0]], every[[2, 5]]), (3, 200, 37));
    assert_eq!(
        format!("{:?}", matrix.part(3..5, 3..5).unwrap()),
        "[[100, 28], [35, 36]]"
    );
}

#[test]
fn a_place_outside_panics() {
    let numbers = [0; 6];
    let matrix = Slice2::new(&numbers, 2, 3).unwrap();
    let text = |place: [usize; 2]| {
        let panic = std::panic::catch_unwind(|| matrix[place]).unwrap_err();
        panic.downcast_ref::<String>().cloned().unwrap_or_default()
    };
    assert_eq!(text([2, 0]), "row 2 is out of bounds of 2 rows");
    assert_eq!(text([1, 3]), "column 3 is out of bounds of 3 columns");
}

#[test]
fn a_matrix_may_be_empty() {
    let matrix = Slice2::<f32>::new(&[], 3, 0).unwrap();
    assert_eq!(
        (matrix.rows(), matrix.row(2), matrix.part(1.., ..).unwrap().rows()),
        (3, &[][..], 2)
    );
}
