//! Coarsened entries: the same results by threads with several elements, and the kernels that have one.

use vyre_runtime::kernel::{Arguments, Kernel, KernelInfo};
use vyre_semantics::everywhere;

super::kernels! { Scaled Inverted Marked Norms Parted Summed Split Turned }

#[vyre::device]
fn times(a: f32, x: f32) -> f32 {
    if x < 0.0 {
        return 0.0;
    }
    a * x
}

#[vyre::kernel(block = 64)]
fn scaled(a: f32, #[each] x: &f32, #[each] y: &mut f32) {
    *y += times(a, *x);
}

#[vyre::kernel(block = 32)]
fn inverted(#[each] x: &u8, #[each] y: &mut u8) {
    *y = if *x > 7 { 255 - *x } else { 3 };
}

#[vyre::kernel(block = 32)]
fn marked(least: u16, #[each] x: &u16, #[each] y: &mut u16) {
    let doubled = x.wrapping_mul(2);
    if doubled >= least {
        *y = doubled;
    }
}

#[vyre::kernel(block = 96)]
fn norms(#[each] v: &[f32; 3], #[each] norm: &mut f32) {
    let [x, y, z] = *v;
    *norm = (x * x + y * y + z * z).sqrt();
}

#[vyre::kernel(block = 32)]
fn summed(#[each] x: &mut f64, #[each] y: &mut f64) {
    let sum = *x + *y;
    *x = sum;
    *y = sum * 0.5;
}

#[vyre::kernel(block = 32)]
fn split(#[each] x: &i64, #[each] low: &mut u32, #[each] high: &mut i32) {
    *low = *x as u32;
    *high = (*x >> 32) as i32;
}

#[vyre::device]
#[derive(Clone, Copy)]
struct Factor {
    by: f32,
}

/// Parameters that its predicate does not mention, and names that are no plain identifiers.
#[vyre::kernel(block = 32)]
fn named(factor: Factor, r#type: u32, #[each] größe: &mut f32) {
    *größe *= factor.by + r#type as f32;
}

#[test]
fn parameters_of_any_name() -> vyre::Result<()> {
    for device in vyre_semantics::places::devices() {
        let count = (1 << 20) + 3;
        let mut x = device.upload(&vec![2.0; count])?;
        named(Factor { by: 0.5 }, 3, &mut x).launch(&device)?;
        assert!(x.download()?.iter().all(|&x| x == 7.0));
    }
    Ok(())
}

/// A launch of the coarsened entry, also where there are few elements.
struct Coarse<K>(K);

// SAFETY: the entry's predicate asks for equal lengths and for many elements; `check` sees to the first, and nothing but
// speed depends on the second.
unsafe impl<K: Kernel> Kernel for Coarse<K> {
    fn info() -> &'static KernelInfo {
        assert_eq!(K::info().entries.len(), 2, "`{}` is coarsened", K::info().name);
        K::info()
    }

    fn arguments<'a>(&'a self, arguments: &mut Arguments<'a>) {
        self.0.arguments(arguments);
    }

    fn elements(&self) -> Option<usize> {
        self.0.elements()
    }

    fn check(&self) -> vyre::Result<()> {
        self.0.check()
    }
}

/// Elements of arrays at constant indices cannot fault.
#[vyre::kernel(block = 32)]
fn turned(angle: [f32; 2], #[each] v: &[f32; 2], #[each] w: &mut [f32; 2]) {
    w[0] = v[0] * angle[0] - v[1] * angle[1];
    w[1] = v[0] * angle[1] + v[1] * angle[0];
}

#[test]
fn constant_indices() {
    everywhere(|place| {
        for count in counts(32, 4) {
            let v: Vec<[f32; 2]> = (0..count).map(|k| [k as f32, 2.0]).collect();
            let (there, mut w) = (
                place.device().upload(&v)?,
                place.device().upload(&vec![[0.0f32; 2]; count])?,
            );
            place.over(Coarse(turned([0.6, 0.8], &there, &mut w)), count)?;
            let expected = v.iter().map(|[x, y]| [x * 0.6 - y * 0.8, x * 0.8 + y * 0.6]);
            assert_eq!(w.download()?, expected.collect::<Vec<_>>(), "{count}");
        }
        Ok(())
    });
}

/// Divisions by constants cannot fault, but for those by 0 and -1.
#[vyre::kernel(block = 32)]
fn parted(#[each] x: &i32, #[each] y: &mut i32) {
    *y = *x / 7 + *x % -3;
}

#[test]
fn constant_divisors() {
    assert_eq!(Parted::info().entries.len(), 2);
    everywhere(|place| {
        for count in counts(32, 4) {
            let x: Vec<i32> = (0..count as i32).map(|k| k * 37 - 1000).collect();
            let (there, mut y) = (place.device().upload(&x)?, place.device().zeros::<i32>(count)?);
            place.over(Coarse(parted(&there, &mut y)), count)?;
            let expected: Vec<i32> = x.iter().map(|x| x / 7 + x % -3).collect();
            assert_eq!(y.download()?, expected, "{count}");
        }
        Ok(())
    });
}

/// Numbers of elements around those of a block and of a thread.
fn counts(block: usize, elements: usize) -> impl Iterator<Item = usize> {
    let whole = block * elements;
    let counts = [1, block - 1, block, block + 1, whole - 1, whole, whole + 1];
    counts.into_iter().chain([whole + block, 5 * whole + 17])
}

#[test]
fn four_floats() {
    everywhere(|place| {
        for count in counts(64, 4) {
            let x: Vec<f32> = (0..count).map(|k| k as f32 - 40.0).collect();
            let (x_there, mut y) = (place.device().upload(&x)?, place.device().upload(&vec![0.5; count])?);
            place.over(Coarse(scaled(2.0, &x_there, &mut y)), count)?;
            let expected: Vec<f32> = x.iter().map(|x| 0.5 + if *x < 0.0 { 0.0 } else { 2.0 * x }).collect();
            assert_eq!(y.download()?, expected, "{count}");
        }
        Ok(())
    });
}

#[test]
fn sixteen_bytes() {
    everywhere(|place| {
        for count in counts(32, 16) {
            let x: Vec<u8> = (0..count).map(|k| k as u8).collect();
            let (x_there, mut y) = (place.device().upload(&x)?, place.device().zeros::<u8>(count)?);
            place.over(Coarse(inverted(&x_there, &mut y)), count)?;
            let expected: Vec<u8> = x.iter().map(|&x| if x > 7 { 255 - x } else { 3 }).collect();
            assert_eq!(y.download()?, expected, "{count}");
        }
        Ok(())
    });
}

#[test]
fn eight_halves_some_of_which_stay() {
    everywhere(|place| {
        for count in counts(32, 8) {
            let x: Vec<u16> = (0..count).map(|k| k as u16 * 31).collect();
            let (x_there, mut y) = (place.device().upload(&x)?, place.device().upload(&vec![9; count])?);
            place.over(Coarse(marked(100, &x_there, &mut y)), count)?;
            let doubled = x.iter().map(|x| x.wrapping_mul(2));
            let expected: Vec<u16> = doubled.map(|x| if x >= 100 { x } else { 9 }).collect();
            assert_eq!(y.download()?, expected, "{count}");
        }
        Ok(())
    });
}

#[test]
fn arrays() {
    everywhere(|place| {
        for count in counts(96, 4) {
            let v: Vec<[f32; 3]> = (0..count).map(|k| [k as f32, 2.0, -1.5]).collect();
            let (v_there, mut norm) = (place.device().upload(&v)?, place.device().zeros::<f32>(count)?);
            place.over(Coarse(norms(&v_there, &mut norm)), count)?;
            let expected: Vec<f32> = v.iter().map(|[x, y, z]| (x * x + y * y + z * z).sqrt()).collect();
            assert_eq!(norm.download()?, expected, "{count}");
        }
        Ok(())
    });
}

#[test]
fn two_results() {
    everywhere(|place| {
        for count in counts(32, 4) {
            let numbers: Vec<f64> = (0..count).map(|k| k as f64 * 0.25).collect();
            let (mut x, mut y) = (
                place.device().upload(&numbers)?,
                place.device().upload(&vec![1.0; count])?,
            );
            place.over(Coarse(summed(&mut x, &mut y)), count)?;
            let expected: Vec<f64> = numbers.iter().map(|x| x + 1.0).collect();
            assert_eq!(x.download()?, expected, "{count}");
            let expected: Vec<f64> = expected.iter().map(|sum| sum * 0.5).collect();
            assert_eq!(y.download()?, expected, "{count}");
        }
        Ok(())
    });
}

#[test]
fn elements_of_two_sizes() {
    everywhere(|place| {
        for count in counts(32, 4) {
            let x: Vec<i64> = (0..count as i64).map(|k| k * 0x1234_5678_9abc - 77).collect();
            let there = place.device().upload(&x)?;
            let (mut low, mut high) = (place.device().zeros(count)?, place.device().zeros(count)?);
            place.over(Coarse(split(&there, &mut low, &mut high)), count)?;
            let both = low.download()?.into_iter().zip(high.download()?);
            let joined: Vec<i64> = both.map(|(low, high)| i64::from(high) << 32 | i64::from(low)).collect();
            assert_eq!(joined, x, "{count}");
        }
        Ok(())
    });
}

/// A launch by the user's own words: of many elements by the coarsened entry, of fewer or over a part of them not.
#[test]
fn launches_choose() -> vyre::Result<()> {
    for device in vyre_semantics::places::devices() {
        for count in [(1 << 20) - 1, 1 << 20, (1 << 20) + 77] {
            let x = device.upload(&vec![3u8; count])?;
            let mut y = device.upload(&vec![0u8; count])?;
            inverted(&x, &mut y).launch(&device)?;
            assert!(y.download()?.iter().all(|&y| y == 3), "{count}");
        }
        // Whole blocks cover this domain, and no element after them is computed.
        let count = 1 << 20;
        let x = device.upload(&vec![3u8; count])?;
        let mut y = device.upload(&vec![0u8; count])?;
        inverted(&x, &mut y).over(33).launch(&device)?;
        let y = y.download()?;
        assert!(y[..64].iter().all(|&y| y == 3) && y[64..].iter().all(|&y| y == 0));
    }
    Ok(())
}

mod plain {
    use vyre::prelude::*;

    #[vyre::kernel]
    pub(super) fn numbered(#[each] y: &mut u32) {
        *y = thread::index() as u32;
    }

    #[vyre::kernel]
    pub(super) fn looped(n: u32, #[each] y: &mut u32) {
        for i in 0..n {
            *y += i;
        }
    }

    #[vyre::kernel]
    pub(super) fn divided(#[each] x: &u32, #[each] y: &mut u32) {
        *y /= *x;
    }

    #[vyre::kernel]
    pub(super) fn negated(#[each] y: &mut i32) {
        *y /= -1;
    }

    #[vyre::kernel]
    pub(super) fn looked_up(table: &[u32], #[each] y: &mut u32) {
        *y = table[0];
    }

    #[vyre::kernel]
    pub(super) fn left(#[each] y: &mut u32) {
        if *y == 0 {
            return;
        }
        *y -= 1;
    }

    #[vyre::kernel]
    pub(super) fn printed(#[each] y: &mut u32) {
        *y = 1;
        println!("{}", *y);
    }

    #[vyre::kernel]
    pub(super) fn wide(#[each] x: &[f64; 4], #[each] y: &mut f64) {
        *y = x[0];
    }

    /// The next element of a thread would see the change.
    #[vyre::kernel]
    pub(super) fn changed(mut gain: u32, #[each] y: &mut u32) {
        if *y > 3 {
            gain += 1;
        }
        *y += gain;
    }

    #[vyre::device]
    #[derive(Clone, Copy)]
    pub(super) struct Line {
        by: u32,
        add: u32,
    }

    #[vyre::kernel]
    pub(super) fn replaced(mut line: Line, #[each] x: &u32, #[each] y: &mut u32) {
        if *x > 3 {
            line = Line {
                by: line.by + *x,
                add: 1,
            };
        }
        if *x > 5 {
            line.by = *x;
        }
        *y = *x * line.by + line.add;
    }

    #[vyre::kernel]
    pub(super) fn voted(#[each] y: &mut u32) {
        *y = warp::sum(*y);
    }
}

/// These have one entry: it could be seen which thread computes an element, or it would not pay.
#[test]
fn others_stay() {
    use plain::*;
    let entries = [
        Numbered::info(),
        Looped::info(),
        Divided::info(),
        Negated::info(),
        LookedUp::info(),
        Left::info(),
        Printed::info(),
        Wide::info(),
        Voted::info(),
        Changed::info(),
        Replaced::info(),
    ];
    for info in entries {
        assert_eq!(info.entries.len(), 1, "{}", info.name);
    }
}
