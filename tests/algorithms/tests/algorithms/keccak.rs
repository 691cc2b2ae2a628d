//! SHA3-256, which is Keccak with a state of 25 words, of many messages at once.

use vyre::prelude::*;
use vyre_algorithms::Messages;
use vyre_semantics::everywhere;

super::kernels! { Digest }

/// The digest of each message, four words; message `i` is the bytes from `starts[i]` to
/// `starts[i + 1]`.
#[vyre::kernel(block = 64)]
fn digest(bytes: &[u8], starts: &[usize], digests: &mut [u64]) {
    /// The bytes that a permutation takes in.
    const RATE: usize = 136;
    const CONSTANTS: [u64; 24] = [
        0x0000000000000001,
        0x0000000000008082,
        0x800000000000808a,
        0x8000000080008000,
        0x000000000000808b,
        0x0000000080000001,
        0x8000000080008081,
        0x8000000000008009,
        0x000000000000008a,
        0x0000000000000088,
        0x0000000080008009,
        0x000000008000000a,
        0x000000008000808b,
        0x800000000000008b,
        0x8000000000008089,
        0x8000000000008003,
        0x8000000000008002,
        0x8000000000000080,
        0x000000000000800a,
        0x800000008000000a,
        0x8000000080008081,
        0x8000000000008080,
        0x0000000080000001,
        0x8000000080008008,
    ];
    /// The destination of each word in turn, and its rotation.
    const PLACES: [usize; 24] = [
        10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1,
    ];
    const TURNS: [u32; 24] = [
        1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44,
    ];
    let i = thread::index();
    if i + 1 >= starts.len() {
        return;
    }
    let (start, length) = (starts[i], starts[i + 1] - starts[i]);
    let mut state = [0u64; 25];
    // The message is followed by the bits 01 and 1, zeros, and a bit at the end of a block.
    let blocks = length / RATE + 1;
    for b in 0..blocks {
        for k in 0..RATE / 8 {
            let mut word = 0;
            for part in 0..8 {
                let at = b * RATE + k * 8 + part;
                let byte = if at < length {
                    bytes[start + at] as u64
                } else {
                    (at == length) as u64 * 6
                };
                word |= byte << (8 * part);
            }
            state[k] ^= word;
        }
        if b + 1 == blocks {
            state[RATE / 8 - 1] ^= 1 << 63;
        }

        for round in 0..24 {
            let mut columns = [0; 5];
            for x in 0..5 {
                columns[x] = state[x] ^ state[x + 5] ^ state[x + 10] ^ state[x + 15] ^ state[x + 20];
            }
            for x in 0..5 {
                let beside = columns[(x + 4) % 5] ^ columns[(x + 1) % 5].rotate_left(1);
                for y in 0..5 {
                    state[5 * y + x] ^= beside;
                }
            }
            let mut moved = state[1];
            for k in 0..24 {
                let next = state[PLACES[k]];
                state[PLACES[k]] = moved.rotate_left(TURNS[k]);
                moved = next;
            }
            for y in 0..5 {
                let mut row = [0; 5];
                for x in 0..5 {
                    row[x] = state[5 * y + x];
                }
                for x in 0..5 {
                    state[5 * y + x] = row[x] ^ (!row[(x + 1) % 5] & row[(x + 2) % 5]);
                }
            }
            state[0] ^= CONSTANTS[round];
        }
    }
    for k in 0..4 {
        digests[i * 4 + k] = state[k];
    }
}

/// Digests that a program such as `printf aaa | openssl dgst -sha3-256` gives.
fn known() -> Vec<(Vec<u8>, &'static str)> {
    vec![
        (
            Vec::new(),
            "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a",
        ),
        (
            b"abc".to_vec(),
            "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532",
        ),
        (
            vec![b'a'; 1],
            "80084bf2fba02475726feb2cab2d8215eab14bc6bdd8bfb2c8151257032ecd8b",
        ),
        (
            vec![b'a'; 7],
            "8b729b125f1026823457de7d5f6e8777b868aef9984a3ec62a7422acc540b41e",
        ),
        (
            vec![b'a'; 8],
            "5ff2e7141b91839bb76aa4bd4b503eaf50faf62a66d7f2a4ef51da2b2d2241f5",
        ),
        (
            vec![b'a'; 134],
            "58b970c37ac2d65b599b691868a61401a501c40f235d55f059d39a942f41dcee",
        ),
        (
            vec![b'a'; 135],
            "8094bb53c44cfb1e67b7c30447f9a1c33696d2463ecc1d9c92538913392843c9",
        ),
        (
            vec![b'a'; 136],
            "3fc5559f14db8e453a0a3091edbd2bc25e11528d81c66fa570a4efdcc2695ee1",
        ),
        (
            vec![b'a'; 137],
            "f8d6846cedd2ccfadf15c5879ef95af724d799eed7391fb1c91f95344e738614",
        ),
        (
            vec![b'a'; 271],
            "e79e5c6fef1bb5fdea2717ca27e88399e9b64699d1b3eb8e30f314fa055214e8",
        ),
        (
            vec![b'a'; 272],
            "a490357b9b3fb39d0a89a117734e5b020b1f33c7bf3fa3575c396425432003d3",
        ),
        (
            vec![b'a'; 300],
            "8a5720b2ca0cae7b89ad399c5daab22c29f5c72bcf30ab81e807d9bda95b4580",
        ),
        (
            (0..=255).collect(),
            "9b04c091da96b997afb8f2585d608aebe9c4a904f7d52c8f28c7e4d2dd9fba5f",
        ),
    ]
}

#[test]
fn known_digests() {
    everywhere(|place| {
        let known = known();
        // None, one, and all at once.
        for some in [&known[..0], &known[..1], &known[..]] {
            let messages = Messages::new(some.iter().map(|(message, _)| message));
            let (bytes, starts) = (
                place.device().upload(&messages.bytes)?,
                place.device().upload(&messages.starts)?,
            );
            let mut digests = place.device().zeros::<u64>(some.len() * 4)?;
            place.over(digest(&bytes, &starts, &mut digests), some.len())?;
            for ((message, expected), digest) in some.iter().zip(digests.download()?.chunks(4)) {
                let digest: String = digest
                    .iter()
                    .map(|word| format!("{:016x}", word.swap_bytes()))
                    .collect();
                assert_eq!(digest, *expected, "of {} bytes", message.len());
            }
        }
        Ok(())
    });
}
