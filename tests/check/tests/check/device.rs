//! A checked device launches what the CPU launches, with the same results, and tells what it finds as faults.

use vyre::check::{Action, Does, Findings, Kind};
use vyre::prelude::*;
use vyre::{AtomicView, Error, f16};

/// The findings of a launch.
pub(crate) fn found(result: vyre::Result<()>) -> Findings {
    match result {
        Err(Error::Check(found)) => *found,
        other => panic!("nothing was found, but {other:?}"),
    }
}

#[vyre::kernel(block = 32, allow(races))] // checking mode reports it
fn rotate(x: &mut [u32], barrier: bool) {
    let tile = shared::<[u32; 32]>();
    let (i, t) = (thread::index(), thread::idx().x);
    tile[t] = x[i];
    if barrier {
        block::sync();
    }
    x[i] = tile[(t + 1) % 32];
}

#[test]
fn a_report_is_told_by_the_next_wait_and_by_each_download() -> vyre::Result<()> {
    let _alone = crate::alone();
    let device = Device::checked();
    let stream = device.stream()?;
    let mut x = device.upload(&[7; 64])?;
    let y = device.upload(&[1, 2])?;
    rotate(&mut x, false).over(64).on(&stream).launch(&device)?;
    assert_eq!(y.download()?, [1, 2], "another buffer is not concerned");
    let found = found(stream.synchronize());
    // A thread that reads before the other writes also reads what nothing has written.
    let report = found.reports.iter().find(|report| report.kind == Kind::Race).unwrap();
    assert!(stream.synchronize().is_ok(), "it is told once");
    assert_eq!(report.kernel, "rotate");
    assert!(
        report.object.starts_with("`tile[") && report.object.ends_with("` in shared memory"),
        "{report}"
    );
    let [one, other] = &report.parties[..] else {
        panic!("{report}")
    };
    assert_eq!(one.file, file!());
    assert!(one.block == other.block && one.block[0] < 2, "{report}");
    assert_ne!(one.thread, other.thread);
    let mut does = [&one.does, &other.does].map(|does| format!("{does}"));
    does.sort();
    assert_eq!(does, ["read", "write"]);
    assert!(report.missing.contains("`warp::sync()` or `block::sync()`"));
    // The buffer is marked until it is overwritten.
    for _ in 0..2 {
        assert!(matches!(x.download(), Err(Error::Check(_))));
    }
    x.fill(3)?;
    rotate(&mut x, true).over(64).on(&stream).launch(&device)?;
    assert_eq!(x.download()?, [3; 64]);
    Ok(())
}

#[test]
fn the_text_of_a_report_names_both_parties_and_the_seed() {
    let _alone = crate::alone();
    let error = Rotate::dispatch(&Device::checked(), 32, &mut [7; 32], false).unwrap_err();
    let text = error.to_string();
    let lines: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.starts_with("race on `tile["))
        .collect();
    assert_eq!(lines[1], "  in kernel `rotate`");
    for line in &lines[2..4] {
        assert!(line.contains(&format!(" at {}:", file!())), "{text}");
        assert!(line.contains(", block [0, 0, 0], thread ["), "{text}");
    }
    let last = lines.last().unwrap();
    let seed = last
        .strip_prefix("the threads ran in the order of VYRE_CHECK_SEED=")
        .unwrap();
    assert!(seed.parse::<u64>().unwrap() > 0, "{text}");
}

#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Body {
    mass: f32,
    tag: u8,
    place: [f64; 2],
}

#[vyre::kernel(block = 64)]
#[allow(clippy::too_many_arguments, reason = "one of each kind")]
fn all_kinds(
    scale: f32,
    body: Body,
    x: &[u16],
    halves: &[f16],
    bodies: &mut [Body],
    table: Slice2<'_, i32>,
    counts: &[AtomicU32],
    #[each] sign: &bool,
    #[each] y: &mut f64,
) {
    let window = shared::dynamic::<u32>();
    let (i, t) = (thread::index(), thread::idx().x);
    window[t] = x[i] as u32;
    block::sync();
    let near = window[(t + 1) % 64] as f64;
    counts[i % 4].fetch_add(1, Ordering::Relaxed);
    bodies[i].mass += scale * body.mass;
    bodies[i].place[1] = near;
    *y = near + halves[i % halves.len()].to_f32() as f64 + table[[i % 3, 1]] as f64;
    if *sign {
        *y = -*y;
    }
}

/// Launches the kernel on a device, on parts of buffers, and returns all that it has written.
fn run_all_kinds(device: &Device) -> vyre::Result<(Vec<Body>, Vec<u32>, Vec<f64>)> {
    let body = Body {
        mass: 2.5,
        tag: 3,
        place: [1.0, 2.0],
    };
    let x: Vec<u16> = (0..200).collect();
    let x = device.upload(&x)?;
    let halves = device.upload(&[1.5, -2.25, 100.0].map(f16::from_f32))?;
    let mut bodies = device.upload(&[body; 130])?;
    let table = device.upload(&(0..12).collect::<Vec<i32>>())?;
    let mut counts = device.zeros::<u32>(6)?;
    let signs: Vec<bool> = (0..130).map(|i| i % 3 == 0).collect();
    let signs = device.upload(&signs)?;
    let mut y = device.zeros::<f64>(130)?;
    all_kinds(
        0.5,
        body,
        x.slice(7..)?,
        &halves,
        &mut bodies,
        table.view2(3, 4)?.part(.., ..3)?,
        &mut counts.slice_mut(1..5)?,
        signs.slice(2..)?,
        y.slice_mut(..128)?,
    )
    .over(128)
    .shared_bytes(64 * 4)
    .launch(device)?;
    Ok((bodies.download()?, counts.download()?, y.download()?))
}

#[test]
fn all_kinds_of_arguments_have_the_results_of_the_cpu() -> vyre::Result<()> {
    let _alone = crate::alone();
    let (one, other) = (run_all_kinds(&Device::cpu())?, run_all_kinds(&Device::checked())?);
    assert_eq!(one, other);
    assert_eq!(one.1, [0, 32, 32, 32, 32, 0]);
    Ok(())
}

#[vyre::kernel(block = 4)]
fn prints_and_faults(x: &[u32], y: &mut [u32]) {
    let i = thread::index();
    print!("{i};");
    y[i] = x[i];
}

#[test]
fn faults_are_those_of_the_kernel() -> vyre::Result<()> {
    let _alone = crate::alone();
    let device = Device::checked();
    let x = device.upload(&[1; 3])?;
    let mut y = device.zeros::<u32>(4)?;
    prints_and_faults(&x, &mut y).over(4).launch(&device)?;
    let Err(Error::Fault(fault)) = y.download() else {
        panic!("no fault")
    };
    assert_eq!(
        (fault.kind, fault.values, fault.thread),
        (vyre::FaultKind::IndexOutOfBounds, [3, 3], [3, 0, 0])
    );
    assert_eq!(fault.file, file!());
    Ok(())
}

#[vyre::kernel(block = 4)]
fn add_halves(x: &[u32], y: &mut [u32], all: bool) {
    let i = thread::index();
    if i < y.len() {
        if all || i.is_multiple_of(2) {
            y[i] = 1;
        }
        y[i] += x[i];
    }
}

#[test]
fn memory_without_values_is_followed_from_launch_to_launch() -> vyre::Result<()> {
    let _alone = crate::alone();
    let device = Device::checked();
    let ones = device.upload(&[1; 8])?;
    // Copies have no values where their source has none.
    let mut part = device.uninit::<u32>(8)?;
    // SAFETY: checking mode tells that not all is written, which is the point.
    let part = unsafe {
        part.as_view_mut().slice_mut(..4)?.fill(5)?;
        part.assume_init()
    };
    let copy = device.uninit::<u32>(8)?.copy_from(&part)?;
    for (source, end, is_clean) in [(&part, 4, true), (&part, 5, false), (&copy, 4, true), (&copy, 8, false)] {
        let mut y = device.zeros::<u32>(8)?;
        add_halves(source.slice(..end)?, &mut y.slice_mut(..end)?, true)
            .over(end)
            .launch(&device)?;
        match is_clean {
            true => assert_eq!(y.download()?[..end], vec![6; end]),
            false => {
                let report = found(y.download().map(drop)).reports.remove(0);
                assert_eq!((report.kind, report.parties.len()), (Kind::Unwritten, 1), "{report}");
                assert!(report.object.starts_with("`x["), "{report}");
                assert_eq!(report.parties[0].does, Does::Access(Action::Read));
            }
        }
    }
    // Memory written by one launch counts as written in the next.
    let mut y = device.uninit::<u32>(8)?;
    // SAFETY: as above.
    unsafe {
        add_halves(&ones, y.as_view_mut().slice_mut(..4)?, true)
            .over(4)
            .launch(&device)?;
        add_halves(&ones, y.as_view_mut().slice_mut(..4)?, false)
            .over(4)
            .launch(&device)?;
        device.default_stream().synchronize()?;
        add_halves(&ones, y.as_view_mut(), false).over(8).launch(&device)?;
        let report = found(y.assume_init().download().map(drop)).reports.remove(0);
        assert_eq!(report.kind, Kind::Unwritten, "{report}");
        assert!(report.object == "`y[5]`" || report.object == "`y[7]`", "{report}");
    }
    Ok(())
}

#[vyre::kernel]
fn both(one: &[AtomicU32], other: &[AtomicU32]) {
    one[thread::index()].fetch_add(1, Ordering::Relaxed);
    other[0].fetch_add(1, Ordering::Relaxed);
}

#[test]
fn one_memory_given_twice_is_a_typed_error() -> vyre::Result<()> {
    let _alone = crate::alone();
    let device = Device::checked();
    let mut cells = device.zeros::<u32>(4)?;
    let shared: AtomicView<'_, AtomicU32> = (&mut cells).into();
    both(shared, shared).over(4).launch(&device)?;
    let error = device.default_stream().synchronize().unwrap_err();
    assert!(matches!(&error, Error::Unsupported { .. }), "{error}");
    assert!(
        error.to_string().contains("the same memory as `one` and `other`"),
        "{error}"
    );
    Ok(())
}

#[test]
fn the_device_has_a_name_of_its_own() -> vyre::Result<()> {
    let _alone = crate::alone();
    let device = Device::checked();
    assert_eq!(device, Device::checked());
    assert_ne!(device, Device::cpu());
    assert_eq!((device.name(), &*device.id()), ("CPU, checked", "cpu:checked"));
    assert_eq!(Device::open("cpu:checked")?, device);
    assert_eq!(device.to_string(), "CPU, checked");
    Ok(())
}
