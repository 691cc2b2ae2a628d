//! `search` against sorting all scores in plain Rust, and its index against the same.

use indicatif::ProgressBar;

use crate::devices::devices;

#[path = "../../examples/search/main.rs"]
pub mod example;

use example::Searcher;
use example::index::Index;
use example::kernels::{rank, row_of};
use example::vectors::Vectors;

/// All other rows by their scores, the best one first, of equal ones the first.
fn sorted(vectors: &Vectors, query: u32) -> Vec<u32> {
    let mut rows: Vec<u32> = (0..vectors.words.len() as u32).filter(|&row| row != query).collect();
    rows.sort_by(|&a, &b| vectors.score(query, b).partial_cmp(&vectors.score(query, a)).unwrap());
    rows
}

#[test]
fn words_of_the_book_are_found() {
    let vectors = Vectors::read("examples/data/words.vec".as_ref()).unwrap();
    let queries: Vec<u32> = (0..vectors.words.len() as u32).step_by(4).collect();
    let index = Index::new(&vectors, &ProgressBar::hidden());
    let mut visits = 0;
    for device in devices("words") {
        let found = Searcher::new(&device, &vectors)
            .unwrap()
            .nearest(&queries, 5, &ProgressBar::hidden())
            .unwrap();
        for (&query, found) in queries.iter().zip(&found) {
            assert_eq!(found[..], sorted(&vectors, query)[..5], "{device}");
            let (by_index, looked_at) = index.nearest(query, 5);
            assert_eq!(by_index, found[..]);
            visits += looked_at;
        }
    }
    // It is an index: some vectors are not looked at.
    assert!(visits < queries.len() * vectors.words.len() * devices("visits").count());
}

#[test]
fn equal_and_opposite_vectors_have_an_order() {
    // Few directions, so that most scores are equal to others; all of the words but one are asked for.
    for (words, dimensions) in [(2, 1), (3, 2), (255, 2), (257, 3), (600, 1)] {
        let mut state = 1u64;
        let text: String = (0..words)
            .map(|word| {
                let numbers: Vec<String> = (0..dimensions)
                    .map(|_| {
                        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                        ((state >> 60) as i64 * 2 - 15).to_string()
                    })
                    .collect();
                format!("w{word} {}\n", numbers.join(" "))
            })
            .collect();
        let vectors = Vectors::parse(&text).unwrap();
        let queries = [0, words / 2, words - 1];
        for device in devices("equal vectors") {
            let searcher = Searcher::new(&device, &vectors).unwrap();
            for count in [1, words as usize / 2, words as usize - 1] {
                let found = searcher
                    .nearest(&queries, count.max(1), &ProgressBar::hidden())
                    .unwrap();
                for (&query, found) in queries.iter().zip(found) {
                    assert_eq!(
                        found,
                        sorted(&vectors, query)[..count.max(1)],
                        "{words} words on {device}"
                    );
                    assert_eq!(
                        Index::new(&vectors, &ProgressBar::hidden())
                            .nearest(query, count.max(1))
                            .0,
                        found
                    );
                }
            }
        }
    }
}

#[test]
fn ranks_are_ordered_as_scores() {
    let scores = [
        f32::NEG_INFINITY,
        -1.5,
        -1.0,
        -1e-40,
        0.0,
        1e-40,
        0.3,
        1.0,
        f32::INFINITY,
    ];
    for (i, &a) in scores.iter().enumerate() {
        for (j, &b) in scores.iter().enumerate() {
            assert_eq!(rank(a, 7) < rank(b, 7), i < j);
        }
        assert!(rank(a, 3) > rank(a, 4));
        assert_eq!(row_of(rank(a, 123_456)), 123_456);
    }
}

#[test]
fn files_are_read() {
    let vectors = Vectors::parse("2 2\nnorth 0 2.5\n\neast  3e1 0\n").unwrap();
    assert_eq!(vectors.words, ["north", "east"]);
    assert_eq!(vectors.values, [0.0, 1.0, 1.0, 0.0]);
    let faults = [
        ("", "the file has no words"),
        ("10 300\n", "the file has no words"),
        ("a 1 2\nb 1\n", "line 2: 1 numbers, where the first word has 2"),
        ("a\n", "line 1: 0 numbers, where the first word has 0"),
        ("a 1 x\n", "line 1: \"x\" is no number"),
        ("a 0 0\n", "line 1: the vector has no direction"),
        ("a 1 2\nb 1 NaN\n", "line 2: the vector has no direction"),
    ];
    for (text, fault) in faults {
        assert_eq!(Vectors::parse(text).unwrap_err(), fault, "{text:?}");
    }
}
