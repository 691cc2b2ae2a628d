use vyre_abi::architecture::ARCHITECTURES;
use vyre_abi::ops::mma::Product;

use super::Profile;
use crate::error::Error;

fn known(name: &str) -> Profile {
    Profile::known(name).unwrap_or_else(|error| panic!("{error}"))
}

/// What relates the rows to one another, and to rules that the table does not state.
#[test]
fn known_profiles_are_consistent() {
    for name in Profile::names() {
        let profile = known(name);
        let capability = profile.compute_capability.unwrap();
        let shared = profile.multiprocessor_shared_bytes.unwrap();
        // From 8.0 on the system keeps 1 KiB of each block's shared memory.
        let kept = if capability >= (8, 0) { 1024 } else { 0 };
        assert_eq!(profile.max_shared_bytes + kept, shared, "{name}");
        assert!(profile.l1_bytes.unwrap() > shared, "{name}");
        // Blocks of 32 threads upwards can fill a multiprocessor, and a block of the largest size fits.
        let (threads, blocks) = (
            profile.multiprocessor_threads.unwrap(),
            profile.multiprocessor_blocks.unwrap(),
        );
        assert!(
            threads >= profile.max_block_threads && threads >= blocks * profile.warp_size,
            "{name}"
        );
        assert_eq!(profile.max_cluster_blocks > 1, capability >= (9, 0), "{name}");
        assert!(profile.memory_bytes.unwrap() >= 16 << 30 && profile.memory_bandwidth.unwrap() >= 300 << 30 >> 1);
    }
    assert!(ARCHITECTURES.is_sorted_by_key(|row| row.capability));
}

/// Numbers that the data sheets state in another form: cores, of which a multiprocessor of 8.6 to 12.0 has 128
/// and one of 7.0 to 8.0 64.
#[test]
fn multiprocessors_make_up_the_cores_of_the_data_sheets() {
    let cores = [
        ("v100-sxm", 5120, 64),
        ("t4", 2560, 64),
        ("a100-sxm-40gb", 6912, 64),
        ("a100-sxm-80gb", 6912, 64),
        ("rtx-3090", 10496, 128),
        ("rtx-4090", 16384, 128),
        ("l4", 7424, 128),
        ("l40s", 18176, 128),
        ("h100-pcie", 14592, 128),
        ("h100-sxm", 16896, 128),
        ("h200-sxm", 16896, 128),
        ("rtx-5090", 21760, 128),
    ];
    assert!(cores.iter().map(|&(name, ..)| name).eq(Profile::names()));
    for (name, cores, each) in cores {
        assert_eq!(known(name).multiprocessors * each, cores, "{name}");
    }
}

/// A feature is claimed from the capability on that the compiler asks for.
#[test]
fn features_are_those_that_the_compiler_emits() {
    let lowest = Product::ALL.iter().map(|product| product.shape().target).min().unwrap();
    for (name, target) in [("v100-sxm", 70), ("t4", 75), ("a100-sxm-40gb", 80), ("h100-sxm", 90)] {
        let profile = known(name);
        assert_eq!(profile.tensor_cores, target >= lowest, "{name}");
        assert_eq!(profile.async_copies, target >= 80, "{name}");
        assert!(profile.f16 && profile.bf16 && profile.mul_high && profile.warp_operations && profile.grid_sync);
    }
    // A GPU for which vyre compiles nothing has no feature of kernels.
    let mut old = Profile::common("cuda", "old");
    old.set_capability((6, 1));
    assert!(!old.f16 && !old.tensor_cores && !old.async_copies && !old.faults && !old.warp_operations);
    assert_eq!(old.l1_bytes, None);
}

#[test]
fn an_unknown_profile_lists_those_that_there_are() {
    let error = Profile::known("h100").unwrap_err();
    assert!(matches!(error, Error::UnknownName { what: "profile", .. }));
    let text = error.to_string();
    assert!(
        text.starts_with("there is no profile `h100`; there are v100-sxm, t4, "),
        "{text}"
    );
    assert!(text.ends_with(", h200-sxm, rtx-5090"), "{text}");
}
