//! `quickstart`: the README shows it, and its kernel is correct in cases that the README omits.

use crate::devices::devices;

#[path = "../../examples/quickstart/main.rs"]
pub mod example;

#[test]
fn the_readme_shows_it() {
    let program = std::fs::read_to_string("examples/quickstart/main.rs").unwrap();
    let program = &program[program.find("use vyre").unwrap()..];
    let readme = std::fs::read_to_string("README.md").unwrap();
    let block = readme.split("```rust\n").nth(1).unwrap().split("```").next().unwrap();
    assert_eq!(block, program);
}

#[test]
fn saxpy_is_right() {
    for device in devices("saxpy") {
        for count in [0, 1, 255, 257, 100_003] {
            let x: Vec<f32> = (0..count).map(|i| i as f32 * 0.37 - 11.0).collect();
            let y: Vec<f32> = (0..count).map(|i| 1.0 / (i as f32 + 0.7)).collect();
            let on_device = device.upload(&x).unwrap();
            let mut result = device.upload(&y).unwrap();
            example::saxpy(1.1, &on_device, &mut result)
                .over(count)
                .launch(&device)
                .unwrap();
            let result = result.download().unwrap();
            // Two roundings, on every device: nothing is fused.
            let expected = x.iter().zip(&y).map(|(x, y)| 1.1 * x + y);
            assert!(
                result.iter().map(|v| v.to_bits()).eq(expected.map(f32::to_bits)),
                "{}",
                device.name()
            );
        }
    }
}
