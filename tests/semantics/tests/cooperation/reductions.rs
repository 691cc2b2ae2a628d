//! Reductions of warps, in PTX for all devices and in PTX for newer ones.

use vyre::prelude::*;
use vyre_runtime::kernel::Kernel;
use vyre_semantics::places::everywhere;

vyre_semantics::kernels! { Words }

/// Reductions of 32 bits, which newer devices have an instruction for: in a block with a partial warp, after lanes have
/// left, in a branch to which whole warps come.
#[vyre::kernel(block = 80, allow(races))] // lanes have left before some of the reductions
fn words(x: &[u32], counts: &mut [[u32; 6]], signed: &mut [[i32; 6]], left: u32, branch: bool) {
    let i = thread::index();
    if i % 7 == left as usize {
        return;
    }
    if branch && i / 32 == 1 {
        counts[i][0] = warp::sum(x[i] & 3);
        return;
    }
    let n = x[i];
    counts[i] = [
        warp::sum(n),
        warp::min(n),
        warp::max(n),
        warp::and(n | 0xff),
        warp::or(n & 0x7777),
        warp::xor(n),
    ];
    let n = n as i32;
    signed[i] = [
        warp::sum(n),
        warp::min(n),
        warp::max(n),
        warp::and(n | 0xff),
        warp::or(n & 0x7777),
        warp::xor(n),
    ];
}

#[test]
fn words_of_warps() {
    let x: Vec<u32> = (0..160u32)
        .map(|i| i.wrapping_mul(0x9e37_79b9).rotate_left(i % 13))
        .collect();
    for (left, branch) in [(9, false), (9, true), (0, false), (6, true)] {
        let (mut counts, mut signed) = (vec![[0u32; 6]; 160], vec![[0i32; 6]; 160]);
        for i in 0..160 {
            let (block, warp) = (i / 80 * 80, i % 80 / 32);
            if i % 7 == left as usize {
                continue;
            }
            let lanes = (block + warp * 32..block + (warp * 32 + 32).min(80)).filter(|i| i % 7 != left as usize);
            // Warps are those of the block, and the branch divides the indices of the launch.
            let (apart, lanes): (Vec<usize>, Vec<usize>) = lanes.partition(|i| branch && i / 32 == 1);
            if branch && i / 32 == 1 {
                counts[i][0] = apart.iter().map(|&i| x[i] & 3).sum();
                continue;
            }
            let n = || lanes.iter().map(|&i| x[i]);
            counts[i] = [
                n().fold(0, u32::wrapping_add),
                n().min().unwrap(),
                n().max().unwrap(),
                n().fold(u32::MAX, |a, n| a & (n | 0xff)),
                n().fold(0, |a, n| a | n & 0x7777),
                n().fold(0, |a, n| a ^ n),
            ];
            let s = || n().map(|n| n as i32);
            signed[i] = counts[i].map(|n| n as i32);
            signed[i][1] = s().min().unwrap();
            signed[i][2] = s().max().unwrap();
        }
        everywhere(|place| {
            let device = place.device();
            let x = device.upload(&x)?;
            let mut of_counts = device.upload(&vec![[0u32; 6]; 160])?;
            let mut of_signed = device.upload(&vec![[0i32; 6]; 160])?;
            place.grid(words(&x, &mut of_counts, &mut of_signed, left, branch), [2, 1, 1])?;
            assert_eq!(of_counts.download()?, counts, "{} {left} {branch}", place.name());
            assert_eq!(of_signed.download()?, signed, "{} {left} {branch}", place.name());
            Ok(())
        });
    }
    let info = Words::info();
    let newer = info.newer.first().expect("it has code for newer devices");
    assert!(
        newer.target == 80
            && vyre_semantics::ptx::without_assumed(newer.ptx)
                .matches("redux.sync")
                .count()
                == 13,
        "{}",
        newer.ptx
    );
    assert!(info.target == 70 && !info.ptx.contains("redux"), "{}", info.ptx);
}
