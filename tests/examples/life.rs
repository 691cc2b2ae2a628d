//! `life` against plain Rust, and against what is known of patterns.

use crate::devices::devices;

#[path = "../../examples/life/main.rs"]
pub mod example;

use example::pattern::{GUN, Pattern};
use example::screen::Screen;
use example::{Board, place, plain};

fn live(cells: &[u8]) -> usize {
    cells.iter().filter(|&&cell| cell == 1).count()
}

#[test]
fn known_patterns_do_what_is_known() {
    // A pattern, a board, and the number of live cells after some generations.
    let known = [
        ("3o!", [8, 8], vec![(1, 3), (2, 3)]),
        // It vanishes in generation 130.
        ("6bo$2o$bo3b3o!", [64, 64], vec![(0, 7), (129, 2), (130, 0)]),
        // A glider every 30 generations.
        (
            GUN,
            [128, 96],
            vec![(0, 36), (30, 36 + 5), (60, 36 + 10), (90, 36 + 15)],
        ),
        // A glider comes back to its place on a board of 9 x 9.
        ("bo$2bo$3o!", [9, 9], vec![(36, 5)]),
    ];
    for (text, [width, height], counts) in known {
        let cells = place(&Pattern::parse(text).unwrap(), width, height).unwrap();
        for device in devices("known patterns") {
            let mut board = Board::new(&device, &cells, width).unwrap();
            let mut generation = 0;
            for &(at, count) in &counts {
                while generation < at {
                    board.evolve().unwrap();
                    generation += 1;
                }
                assert_eq!(
                    live(&board.cells().unwrap()),
                    count,
                    "{text}, generation {at} on {device}"
                );
            }
        }
    }
    let glider = place(&Pattern::parse("bo$2bo$3o!").unwrap(), 9, 9).unwrap();
    assert_eq!(
        (0..36).fold(glider.clone(), |cells, _| plain::evolve(&cells, 9)),
        glider
    );
}

#[test]
fn boards_of_all_sizes_agree() {
    let mut state = 7u32;
    for [width, height] in [[1, 1], [2, 1], [1, 5], [3, 3], [32, 8], [33, 9], [100, 31]] {
        let soup: Vec<u8> = (0..width * height)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                u8::from(state >> 24 < 90)
            })
            .collect();
        let expected = (0..20).fold(soup.clone(), |cells, _| plain::evolve(&cells, width));
        for device in devices("boards") {
            let mut board = Board::new(&device, &soup, width).unwrap();
            let mut light = vec![0u8; soup.len()];
            for _ in 0..20 {
                board.evolve().unwrap();
                for (light, cell) in light.iter_mut().zip(board.cells().unwrap()) {
                    *light = if cell == 1 {
                        255
                    } else {
                        (u32::from(*light) * 7 / 8) as u8
                    };
                }
            }
            assert_eq!(board.cells().unwrap(), expected, "{width} x {height} on {device}");
            assert_eq!(board.light().unwrap(), light, "{width} x {height} on {device}");
        }
    }
}

#[test]
fn patterns_are_read() {
    let text = "#N Glider\nx = 3, y = 3, rule = B3/S23\nbo$2b\no$3o!\nwhatever follows";
    let glider = Pattern::parse(text).unwrap();
    assert_eq!((glider.width, glider.height), (3, 3));
    assert_eq!(glider.live, [[1, 0], [2, 1], [0, 2], [1, 2], [2, 2]]);
    let gun = Pattern::parse(GUN).unwrap();
    assert_eq!((gun.width, gun.height, gun.live.len()), (36, 9, 36));
    let faults = [
        ("", "the pattern has no live cell"),
        ("3o", "the pattern does not end with !"),
        (
            "x = 1, y = 1, rule = B36/S23\no!",
            "the rule is B36/S23, and the only one known here is B3/S23",
        ),
        ("3q!", "'q' is neither b, o, $, ! nor a number"),
        (
            "99999999999999999999o!",
            "the pattern has more than 16384 columns or rows",
        ),
        ("20000o!", "the pattern has more than 16384 columns or rows"),
        ("16384$16384$o!", "the pattern has more than 16384 columns or rows"),
    ];
    for (text, fault) in faults {
        assert_eq!(Pattern::parse(text).unwrap_err(), fault, "{text:?}");
    }
    assert_eq!(
        place(&gun, 36, 8).unwrap_err(),
        "the pattern has 36 x 9 cells, and the board 36 x 8"
    );
}

#[test]
fn screens_have_two_cells_to_a_character() {
    let mut out = Vec::new();
    let mut screen = Screen::new(&mut out);
    for _ in 0..2 {
        screen.show(&[255, 0, 0, 0, 0, 255], 2, "three rows of two").unwrap();
    }
    let text = String::from_utf8(out).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[..3],
        lines[3..]
            .iter()
            .map(|line| line.trim_start_matches("\x1b[3A"))
            .collect::<Vec<_>>()
    );
    assert!(lines[3].starts_with("\x1b[3A"), "{text:?}");
    let (white, black) = ("255;246;214", "8;8;16");
    // The missing row is dark.
    let expected = [
        format!("\x1b[38;2;{white};48;2;{black}m▀\x1b[38;2;{black};48;2;{black}m▀\x1b[0m"),
        format!("\x1b[38;2;{black};48;2;{black}m▀\x1b[38;2;{white};48;2;{black}m▀\x1b[0m"),
        "\x1b[2Kthree rows of two".into(),
    ];
    assert_eq!(lines[..3], expected);
}
