//! `histogram` against a count on the host.

use crate::devices::devices;

#[path = "../../examples/histogram/main.rs"]
pub mod example;

#[test]
fn counts_bytes() {
    let noise: Vec<u8> = (0..300_000u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    let texts = [
        vec![],
        vec![0],
        (0..=255).collect(),
        vec![255; 70_000],
        noise,
        std::fs::read("examples/data/still-life.png").unwrap(),
    ];
    for device in devices("histogram") {
        for text in &texts {
            let mut expected = vec![0; 256];
            for &byte in text {
                expected[usize::from(byte)] += 1;
            }
            let found = example::count(&device, &device.upload(text).unwrap()).unwrap();
            assert_eq!(found, expected, "{}: {} bytes", device.name(), text.len());
        }
    }
}
