//! Slices as slices of arrays, and back: each function runs on every back end, and as plain Rust.

use vyre::prelude::*;
use vyre_semantics::{agree, everywhere};

#[vyre::device]
fn mixed(quads: &[[u32; 3]]) -> u32 {
    let mut s = quads.len() as u32;
    for [a, b, c] in quads {
        s = s.rotate_left(7) ^ a ^ b.wrapping_mul(5) ^ c.rotate_left(3);
    }
    s
}

#[vyre::device]
fn bump(triples: &mut [[u32; 3]], by: u32) {
    for triple in triples.iter_mut() {
        triple[1] ^= by;
    }
    if let Some(last) = triples.last_mut() {
        *last = [by, last[0], last[1]];
    }
}

agree! {
    fn read(a: u32, b: u32) -> u32 {
        let all = [a, b, a ^ b, a / 3, b / 5, 7, a.wrapping_add(b), 9, !a, !b, 11, 12];
        let x = &all[..(a % 13) as usize];
        let (triples, rest) = x.as_chunks::<3>();
        let mut s = mixed(triples) ^ triples.len() as u32;
        for v in rest {
            s = s.rotate_left(5) ^ v;
        }
        let (before, pairs) = x.as_rchunks::<2>();
        s ^= before.iter().sum::<u32>().rotate_left(9) ^ pairs.as_flattened().iter().fold(3u32, |s, v| s.rotate_left(1) ^ v);
        s ^= x.as_chunks::<5>().1.len() as u32 ^ x.as_chunks::<5>().0.iter().map(|p| p[4]).fold(0u32, |s, v| s ^ v);
        if let Some([first, .., last]) = x.as_chunks::<4>().0.get((b % 4) as usize) {
            s ^= first.rotate_left(11) ^ last;
        }
        s
    }
    fn written(a: u32, b: u32) -> u32 {
        let mut all = [a, b, a ^ b, a / 3, b / 5, 7, a.wrapping_add(b), 9, !a, !b, 11, 12];
        {
            let x = &mut all[..(a % 13) as usize];
            let (triples, rest) = x.as_chunks_mut::<3>();
            bump(triples, b);
            for v in rest.iter_mut() {
                *v ^= 0x55;
            }
            let (before, pairs) = x.as_rchunks_mut::<2>();
            if !before.is_empty() {
                before[0] ^= 77;
            }
            for (i, pair) in pairs.iter_mut().enumerate() {
                *pair = [pair[1], pair[0] ^ i as u32];
            }
        }
        let mut rows = [[a, 1, 2], [b, 3, 4]];
        let flat = rows.as_flattened_mut();
        for k in 0..flat.len() {
            flat[k] = flat[k].rotate_left(k as u32);
        }
        let (pairs, _): (&[[u32; 2]], _) = rows.as_flattened().as_chunks();
        let s = pairs.iter().fold(0u32, |s, p| s.rotate_left(3) ^ p[0] ^ p[1].rotate_left(1));
        all.iter().fold(s, |s, v| s.rotate_left(9) ^ v)
    }
}

/// Each thread's four elements as one, through slices of the launch and of the block.
#[vyre::kernel(block = 32, allow(races))] // what is left lies behind the chunks
fn quads(x: &[u32], y: &mut [u32], sums: &mut [u32]) {
    let tile = shared::<[u32; 128]>();
    let (i, t) = (thread::index(), thread::idx().x);
    let from = x.as_chunks::<4>().0;
    let mut own = from.get(i).copied().unwrap_or([1, 2, 3, 4]);
    own[2] += 5;
    tile.as_chunks_mut::<4>().0[t] = own;
    block::sync();
    let (to, left) = y.as_chunks_mut::<4>();
    if let Some(quad) = to.get_mut(i) {
        *quad = own.map(|v| v * 3);
    }
    if i < left.len() {
        left[i] = 99;
    }
    if let Some(sum) = sums.get_mut(i) {
        *sum = tile.as_chunks::<8>().0[t / 2][t % 8];
    }
}

fn plain_quads(x: &[u32], y: &mut [u32], sums: &mut [u32]) {
    let own: Vec<[u32; 4]> = (0..32)
        .map(|i| {
            let mut own = x.as_chunks::<4>().0.get(i).copied().unwrap_or([1, 2, 3, 4]);
            own[2] += 5;
            own
        })
        .collect();
    let (to, left) = y.as_chunks_mut::<4>();
    for (quad, own) in to.iter_mut().zip(&own) {
        *quad = own.map(|v| v * 3);
    }
    left.fill(99);
    for (t, sum) in sums.iter_mut().enumerate() {
        *sum = own.as_flattened()[t / 2 * 8 + t % 8];
    }
}

#[test]
fn slices_of_the_launch_and_of_the_block() {
    everywhere(|place| {
        let device = place.device();
        for (read, written) in [(128, 128), (127, 126), (40, 67), (3, 1), (0, 0)] {
            let x: Vec<u32> = (0..read).map(|v| v * 7 + 1).collect();
            let (mut expected, mut expected_sums) = (vec![5; written], vec![0; 32]);
            plain_quads(&x, &mut expected, &mut expected_sums);
            let (mut y, mut sums) = (device.upload(&vec![5; written])?, device.zeros::<u32>(32)?);
            place.over(quads(&device.upload(&x)?, &mut y, &mut sums), 32)?;
            let found = (y.download()?, sums.download()?);
            assert_eq!(found, (expected, expected_sums), "{read} {written} {}", place.name());
        }
        Ok(())
    });
}

#[vyre::kernel]
fn beyond(x: &[u32], y: &mut [u32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] = x.as_chunks::<4>().0[i][0];
    }
}

#[test]
fn an_index_behind_the_last_array() {
    everywhere(|place| {
        let device = place.device();
        let x = device.upload(&[1u32, 2, 3, 4, 5, 6, 7])?;
        let mut y = device.zeros::<u32>(1)?;
        place.over(beyond(&x, &mut y), 1)?;
        assert_eq!(y.download()?, [1]);
        let mut y = device.zeros::<u32>(2)?;
        let fault = place.over(beyond(&x, &mut y), 2).and_then(|()| y.download());
        let text = fault.unwrap_err().to_string();
        assert!(
            text.contains("index 1 is out of bounds of length 1"),
            "{}: {text}",
            place.name()
        );
        Ok(())
    });
}

#[vyre::kernel]
fn turned(from: &[[u32; 4]], to: &mut [[u32; 4]]) {
    let i = thread::index();
    if let Some(quad) = to.get_mut(i) {
        let [a, b, c, d] = from[i];
        *quad = [d, c, b, a];
    }
}

#[vyre::kernel]
fn increased(x: &mut [u32], rest: &[u32]) {
    let i = thread::index();
    if i < x.len() {
        x[i] += 1 + rest.len() as u32;
    }
}

/// Buffers and parts of them as arrays of elements, and back, without a copy.
#[test]
fn views_of_the_host() {
    everywhere(|place| {
        let device = place.device();
        let values: Vec<u32> = (0..23).collect();
        let x = device.upload(&values)?;
        let mut y = device.zeros::<u32>(21)?;
        let (quads, rest) = x.slice(2..21)?.as_chunks::<4>();
        assert_eq!((quads.len(), rest.len()), (4, 3), "on {}", place.name());
        place.over(turned(quads, y.slice_mut(1..18)?.as_chunks_mut::<4>().0), 4)?;
        let mut expected = vec![0; 21];
        for (to, from) in expected[1..17].chunks_mut(4).zip(values[2..18].chunks(4)) {
            to.copy_from_slice(&[from[3], from[2], from[1], from[0]]);
        }
        assert_eq!(y.download()?, expected, "on {}", place.name());
        let mut rows = device.upload(&[[1u32, 2, 3], [4, 5, 6]])?;
        place.over(increased(rows.as_flattened_mut(), rest), 6)?;
        assert_eq!(rows.download()?, [[5, 6, 7], [8, 9, 10]], "on {}", place.name());
        Ok(())
    });
}
