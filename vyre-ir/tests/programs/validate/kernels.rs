//! Kernels: parameters, blocks, clusters and names.

use super::*;

#[test]
fn shared_memory_fits() {
    let kernel = |mentioned: &str| {
        items(&format!(
            "shared a: [u8; 49151] shared b: u8 shared c: u16
             fn f() -> () {{ call g() }}
             fn g() -> () {{ {mentioned} }}
             kernel k() dimensions 1 block 1 1 1 {{ entry k {{ store shared::a[0u64] = 0u8  call f() }} }}"
        ))
    };
    assert_eq!(kernel("store shared::b = 0u8"), []);
    assert_eq!(
        kernel("store shared::c = 0u16"),
        [InvalidKind::SharedTooLarge { bytes: 49154 }]
    );
    assert_eq!(
        kernel("named_barrier.wait[1, 32]"),
        [InvalidKind::SharedTooLarge { bytes: 49151 + 64 }]
    );
}

#[test]
fn named_barriers_are_for_as_many_as_there_are() {
    let kernel = |block: u32, body: &str| {
        items(&format!(
            "fn f() -> () {{ named_barrier[1, 64] }}
             kernel k() dimensions 1 block {block} 1 1 {{ entry k {{ call f() {body} }} }}"
        ))
    };
    assert_eq!(kernel(64, "named_barrier.wait[1, 64] named_barrier.wait[2, 32]"), []);
    assert_eq!(kernel(33, "named_barrier.wait[1, 64]"), []);
    assert_eq!(
        kernel(64, "named_barrier.wait[1, 32]"),
        [named(
            1,
            64,
            false,
            "the barrier is for another number of threads elsewhere"
        )]
    );
    assert_eq!(kernel(32, ""), [named(1, 64, false, "the block has fewer threads")]);
}

#[test]
fn blocks_can_be_resident_at_once() {
    let kernel = |head: &str| items(&format!("kernel k() dimensions 1 {head} {{ entry k {{ }} }}"));
    assert_eq!(kernel("block 64 1 1 min_blocks 32"), []);
    assert_eq!(kernel("block 1024 1 1 min_blocks 2"), []);
    for (threads, blocks) in [(64, 0), (32, 33), (1024, 3), (256, 9), (1, u32::MAX)] {
        assert_eq!(
            kernel(&format!("block {threads} 1 1 min_blocks {blocks}")),
            [InvalidKind::MinBlocks(blocks)]
        );
    }
    // Of a block that cannot be there is no more to say.
    assert_eq!(
        kernel("block 4096 1 1 min_blocks 1"),
        [InvalidKind::BlockShape([4096, 1, 1])]
    );
}

#[test]
fn clusters_can_be_launched() {
    let kernel = |head: &str, body: &str| {
        items(&format!(
            "shared a: [u32; 4] type &mut [u32; 4]
             kernel k() dimensions {head} {{ entry k {{ let r: &mut [u32; 4] let s: u64 {body} }} }}"
        ))
    };
    for cluster in [[0, 1, 1], [9, 1, 1], [3, 3, 1], [u32::MAX; 3], [1, 1, 2]] {
        let [x, y, z] = cluster;
        assert_eq!(
            kernel(&format!("2 block 1 1 1 cluster {x} {y} {z}"), ""),
            [InvalidKind::ClusterShape(cluster)]
        );
    }
    let two = "1 block 1 1 1 cluster 2 1 1";
    let map = "store r = map_shared(&mut shared::a, s)";
    assert_eq!(kernel("3 block 1 1 1 cluster 2 2 2", map), []);
    assert_eq!(kernel("1 block 1 1 1", &format!("cluster_barrier {map}")), []);
    assert_eq!(
        kernel(two, "cluster_barrier grid_barrier"),
        [InvalidKind::GridBarrierAmongClusters]
    );
    assert_eq!(
        kernel(two, &format!("{map} store r = map_shared(&mut r.*, s)")),
        [InvalidKind::MapsOther]
    );
    assert_eq!(
        kernel(two, "store r = map_shared(r, s)"),
        [InvalidKind::MapsOther, InvalidKind::Unassigned(Handle::new(0))]
    );
    assert_eq!(
        kernel(two, "store r = map_shared(&mut shared::a, 1u32)"),
        [mismatch(Scalar::U64, Scalar::U32)]
    );
    // The counters take their place.
    let full = "shared a: [u8; 49144] shared b: u8";
    let kernel = |cluster: &str, body: &str| {
        items(&format!(
            "{full} kernel k() dimensions 1 block 1 1 1 {cluster} {{ entry k {{ store shared::a[0u64] = 0u8 {body} }} }}"
        ))
    };
    assert_eq!(kernel("cluster 2 1 1", ""), []);
    assert_eq!(kernel("", "store shared::b = 0u8"), []);
    assert_eq!(
        kernel("cluster 2 1 1", "store shared::b = 0u8"),
        [InvalidKind::SharedTooLarge { bytes: 49153 }]
    );
}

#[test]
fn kernels_can_be_launched() {
    let kernel = |head: &str, entries: &str| items(&format!("kernel k{head} {{ {entries} }}"));
    let one = "entry k { }";
    for dimensions in [0, 4] {
        assert_eq!(
            kernel(&format!("() dimensions {dimensions} block 1 1 1"), one),
            [InvalidKind::Dimensions(dimensions)]
        );
    }
    for block in [[0, 1, 1], [1025, 1, 1], [32, 33, 1], [1, 1, 65], [u32::MAX; 3]] {
        let [x, y, z] = block;
        assert_eq!(
            kernel(&format!("() dimensions 3 block {x} {y} {z}"), one),
            [InvalidKind::BlockShape(block)]
        );
    }
    assert_eq!(kernel("() dimensions 3 block 4 4 64", one), []);
    assert_eq!(
        kernel("() dimensions 1 block 32 2 1", one),
        [InvalidKind::UnusedAxis { axis: 1, extent: 2 }]
    );
    assert_eq!(
        kernel(
            "(p: (f32, (u8, bool)), q: &mut [(u32, [f32; 2])], r: [(u8, [f64; 8]); 7]) dimensions 1 block 1 1 1",
            one
        ),
        []
    );
    for (parameter, ty) in [
        ("&f32", made(0)),
        ("[f32; 65]", made(0)),
        ("()", Types::new().unit()),
        ("(f32, [f32; 64])", made(1)),
    ] {
        assert_eq!(
            kernel(&format!("(p: {parameter}) dimensions 1 block 1 1 1"), one),
            [InvalidKind::KernelParameter(ty)]
        );
    }
    let many: Vec<_> = (0..2047).map(|index| format!("p{index}: &[f32]")).collect();
    assert_eq!(
        kernel(&format!("({}) dimensions 1 block 1 1 1", many.join(", ")), one),
        [InvalidKind::ParametersTooLarge { bytes: 32_752 }]
    );
    assert_eq!(kernel("() dimensions 1 block 1 1 1", ""), [InvalidKind::NoEntry]);
    assert_eq!(
        kernel("() dimensions 1 block 1 1 1", "entry k if true { }"),
        [InvalidKind::LastPredicate]
    );
    assert_eq!(
        kernel("() dimensions 1 block 1 1 1", "entry a { } entry b { }"),
        [InvalidKind::UnreachableEntry]
    );
    assert_eq!(
        kernel("() dimensions 1 block 1 1 1", "entry k coarsening 0 { }"),
        [InvalidKind::Coarsening]
    );
    for symbol in ["", "_", "$", "1a", "a b", "é", "%a", "WARP_SZ"] {
        assert_eq!(
            kernel("() dimensions 1 block 1 1 1", &format!("entry \"{symbol}\" {{ }}")),
            [InvalidKind::Symbol(symbol.to_owned())]
        );
    }
    assert_eq!(
        items(
            "kernel k() dimensions 1 block 1 1 1 { entry k { } }
             kernel l() dimensions 1 block 1 1 1 { entry k { } }"
        ),
        [InvalidKind::RepeatedSymbol("k".to_owned())]
    );
    let parameter = |found| InvalidKind::EntryParameter {
        index: 1,
        expected: scalar(Scalar::U32),
        found,
    };
    assert_eq!(
        kernel(
            "(a: f32, b: u32) dimensions 1 block 1 1 1",
            "entry k(a: f32, b: f32) { }"
        ),
        [parameter(Some(scalar(Scalar::F32)))]
    );
    assert_eq!(
        kernel("(a: f32, b: u32) dimensions 1 block 1 1 1", "entry k(a: f32) { }"),
        [parameter(None)]
    );
}

#[test]
fn predicates_are_known_at_the_launch() {
    let predicate = |predicate: &str| {
        items(&format!(
            "external e: u64 = 0xV000000000000000
             kernel k(x: &[f32], n: i32, p: (u32, f32)) dimensions 1 block 1 1 1 {{
                entry a if {predicate} {{ let v: u32 }}
                entry b {{ }}
             }}"
        ))
    };
    for fine in [
        "and_then(eq(rem(length(x), 4u64), 0u64), lt(n, 7i32))",
        "lt(p.0, cast u32(external::e))",
        "ge(field(p, 1), div(p.1, p.1))",
    ] {
        assert_eq!(predicate(fine), [], "{fine}");
    }
    for unknown in [
        "eq(linear_index, 0u64)",
        "lt(x[0u64], 1.0f32)",
        "eq(field(new (u32, u32)(1u32, 1u32), 0), 0u32)",
    ] {
        assert_eq!(predicate(unknown), [InvalidKind::PredicateOperand], "{unknown}");
    }
    for divides in [
        "eq(div(n, n), 0i32)",
        "eq(rem(n, 0i32), 0i32)",
        "eq(div(n, -1i32), 0i32)",
    ] {
        assert_eq!(predicate(divides), [InvalidKind::PredicateDivisor], "{divides}");
    }
    assert_eq!(predicate("n"), [mismatch(Scalar::Bool, Scalar::I32)]);
}
