//! Byte strings, `contains` of ranges, and destructuring assignments of arrays.

use vyre::prelude::*;
use vyre_semantics::everywhere;

#[vyre::device]
const DIGITS: [u8; 16] = *b"0123456789abcdef";

#[vyre::kernel]
fn hexadecimal(x: &[u8], y: &mut [[u8; 4]]) {
    let i = thread::index();
    if i < y.len() {
        let mut text = *b"0x\0\n";
        text[2] = DIGITS[(x[i] >> 4) as usize];
        text[3] = b"0123456789ABCDEF"[x[i] as usize & 15];
        y[i] = text;
    }
}

#[test]
fn text() {
    everywhere(|place| {
        let x = place.device().upload(&[0x00, 0x5a, 0xff])?;
        let mut y = place.device().zeros::<[u8; 4]>(3)?;
        place.over(hexadecimal(&x, &mut y), 3)?;
        assert_eq!(y.download()?, [*b"0x00", *b"0x5A", *b"0xfF"]);
        Ok(())
    });
}

/// One bit for each range that has the value.
#[vyre::kernel]
fn classes(x: &[f32], low: f32, high: f32, of_floats: &mut [u32], of_integers: &mut [u32]) {
    let i = thread::index();
    if i >= x.len() {
        return;
    }
    let all = [
        (low..high).contains(&x[i]),
        (low..=high).contains(&x[i]),
        !(low..).contains(&x[i]),
        (..high).contains(&x[i]),
        (..=high).contains(&-x[i]),
    ];
    for (bit, inside) in all.iter().enumerate() {
        of_floats[i] |= (*inside as u32) << bit;
    }
    // The operand is evaluated once.
    let mut calls = 0;
    let mut value = || {
        calls += 1;
        x[i] as i32 * calls
    };
    let inside = (-1..3).contains(&value()) || ((b'a' as i32)..=(b'c' as i32)).contains(&value());
    of_integers[i] = inside as u32 + 10 * calls as u32;
    for limit in [1u8, 2].iter() {
        of_integers[i] += 100 * (2..9).contains(limit) as u32;
    }
}

#[test]
fn ranges() {
    everywhere(|place| {
        let x = [-2.0, -1.0, 0.5, 2.0, 49.0, f32::NAN];
        let there = place.device().upload(&x)?;
        let (mut floats, mut integers) = (place.device().zeros(6)?, place.device().zeros(6)?);
        place.over(classes(&there, -1.0, 2.0, &mut floats, &mut integers), 6)?;
        let bits = |x: f32| {
            let all = [
                (-1.0..2.0).contains(&x),
                (-1.0..=2.0).contains(&x),
                !(-1.0..).contains(&x),
                (..2.0).contains(&x),
                (..=2.0).contains(&-x),
            ];
            (0..5).map(|bit| u32::from(all[bit]) << bit).sum::<u32>()
        };
        assert_eq!(floats.download()?, x.map(bits));
        assert_eq!(integers.download()?, [120, 111, 111, 111, 121, 111]);
        Ok(())
    });
}

#[vyre::kernel]
fn turned(#[each] m: &mut [[i32; 2]; 2], #[each] rest: &mut i32) {
    let mut last = 0;
    let [first, mut second] = *m;
    [second[0], second[1]] = [second[1], second[0]];
    ([last, _], (m[0], m[1])) = (first, (second, first));
    *rest = last;
}

#[test]
fn assignments_to_arrays() {
    everywhere(|place| {
        let mut m = place.device().upload(&[[[1, 2], [3, 4]], [[5, 6], [7, 8]]])?;
        let mut rest = place.device().zeros(2)?;
        place.over(turned(&mut m, &mut rest), 2)?;
        assert_eq!(m.download()?, [[[4, 3], [1, 2]], [[8, 7], [5, 6]]]);
        assert_eq!(rest.download()?, [1, 5]);
        Ok(())
    });
}

/// Shared memory of a type known only by its bound.
#[vyre::kernel(block = 32, T = [f32, u32])]
fn folded<T: Number>(x: &[T], y: &mut [T]) {
    let tile = shared::<[T; 32]>();
    let t = thread::idx().x;
    tile[t] = x[t];
    block::sync();
    y[t] = tile[31 - t] - tile[t];
}

#[test]
fn shared_memory_of_generic_kernels() {
    everywhere(|place| {
        let x: Vec<f32> = (0..32).map(|i| i as f32).collect();
        let (there, mut y) = (place.device().upload(&x)?, place.device().zeros(32)?);
        place.over(folded(&there, &mut y), 32)?;
        assert!(y.download()?.into_iter().zip(&x).all(|(y, x)| y == 31.0 - 2.0 * x));
        Ok(())
    });
}

#[test]
fn ptxas_accepts_it() {
    use vyre::Kernel as _;
    vyre_semantics::ptx::assembled(&[Hexadecimal::info(), Classes::info(), Turned::info(), FoldedF32::info()]);
}
