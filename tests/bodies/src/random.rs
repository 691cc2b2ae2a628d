//! The random programs whose bodies are compiled.

use vyre_test_support::random_program::{Options, RandomProgram, random_program};

/// As many as rustc compiles in a dozen seconds.
pub const SEEDS: std::ops::Range<u64> = 0..120;

/// The program of a seed.
pub fn program(seed: u64) -> RandomProgram {
    let options = Options {
        faults: seed.is_multiple_of(3),
        spans: true,
        launchable: true,
        prints: seed % 4 == 1,
        cooperation: seed % 5 < 2,
        clusters: seed % 7 < 2,
        constants: seed % 8 < 3,
        ..Options::default()
    };
    random_program(seed, options)
}
