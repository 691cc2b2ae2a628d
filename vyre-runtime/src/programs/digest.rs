//! A digest of texts: FNV-1a of 128 bits. It tells programs apart that nobody has made to look alike; who relies on
//! it compares what it finds.

/// The digest of a text.
pub(crate) fn digest(text: &str) -> u128 {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    text.bytes()
        .fold(BASIS, |digest, byte| (digest ^ u128::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::digest;

    /// The test vectors of the specification.
    #[test]
    fn digests_are_those_of_the_specification() {
        assert_eq!(digest(""), 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
        assert_eq!(digest("a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
        assert_eq!(digest("foobar"), 0x343e_1662_793c_64bf_6f0d_3597_ba44_6f18);
    }
}
