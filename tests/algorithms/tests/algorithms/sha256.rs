//! SHA-256 of many messages at once, one per thread.

use vyre::prelude::*;
use vyre_algorithms::Messages;
use vyre_semantics::everywhere;

super::kernels! { Digest }

/// Byte `at` of a message of `length` bytes at `start`, including the padding bit after its end.
#[vyre::device]
fn padded(bytes: &[u8], start: usize, length: usize, at: usize) -> u32 {
    if at < length {
        bytes[start + at] as u32
    } else {
        (at == length) as u32 * 0x80
    }
}

/// The XOR of three rotations.
#[vyre::device]
fn turned(word: u32, first: u32, second: u32, third: u32) -> u32 {
    word.rotate_right(first) ^ word.rotate_right(second) ^ word.rotate_right(third)
}

/// The digest of each message, eight words; message `i` is the bytes from `starts[i]` to
/// `starts[i + 1]`.
#[vyre::kernel(block = 64)]
fn digest(bytes: &[u8], starts: &[usize], digests: &mut [u32]) {
    const K: [u32; 64] = [
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
        0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
        0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
        0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
        0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
        0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
        0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
        0xc67178f2,
    ];
    let i = thread::index();
    if i + 1 >= starts.len() {
        return;
    }
    let (start, length) = (starts[i], starts[i + 1] - starts[i]);
    let mut state: [u32; 8] = [
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
    ];
    // The message is followed by a bit, zeros, and its length in bits in the last 8 bytes of a
    // block.
    let blocks = (length + 9).div_ceil(64);
    for b in 0..blocks {
        let mut words = [0; 16];
        for k in 0..16 {
            for part in 0..4 {
                words[k] = words[k] << 8 | padded(bytes, start, length, b * 64 + k * 4 + part);
            }
        }
        if b + 1 == blocks {
            words[14] = (length >> 29) as u32;
            words[15] = (length << 3) as u32;
        }

        let mut s = state;
        for sixteen in 0..4 {
            for k in 0..16 {
                let choice = (s[4] & s[5]) ^ (!s[4] & s[6]);
                let added = s[7]
                    .wrapping_add(turned(s[4], 6, 11, 25))
                    .wrapping_add(choice)
                    .wrapping_add(K[sixteen * 16 + k])
                    .wrapping_add(words[k]);
                let majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
                for place in (1..8).rev() {
                    s[place] = s[place - 1];
                }
                s[4] = s[4].wrapping_add(added);
                s[0] = added.wrapping_add(turned(s[0], 2, 13, 22)).wrapping_add(majority);

                // The word that replaces this one in the next sixteen rounds.
                let (early, late) = (words[(k + 1) % 16], words[(k + 14) % 16]);
                let early = early.rotate_right(7) ^ early.rotate_right(18) ^ (early >> 3);
                let late = late.rotate_right(17) ^ late.rotate_right(19) ^ (late >> 10);
                words[k] = words[k]
                    .wrapping_add(early)
                    .wrapping_add(words[(k + 9) % 16])
                    .wrapping_add(late);
            }
        }
        for k in 0..8 {
            state[k] = state[k].wrapping_add(s[k]);
        }
    }
    for k in 0..8 {
        digests[i * 8 + k] = state[k];
    }
}

/// Digests that the standard or a program such as `printf aaa | sha256sum` gives.
fn known() -> Vec<(Vec<u8>, &'static str)> {
    let text = |text: &str| text.as_bytes().to_vec();
    vec![
        (
            text(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        ),
        (
            text("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        ),
        (
            text("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
        ),
        (
            text(
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            ),
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1",
        ),
        (
            vec![b'a'; 1],
            "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb",
        ),
        (
            vec![b'a'; 54],
            "a3f01b6939256127582ac8ae9fb47a382a244680806a3f613a118851c1ca1d47",
        ),
        (
            vec![b'a'; 55],
            "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318",
        ),
        (
            vec![b'a'; 56],
            "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a",
        ),
        (
            vec![b'a'; 57],
            "f13b2d724659eb3bf47f2dd6af1accc87b81f09f59f2b75e5c0bed6589dfe8c6",
        ),
        (
            vec![b'a'; 63],
            "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34",
        ),
        (
            vec![b'a'; 64],
            "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb",
        ),
        (
            vec![b'a'; 65],
            "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0",
        ),
        (
            vec![b'a'; 119],
            "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb",
        ),
        (
            vec![b'a'; 120],
            "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c",
        ),
        (
            vec![b'a'; 128],
            "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013afb73e",
        ),
        (
            vec![b'a'; 200],
            "c2a908d98f5df987ade41b5fce213067efbcc21ef2240212a41e54b5e7c28ae5",
        ),
        (
            (0..=255).collect(),
            "40aff2e9d2d8922e47afd4648e6967497158785fbd1da870e7110266bf944880",
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
            let mut digests = place.device().zeros::<u32>(some.len() * 8)?;
            place.over(digest(&bytes, &starts, &mut digests), some.len())?;
            for ((message, expected), digest) in some.iter().zip(digests.download()?.chunks(8)) {
                let digest: String = digest.iter().map(|word| format!("{word:08x}")).collect();
                assert_eq!(digest, *expected, "of {} bytes", message.len());
            }
        }
        Ok(())
    });
}
