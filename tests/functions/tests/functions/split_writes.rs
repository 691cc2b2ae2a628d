//! Writes through references to fields that share their bytes with others: those of copies and matrices too.

use vyre::prelude::*;
use vyre_semantics::everywhere;

#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Four {
    a: u8,
    b: u8,
    c: u16,
}

#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    Words([f32; 8]) = 5,
    Wide([u64; 3]) = 0,
    Four(Four, Four, u32),
    Bytes([u8; 5], bool),
}

#[vyre::device]
fn bump(x: &mut f32, by: f32) -> f32 {
    *x += by;
    *x
}

#[vyre::device]
fn bump_all(x: &mut [f32], by: f32) {
    for v in x.iter_mut() {
        *v += by;
    }
}

#[vyre::device]
fn both(x: &mut Four, y: &mut Four) -> u32 {
    x.a = x.a.wrapping_add(y.b);
    y.c = y.c.wrapping_mul(3);
    std::mem::swap(&mut x.b, &mut y.a);
    x.a as u32
}

#[vyre::device]
fn pass(n: u32, m: u32) -> u32 {
    n * 3 + m
}

#[vyre::device]
fn write(part: &mut Part, n: u32) -> u32 {
    match part {
        Part::Words(words) if n % 4 == 3 => {
            bump_all(words, 0.5);
            let old = std::mem::replace(&mut words[1], 9.0);
            words[2] = old;
            bump(&mut words[n as usize % 8], 2.0) as u32
        }
        Part::Words(words) if n % 4 == 1 => {
            words.swap(0, 7);
            for (i, w) in words.iter_mut().enumerate() {
                *w *= i as f32;
            }
            let [first, .., last] = words;
            std::mem::swap(first, last);
            3
        }
        Part::Words(words) => {
            let mut i = 0;
            while i < 8 {
                let w = &mut words[i];
                *w += 1.0;
                if *w > 4.0 {
                    break;
                }
                i += 1;
            }
            (words[0], words[1]) = (words[1], words[0]);
            if let Some(w) = words.get_mut(n as usize % 11) {
                *w = -3.0;
            }
            i as u32
        }
        Part::Wide([a, rest @ ..]) if n % 3 == 1 => {
            *a += 1;
            *a as u32 ^ rest[1] as u32
        }
        Part::Wide(wide) => {
            wide[0] ^= wide[2] << 7;
            let [a, b, _] = wide;
            *a += 3;
            *b -= 1;
            *a as u32
        }
        Part::Four(x, y, z) => {
            *z += pass(both(x, y), both(y, x));
            x.c += y.c / 2;
            both(y, x)
        }
        Part::Bytes(bytes, flag) => {
            bytes.fill(n as u8);
            bytes[2] += 1;
            *flag ^= true;
            let [.., last] = bytes;
            *last = 77;
            0
        }
    }
}

#[vyre::kernel]
fn writes(#[each] part: &mut Part, #[each] found: &mut u32) {
    let i = thread::index() as u32;
    *found = write(part, i);
    let mut own = *part;
    *found += write(&mut own, i + 1);
    if own == *part {
        *found += 1000;
    }
}

fn part(i: u32) -> Part {
    match i / 5 % 4 {
        0 => Part::Words([i as f32 * 0.5, 1.0, 2.0, 3.0, 4.0, -5.0, i as f32, 0.25]),
        1 => Part::Wide([u64::from(i) << 33, 5 + u64::from(i), 1 << 50]),
        2 => {
            let four = |n| Four {
                a: n as u8,
                b: 3,
                c: n as u16 * 5,
            };
            Part::Four(four(i), four(i + 100), i)
        }
        _ => Part::Bytes([i as u8; 5], i % 2 == 1),
    }
}

#[test]
fn writes_through_references_to_shared_bytes() {
    let parts: Vec<Part> = (0..80).map(part).collect();
    everywhere(|place| {
        let mut there = place.device().upload(&parts)?;
        let mut found = place.device().zeros::<u32>(80)?;
        place.over(writes(&mut there, &mut found), 80usize)?;
        let (there, found) = (there.download()?, found.download()?);
        for i in 0..80 {
            let mut expected = parts[i];
            let mut n = write(&mut expected, i as u32);
            let mut own = expected;
            n += write(&mut own, i as u32 + 1);
            n += 1000 * u32::from(own == expected);
            assert_eq!((there[i], found[i]), (expected, n), "{i} on {}", place.name());
        }
        Ok(())
    });
}

#[vyre::kernel]
fn copied(x: &[[f32; 8]], #[each] part: &mut Part) {
    let i = thread::index();
    if let Part::Words(words) = part {
        pipeline::copy(words, &x[i]);
        pipeline::copy(&mut words[1..3], &x[i ^ 1][2..4]);
        pipeline::commit();
        pipeline::wait_prior::<0>();
    }
}

#[test]
fn copies_to_shared_bytes() {
    let parts: Vec<Part> = (0..80).map(part).collect();
    let from: Vec<[f32; 8]> = (0..80).map(|i| [i as f32; 8]).collect();
    everywhere(|place| {
        let mut there = place.device().upload(&parts)?;
        let x = place.device().upload(&from)?;
        place.over(copied(&x, &mut there), 80usize)?;
        let there = there.download()?;
        for i in 0..80 {
            let expected = match parts[i] {
                Part::Words(_) => {
                    let mut words = from[i];
                    words[1..3].copy_from_slice(&from[i ^ 1][2..4]);
                    Part::Words(words)
                }
                other => other,
            };
            assert_eq!(there[i], expected, "{i} on {}", place.name());
        }
        Ok(())
    });
}

#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Tile {
    Sums([f32; 128]) = 3,
    Words([u64; 64]) = 0,
}

#[vyre::kernel(block = 32)]
fn stored(#[each] tile: &mut Tile) {
    let c = mma::C::<f32, 16, 8>::fill(2.5);
    if let Tile::Sums(sums) = tile {
        c.store(sums, 0, 8);
    }
}

#[test]
fn fragments_to_shared_bytes() {
    let mut tiles = [Tile::Sums([1.0; 128]); 32];
    tiles[31] = Tile::Words([7; 64]);
    everywhere(|place| {
        let mut there = place.device().upload(&tiles)?;
        place.over(stored(&mut there), 32usize)?;
        let there = there.download()?;
        let stored = there.iter().map(|tile| match tile {
            Tile::Sums(sums) => sums.iter().filter(|&&it| it == 2.5).count(),
            Tile::Words(words) => usize::from(*words != [7; 64]),
        });
        assert_eq!(stored.sum::<usize>(), 4 * 31, "on {}", place.name());
        Ok(())
    });
}
