//! The scan on the device.

use vyre::prelude::*;

/// Counts the matches of every pattern, one thread per chunk of the text.
///
/// A thread starts in the initial state far enough before its chunk that every match that ends in
/// the chunk lies in its range, and counts those. A match of a pattern that can overlap itself
/// counts only if `grep -o` would print it; for these, the thread that finds the first of a run of
/// overlapping matches follows the whole run.
#[vyre::kernel]
pub fn count_matches(
    text: &[u8],
    file_start: &[usize],
    chunk_start: &[usize],
    chunk_file: &[u32],
    chunk_length: usize,
    class: &[u8],
    classes: usize,
    next: &[u32],
    first_match: u32,
    ends_start: &[u32],
    ends: &[u32],
    longest: usize,
    patterns: &[u8],
    pattern_start: &[usize],
    overlapping: &[u8],
    counts: &[AtomicU32],
) {
    let c = thread::index();
    if c >= chunk_start.len() {
        return;
    }
    let file = chunk_file[c] as usize;
    let file_begin = file_start[file];
    let file_end = file_start[file + 1];
    let chunk_begin = chunk_start[c];
    let chunk_end = (chunk_begin + chunk_length).min(file_end);
    let first_count = file * overlapping.len();

    let mut state = 0;
    let mut at = chunk_begin.max(file_begin + longest - 1) - (longest - 1);
    while at < chunk_end {
        state = next[state as usize * classes + class[text[at] as usize] as usize];
        at += 1;
        if state < first_match || at <= chunk_begin {
            continue;
        }

        let ending = (state - first_match) as usize;
        for slot in ends_start[ending] as usize..ends_start[ending + 1] as usize {
            let pattern = ends[slot] as usize;
            if overlapping[pattern] == 0 {
                counts[first_count + pattern].fetch_add(1, Ordering::Relaxed);
                continue;
            }

            let letters = pattern_start[pattern];
            let length = pattern_start[pattern + 1] - letters;
            let begin = at - length;

            // Does a match begin so shortly before this one that they overlap?
            let mut first_of_run = true;
            let mut earlier = begin;
            while first_of_run && earlier > file_begin && earlier + length > begin + 1 {
                earlier -= 1;
                let mut equal = 0;
                while equal < length && text[earlier + equal] == patterns[letters + equal] {
                    equal += 1;
                }
                first_of_run = equal < length;
            }
            if !first_of_run {
                continue;
            }

            // Follow the run, counting each match that does not overlap the last one counted.
            let mut count = 1;
            let mut last = begin;
            let mut free = at;
            let mut later = begin + 1;
            while later < last + length && later + length <= file_end {
                let mut equal = 0;
                while equal < length && text[later + equal] == patterns[letters + equal] {
                    equal += 1;
                }
                if equal == length {
                    last = later;
                    if later >= free {
                        count += 1;
                        free = later + length;
                    }
                }
                later += 1;
            }
            counts[first_count + pattern].fetch_add(count, Ordering::Relaxed);
        }
    }
}
