//! All forms of a CPU body have the results and faults of the interpreter: threads one after the other, regions, lanes and
//! futures.
//!
//! `VYRE_FORMS=from..to cargo test --workspace --test forms` selects the kernels, which are compiled anew.

#[path = "../src/forms/mod.rs"]
#[allow(unreachable_pub, dead_code, reason = "the build script uses them too")]
mod forms;

use std::collections::BTreeMap;
use std::process::Command;

use vyre_core::interp::check::Check;
use vyre_core::interp::{self, Printed, launch_checked};
use vyre_core::ir::{Constant, Handle, Program, Scalar};
use vyre_runtime::{Device, Error};
use vyre_test_bodies::launchers;
use vyre_test_random::kernel::launch_printing;
use vyre_test_support::case::Case;
use vyre_test_support::random_program::{Input, Random};

use self::forms::{Arguments, Form};

/// Set for the processes that run the kernels.
const PART: &str = "VYRE_TEST_FORMS";
const TEST: &str = "forms_do_what_the_interpreter_does";

/// A kernel with the arguments of a launch.
fn case(seed: u64, number: u64, form: &Form, program: &Program, arguments: &Arguments) -> Case {
    let mut random = Random::new(seed << 8 | number);
    let mut slice = |of: &str, length: u64| {
        let element = |_| {
            let word = if random.once_in(8) {
                random.bits()
            } else {
                random.below(97)
            };
            match of {
                "u8" => vec![word as u8],
                "u16" => (word as u16).to_le_bytes().to_vec(),
                "u32" | "i32" => (word as u32).to_le_bytes().to_vec(),
                "f32" => ((word % 1000) as f32 * 0.25).to_le_bytes().to_vec(),
                _ => word.to_le_bytes().to_vec(),
            }
        };
        Input::Slice((0..length).flat_map(element).collect())
    };
    let [x, y, z] = form.elements;
    let [long, first, second] = arguments.lengths;
    let slices = [
        slice(x, long),
        Input::Slice((0..64).collect()),
        slice(y, first),
        slice(z, second),
    ];
    let [x, counts, y, z] = slices;
    let scalar = |scalar, value| Input::Scalar(Constant::new(scalar, value));
    let [width, height] = [0, 1].map(|axis| arguments.grid[axis] * form.block[axis]);
    Case {
        program: program.clone(),
        kernel: Handle::new(0),
        grid: [arguments.grid[0] as u32, arguments.grid[1] as u32, 1],
        inputs: vec![
            x,
            scalar(Scalar::U32, arguments.n.into()),
            scalar(Scalar::U64, width),
            scalar(Scalar::U64, height),
            counts,
            y,
            z,
        ],
    }
}

fn cases(seed: u64) -> Vec<Case> {
    let form = forms::form(seed);
    let program = forms::program(&form, false);
    let launches = forms::launches(seed, &form);
    let all = (0..).zip(&launches);
    all.map(|(number, arguments)| case(seed, number, &form, &program, arguments))
        .collect()
}

/// The outcome of a launch as a word: the slices in hexadecimal, or the fault.
fn word(outcome: Result<&[Input], &vyre::Fault>) -> String {
    match outcome {
        Ok(inputs) => {
            let mut text = String::from("done ");
            for input in inputs {
                if let Input::Slice(bytes) = input {
                    text.extend(bytes.iter().map(|byte| format!("{byte:02x}")));
                    text.push('/');
                }
            }
            text
        }
        Err(fault) => {
            let mut fault = fault.clone();
            "k".clone_into(&mut fault.kernel);
            format!("{fault:?}")
        }
    }
}

/// Runs all kernels, and prints the outcome of each launch.
fn run() {
    let device = Device::cpu();
    let mut known: Option<(u64, Vec<Case>)> = None;
    for (seed, futures, info) in launchers::forms() {
        if known.as_ref().is_none_or(|(of, _)| *of != seed) {
            known = Some((seed, cases(seed)));
        }
        let Some((_, cases)) = &known else { continue };
        for (number, case) in cases.iter().enumerate() {
            let entry = case.program.kernels[case.kernel].entries.len() - 1;
            let outcome = match launch_printing(&device, info, entry, case).0 {
                Ok(inputs) => word(Ok(&inputs)),
                Err(Error::Fault(fault)) => word(Err(&fault)),
                Err(other) => panic!("seed {seed}: {other}"),
            };
            println!("outcome {seed} {futures} {number} {outcome}");
        }
    }
}

/// The outcomes of a process with this value of `VYRE_CPU_LANES`: by seed, by true for futures, and by launch.
fn outcomes(lanes: &str) -> BTreeMap<(u64, bool, usize), String> {
    let program = std::env::current_exe().expect("the program");
    let output = Command::new(program)
        .env("VYRE_CPU_LANES", lanes)
        .env(PART, "")
        .args(["--exact", "--nocapture", TEST])
        .output()
        .expect("a process");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "lanes {lanes}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let of = |line: &str| {
        let (_, rest) = line.split_once("outcome ")?;
        let mut words = rest.splitn(4, ' ');
        let key = (
            words.next()?.parse().ok()?,
            words.next()?.parse().ok()?,
            words.next()?.parse().ok()?,
        );
        Some((key, words.next()?.to_owned()))
    };
    text.lines().filter_map(of).collect()
}

/// The outcome in the interpreter; `None` where threads race or the result is undefined.
fn interpreted(case: &Case) -> Option<String> {
    let mut inputs = case.inputs.clone();
    let options = interp::Options {
        entry: Some(case.program.kernels[case.kernel].entries.len() - 1),
        step_limit: 1 << 22,
        shared_bytes: 0,
    };
    let checked = {
        let mut arguments: Vec<_> = inputs.iter_mut().map(Input::argument).collect();
        let (check, mut printed) = (Check::default(), Printed::default());
        launch_checked(
            &case.valid(),
            case.kernel,
            &mut arguments,
            case.grid,
            options,
            &check,
            &mut printed,
        )
    };
    match checked.outcome {
        _ if !checked.reports.is_empty() => None,
        Ok(()) => Some(word(Ok(&inputs))),
        Err(interp::Error::Fault(fault)) => Some(word(Err(&fault))),
        Err(_) => None,
    }
}

/// True if two outcomes are the same; unless the threads are `ordered` alike, all faults are.
fn agree(a: &str, b: &str, ordered: bool) -> bool {
    let is_fault = |it: &str| !it.starts_with("done ");
    a == b || !ordered && is_fault(a) && is_fault(b)
}

#[test]
fn forms_do_what_the_interpreter_does() {
    if std::env::var_os(PART).is_some() {
        return run();
    }
    let [alone, together] = ["0", "1"].map(outcomes);
    let (mut compared, mut faults, mut racy) = (0, 0, 0);
    let mut differ = Vec::new();
    for seed in forms::seeds() {
        let form = forms::form(seed);
        for (number, case) in cases(seed).iter().enumerate() {
            let Some(expected) = interpreted(case) else {
                racy += 1;
                continue;
            };
            compared += 1;
            faults += usize::from(!expected.starts_with("done "));
            let [regions, lanes] = [&alone, &together].map(|it| it.get(&(seed, false, number)).expect("an outcome"));
            let ordered = !form.exchanges;
            let mut pairs = vec![
                ("regions and interpreter", regions, &expected, ordered),
                ("lanes and regions", lanes, regions, true),
            ];
            if let Some(futures) = alone.get(&(seed, true, number)) {
                pairs.push(("futures and interpreter", futures, &expected, ordered));
            }
            for (which, a, b, ordered) in pairs {
                if !agree(a, b, ordered) {
                    println!("seed {seed}, launch {number}: {which} differ:\n{a}\n{b}");
                    differ.push(seed);
                }
            }
        }
        if differ.contains(&seed) {
            println!("{}{}", form.options, form.text);
        }
    }
    differ.dedup();
    println!(
        "{compared} compared, {faults} fault, {racy} left out, {} differ",
        differ.len()
    );
    assert!(differ.is_empty(), "seeds {differ:?} differ");
    if forms::seeds() != forms::FEW {
        return;
    }
    assert!(compared > 3 * racy, "{compared} compared, {racy} left out");
    assert!(
        compared > 4 * faults && faults > 0,
        "{compared} compared, {faults} fault"
    );
}
