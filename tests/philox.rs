//! `vyre::random`: published vectors, the sequence, its bits in kernels on every device, and its distributions.

use vyre::prelude::*;
use vyre::random::{Philox, philox, uniform_f32, uniform_f64};
use vyre::{Kernel, math};
use vyre_test_support::ptxas;

#[allow(unreachable_pub, reason = "other tests share the file")]
#[path = "examples/devices.rs"]
mod devices;

use devices::devices;

/// Counter, key and result, from the file `kat_vectors` of Random123.
const VECTORS: [([u32; 4], [u32; 2], [u32; 4]); 3] = [
    ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
    ([!0; 4], [!0; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
    (
        [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
        [0xa409_3822, 0x299f_31d0],
        [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
    ),
];

#[vyre::kernel]
fn blocks(#[each] counter: &[u32; 4], #[each] key: &[u32; 2], #[each] block: &mut [u32; 4]) {
    *block = philox(*counter, *key);
}

#[test]
fn blocks_are_those_of_random123() {
    for (counter, key, block) in VECTORS {
        assert_eq!(philox(counter, key), block);
    }
    for device in devices("blocks_are_those_of_random123") {
        let (counters, keys) = (VECTORS.map(|v| v.0), VECTORS.map(|v| v.1));
        let mut found = [[0; 4]; 3];
        Blocks::dispatch(&device, &counters, &keys, &mut found).unwrap();
        assert_eq!(found, VECTORS.map(|v| v.2));
    }
}

/// The number at a place of a sequence.
fn number(seed: u64, subsequence: u64, place: u64) -> u32 {
    let words = |x: u64| [x as u32, (x >> 32) as u32];
    let ([a, b], [c, d]) = (words(place / 4), words(subsequence));
    philox([a, b, c, d], words(seed))[(place % 4) as usize]
}

const SEED: u64 = 0x0123_4567_89ab_cdef;
const SUBSEQUENCE: u64 = 0xfedc_ba98_7654_3210;

#[test]
fn sequences_are_those_of_successive_counters() {
    // The second start crosses from the low word of the counter to the high one.
    for start in [0, (1 << 34) - 6, u64::MAX - 64] {
        for offset in 0..9 {
            let of = |place| number(SEED, SUBSEQUENCE, start + place);
            let mut one = Philox::new(SEED, SUBSEQUENCE, start + offset);
            for i in 0..9 {
                // By blocks from any place, too, and from places reached by skipping.
                let mut four = one;
                assert_eq!(four.next_u32x4(), [0, 1, 2, 3].map(|j| of(offset + i + j)));
                assert_eq!(four, Philox::new(SEED, SUBSEQUENCE, start + offset + i + 4));
                for count in 0..9 {
                    let mut later = one;
                    later.skip(count);
                    assert_eq!(later, Philox::new(SEED, SUBSEQUENCE, start + offset + i + count));
                }
                let mut two = one;
                assert_eq!(
                    two.next_u64(),
                    of(offset + i) as u64 + ((of(offset + i + 1) as u64) << 32)
                );
                assert_eq!(one.next_u32(), of(offset + i));
            }
        }
    }
}

#[test]
fn skips_go_beyond_the_largest_offset() {
    let mut far = Philox::new(SEED, SUBSEQUENCE, u64::MAX);
    far.skip(u64::MAX);
    let place = 2 * u64::MAX as u128;
    let [a, b] = [place / 4, (place / 4) >> 32].map(|x| x as u32);
    let block = philox(
        [a, b, SUBSEQUENCE as u32, (SUBSEQUENCE >> 32) as u32],
        [SEED as u32, (SEED >> 32) as u32],
    );
    assert_eq!(far.next_u32(), block[(place % 4) as usize]);
}

/// Draws by every method, from a place of a block that depends on the thread, and hands the generator back.
#[vyre::kernel]
fn draws(
    seed: u64,
    #[each] state: &mut Philox,
    #[each] words: &mut [u32; 7],
    #[each] singles: &mut [f32; 5],
    #[each] doubles: &mut [f64; 4],
) {
    let i = thread::index() as u64;
    let mut random = Philox::new(seed, i % 5, i);
    let [a, b, c, d] = random.next_u32x4();
    let wide = random.next_u64();
    let mut below = 0u32;
    for bound in 1..40 {
        below = below.wrapping_mul(31).wrapping_add(random.below(bound * 0x0600_0001));
    }
    *words = [a, b, c, d, wide as u32 ^ (wide >> 32) as u32, below, random.next_u32()];
    let [x, y] = random.normal_f32x2();
    *singles = [
        x,
        y,
        random.normal_f32(),
        random.uniform_f32(),
        random.exponential_f32(),
    ];
    let [x, _] = random.normal_f64x2();
    *doubles = [x, random.normal_f64(), random.uniform_f64(), random.exponential_f64()];
    random.skip(i * i);
    *state = random;
}

#[test]
fn kernels_have_the_bits_of_the_host() {
    const COUNT: usize = 3000;
    for device in devices("kernels_have_the_bits_of_the_host") {
        let mut states = vec![Philox::new(0, 0, 0); COUNT];
        let (mut words, mut singles, mut doubles) = (vec![[0; 7]; COUNT], vec![[0.0; 5]; COUNT], vec![[0.0; 4]; COUNT]);
        Draws::dispatch(&device, SEED, &mut states, &mut words, &mut singles, &mut doubles).unwrap();
        for i in 0..COUNT {
            let thread = i as u64;
            let mut random = Philox::new(SEED, thread % 5, thread);
            let [a, b, c, d] = random.next_u32x4();
            let wide = random.next_u64();
            let mut below = 0u32;
            for bound in 1..40 {
                below = below.wrapping_mul(31).wrapping_add(random.below(bound * 0x0600_0001));
            }
            let wide = wide as u32 ^ (wide >> 32) as u32;
            assert_eq!(words[i], [a, b, c, d, wide, below, random.next_u32()]);
            let [x, y] = random.normal_f32x2();
            let single = [
                x,
                y,
                random.normal_f32(),
                random.uniform_f32(),
                random.exponential_f32(),
            ];
            assert_eq!(singles[i].map(f32::to_bits), single.map(f32::to_bits));
            let [x, _] = random.normal_f64x2();
            let double = [x, random.normal_f64(), random.uniform_f64(), random.exponential_f64()];
            assert_eq!(doubles[i].map(f64::to_bits), double.map(f64::to_bits));
            random.skip(thread * thread);
            assert_eq!(states[i], random);
        }
    }
}

#[vyre::kernel]
fn total(seed: u64, count: u32, #[each] sum: &mut f32) {
    let mut random = Philox::new(seed, thread::index() as u64, 0);
    for _ in 0..count {
        *sum += random.uniform_f32();
    }
}

#[vyre::kernel]
fn total_of_fours(seed: u64, count: u32, #[each] sum: &mut f32) {
    let mut random = Philox::new(seed, thread::index() as u64, 0);
    for _ in 0..count {
        let four = random.next_u32x4();
        for bits in four {
            *sum += uniform_f32(bits);
        }
    }
}

/// Both halves of a product come from one multiplication.
#[test]
fn a_block_takes_twenty_products() {
    for info in [Blocks::info(), TotalOfFours::info()] {
        let checked = info.ptx.split("__assumed(").next().unwrap_or_default();
        let count = |name| checked.matches(name).count();
        assert_eq!((count("mul.wide.u32"), count("mul.lo")), (20, 0), "{}", info.ptx);
    }
}

/// Arrays in the state that a loop carries would be local memory if their places were not known.
#[test]
fn generators_are_in_registers() {
    let Some(assembler) = ptxas::find() else { return };
    for info in [Blocks::info(), Draws::info(), Total::info(), TotalOfFours::info()] {
        for target in ptxas::TARGETS {
            let report = ptxas::assemble(assembler, info.ptx, target).unwrap().report;
            let is_in_registers = report.contains("0 bytes stack frame, 0 bytes spill stores");
            assert!(is_in_registers, "{} for {target}: {report}", info.name);
        }
    }
}

#[test]
fn uniform_floats_are_the_upper_bits() {
    assert_eq!(
        [0, 0xff, 0x100, 1 << 31].map(uniform_f32),
        [0.0, 0.0, 1.0 / 16_777_216.0, 0.5]
    );
    assert_eq!(uniform_f32(u32::MAX), 1.0f32.next_down());
    assert_eq!([0, 0x7ff, 1 << 63].map(uniform_f64), [0.0, 0.0, 0.5]);
    assert_eq!(uniform_f64(0x800), 2f64.powi(-53));
    assert_eq!(uniform_f64(u64::MAX), 1.0f64.next_down());
    for x in [1.0f64, 0.3, 0.77] {
        let bits = (x * 4_294_967_295.0) as u32;
        assert_eq!(
            f64::from(uniform_f32(bits)),
            (f64::from(bits) / 256.0).floor() / 16_777_216.0
        );
    }
}

/// Normal and exponential numbers by their formulas, in `f64` and by the functions of the platform.
#[test]
fn transformed_floats_follow_their_formulas() {
    for subsequence in 0..20_000 {
        let start = Philox::new(7, subsequence, 0);
        let [x, y] = {
            let mut random = start;
            [random.next_u32(), random.next_u32()].map(f64::from)
        };
        let u = (x + 0.5) / 4_294_967_296.0;
        let (radius, angle) = ((-2.0 * u.ln()).sqrt(), std::f64::consts::TAU * y / 4_294_967_296.0);
        // u is rounded to `f32`, which counts most near 1, and the angle has 24 bits.
        let bound = 2e-6 + 6e-8 / radius;
        let [first, second] = { start }.normal_f32x2().map(f64::from);
        assert!(
            (first - radius * angle.cos()).abs() < bound + radius * 4e-7,
            "{first} of {x} {y}"
        );
        assert!(
            (second - radius * angle.sin()).abs() < bound + radius * 4e-7,
            "{second} of {x} {y}"
        );
        assert!((f64::from({ start }.exponential_f32()) + u.ln()).abs() < 1e-7 + 1e-6 * -u.ln());

        let mut random = start;
        let [x, y] = [random.next_u64(), random.next_u64()].map(|x| x as f64 / 18_446_744_073_709_551_616.0);
        let (radius, angle) = ((-2.0 * x.ln()).sqrt(), std::f64::consts::TAU * y);
        let [first, second] = { start }.normal_f64x2();
        let bound = 1e-14 + 2e-16 / radius;
        assert!((first - radius * angle.cos()).abs() < bound, "{first} of {x} {y}");
        assert!((second - radius * angle.sin()).abs() < bound, "{second} of {x} {y}");
        assert!(({ start }.exponential_f64() + x.ln()).abs() < 1e-15 + 1e-15 * -x.ln());
    }
}

/// The largest and the smallest results that formulas allow are finite.
#[test]
fn smallest_arguments_of_logarithms_are_above_zero() {
    // The bounds that the documentation states.
    assert!((33.0 * math::ln(2.0f64)) < 22.9 && (66.0 * math::ln(2.0f64)).sqrt() < 6.77);
    assert!((65.0 * math::ln(2.0f64)) < 45.1 && (130.0 * math::ln(2.0f64)).sqrt() < 9.5);
    for subsequence in 0..300_000 {
        let start = Philox::new(11, subsequence, 0);
        let (normal, exponential) = ({ start }.normal_f32(), { start }.exponential_f32());
        assert!(normal.abs() < 6.77 && (0.0..22.9).contains(&exponential));
        assert!(exponential.is_sign_positive());
    }
}

/// Mean, variance, skewness and fourth moment about the mean.
fn moments(values: &[f64]) -> [f64; 4] {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let about = |power| values.iter().map(|x| (x - mean).powi(power)).sum::<f64>() / count;
    [mean, about(2), about(3), about(4)]
}

/// Draws so many times that a moment's standard deviation, of which five are allowed, is small.
#[track_caller]
fn assert_moments(values: &[f64], expected: [f64; 4], deviations: [f64; 4]) {
    let found = moments(values);
    for i in 0..4 {
        let allowed = 5.0 * deviations[i] / (values.len() as f64).sqrt();
        assert!((found[i] - expected[i]).abs() < allowed, "moment {}: {found:?}", i + 1);
    }
}

#[test]
fn a_million_numbers_have_the_moments_of_their_distribution() {
    const COUNT: usize = 1_000_000;
    let mut random = Philox::new(1, 2, 3);
    let normals: Vec<f64> = (0..COUNT / 2)
        .flat_map(|_| random.normal_f32x2())
        .map(f64::from)
        .collect();
    // Standard deviations of the estimates of central moments, by those up to the eighth.
    let of_normal = [1.0, 2f64.sqrt(), 6f64.sqrt(), 96f64.sqrt()];
    assert_moments(&normals, [0.0, 1.0, 0.0, 3.0], of_normal);
    // The two of a pair are independent.
    let product = normals.chunks(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / (COUNT / 2) as f64;
    assert!(product.abs() < 5.0 / (COUNT as f64 / 2.0).sqrt(), "{product}");
    // Beyond 1, 2, 3 and 4 standard deviations there are as many as `erfc` says.
    for beyond in [1.0, 2.0, 3.0, 4.0] {
        let share: f64 = math::erfc(beyond / 2f64.sqrt());
        let found = normals.iter().filter(|x| x.abs() > beyond).count() as f64;
        let (mean, deviation) = (share * COUNT as f64, (share * COUNT as f64).sqrt());
        assert!(
            (found - mean).abs() < 5.0 * deviation,
            "{found} beyond {beyond}, of {mean}"
        );
    }

    let normals: Vec<f64> = (0..COUNT).map(|_| random.normal_f64()).collect();
    assert_moments(&normals, [0.0, 1.0, 0.0, 3.0], of_normal);

    // Central moments of the exponential distribution: 1, 1, 2, 9.
    let single: Vec<f64> = (0..COUNT).map(|_| f64::from(random.exponential_f32())).collect();
    let double: Vec<f64> = (0..COUNT).map(|_| random.exponential_f64()).collect();
    for values in [single, double] {
        assert_moments(
            &values,
            [1.0, 1.0, 2.0, 9.0],
            [1.0, 8f64.sqrt(), 216f64.sqrt(), 14_112f64.sqrt()],
        );
    }

    let single: Vec<f64> = (0..COUNT).map(|_| f64::from(random.uniform_f32())).collect();
    let double: Vec<f64> = (0..COUNT).map(|_| random.uniform_f64()).collect();
    for values in [single, double] {
        assert!(values.iter().all(|x| (0.0..1.0).contains(x)));
        assert_moments(
            &values,
            [0.5, 1.0 / 12.0, 0.0, 1.0 / 80.0],
            [0.289, 0.075, 0.035, 0.017],
        );
    }
}

#[test]
fn integers_below_a_bound_are_equally_likely() {
    const COUNT: u32 = 300_000;
    // Without another try a third of the numbers would be twice as likely with the last of these bounds.
    for bound in [1, 2, 3, 6, 1000, 0x8000_0000, 0xc000_0000] {
        let mut random = Philox::new(5, u64::from(bound), 0);
        let mut residues = [0u32; 3];
        let classes = bound.min(3);
        for _ in 0..COUNT {
            let value = random.below(bound);
            assert!(value < bound);
            residues[(value % classes) as usize] += 1;
        }
        for class in 0..classes {
            let share = f64::from((bound - 1 - class) / classes + 1) / f64::from(bound);
            let mean = share * f64::from(COUNT);
            let found = f64::from(residues[class as usize]);
            assert!(
                (found - mean).abs() <= 5.0 * mean.sqrt(),
                "{found} of class {class} below {bound}"
            );
        }
    }
    let mut random = Philox::new(5, 0, 0);
    assert_eq!((random.below(0), random), (0, Philox::new(5, 0, 1)));
}
