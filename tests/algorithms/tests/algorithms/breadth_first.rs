//! Breadth-first search, one launch for each frontier.

use std::collections::VecDeque;

use vyre::prelude::*;
use vyre_algorithms::Random;
use vyre_semantics::{Place, everywhere};

super::kernels! { Expand }

/// The distance of an unreached vertex.
const FAR: u32 = u32::MAX;

/// Visits the neighbours of each vertex in the frontier; the first thread that reaches an unreached
/// one adds it to the next frontier. The neighbours of vertex `v` are `neighbours` from `starts[v]`
/// to `starts[v + 1]`.
#[vyre::kernel(block = 64, allow(races))] // a ticket gives each place once; how often a loop takes one is not known
fn expand(
    starts: &[u32],
    neighbours: &[u32],
    frontier: &[u32],
    distances: &[AtomicU32],
    distance: u32,
    next: &mut [u32],
    next_length: &[AtomicUsize],
) {
    let i = thread::index();
    if i >= frontier.len() {
        return;
    }
    let vertex = frontier[i] as usize;
    for edge in starts[vertex] as usize..starts[vertex + 1] as usize {
        let neighbour = neighbours[edge];
        if distances[neighbour as usize]
            .compare_exchange(FAR, distance, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
        {
            let place = next_length[0].fetch_add(1, Ordering::Relaxed);
            // SAFETY: each vertex is reached once, so there are never more places than vertices, and
            // `next` has one for each.
            unsafe { *next.get_unchecked_mut(place) = neighbour };
        }
    }
}

/// A graph as adjacency lists.
struct Graph {
    starts: Vec<u32>,
    neighbours: Vec<u32>,
}

impl Graph {
    fn new(vertices: usize, edges: &[(usize, usize)]) -> Graph {
        let mut graph = Graph {
            starts: vec![0],
            neighbours: Vec::new(),
        };
        for v in 0..vertices {
            let of_v = edges.iter().filter(|edge| edge.0 == v);
            graph.neighbours.extend(of_v.map(|edge| edge.1 as u32));
            graph.starts.push(graph.neighbours.len() as u32);
        }
        graph
    }

    fn distances(&self, from: usize) -> Vec<u32> {
        let mut distances = vec![FAR; self.starts.len() - 1];
        let mut queue = VecDeque::from([from]);
        distances[from] = 0;
        while let Some(v) = queue.pop_front() {
            for &w in &self.neighbours[self.starts[v] as usize..self.starts[v + 1] as usize] {
                if distances[w as usize] == FAR {
                    distances[w as usize] = distances[v] + 1;
                    queue.push_back(w as usize);
                }
            }
        }
        distances
    }
}

fn search(place: &Place, graph: &Graph, from: usize) -> vyre::Result<Vec<u32>> {
    let vertices = graph.starts.len() - 1;
    let starts = place.device().upload(&graph.starts)?;
    let neighbours = place.device().upload(&graph.neighbours)?;
    let mut host = vec![FAR; vertices];
    host[from] = 0;
    let mut distances = place.device().upload(&host)?;
    let mut frontier = place.device().upload(&[from as u32])?;
    let mut length = 1;
    for distance in 1.. {
        let mut next = place.device().zeros::<u32>(vertices)?;
        let mut next_length = place.device().zeros::<usize>(1)?;
        let part = frontier.slice(..length)?;
        let kernel = expand(
            &starts,
            &neighbours,
            part,
            &mut distances,
            distance,
            &mut next,
            &mut next_length,
        );
        place.over(kernel, length)?;
        length = next_length.download()?[0];
        if length == 0 {
            break;
        }
        frontier = next;
    }
    distances.download()
}

#[test]
fn distances() {
    let mut random = Random::new(12);
    let mut pairs = |vertices: usize, edges: usize| -> Vec<(usize, usize)> {
        (0..edges)
            .map(|_| (random.index(vertices), random.index(vertices)))
            .collect()
    };
    let both = |edges: Vec<(usize, usize)>| {
        edges
            .into_iter()
            .flat_map(|(v, w)| [(v, w), (w, v)])
            .collect::<Vec<_>>()
    };
    let graphs = [
        Graph::new(1, &[]),
        Graph::new(3, &[(0, 0), (2, 0)]),
        Graph::new(20, &both((1..20).map(|v| (v - 1, v)).collect())),
        Graph::new(150, &both((1..150).map(|v| (0, v)).collect())),
        Graph::new(120, &pairs(120, 200)),
        Graph::new(200, &both(pairs(200, 600))),
    ];
    everywhere(|place| {
        for graph in &graphs {
            let vertices = graph.starts.len() - 1;
            for from in [0, vertices / 2] {
                assert_eq!(
                    search(place, graph, from)?,
                    graph.distances(from),
                    "from {from} of {vertices}"
                );
            }
        }
        Ok(())
    });
}
