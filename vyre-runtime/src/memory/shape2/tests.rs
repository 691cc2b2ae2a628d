use super::*;

#[test]
fn what_fits() {
    assert_eq!(Shape2::new(3, 4, 4, 12).map(Shape2::span), Ok(12));
    // The last row needs no padding after it.
    assert_eq!(Shape2::new(3, 4, 10, 24).map(Shape2::span), Ok(24));
    assert_eq!(Shape2::new(0, 4, 4, 0).map(Shape2::span), Ok(0));
    assert_eq!(Shape2::new(4, 0, 0, 0).map(Shape2::span), Ok(0));
    for (rows, cols, pitch, length) in [
        (3, 4, 4, 11),
        (3, 4, 10, 23),
        (3, 4, 3, 100),
        (1, 1 << 32, 1 << 32, usize::MAX),
        (1 << 32, 1, 1, usize::MAX),
        (u32::MAX as usize, u32::MAX as usize, u32::MAX as usize, 1 << 40),
    ] {
        let error = Error::MatrixSize {
            rows,
            cols,
            pitch,
            length,
        };
        assert_eq!(Shape2::new(rows, cols, pitch, length), Err(error));
    }
}

#[test]
fn rectangles_and_steps() {
    let shape = Shape2::new(5, 6, 8, 40).unwrap();
    let (elements, part) = shape.part(1..4, 2..=3).unwrap();
    assert_eq!((elements, part.rows, part.cols, part.pitch), (10..28, 3, 2, 8));
    let (elements, part) = shape.part(5.., ..).unwrap();
    assert_eq!((elements, part.rows, part.cols), (0..0, 0, 6));
    assert!(shape.part(..6, ..).is_err() && shape.part(.., 3..7).is_err());
    let every = shape.every(2, 38).unwrap();
    assert_eq!((every.rows, every.cols, every.pitch, every.span()), (3, 6, 16, 38));
    let rows = |step| shape.every(step, 40).map(|shape| shape.rows);
    assert_eq!([rows(5), rows(usize::MAX), rows(0)], [Ok(1), Ok(1), Ok(5)]);
    let wide = Shape2::new(3, 1, 1 << 31, 1 << 33).unwrap();
    assert!(wide.every(2, 1 << 33).is_err(), "the pitch has 32 bits");
}
