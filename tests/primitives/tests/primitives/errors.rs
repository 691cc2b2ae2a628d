//! Arguments that do not fit each other.

use vyre::{Device, Error, Result};
use vyre_primitives::Call;
use vyre_primitives_tests::on_devices;
use vyre_test_driver::{Driver, Stage};

/// The lengths of an error, which names both.
fn lengths(call: Call<'_>) -> (usize, usize) {
    match call.launch() {
        Err(Error::LengthMismatch {
            first_length,
            second_length,
            ..
        }) => (first_length, second_length),
        other => panic!("{other:?}"),
    }
}

#[test]
fn lengths_that_differ() {
    on_devices(|device| {
        let x = device.upload(&[3u32, 1, 2])?;
        let mut two = device.upload(&[7u32, 7])?;
        let (flags, mut counts) = (device.upload(&[true, false])?, device.upload(&[7u64, 7])?);
        assert_eq!(lengths(vyre_primitives::sum(&x, &mut two)), (1, 2));
        assert_eq!(lengths(vyre_primitives::max(&x, two.slice_mut(..0)?)), (1, 0));
        assert_eq!(lengths(vyre_primitives::inclusive_sum(&x, &mut two)), (3, 2));
        assert_eq!(lengths(vyre_primitives::exclusive_sum(x.slice(..1)?, &mut two)), (1, 2));
        assert_eq!(
            lengths(vyre_primitives::select(&x, &flags, &mut two, counts.slice_mut(..1)?)),
            (3, 2)
        );
        assert_eq!(lengths(vyre_primitives::unique(&x, &mut two, &mut counts)), (1, 2));
        assert_eq!(lengths(vyre_primitives::segmented_sum(&x, &counts, &mut two)), (3, 2));
        let mut values = device.upload(&[1.0f64; 5])?;
        assert_eq!(lengths(vyre_primitives::sort_pairs(&mut two, &mut values)), (2, 5));
        // The results are as they were.
        assert_eq!((two.download()?, counts.download()?), (vec![7, 7], vec![7, 7]));
        let said = vyre_primitives::sum(&x, &mut two).launch().unwrap_err().to_string();
        assert!(said.contains("`out`"), "{said}");
        Ok(())
    });
}

/// The played driver is a second device where there is no GPU.
#[test]
fn arguments_of_other_devices() {
    const TEST: &str = "errors::arguments_of_other_devices";
    if Driver::of(TEST).is_some() {
        of_other_devices().expect("a played device works");
    } else if let Some(stage) = Stage::new(env!("CARGO_TARGET_TMPDIR"), TEST) {
        stage.run();
    }
}

fn of_other_devices() -> Result<()> {
    let (here, there) = (Device::cpu(), Device::cuda(0)?);
    let x = here.upload(&[3u32, 1, 2])?;
    let (flags, offsets) = (there.upload(&[true; 3])?, there.upload(&[0u64, 3])?);
    let mut own = here.upload(&[3u32, 1, 2])?;
    let (mut y, mut one, mut count) = (there.zeros::<u32>(3)?, there.zeros::<u32>(1)?, there.zeros::<u64>(1)?);
    let mut total = here.zeros::<u32>(1)?;
    let stream = there.stream()?;
    for (result, parameter) in [
        (vyre_primitives::sum(&x, &mut one).launch(), "out"),
        (vyre_primitives::sum(&x, &mut total).on(&stream).launch(), "the stream"),
        (vyre_primitives::inclusive_sum(&x, &mut y).launch(), "y"),
        (
            vyre_primitives::select(&x, &flags, &mut own, &mut count).launch(),
            "flags",
        ),
        (vyre_primitives::unique(&x, &mut own, &mut count).launch(), "count"),
        (
            vyre_primitives::segmented_sum(&x, &offsets, &mut one).launch(),
            "offsets",
        ),
        (vyre_primitives::histogram(&x, &mut count).launch(), "counts"),
        (vyre_primitives::sort_pairs(&mut own, &mut y).launch(), "values"),
    ] {
        match result {
            Err(Error::WrongDevice { what: named, .. }) => assert_eq!(named, parameter),
            other => panic!("{parameter}: {other:?}"),
        }
    }
    assert_eq!(own.download()?, [3, 1, 2]);
    Ok(())
}
