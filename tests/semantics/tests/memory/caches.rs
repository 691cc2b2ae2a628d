//! Loads and stores with cache operators: the values are those of plain ones, the instructions the
//! requested ones, and volatile accesses are neither merged nor removed.

use vyre::prelude::*;
use vyre_runtime::kernel::{Kernel, KernelInfo};
use vyre_semantics::places::everywhere;
use vyre_semantics::ptx::assemble_quickly;

vyre_semantics::kernels! { PassesOn DoublesEach }

/// Copies each type with each operator.
macro_rules! copies {
    ($($name:ident $launcher:ident $ty:ident;)*) => { $(
        #[test]
        fn $name() {
            #[vyre::kernel(launcher = $launcher, block = 64)]
            fn copy(x: &[$ty], y: &mut [$ty], z: &mut [$ty]) {
                let tile = shared::<[$ty; 64]>();
                let (i, t) = (thread::index(), thread::idx().x);
                store::volatile(&mut tile[t], load::streaming(&x[i]));
                block::sync();
                let mut own = load::volatile(&tile[63 - t]);
                store::streaming(&mut y[i], load::l2(&x[i]));
                store::l2(&mut y[i + 64], load::volatile(&own));
                store::volatile(&mut own, load::streaming(&z[i]));
                store::write_through(&mut z[i], own);
                store::volatile(&mut z[i + 64], load::volatile(&y[i]));
            }

            everywhere(|place| {
                let values: Vec<$ty> = (1..65u8).map($ty::from).collect();
                let device = place.device();
                let (x, mut y) = (device.upload(&values)?, device.zeros::<$ty>(128)?);
                let mut z = device.upload(&[values.clone(), values.clone()].concat())?;
                place.over(copy(&x, &mut y, &mut z), 64)?;
                let reversed: Vec<$ty> = values.iter().rev().copied().collect();
                assert_eq!(y.download()?, [values.clone(), reversed].concat(), "on {}", place.name());
                assert_eq!(z.download()?, [values.clone(), values].concat(), "on {}", place.name());
                Ok(())
            });
            assemble_quickly($launcher::info());
        }
    )* };
}

copies! {
    bytes CopyBytes u8;
    shorts CopyShorts i16;
    words CopyWords u32;
    longs CopyLongs i64;
    sizes CopySizes usize;
    floats CopyFloats f32;
    doubles CopyDoubles f64;
}

/// The instructions of a kernel with this prefix, without their registers.
fn instructions(info: &KernelInfo, beginning: &str) -> Vec<String> {
    let lines = vyre_semantics::ptx::checked(info)
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with(beginning));
    lines
        .map(|line| line.split(' ').next().unwrap_or_default().to_owned())
        .collect()
}

#[vyre::kernel(allow(races))] // its PTX counts
fn ways(x: &[f32], y: &mut [f32], flags: &mut [u32]) {
    let i = thread::index();
    let sum = load::streaming(&x[i]) + load::l2(&x[i + 1]) + x[i + 2] + load::volatile(&x[i + 3]);
    let other = load::streaming(&y[i]) + load::l2(&y[i + 1]) + y[i + 2];
    store::streaming(&mut y[i], sum);
    store::l2(&mut y[i + 1], sum);
    store::write_through(&mut y[i + 2], other);
    // None of these is redundant.
    flags[i] = load::volatile(&flags[i]) + load::volatile(&flags[i]);
    load::volatile(&flags[i]);
    store::volatile(&mut flags[i], 1);
    store::volatile(&mut flags[i], 1);
}

#[test]
fn instructions_that_are_asked_for() {
    let info = Ways::info();
    assert_eq!(
        instructions(info, "ld.global"),
        [
            "ld.global.cs.nc.f32",
            "ld.global.cg.nc.f32",
            "ld.global.nc.f32",
            "ld.global.cs.f32",
            "ld.global.cg.f32",
            "ld.global.f32",
            // From the fault report.
            "ld.global.u64",
            "ld.global.u64",
        ]
    );
    assert_eq!(
        instructions(info, "st.global.c"),
        ["st.global.cs.f32", "st.global.cg.f32"]
    );
    assert_eq!(instructions(info, "st.global.w"), ["st.global.wt.f32"]);
    assert_eq!(instructions(info, "ld.volatile").len(), 1 + 3);
    assert_eq!(instructions(info, "st.volatile"), ["st.volatile.global.u32"; 2]);
    vyre_semantics::ptx::assembled(&[info]);
}

/// The last thread of a block signals the others, one after the other, through memory.
#[vyre::kernel(block = 8)]
fn passes_on(flags: &mut [u32], order: &mut [u32]) {
    let i = thread::index();
    let t = thread::idx().x;
    let mut rounds = 0;
    if t < 7 {
        // SAFETY: each element is written by one thread, and read until it is.
        while unsafe { load::volatile(flags.get_unchecked(i + 1)) } == 0 {
            rounds += 1;
        }
    }
    order[i] = 7 - t as u32 + (rounds == u32::MAX) as u32;
    store::volatile(&mut flags[i], 1);
}

#[test]
fn loops_that_wait_for_a_value() {
    everywhere(|place| {
        let (mut flags, mut order) = (place.device().zeros::<u32>(16)?, place.device().zeros::<u32>(16)?);
        place.over(passes_on(&mut flags, &mut order), 16)?;
        assert_eq!(flags.download()?, [1; 16], "on {}", place.name());
        Ok(())
    });
}

/// As above, but no thread signals, because the one that should faults.
#[vyre::kernel(block = 64)]
fn never_told(flags: &mut [u32], x: &[u32]) {
    let t = thread::idx().x;
    if t == 63 {
        store::volatile(&mut flags[63], x[t]);
    }
    while load::volatile(&flags[63]) == 0 {}
}

#[test]
fn a_fault_ends_those_loops() {
    everywhere(|place| {
        let (mut flags, x) = (place.device().zeros::<u32>(64)?, place.device().zeros::<u32>(10)?);
        let error = place.over(never_told(&mut flags, &x), 64).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("index 63 of `x` is out of bounds of length 10"),
            "{error}"
        );
        Ok(())
    });
}

/// Copies each type with each hint.
macro_rules! hints {
    ($($name:ident $launcher:ident $ty:ident;)*) => { $(
        #[test]
        fn $name() {
            #[vyre::kernel(launcher = $launcher, block = 64)]
            fn copy(x: &[$ty], y: &mut [$ty], z: &mut [$ty]) {
                let tile = shared::<[$ty; 64]>();
                let (i, t) = (thread::index(), thread::idx().x);
                prefetch::l2(&x[i]);
                prefetch::l1(&y[i]);
                store::evict_first(&mut tile[t], load::evict_first(&x[i]));
                block::sync();
                prefetch::l2(&tile[t]);
                let own = load::ahead_64(&tile[63 - t]);
                prefetch::l1(&own);
                store::evict_first(&mut y[i], load::evict_last(&x[i]));
                store::evict_last(&mut y[i + 64], load::l2_evict_first(&own));
                let before = load::no_allocate(&z[i]);
                store::no_allocate(&mut z[i + 64], before);
                store::l2_evict_first(&mut z[i], load::l2_evict_last(&y[i]));
                let sum = [load::ahead_64(&x[i]), load::ahead_128(&y[i]), load::ahead_256(&z[i])];
                store::l2_evict_last(&mut z[i + 128], sum[i % 3]);
            }

            everywhere(|place| {
                let values: Vec<$ty> = (1..65u8).map($ty::from).collect();
                let device = place.device();
                let (x, mut y) = (device.upload(&values)?, device.zeros::<$ty>(128)?);
                let reversed: Vec<$ty> = values.iter().rev().copied().collect();
                let mut z = device.upload(&[reversed.clone(), vec![$ty::default(); 128]].concat())?;
                place.over(copy(&x, &mut y, &mut z), 64)?;
                assert_eq!(y.download()?, [values.clone(), reversed.clone()].concat(), "on {}", place.name());
                assert_eq!(z.download()?, [values.clone(), reversed, values].concat(), "on {}", place.name());
                Ok(())
            });
            assemble_quickly($launcher::info());
        }
    )* };
}

hints! {
    hints_of_bytes HintBytes u8;
    hints_of_shorts HintShorts i16;
    hints_of_words HintWords u32;
    hints_of_longs HintLongs i64;
    hints_of_floats HintFloats f32;
    hints_of_doubles HintDoubles f64;
}

#[vyre::kernel(allow(races))] // its PTX counts
fn hinted(x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    let tile = shared::<[f32; 256]>();
    prefetch::l1(&x[i + 1]);
    prefetch::l2(&x[i + 1]);
    prefetch::l2(&y[i]);
    prefetch::l2(&tile[i]);
    let a = load::evict_first(&x[i]) + load::evict_last(&y[i]);
    let b = load::no_allocate(&x[i]) + load::ahead_64(&y[i]);
    store::evict_last(&mut y[i], a);
    store::no_allocate(&mut y[i + 1], b);
    store::evict_first(&mut tile[0], a);
    store::evict_first(&mut y[i + 2], load::ahead_128(&x[i + 2]));
}

#[vyre::kernel]
fn hinted_for_ampere(x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    store::l2_evict_last(&mut y[i], load::l2_evict_first(&x[i]) + load::ahead_256(&x[i]));
}

#[test]
fn hints_that_are_asked_for() {
    let info = Hinted::info();
    assert_eq!(
        instructions(info, "prefetch"),
        ["prefetch.global.L1", "prefetch.global.L2", "prefetch.global.L2"]
    );
    assert_eq!(
        instructions(info, "ld.global")[..5],
        [
            "ld.global.nc.L1::evict_first.f32",
            "ld.global.L1::evict_last.f32",
            "ld.global.nc.L1::no_allocate.f32",
            "ld.global.L2::64B.f32",
            "ld.global.nc.L2::128B.f32",
        ]
    );
    assert_eq!(
        instructions(info, "st.global.L"),
        [
            "st.global.L1::evict_last.f32",
            "st.global.L1::no_allocate.f32",
            "st.global.L1::evict_first.f32"
        ]
    );
    assert_eq!(instructions(info, "st.shared"), ["st.shared.f32"]);
    assert!(info.ptx.starts_with(".version 7.4\n.target sm_75\n"), "{}", info.ptx);
    vyre_semantics::ptx::assembled(&[info]);

    let info = HintedForAmpere::info();
    assert_eq!(
        instructions(info, "createpolicy"),
        [
            "createpolicy.fractional.L2::evict_first.b64",
            "createpolicy.fractional.L2::evict_last.b64"
        ]
    );
    assert_eq!(
        instructions(info, "ld.global")[..2],
        ["ld.global.nc.L2::cache_hint.f32", "ld.global.nc.L2::256B.f32"]
    );
    assert!(info.ptx.starts_with(".version 7.4\n.target sm_80\n"), "{}", info.ptx);
    assemble_quickly(info);
}

/// Accesses with hints are checked like any others.
#[vyre::kernel]
fn asks(x: &[f32]) {
    prefetch::l2(&x[thread::index()]);
}

#[test]
fn a_prefetch_past_the_end_is_a_fault() {
    everywhere(|place| {
        let x = place.device().zeros::<f32>(3)?;
        let error = place.over(asks(&x), 1).unwrap_err();
        assert!(error.to_string().starts_with("index "), "{error}");
        Ok(())
    });
    // In bounds there is only the requested access.
    // Those of the fault report.
    assert_eq!(instructions(Asks::info(), "ld.global"), ["ld.global.u64"; 2]);
}

/// The functions also run on the host.
#[vyre::device]
fn twice(value: &mut f64) -> f64 {
    let old = load::volatile(value);
    store::write_through(value, 2.0 * load::l2(value));
    store::streaming(value, load::streaming(value));
    prefetch::l1(value);
    store::l2_evict_last(value, load::ahead_128(value));
    old
}

#[vyre::kernel]
fn doubles_each(#[each] x: &mut f64, #[each] old: &mut f64, mut matrix: SliceMut2<'_, f64>) {
    let i = thread::index();
    *old = twice(x);
    let cell = &mut matrix[[i, 1]];
    store::l2(cell, load::streaming(cell) + load::volatile(x));
}

#[test]
fn in_functions_and_by_references() {
    let mut value = 3.0;
    assert_eq!((twice(&mut value), value), (3.0, 6.0));
    everywhere(|place| {
        let device = place.device();
        let (mut x, mut old) = (device.upload(&[1.0, 2.0, 3.0])?, device.zeros::<f64>(3)?);
        let mut matrix = device.upload(&[0.5; 6])?;
        place.over(doubles_each(&mut x, &mut old, matrix.view2_mut(3, 2)?), 3)?;
        assert_eq!(x.download()?, [2.0, 4.0, 6.0], "on {}", place.name());
        assert_eq!(old.download()?, [1.0, 2.0, 3.0], "on {}", place.name());
        assert_eq!(
            matrix.download()?,
            [0.5, 2.5, 0.5, 4.5, 0.5, 6.5],
            "on {}",
            place.name()
        );
        Ok(())
    });
}
