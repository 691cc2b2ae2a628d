//! `edges` against plain Rust and against a picture with known edges, and its decoding of files.

use std::path::Path;

use crate::devices::devices;

#[path = "../../examples/edges/main.rs"]
pub mod example;

use example::picture::Picture;
use example::support::clock::Clock;
use example::{Detector, PlainDetector, gaussian};

fn assert_equals_plain(test: &'static str, picture: &Picture, sigma: f32) {
    let weights = gaussian(sigma);
    let mut plain = PlainDetector::new(picture.width, picture.height, &weights);
    let expected = plain.detect(&picture.rgb, &mut Clock::new(None)).unwrap().to_vec();
    for device in devices(test) {
        let mut detector = Detector::new(&device, picture.width, picture.height, &weights).unwrap();
        // Twice: the second run must not see leftovers of the first.
        for _ in 0..2 {
            let found = detector.detect(&picture.rgb, &mut Clock::new(Some(&device))).unwrap();
            assert_eq!(
                found,
                expected,
                "{}: {} x {}",
                device.name(),
                picture.width,
                picture.height
            );
        }
    }
}

/// A picture of overlapping rectangles and noise.
fn collage(width: usize, height: usize) -> Picture {
    let mut state = (width * 31 + height) as u32;
    let mut random = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as usize
    };
    let mut rgb: Vec<u8> = (0..3 * width * height).map(|_| (random() % 24) as u8).collect();
    for _ in 0..6 {
        let (left, top) = (random() % width, random() % height);
        let (right, bottom) = (
            left + random() % (width - left) + 1,
            top + random() % (height - top) + 1,
        );
        let colour = [random() as u8, random() as u8, random() as u8];
        for y in top..bottom {
            for x in left..right {
                rgb[3 * (y * width + x)..][..3].copy_from_slice(&colour);
            }
        }
    }
    Picture { width, height, rgb }
}

#[test]
fn equals_plain_rust_at_odd_sizes() {
    for (width, height) in [(1, 1), (1, 9), (9, 1), (2, 2), (33, 7), (257, 63)] {
        assert_equals_plain("edges at odd sizes", &collage(width, height), 1.4);
    }
    // A blur wider than the picture.
    assert_equals_plain("edges with a wide blur", &collage(5, 4), 4.0);
}

#[test]
fn equals_plain_rust_on_the_still_life() {
    let picture = Picture::read(Path::new("examples/data/crop.jpg")).unwrap();
    assert_equals_plain("edges of the still life", &picture, 1.4);
}

#[test]
fn finds_the_outline_of_a_square() {
    // Bright from 20 to 43 in both directions, so the steps lie between 19 and 20, and 43 and 44.
    let size = 64;
    let inside = |v: usize| (20..44).contains(&v);
    let rgb = (0..size * size)
        .flat_map(|i| [if inside(i % size) && inside(i / size) { 250 } else { 5 }; 3])
        .collect();
    let picture = Picture {
        width: size,
        height: size,
        rgb,
    };
    let weights = gaussian(1.0);
    for device in devices("outline of a square") {
        let mut detector = Detector::new(&device, size, size, &weights).unwrap();
        let found = detector.detect(&picture.rgb, &mut Clock::new(Some(&device))).unwrap();
        let edges: Vec<(usize, usize)> = (0..size * size)
            .filter(|&i| found[i] == 255)
            .map(|i| (i % size, i / size))
            .collect();
        // A thin line on each side, and nothing elsewhere.
        let beside = |v: usize| (19..=20).contains(&v) || (43..=44).contains(&v);
        let along = |v: usize| (18..=45).contains(&v);
        for &(x, y) in &edges {
            assert!(
                (beside(x) && along(y)) || (beside(y) && along(x)),
                "{}: an edge at {x}, {y}",
                device.name()
            );
        }
        for middle in 24..40 {
            for (name, count) in [
                ("row", edges.iter().filter(|&&(_, y)| y == middle).count()),
                ("column", edges.iter().filter(|&&(x, _)| x == middle).count()),
            ] {
                assert_eq!(count, 2, "{}: edges in {name} {middle}", device.name());
            }
        }
    }
}

#[test]
fn weights_sum_to_one() {
    for sigma in [0.5, 1.4, 5.0] {
        let weights = gaussian(sigma);
        assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!(weights.iter().eq(weights.iter().rev()), "the same on both sides");
    }
}

/// A PNG file of one row, in memory.
fn png(colour: png::ColorType, depth: png::BitDepth, palette: Option<&[u8]>, width: u32, row: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, 1);
    encoder.set_color(colour);
    encoder.set_depth(depth);
    if let Some(palette) = palette {
        encoder.set_palette(palette);
    }
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(row).unwrap();
    writer.finish().unwrap();
    bytes
}

#[test]
fn reads_every_kind_of_png() {
    use png::BitDepth::{Eight, One, Sixteen};
    use png::ColorType::{Grayscale, GrayscaleAlpha, Indexed, Rgb, Rgba};

    let cases = [
        (png(Grayscale, Eight, None, 2, &[7, 200]), vec![7, 7, 7, 200, 200, 200]),
        (
            png(Grayscale, One, None, 2, &[0b0100_0000]),
            vec![0, 0, 0, 255, 255, 255],
        ),
        (
            png(Grayscale, Sixteen, None, 2, &[7, 99, 200, 1]),
            vec![7, 7, 7, 200, 200, 200],
        ),
        (
            png(GrayscaleAlpha, Eight, None, 2, &[7, 255, 0, 0]),
            vec![7, 7, 7, 255, 255, 255],
        ),
        (png(Rgb, Eight, None, 2, &[1, 2, 3, 4, 5, 6]), vec![1, 2, 3, 4, 5, 6]),
        (png(Rgb, Sixteen, None, 1, &[1, 0, 2, 0, 3, 0]), vec![1, 2, 3]),
        // Half of black over white is grey.
        (
            png(Rgba, Eight, None, 2, &[9, 8, 7, 255, 0, 0, 0, 128]),
            vec![9, 8, 7, 127, 127, 127],
        ),
        (
            png(Indexed, Eight, Some(&[1, 2, 3, 4, 5, 6]), 2, &[1, 0]),
            vec![4, 5, 6, 1, 2, 3],
        ),
    ];
    for (bytes, rgb) in cases {
        assert_eq!(Picture::decode(&bytes).unwrap().rgb, rgb);
    }
}

#[test]
fn reads_jpeg() {
    // A part of the still life, compressed with losses.
    let crop = Picture::read(Path::new("examples/data/crop.jpg")).unwrap();
    let whole = Picture::read(Path::new("examples/data/still-life.png")).unwrap();
    let (left, top) = (380, 160);
    let mut differences = 0;
    for y in 0..crop.height {
        for x in 0..3 * crop.width {
            let expected = whole.rgb[3 * ((top + y) * whole.width + left) + x];
            differences += u64::from(crop.rgb[3 * y * crop.width + x].abs_diff(expected));
        }
    }
    let mean = differences as f64 / crop.rgb.len() as f64;
    assert!(mean < 3.0, "a mean difference of {mean} steps");
}

#[test]
fn refuses_what_is_no_picture() {
    let message = |bytes: &[u8]| Picture::decode(bytes).err().unwrap().to_string();
    assert_eq!(message(b"GIF89a"), "this is neither a PNG nor a JPEG file");
    assert!(!message(b"\x89PNG\r\n\x1a\n").is_empty());
    assert!(!message(b"\xff\xd8\xff").is_empty());

    // The header alone of a picture that no memory holds.
    let mut header = Vec::new();
    let encoder = png::Encoder::new(&mut header, 65535, 65535);
    let mut writer = encoder.write_header().unwrap();
    writer.write_chunk(png::chunk::IDAT, &[]).unwrap();
    drop(writer);
    assert_eq!(message(&header), "65535 x 65535 pixels are more than 268435456");
}
