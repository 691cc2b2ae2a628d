//! `mandelbrot` against iterations with all digits, and its arithmetic against 128-bit integers.

use vyre::prelude::*;

use crate::devices::devices;

#[path = "../../examples/mandelbrot/main.rs"]
pub mod example;

use example::fixed::Fixed;
use example::kernels::{Escape, escape};
use example::{BAND, Renderer, SIDE, Scene, iterate, orbit};

#[test]
fn fixed_point_is_right() {
    let unit = f64::from(1u32 << 31) * 2.0;
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        // Less than 2^16, so that a product is in range; both signs.
        (state as i64) >> 16
    };
    for _ in 0..1000 {
        // 52 bits: a double has them all.
        let (a, b) = (next() >> 4, next() >> 4);
        let [x, y] = [a, b].map(|bits| Fixed::new(bits as f64 / unit, 1));
        let value = |number: &Fixed| (number.to_f64() * unit) as i128;
        assert_eq!(value(&(&x + &y)), i128::from(a + b));
        assert_eq!(value(&(&x - &y)), i128::from(a - b));
        let product = i128::from(a >> 20) * i128::from(b >> 20);
        let [x, y] = [a, b].map(|bits| Fixed::new((bits >> 20) as f64 / unit, 1));
        // Cut towards zero.
        assert_eq!(value(&(&x * &y)), product / (1 << 32), "{a} * {b}");
    }
    assert_eq!(Fixed::parse("-1.75", 3), Some(Fixed::new(-1.75, 3)));
    assert_eq!(Fixed::parse("0.1", 5).unwrap().to_f64(), 0.1);
    // A tenth of a unit of the last place, ten times over, is lost but for rounding.
    assert_eq!(
        Fixed::parse("0.00000000023283064365386962890625", 1),
        Some(Fixed::new(2f64.powi(-32), 1))
    );
    for text in ["1e3", "--1", "0x1", "1.2.3", "99999999999", "-"] {
        assert_eq!(Fixed::parse(text, 2), None, "{text}");
    }
}

/// The samples of a picture of one band.
fn samples(device: &Device, scene: &Scene, orbit: &[[f64; 2]]) -> Vec<Escape> {
    assert!(scene.height <= BAND);
    let mut renderer = Renderer::new(device, scene, orbit).unwrap();
    renderer.band(0, scene.height).unwrap();
    let (width, height) = (scene.width * SIDE, scene.height * SIDE);
    (0..width * height)
        .map(|i| renderer.sample(i % width, i / width).unwrap())
        .collect()
}

#[test]
fn points_escape_as_with_all_digits() {
    let views = [
        ("-0.5", "0", 1.2, 200),
        (
            "-0.743643887037158704752191506114774",
            "0.131825904205311970493132056385139",
            1e-12,
            3000,
        ),
        (example::RE, example::IM, 1e-28, 5000),
    ];
    for (re, im, radius, limit) in views {
        let (re, im) = (re.into(), im.into());
        let scene = Scene {
            re,
            im,
            radius,
            limit,
            width: 12,
            height: 8,
        };
        let centre = scene.centre().unwrap();
        let orbit = orbit(&centre, limit);
        let (frame, columns) = (scene.frame(), scene.width * SIDE);
        for device in devices("escapes") {
            let samples = samples(&device, &scene, &orbit);
            for (i, sample) in samples.iter().enumerate() {
                let place = [(i % columns) as f64, -((i / columns) as f64)];
                let offset = [0, 1].map(|axis| frame.corner[axis] + place[axis] * frame.step);
                // The same function on the host, to the bit.
                assert_eq!(*sample, escape(&orbit, offset, frame.step, limit), "{device}");
                // All digits, for some.
                if i % 7 == 0 {
                    let point = [0, 1].map(|axis| &centre[axis] + &Fixed::new(offset[axis], scene.words()));
                    let expected = iterate(&point, limit, |_| ());
                    assert_eq!(sample.iterations, expected, "radius {radius}, sample {i} on {device}");
                }
            }
            let inside = samples.iter().filter(|sample| sample.iterations == limit).count();
            assert!(inside < samples.len(), "no point escapes");
        }
    }
}

#[test]
fn distances_are_right() {
    // The point nearest to 1 is 1/4, the point nearest to -3 is -2; the estimate is within a factor of four of it.
    let scene = Scene {
        limit: 500,
        ..Scene::default()
    };
    for (x, nearest) in [(1.0, 0.25), (-3.0, -2.0)] {
        let found = escape(&[[0.0; 2]; 2], [x, 0.0], 1.0, scene.limit);
        let ratio = f64::from(found.distance) / (x - nearest).abs();
        assert!((0.5..4.0).contains(&ratio), "{ratio} at {x}");
    }
}
