//! Functions with large arrays: after inlining a thread still has its 512 KiB, and the CPU's stacks hold them.
use vyre::prelude::*;
use vyre_semantics::{everywhere, ptx};

/// 520,000 bytes.
#[vyre::device]
fn filled(value: u32, at: usize) -> u32 {
    let mut all = [value; 130_000];
    all[at] = 7;
    all[at] + all[at + 1] + all[129_999 - at]
}

#[vyre::kernel]
fn five_calls(at: usize, #[each] x: &mut u32) {
    *x = filled(*x, at) + filled(2, at) + filled(3, at) + filled(4, at) + filled(5, at);
}

#[vyre::kernel]
fn in_branches(at: usize, #[each] x: &mut u32) {
    for i in 0..3 {
        *x += if *x & 1 == 0 { filled(i, at) } else { filled(2, at + 1) };
    }
}

/// With a fused multiply-add, for which the functions are compiled twice.
#[vyre::kernel]
fn with_fma(at: usize, #[each] x: &mut u32) {
    let half = (*x as f32).mul_add(0.5, 1.0) as u32;
    *x = filled(half, at) + filled(2, at);
}

/// Waits, so that on the CPU each call is a future.
#[vyre::device]
fn waiting(value: u32, at: usize) -> u32 {
    let mut all = [value; 100_000];
    block::sync();
    all[at] = 7;
    all[at] + all[at + 1]
}

#[vyre::device]
fn total(all: [u32; 20_000], at: usize) -> u32 {
    block::sync();
    all[at] + all[at + 1]
}

#[vyre::kernel(block = 2)]
fn of_futures(at: usize, #[each] x: &mut u32) {
    let all = [*x; 20_000];
    *x = total(all, at) + total(all, at) + total(all, at) + total(all, at) + total(all, at);
    *x += waiting(*x, at) + waiting(2, at) + waiting(3, at) + waiting(4, at);
}

#[test]
fn large_locals() {
    everywhere(|place| {
        let start = [1, 4];
        let mut x = place.device().upload(&start)?;
        match place.over(five_calls(3, &mut x), 2) {
            // A GPU reserves the local memory of all threads that fit on it: 138 GB on an H100, which may have 80.
            Err(error) if error.to_string().contains("OUT_OF_MEMORY") => {
                eprintln!("{} has too little memory for 512 KiB a thread", place.name());
                return Ok(());
            }
            result => result?,
        }
        assert_eq!(
            x.download()?,
            start.map(|x| 2 * (x + 14) + 35),
            "five calls on {}",
            place.name()
        );

        let mut x = place.device().upload(&start)?;
        place.over(in_branches(3, &mut x), 2)?;
        let wanted = start.map(|x| (0..3).fold(x, |x, i| x + 7 + 2 * if x % 2 == 0 { i } else { 2 }));
        assert_eq!(x.download()?, wanted, "branches on {}", place.name());

        let mut x = place.device().upload(&start)?;
        place.over(with_fma(3, &mut x), 2)?;
        assert_eq!(
            x.download()?,
            start.map(|x| 2 * (x / 2 + 1 + 2) + 14),
            "fma on {}",
            place.name()
        );

        let mut x = place.device().upload(&start)?;
        place.over(of_futures(3, &mut x), 2)?;
        let wanted = start.map(|x| 10 * x).map(|x| x + x + 9 + 28);
        assert_eq!(x.download()?, wanted, "futures on {}", place.name());
        Ok(())
    });
}

#[test]
fn ptxas_accepts_it() {
    use vyre::Kernel as _;
    ptx::assembled(&[
        FiveCalls::info(),
        InBranches::info(),
        WithFma::info(),
        OfFutures::info(),
    ]);
}
