//! Patterns compiled into one automaton (Aho and Corasick, 1975).
//!
//! A state is the longest suffix of the text so far that is a prefix of a pattern. The automaton is
//! complete: each state has a successor for every byte, so a step is one table lookup without
//! backtracking. Bytes that occur in no pattern behave alike and share a column of the table.

use std::collections::VecDeque;

/// The automaton as flat tables for a device.
pub struct Automaton {
    /// The column of each byte.
    pub class: Vec<u8>,
    /// Columns of `next`.
    pub classes: usize,
    /// The next state, by state and column. State 0 is the initial state.
    pub next: Vec<u32>,
    /// States from this one on end at least one pattern.
    pub first_match: u32,
    /// For each state from `first_match` on, the start of its patterns in `ends`; one more entry
    /// than states.
    pub ends_start: Vec<u32>,
    /// The patterns that end at each state, state by state.
    pub ends: Vec<u32>,
    /// Length of the longest pattern.
    pub longest: usize,
}

/// A node of the trie of all patterns.
struct Node {
    children: Vec<(u8, usize)>,
    ends: Vec<u32>,
}

impl Automaton {
    /// Compiles patterns, none of them empty.
    pub fn new(patterns: &[Vec<u8>]) -> Automaton {
        let (class, classes) = classes(patterns);
        let mut nodes = tree(patterns);

        // Breadth first, so that the node of a state's longest proper suffix precedes it.
        let mut next = vec![0; nodes.len() * classes];
        let mut shorter = vec![0; nodes.len()];
        let mut queue = VecDeque::from([0]);
        while let Some(node) = queue.pop_front() {
            if node != 0 {
                let (row, end) = (node * classes, shorter[node] * classes);
                next.copy_within(end..end + classes, row);
                let inherited = nodes[shorter[node]].ends.clone();
                nodes[node].ends.extend(inherited);
            }
            for (byte, child) in std::mem::take(&mut nodes[node].children) {
                let column = usize::from(class[usize::from(byte)]);
                shorter[child] = if node == 0 {
                    0
                } else {
                    next[shorter[node] * classes + column]
                };
                next[node * classes + column] = child;
                queue.push_back(child);
            }
        }

        // States that end a pattern come last, so that one comparison finds them.
        let (quiet, matching): (Vec<usize>, Vec<usize>) =
            (0..nodes.len()).partition(|&node| nodes[node].ends.is_empty());
        let order: Vec<usize> = quiet.iter().chain(&matching).copied().collect();
        let mut state_of = vec![0u32; nodes.len()];
        for (state, &node) in order.iter().enumerate() {
            state_of[node] = state as u32;
        }
        let mut ends_start = vec![0];
        let mut ends = Vec::new();
        for &node in &matching {
            ends.extend(&nodes[node].ends);
            ends_start.push(ends.len() as u32);
        }
        Automaton {
            class,
            classes,
            next: order
                .iter()
                .flat_map(|&node| &next[node * classes..][..classes])
                .map(|&n| state_of[n])
                .collect(),
            first_match: quiet.len() as u32,
            ends_start,
            ends,
            longest: patterns.iter().map(Vec::len).max().unwrap_or(0),
        }
    }
}

/// Gives each byte of a pattern its own column, and all others column 0.
fn classes(patterns: &[Vec<u8>]) -> (Vec<u8>, usize) {
    let mut class = vec![0; 256];
    let mut used: Vec<u8> = patterns.concat();
    used.sort_unstable();
    used.dedup();
    // If all 256 bytes are used, none is left to share column 0.
    let shared = usize::from(used.len() < 256);
    for (column, byte) in used.iter().enumerate() {
        class[usize::from(*byte)] = (column + shared) as u8;
    }
    (class, used.len() + shared)
}

fn tree(patterns: &[Vec<u8>]) -> Vec<Node> {
    let mut nodes = vec![Node {
        children: Vec::new(),
        ends: Vec::new(),
    }];
    for (number, pattern) in patterns.iter().enumerate() {
        let mut node = 0;
        for &byte in pattern {
            let known = nodes[node]
                .children
                .iter()
                .find(|(b, _)| *b == byte)
                .map(|&(_, child)| child);
            node = known.unwrap_or_else(|| {
                nodes.push(Node {
                    children: Vec::new(),
                    ends: Vec::new(),
                });
                let child = nodes.len() - 1;
                nodes[node].children.push((byte, child));
                child
            });
        }
        nodes[node].ends.push(number as u32);
    }
    nodes
}

/// True if two occurrences of the pattern can overlap: some proper prefix of it is also a suffix.
pub fn overlaps_itself(pattern: &[u8]) -> bool {
    (1..pattern.len()).any(|shift| pattern[shift..] == pattern[..pattern.len() - shift])
}
