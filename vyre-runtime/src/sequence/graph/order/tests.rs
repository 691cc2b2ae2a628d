use super::*;

fn reads(number: u64, range: Range<u64>) -> Access {
    Access {
        resource: Resource::Allocation(number),
        range,
        writes: false,
    }
}

fn writes(number: u64, range: Range<u64>) -> Access {
    Access {
        writes: true,
        ..reads(number, range)
    }
}

fn edges(nodes: Vec<Vec<Access>>) -> Vec<Vec<usize>> {
    let mut order = Order::default();
    nodes.into_iter().for_each(|accesses| order.add(accesses));
    order.into_edges()
}

#[test]
fn conflicting_uses_are_ordered() {
    let nodes = vec![
        vec![writes(1, 0..8)],
        vec![reads(1, 0..8), writes(2, 0..8)],
        vec![reads(1, 0..8), writes(3, 0..8)],
        // After both readers, and so after the first writer.
        vec![writes(1, 0..8)],
        vec![reads(2, 0..8), reads(3, 0..8)],
    ];
    assert_eq!(edges(nodes), [vec![], vec![0], vec![0], vec![1, 2], vec![1, 2]]);
}

#[test]
fn parts_that_do_not_meet_are_free() {
    let nodes = vec![
        vec![writes(1, 0..4)],
        vec![writes(1, 4..8)],
        vec![reads(1, 2..6)],
        vec![writes(1, 0..8)],
        vec![writes(1, 0..4)],
        vec![reads(1, 6..8)],
    ];
    assert_eq!(edges(nodes), [vec![], vec![], vec![0, 1], vec![2], vec![3], vec![3]]);
}

/// Two buffers that are written in turns make a chain.
#[test]
fn turns_make_a_chain() {
    let nodes = (0..6u64).map(|turn| vec![reads(turn % 2, 0..8), writes(1 - turn % 2, 0..8)]);
    let chain = [vec![], vec![0], vec![1], vec![2], vec![3], vec![4]];
    assert_eq!(edges(nodes.collect()), chain);
}

/// The edges order exactly the nodes that conflict, against a model that compares all pairs.
#[test]
fn edges_are_those_of_all_pairs() {
    let mut seed = 7u64;
    let mut random = move |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) % below
    };
    for _ in 0..200 {
        let list: Vec<Vec<(u64, Range<u64>, bool)>> = (0..12)
            .map(|_| {
                let count = 1 + random(2);
                let access = |_| {
                    let start = random(6);
                    (random(2), start..start + 1 + random(4), random(3) == 0)
                };
                (0..count).map(access).collect()
            })
            .collect();
        let access = |(number, range, is_write): &(u64, Range<u64>, bool)| match is_write {
            true => writes(*number, range.clone()),
            false => reads(*number, range.clone()),
        };
        let found = edges(list.iter().map(|node| node.iter().map(access).collect()).collect());
        // The nodes that come before each, as bits.
        let (mut reached, mut wanted) = ([0u32; 12], [0u32; 12]);
        for later in 0..12 {
            let conflicts = |earlier: usize| {
                list[later].iter().any(|a| {
                    let meets = |b: &(u64, Range<u64>, bool)| a.1.start < b.1.end && b.1.start < a.1.end;
                    list[earlier].iter().any(|b| a.0 == b.0 && (a.2 || b.2) && meets(b))
                })
            };
            for earlier in (0..later).filter(|&earlier| conflicts(earlier)) {
                wanted[later] |= 1 << earlier | wanted[earlier];
            }
            for &earlier in &found[later] {
                reached[later] |= 1 << earlier | reached[earlier];
            }
        }
        assert_eq!(reached, wanted, "{list:?}");
    }
}
