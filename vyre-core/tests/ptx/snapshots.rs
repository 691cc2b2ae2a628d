//! Snapshots of PTX: each file in `cases/` holds a program and the PTX that it becomes.
//!
//! `VYRE_BLESS=1` writes the PTX anew. Every case is also run, on arguments made up for it, by the
//! interpreter and by the machine that runs PTX, and assembled by `ptxas` where there is one.

use std::path::{Path, PathBuf};

use vyre_core::ir::{Constant, Program, Scalar, Type, TypeId};
use vyre_core::validate::validate;
use vyre_core::{compile, text};
use vyre_test_support::case::VERIFIED;
use vyre_test_support::random_program::{Input, Random};
use vyre_test_support::{counts, snapshot};

use crate::agreement::compare;

/// Separates a program from its PTX.
const SEPARATOR: &str = "\n---- PTX ----\n";

/// Elements of the slices that a case is run on.
const LENGTH: usize = 80;

fn cases() -> Vec<PathBuf> {
    let folder = Path::new("tests/ptx/cases");
    let mut cases: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "vyre"))
        .collect();
    cases.sort();
    assert!(cases.len() > 3, "{} has hardly any case", folder.display());
    cases
}

struct Case {
    file: PathBuf,
    source: String,
    program: Program,
    ptx: String,
}

fn read(file: PathBuf) -> Case {
    let all = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let all = all.replace("\r\n", "\n");
    let source = all.split(SEPARATOR).next().unwrap_or_default().to_owned();
    let program = text::parse(&source).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let ptx = {
        let valid = validate(&program).unwrap_or_else(|errors| panic!("{}: {errors:?}", file.display()));
        let module = compile(&valid, &VERIFIED);
        module.unwrap_or_else(|error| panic!("{}: {error}", file.display())).ptx
    };
    Case {
        file,
        source,
        program,
        ptx,
    }
}

/// One test, so that no other one reads a file that this one blesses.
#[test]
fn cases_are_as_expected() {
    let cases: Vec<Case> = cases().into_iter().map(read).collect();
    let mut wrong = String::new();
    for case in &cases {
        let actual = format!("{}{SEPARATOR}{}", case.source, case.ptx);
        if let Err(difference) = snapshot::compare(&case.file, &actual) {
            wrong += &difference;
            wrong.push('\n');
        }
        if let Err(difference) = run(case) {
            wrong += &difference;
            wrong.push('\n');
        }
    }
    if let Err(difference) = count(&cases) {
        wrong += &difference;
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Compares the counts of the cases with their table, and has them assembled for every target.
fn count(cases: &[Case]) -> Result<(), String> {
    // Externals get the value of their number, as const evaluation would write it.
    let texts: Vec<String> = cases.iter().map(|case| case.ptx.replace("0xV", "0x0")).collect();
    let modules: Vec<counts::Module<'_>> = cases
        .iter()
        .zip(&texts)
        .map(|(case, ptx)| counts::Module {
            path: format!("core/{}", case.file.file_stem().unwrap_or_default().display()),
            ptx,
        })
        .collect();
    counts::check(Path::new("tests/ptx/counts.txt"), &modules)
}

/// Runs the kernels of a case both ways.
fn run(case: &Case) -> Result<(), String> {
    let mut program = case.program.clone();
    for external in program.externals.handles() {
        program.externals[external].value = Some(3);
    }
    for (kernel, definition) in program.kernels.iter() {
        let mut random = Random::new(7);
        let inputs: Vec<Input> = definition
            .parameters
            .iter()
            .map(|parameter| input(&program, parameter.ty, &mut random))
            .collect();
        compare(&program, kernel, &inputs, [2, 1, 1])
            .map_err(|error| format!("{}, kernel `{}`: {error}", case.file.display(), definition.name))?;
    }
    Ok(())
}

/// A small argument: cases index with what they are given.
fn input(program: &Program, ty: TypeId, random: &mut Random) -> Input {
    match program.types[ty] {
        Type::Scalar(scalar) => Input::Scalar(small(scalar, random)),
        Type::Slice { element, .. } => {
            let mut bytes = Vec::new();
            for _ in 0..LENGTH {
                append(program, element, random, &mut bytes);
            }
            Input::Slice(bytes)
        }
        _ => {
            let mut bytes = Vec::new();
            append(program, ty, random, &mut bytes);
            Input::Bytes(bytes)
        }
    }
}

fn small(scalar: Scalar, random: &mut Random) -> Constant {
    let number = random.below(8);
    match scalar {
        Scalar::F32 => Constant::new(scalar, u64::from((number as f32 * 0.75 - 2.0).to_bits())),
        Scalar::F64 => Constant::new(scalar, (number as f64 * 0.75 - 2.0).to_bits()),
        _ => Constant::new(scalar, number),
    }
}

fn append(program: &Program, ty: TypeId, random: &mut Random, bytes: &mut Vec<u8>) {
    let layout = program.types.layout(ty);
    let start = bytes.len();
    match &program.types[ty] {
        Type::Scalar(scalar) | Type::Atomic(scalar) => {
            let word = small(*scalar, random).bits.to_le_bytes();
            bytes.extend(&word[..scalar.size() as usize]);
        }
        Type::Tuple(fields) => {
            for (&field, offset) in fields.iter().zip(layout.offsets) {
                bytes.resize(start + offset as usize, 0);
                append(program, field, random, bytes);
            }
        }
        Type::Struct { fields, .. } => {
            for (field, offset) in fields.iter().zip(layout.offsets) {
                bytes.resize(start + offset as usize, 0);
                append(program, field.ty, random, bytes);
            }
        }
        &Type::Array { element, length } => {
            for _ in 0..length {
                append(program, element, random, bytes);
            }
        }
        Type::Reference { .. } | Type::Slice { .. } => {}
    }
    bytes.resize(start + layout.size as usize, 0);
}
