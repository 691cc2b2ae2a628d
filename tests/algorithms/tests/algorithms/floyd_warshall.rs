//! Floyd-Warshall: shortest paths between all pairs, in place.

use vyre::prelude::*;
use vyre_algorithms::Random;
use vyre_semantics::everywhere;

super::kernels! { Through }

/// No path.
const NEVER: u32 = u32::MAX;

/// Relaxes each path by a detour through `middle`.
#[vyre::kernel(block = [16, 16], allow(races))] // row and column of `middle` stay as they are
fn through(lengths: &mut [u32], n: usize, middle: usize) {
    let (to, from) = thread::index_2d();
    if to < n && from < n && middle < n && lengths.len() == n * n {
        // SAFETY: both elements are in the row or column of `middle` and within the square. No
        // thread changes those: the path from `middle` to itself has length 0.
        let detour = unsafe {
            let first = *lengths.get_unchecked(from * n + middle);
            first.saturating_add(*lengths.get_unchecked(middle * n + to))
        };
        if detour < lengths[from * n + to] {
            lengths[from * n + to] = detour;
        }
    }
}

/// Reference: Dijkstra's search from each start.
fn searched(edges: &[u32], n: usize) -> Vec<u32> {
    let mut all = Vec::new();
    for start in 0..n {
        let mut length = vec![NEVER; n];
        let mut done = vec![false; n];
        length[start] = 0;
        while let Some(near) = (0..n).filter(|&v| !done[v]).min_by_key(|&v| length[v]) {
            done[near] = true;
            for v in 0..n {
                length[v] = length[v].min(length[near].saturating_add(edges[near * n + v]));
            }
        }
        all.extend(length);
    }
    all
}

#[test]
fn shortest_ways() {
    everywhere(|place| {
        let mut random = Random::new(7);
        for (n, some_in) in [
            (0, [1, 4]),
            (1, [1, 4]),
            (2, [1, 4]),
            (16, [1, 8]),
            (17, [1, 8]),
            (33, [3, 20]),
        ] {
            for one_in in some_in {
                let mut edges: Vec<u32> = (0..n * n)
                    .map(|_| {
                        if random.index(one_in) == 0 {
                            random.index(1000) as u32
                        } else {
                            NEVER
                        }
                    })
                    .collect();
                for v in 0..n {
                    edges[v * n + v] = 0;
                }
                let mut lengths = place.device().upload(&edges)?;
                for middle in 0..n {
                    place.over(through(&mut lengths, n, middle), [n, n])?;
                }
                assert!(
                    lengths.download()? == searched(&edges, n),
                    "{n}, one in {one_in}, on {}",
                    place.name()
                );
            }
        }
        Ok(())
    });
}
