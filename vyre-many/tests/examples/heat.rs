//! `heat` against plain Rust, on any number of ranks.

use std::process::Command;

use vyre::prelude::*;
use vyre_many::Communicator;

use crate::checks::{folder, program};
use crate::devices::devices;

#[path = "../../examples/heat/main.rs"]
pub mod example;

use example::{Plate, colour};

fn plain(plate: Plate, now: &[f32]) -> Vec<f32> {
    let (width, height) = (plate.width, plate.height);
    let mut next = now.to_vec();
    for y in 1..height.max(1) - 1 {
        for x in 1..width.max(1) - 1 {
            let at = y * width + x;
            let sides = now[at - 1] + now[at + 1];
            let ends = now[at - width] + now[at + width];
            next[at] = now[at] + 0.2 * (sides + ends - 4.0 * now[at]);
        }
    }
    next
}

#[test]
fn ranks_compute_what_plain_rust_does() {
    for (width, height) in [(1, 1), (3, 7), (40, 31)] {
        let plate = Plate { width, height };
        let expected = (0..15).fold(plate.at_first(), |now, _| plain(plate, &now));
        for device in devices("heat by ranks") {
            let alone = Communicator::local(&[device]).unwrap().remove(0);
            assert!(
                plate.after(15, &alone).unwrap().0.unwrap() == expected,
                "{width} x {height}"
            );
        }
        for ranks in [2, 3, 7].into_iter().filter(|&ranks| ranks <= height) {
            let found = vyre_many::on_each(&Device::cpus(ranks), |own| Ok(plate.after(15, own)?.0)).unwrap();
            assert!(found[0].as_ref() == Some(&expected), "{ranks} ranks");
            assert!(found[1..].iter().all(Option::is_none));
        }
    }
}

#[test]
fn heat_flows_and_is_bounded() {
    let plate = Plate { width: 64, height: 48 };
    let own = Communicator::local(&[Device::cpu()]).unwrap().remove(0);
    let (first, last) = (plate.at_first(), plate.after(200, &own).unwrap().0.unwrap());
    assert!(last.iter().all(|temperature| (0.0..=1.0).contains(temperature)));
    // A cell beside the hot border.
    assert_eq!(first[10 * 64 + 1], 0.0);
    assert!(last[10 * 64 + 1] > 0.3);
    assert_eq!(
        (colour(0.0), colour(0.5), colour(1.0)),
        ([0; 3], [255, 127, 0], [255; 3])
    );
}

/// One command line for threads, and one for processes, as `mpirun` starts them.
#[test]
fn the_program_runs_from_one_to_several_ranks() {
    let folder = folder("heat");
    let picture = |name: &str| folder.join(name);
    let common = ["--cpu", "--size", "60x40", "--steps", "20"];
    for ranks in ["1", "3"] {
        let mut command = Command::new(program("heat"));
        command
            .args(common)
            .args(["--ranks", ranks])
            .arg(picture(&format!("{ranks}.png")));
        let output = command.output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && text.contains("equal, bit by bit"), "{text}");
    }
    let address = vyre_test_support::address::free_address();
    let start = |rank: usize| {
        let mut command = Command::new(program("heat"));
        command.args(common).arg(picture("processes.png"));
        command.env("PMI_RANK", rank.to_string()).env("PMI_SIZE", "2");
        command
            .env("VYRE_ADDRESS", &address)
            .env("VYRE_TIMEOUT", "60")
            .spawn()
            .unwrap()
    };
    let processes: Vec<_> = (0..2).map(start).collect();
    for mut process in processes {
        assert!(process.wait().unwrap().success());
    }
    let bytes = ["1.png", "3.png", "processes.png"].map(|name| std::fs::read(picture(name)).unwrap());
    assert!(bytes[0] == bytes[1] && bytes[0] == bytes[2]);
    std::fs::remove_dir_all(folder).unwrap();
}
