use super::*;
use crate::body::BlockContext;
use crate::kernel::{KernelCache, KernelInfo};
use std::ffi::c_void;
use vyre_abi::kernel::Location;

unsafe fn body(_: &[*const c_void], _: &BlockContext<'_>) {}

fn kernel(block: [u32; 3], shared_bytes: u32) -> KernelInfo {
    KernelInfo {
        name: "k",
        location: Location {
            file: "",
            line: 0,
            column: 0,
        },
        dimensions: 3,
        block,
        cluster: &[],
        shared_bytes,
        cooperative: false,
        parameters: &[],
        constants: &[],
        entries: &[],
        assumed: &[],
        cubins: &[],
        ptx: "",
        target: 70,
        newer: &[],
        program: "",
        sites: &[],
        prints: &[],
        host: body,
        cache: KernelCache::new(),
    }
}

#[test]
fn blocks_cover_the_domain() {
    let kernel = kernel([32, 8, 1], 0);
    let grid = |extent: Extent, coarsening| extent.grid(&kernel, coarsening, &Limits::CUDA).ok();
    assert_eq!(grid(Extent::Over([64, 8, 3]), 1), Some([2, 1, 3]));
    assert_eq!(grid(Extent::Over([65, 9, 1]), 1), Some([3, 2, 1]));
    assert_eq!(grid(Extent::Over([129, 9, 1]), 4), Some([2, 2, 1]));
    assert_eq!(grid(Extent::Grid([5, 6, 7]), 1), Some([5, 6, 7]));
    assert_eq!(grid(Extent::Over([1 << 36, 1, 1]), 1), None);
    assert_eq!(grid(Extent::Over([1 << 36, 1, 1]), 2), Some([1 << 30, 1, 1]));
    assert_eq!(grid(Extent::Over([32, 8, 1]), 1), Some([1, 1, 1]));
    assert_eq!(grid(Extent::Over([1, 7, 0]), 1), Some([1, 1, 0]));
}

#[test]
fn clusters_are_no_larger_than_those_of_the_device() {
    let kernel = KernelInfo {
        cluster: &[2, 2, 1],
        ..kernel([32, 1, 1], 0)
    };
    assert!(Limits::CUDA.check(&kernel).is_ok());
    let without = Limits {
        cluster: 1,
        ..Limits::CUDA
    };
    let error = without.check(&kernel).expect_err("there are no clusters");
    assert_eq!(
        error.to_string(),
        "`k` needs 4 blocks in a cluster, and the device has at most 1; ask `device.max_cluster_blocks()`, and launch \
         a kernel with smaller clusters, or without"
    );
}

#[test]
fn grids_have_whole_clusters() {
    let kernel = KernelInfo {
        cluster: &[2, 3, 1],
        ..kernel([32, 8, 1], 0)
    };
    let grid = |extent: Extent| extent.grid(&kernel, 1, &Limits::CUDA);
    assert_eq!(grid(Extent::Over([65, 9, 1])).ok(), Some([4, 3, 1]));
    assert_eq!(grid(Extent::Over([64, 24, 1])).ok(), Some([2, 3, 1]));
    assert_eq!(grid(Extent::Grid([4, 6, 2])).ok(), Some([4, 6, 2]));
    for broken in [[3, 3, 1], [2, 4, 1]] {
        let found = grid(Extent::Grid(broken));
        assert!(
            matches!(found, Err(Error::BrokenClusters { cluster: [2, 3, 1], .. })),
            "{found:?}"
        );
    }
    let found = grid(Extent::Over([u64::MAX, u64::MAX, 1]));
    assert!(matches!(found, Err(Error::TooLarge { .. })), "{found:?}");
}

#[test]
fn dynamic_memory_counts_with_the_static() {
    let fits = |own, dynamic| Limits::CUDA.check_dynamic(&kernel([1, 1, 1], own), dynamic).is_ok();
    assert!(fits(0, 227 << 10) && !fits(0, (227 << 10) + 1));
    assert!(fits(48 << 10, 179 << 10) && !fits(48 << 10, (179 << 10) + 1));
    assert!(!fits(1, u64::MAX));
    // Dynamic memory is aligned.
    assert!(fits(1, (227 << 10) - 16) && !fits(1, (227 << 10) - 15));
}

#[test]
fn blocks_stay_within_the_limits() {
    let refused = |block, shared_bytes| match Limits::CUDA.check(&kernel(block, shared_bytes)) {
        Err(Error::TooLarge {
            what, requested, limit, ..
        }) => Some((what, requested, limit)),
        _ => None,
    };
    assert_eq!(refused([1024, 1, 1], 48 << 10), None);
    assert_eq!(refused([1, 1, 65], 0), Some((LaunchLimit::Block(2), 65, 64)));
    assert_eq!(refused([32, 33, 1], 0), Some((LaunchLimit::Threads, 1056, 1024)));
    let shared = LaunchLimit::SharedMemory { own: 49153, dynamic: 0 };
    assert_eq!(refused([1, 1, 1], 49153), Some((shared, 49153, 49152)));
}
