//! Known algorithms written in vyre, one file each under `tests/algorithms/`: the kernels, a
//! reference in plain Rust or a published result, and sizes that are not multiples of anything.
//!
//! This library has their shared helpers: pseudorandom numbers, messages to hash, and bitwise
//! comparison.

/// A pseudorandom number generator with reproducible output.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator with this seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next number, any `u64`.
    pub fn word(&mut self) -> u64 {
        // A Weyl sequence, mixed by multiplications and shifts.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// The next number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.word() % end as u64) as usize
    }

    /// The next number from `low` to `high`.
    pub fn float(&mut self, low: f32, high: f32) -> f32 {
        let unit = (self.word() >> 40) as f32 / (1u64 << 24) as f32;
        low + (high - low) * unit
    }

    /// `count` numbers, any `u32` each.
    pub fn words(&mut self, count: usize) -> Vec<u32> {
        (0..count).map(|_| self.word() as u32).collect()
    }

    /// `count` numbers from `low` to `high`.
    pub fn floats(&mut self, count: usize, low: f32, high: f32) -> Vec<f32> {
        (0..count).map(|_| self.float(low, high)).collect()
    }
}

/// The bits of each number, which distinguish -0 from 0.
pub fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Concatenated messages, the input of kernels that hash many at once.
#[derive(Clone, Debug)]
pub struct Messages {
    /// All messages.
    pub bytes: Vec<u8>,
    /// The start of each message, and the end of the last one.
    pub starts: Vec<usize>,
}

impl Messages {
    /// Concatenates messages.
    pub fn new<'m>(messages: impl IntoIterator<Item = &'m Vec<u8>>) -> Messages {
        let mut all = Messages {
            bytes: Vec::new(),
            starts: vec![0],
        };
        for message in messages {
            all.bytes.extend(message);
            all.starts.push(all.bytes.len());
        }
        all
    }
}
