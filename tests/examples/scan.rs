//! `scan` against `grep` on this project's files, and against a simple search on hard texts.

use std::path::PathBuf;
use std::process::Command;

use crate::devices::devices;

#[path = "../../examples/scan/main.rs"]
pub mod example;

use example::Scanner;
use example::files::{Batch, Batches, files};

/// Non-overlapping matches from the left.
fn simple_count(text: &[u8], pattern: &[u8]) -> u32 {
    let (mut count, mut at) = (0, 0);
    while at + pattern.len() <= text.len() {
        if text[at..].starts_with(pattern) {
            count += 1;
            at += pattern.len();
        } else {
            at += 1;
        }
    }
    count
}

fn assert_counts(test: &'static str, texts: &[Vec<u8>], patterns: &[Vec<u8>]) {
    let mut batch = Batch::default();
    for (i, text) in texts.iter().enumerate() {
        batch.push(PathBuf::from(i.to_string()), text);
    }
    let expected: Vec<u32> = texts
        .iter()
        .flat_map(|text| patterns.iter().map(|pattern| simple_count(text, pattern)))
        .collect();
    for device in devices(test) {
        let scanner = Scanner::new(&device, patterns).unwrap();
        let (counts, _) = scanner.count(&batch).unwrap();
        assert_eq!(counts, expected, "{}", device.name());
    }
}

fn patterns(patterns: &[&str]) -> Vec<Vec<u8>> {
    patterns.iter().map(|pattern| pattern.as_bytes().to_vec()).collect()
}

#[test]
fn counts_what_overlaps() {
    let texts = [
        b"aaaaa".to_vec(),
        b"ababababa ababa".to_vec(),
        b"".to_vec(),
        b"a".to_vec(),
        vec![b'a'; 3000],
        b"ab".repeat(2000),
        [vec![b'b'; 255], b"aab".to_vec(), vec![b'a'; 600]].concat(),
    ];
    let patterns = patterns(&[
        "a",
        "aa",
        "aaa",
        "aba",
        "ababa",
        "ab",
        "ba",
        "aab",
        "bbb",
        "aa",
        "aaaaaaaaaaaaaaaa",
    ]);
    assert_counts("overlapping patterns", &texts, &patterns);
}

#[test]
fn counts_every_byte() {
    let all: Vec<u8> = (0..=255).collect();
    let mut patterns: Vec<Vec<u8>> = all
        .iter()
        .filter(|&&byte| byte != b'\n')
        .map(|&byte| vec![byte])
        .collect();
    patterns.push(all[11..].to_vec());
    assert_counts(
        "every byte",
        &[all.repeat(3), all.iter().rev().copied().collect()],
        &patterns,
    );
}

#[test]
fn counts_in_random_texts() {
    let mut state = 1u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below
    };
    for letters in [2, 3, 5] {
        let texts: Vec<Vec<u8>> = [0, 1, 255, 256, 257, 1500]
            .iter()
            .map(|&length| (0..length).map(|_| b'a' + random(letters) as u8).collect())
            .collect();
        let patterns: Vec<Vec<u8>> = (0..12)
            .map(|_| {
                let length = 1 + random(6);
                (0..length).map(|_| b'a' + random(letters) as u8).collect()
            })
            .collect();
        assert_counts("random texts", &texts, &patterns);
    }
}

#[test]
fn equals_grep_on_this_project() {
    let patterns = [
        "unsafe",
        "SAFETY",
        "fn ",
        "that",
        "//",
        "----",
        "==",
        "  ",
        "a",
        "kernel",
        "é",
        "\u{1F980}",
        "ss",
    ];
    let paths: Vec<PathBuf> = ["src", "vyre-core/src", "examples", "README.md", "LICENSE-APACHE"]
        .map(PathBuf::from)
        .to_vec();
    let files = files(&paths, &mut |path, error| panic!("{}: {error}", path.display()));
    assert!(files.len() > 20, "the project's files: {files:?}");
    let mut batch = Batch::default();
    for file in files {
        let text = std::fs::read(&file).unwrap();
        batch.push(file, &text);
    }

    let mut expected = vec![0; batch.files.len() * patterns.len()];
    for (p, pattern) in patterns.iter().enumerate() {
        // One line for each match, and nothing else: grep -c would count lines that match.
        let grep = Command::new("grep")
            .env("LC_ALL", "C")
            .args(["-a", "-o", "-F", "-n", "-H", "--null", "-e", pattern])
            .args(&batch.files)
            .output();
        let Ok(grep) = grep else {
            println!("skipped: there is no grep here");
            return;
        };
        assert!(
            grep.status.code().is_some_and(|code| code < 2),
            "{}",
            String::from_utf8_lossy(&grep.stderr)
        );
        for line in grep.stdout.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            let name = line.split(|&byte| byte == 0).next().unwrap();
            let name = PathBuf::from(String::from_utf8(name.to_vec()).unwrap());
            let file = batch.files.iter().position(|file| *file == name).unwrap();
            expected[file * patterns.len() + p] += 1;
        }
    }

    let patterns: Vec<Vec<u8>> = patterns.iter().map(|pattern| pattern.as_bytes().to_vec()).collect();
    for device in devices("scan against grep") {
        let (counts, _) = Scanner::new(&device, &patterns).unwrap().count(&batch).unwrap();
        for (i, (count, expected)) in counts.iter().zip(&expected).enumerate() {
            let (file, pattern) = (i / patterns.len(), i % patterns.len());
            assert_eq!(
                count,
                expected,
                "{}: {:?} in {}",
                device.name(),
                String::from_utf8_lossy(&patterns[pattern]),
                batch.files[file].display()
            );
        }
        assert!(counts.iter().sum::<u32>() > 1000);
    }
}

#[test]
fn refuses_patterns_that_grep_reads_otherwise() {
    let device = vyre::Device::cpu();
    for pattern in ["", "two\nlines"] {
        assert!(Scanner::new(&device, &[pattern.as_bytes().to_vec()]).is_err());
    }
}

/// The texts of the pieces of one file that is read in batches of `limit` bytes, and the errors.
fn pieces(name: &str, text: &[u8], limit: usize) -> (Vec<Vec<u8>>, Vec<String>) {
    let path = std::env::temp_dir().join(format!("vyre-scan-{}-{name}", std::process::id()));
    std::fs::write(&path, text).unwrap();
    let mut errors = Vec::new();
    let mut report = |_: &std::path::Path, error: &dyn std::fmt::Display| errors.push(error.to_string());
    let mut batches = Batches::with_limit(vec![path.clone(), path.clone()], limit);
    let mut pieces: Vec<Vec<u8>> = Vec::new();
    while let Some(batch) = batches.next(&mut report) {
        for (i, bounds) in batch.starts.windows(2).enumerate() {
            let piece = &batch.text[bounds[0]..bounds[1]];
            match pieces.last_mut() {
                Some(last) if i == 0 && batch.continues => last.extend_from_slice(piece),
                _ => pieces.push(piece.to_vec()),
            }
        }
    }
    std::fs::remove_file(path).unwrap();
    (pieces, errors)
}

#[test]
fn reads_long_files_in_pieces() {
    let text = b"one\ntwo two\n\nthree three three\nfour";
    for limit in 19..80 {
        let (pieces, errors) = pieces("lines", text, limit);
        assert_eq!((pieces, errors), (vec![text.to_vec(); 2], Vec::new()), "limit {limit}");
    }
}

#[test]
fn refuses_lines_that_fit_into_no_batch() {
    let (pieces, errors) = pieces("long", &[0; 100], 64);
    assert_eq!(pieces, Vec::<Vec<u8>>::new());
    assert_eq!(errors, ["a line has more than 64 bytes"; 2]);
}
