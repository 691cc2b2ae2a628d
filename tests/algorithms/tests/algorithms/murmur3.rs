//! MurmurHash3, the variant of 32 bits, of many keys at once.

use vyre::prelude::*;
use vyre_algorithms::{Messages, Random};
use vyre_semantics::{Place, everywhere};

super::kernels! { Hash }

/// The hash of each key; key `i` is the bytes from `starts[i]` to `starts[i + 1]`.
#[vyre::kernel(block = 64)]
fn hash(bytes: &[u8], starts: &[usize], seed: u32, hashes: &mut [u32]) {
    let i = thread::index();
    if i >= hashes.len() {
        return;
    }
    let (start, end) = (starts[i], starts[i + 1]);
    let mut hash = seed;
    let mut at = start;
    while at < end {
        // Four bytes, little-endian, or the rest of the key.
        let mut word = 0;
        for k in 0..4 {
            if at + k < end {
                word |= (bytes[at + k] as u32) << (8 * k);
            }
        }
        word = word.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
        hash ^= word;
        if at + 4 <= end {
            hash = hash.rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
        }
        at += 4;
    }
    hash ^= (end - start) as u32;
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hashes[i] = hash ^ (hash >> 16);
}

fn hashes(place: &Place, keys: &[Vec<u8>], seed: u32) -> vyre::Result<Vec<u32>> {
    let keys = Messages::new(keys);
    let (bytes, starts) = (
        place.device().upload(&keys.bytes)?,
        place.device().upload(&keys.starts)?,
    );
    let mut hashes = place.device().zeros::<u32>(keys.starts.len() - 1)?;
    place.over(hash(&bytes, &starts, seed, &mut hashes), keys.starts.len() - 1)?;
    hashes.download()
}

/// Known values, as seed, key and hash.
#[test]
fn known_hashes() {
    let fox = "The quick brown fox jumps over the lazy dog";
    let known: [(u32, &[u8], u32); 24] = [
        (0, b"", 0),
        (1, b"", 0x514e_28b7),
        (0xffff_ffff, b"", 0x81f1_6f39),
        (0, b"\xff\xff\xff\xff", 0x7629_3b50),
        (0, b"\x21\x43\x65\x87", 0xf55b_516b),
        (0x5082_edee, b"\x21\x43\x65\x87", 0x2362_f9de),
        (0, b"\x21\x43\x65", 0x7e4a_8634),
        (0, b"\x21\x43", 0xa0f7_b07a),
        (0, b"\x21", 0x7266_1cf4),
        (0, b"\0\0\0\0", 0x2362_f9de),
        (0, b"\0\0\0", 0x85f0_b427),
        (0, b"\0\0", 0x30f4_c306),
        (0, b"\0", 0x514e_28b7),
        (0, b"test", 0xba6b_d213),
        (0x9747_b28c, b"test", 0x704b_81dc),
        (0, b"Hello, world!", 0xc036_3e43),
        (0x9747_b28c, b"Hello, world!", 0x2488_4cba),
        (0, fox.as_bytes(), 0x2e4f_f723),
        (0x9747_b28c, fox.as_bytes(), 0x2fa8_26cd),
        (0x9747_b28c, b"aaaa", 0x5a97_808a),
        (0x9747_b28c, b"aaa", 0x283e_0130),
        (0x9747_b28c, b"aa", 0x5d21_1726),
        (0x9747_b28c, b"a", 0x7fa0_9ea6),
        (0x9747_b28c, b"abcd", 0xf047_8627),
    ];
    everywhere(|place| {
        for (seed, key, expected) in known {
            assert_eq!(hashes(place, &[key.to_vec()], seed)?, [expected], "{seed:x} {key:x?}");
        }
        Ok(())
    });
}

/// The same in plain Rust.
fn hashed(key: &[u8], seed: u32) -> u32 {
    let mut hash = seed;
    let mixed = |word: u32| word.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
    let (words, rest) = key.as_chunks::<4>();
    for word in words {
        hash = (hash ^ mixed(u32::from_le_bytes(*word))).rotate_left(13);
        hash = hash.wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    hash ^= mixed(rest.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte)));
    hash ^= key.len() as u32;
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^ (hash >> 16)
}

#[test]
fn hashes_of_many_keys() {
    everywhere(|place| {
        let mut random = Random::new(10);
        for count in [0, 1, 63, 64, 65, 200] {
            let keys: Vec<Vec<u8>> = (0..count)
                .map(|_| (0..random.index(20)).map(|_| random.bits() as u8).collect())
                .collect();
            let expected: Vec<u32> = keys.iter().map(|key| hashed(key, 77)).collect();
            assert_eq!(hashes(place, &keys, 77)?, expected);
        }
        Ok(())
    });
}
