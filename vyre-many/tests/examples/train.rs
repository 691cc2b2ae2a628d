//! `train` against plain Rust, on any number of ranks.

use std::process::Command;

use vyre::prelude::*;
use vyre_many::Communicator;

use crate::checks::program;
use crate::devices::devices;

#[path = "../../examples/train/main.rs"]
pub mod example;

use example::{RATE, Trained, Training, chunk, plain};

const TRAINING: Training = Training {
    chunks: 5,
    length: 150,
    steps: 6,
};

fn bits(trained: &Trained) -> Vec<u32> {
    trained
        .weights
        .iter()
        .chain(&trained.losses)
        .map(|value| value.to_bits())
        .collect()
}

#[test]
fn ranks_learn_what_plain_rust_does() {
    let (x, labels): (Vec<_>, Vec<_>) = (0..TRAINING.chunks)
        .map(|number| chunk(number, TRAINING.length))
        .unzip();
    let expected = plain::losses(&x.concat(), &labels.concat(), f64::from(RATE), TRAINING.steps);
    assert!(expected.is_sorted_by(|before, after| after < before), "{expected:?}");
    assert_eq!(expected[0] as f32, 2f32.ln());
    let mut first: Option<Vec<u32>> = None;
    for device in devices("training") {
        let alone = Communicator::local(&[device]).unwrap().remove(0);
        let found = TRAINING.run(&alone).unwrap().0;
        for (loss, expected) in found.losses.iter().zip(&expected) {
            assert!((f64::from(*loss) - expected).abs() < 1e-6, "{loss} {expected}");
        }
        assert_eq!(first.get_or_insert_with(|| bits(&found)), &bits(&found));
    }
    // More ranks than chunks, too.
    for ranks in [2, 3, 6] {
        for found in vyre_many::on_each(&Device::cpus(ranks), |own| Ok(TRAINING.run(own)?.0)).unwrap() {
            assert_eq!(first.as_ref().unwrap(), &bits(&found), "{ranks} ranks");
        }
    }
}

#[test]
fn the_program_trains_on_several_ranks() {
    let mut command = Command::new(program("train"));
    command.args([
        "--cpu",
        "--ranks",
        "3",
        "--samples",
        "1001",
        "--chunks",
        "4",
        "--steps",
        "6",
    ]);
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    assert!(
        text.contains("1004 samples") && text.contains("the weights are equal, bit by bit"),
        "{text}"
    );
}
