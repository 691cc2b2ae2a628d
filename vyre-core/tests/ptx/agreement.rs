//! Programs through the interpreter and, compiled, through a machine that runs PTX: both must end
//! alike, to the bit.

use vyre_core::interp::{self, Argument};
use vyre_core::ir::{Handle, Kernel, Program, Scalar, Type, TypeId};
use vyre_core::valid::validate;
use vyre_core::{CompileOptions, compile};
use vyre_test_support::ptx_machine;
use vyre_test_support::random_program::{Input, Options, Random, random_program};

/// Runs a kernel both ways.
pub(crate) fn compare(
    program: &Program,
    kernel: Handle<Kernel>,
    inputs: &[Input],
    grid: [u32; 3],
) -> Result<(), String> {
    let valid = validate(program).map_err(|errors| format!("{errors:?}"))?;
    let module = compile(valid, &CompileOptions::default()).map_err(|error| error.to_string())?;
    for entry in 0..program.kernels[kernel].entries.len() {
        let mut expected = inputs.to_vec();
        let mut arguments: Vec<_> = expected
            .iter_mut()
            .map(|input| match input {
                Input::Scalar(constant) => Argument::Scalar(*constant),
                Input::Bytes(bytes) => Argument::Bytes(bytes),
                Input::Slice(bytes) => Argument::Slice(bytes),
            })
            .collect();
        let options = interp::Options {
            entry: Some(entry),
            ..interp::Options::default()
        };
        let reference = interp::launch_with(valid, kernel, &mut arguments, grid, options);

        let mut actual = inputs.to_vec();
        let scalars: Vec<Vec<u8>> = actual
            .iter()
            .map(|input| match input {
                Input::Scalar(constant) => constant.bits.to_le_bytes()[..constant.scalar.size() as usize].to_vec(),
                _ => Vec::new(),
            })
            .collect();
        let mut arguments: Vec<_> = actual
            .iter_mut()
            .zip(&scalars)
            .map(|(input, scalar)| match input {
                Input::Scalar(_) => ptx_machine::Argument::Bytes(scalar),
                Input::Bytes(bytes) => ptx_machine::Argument::Bytes(bytes),
                Input::Slice(bytes) => ptx_machine::Argument::Slice(bytes),
            })
            .collect();
        let report = ptx_machine::launch(&module, program, kernel, entry, &mut arguments, grid)
            .map_err(|error| format!("{error}\n{}", module.ptx))?;
        match (reference, report) {
            (Ok(()), None) => {
                let parameters = &program.kernels[kernel].parameters;
                for ((parameter, expected), actual) in parameters.iter().zip(&expected).zip(&actual) {
                    let (Input::Slice(expected), Input::Slice(actual)) = (expected, actual) else {
                        continue;
                    };
                    let Type::Slice { element, .. } = program.types[parameter.ty] else {
                        continue;
                    };
                    equal(program, element, expected, actual)
                        .map_err(|error| format!("entry {entry}, `{}`{error}\n{}", parameter.name, module.ptx))?;
                }
            }
            (Err(interp::Error::Fault(fault)), Some(report)) => {
                let site = &module.kernels[0].sites[report.site as usize];
                let reported = (site.kind, &site.message, report.block, report.thread, site.span.line);
                let expected = (fault.kind, &fault.message, fault.block, fault.thread, fault.line);
                if reported != expected {
                    return Err(format!("expected {expected:?}, got {reported:?}\n{}", module.ptx));
                }
                if fault.values != report.values {
                    return Err(format!("expected {:?}, got {report:?}\n{}", fault.values, module.ptx));
                }
            }
            (reference, report) => {
                return Err(format!("expected {reference:?}, got {report:?}\n{}", module.ptx));
            }
        }
    }
    Ok(())
}

/// Whether two buffers hold equal elements; all NaNs are one.
fn equal(program: &Program, element: TypeId, expected: &[u8], actual: &[u8]) -> Result<(), String> {
    let layout = program.types.layout(element);
    let size = layout.size.max(1) as usize;
    for (index, (expected, actual)) in expected.chunks(size).zip(actual.chunks(size)).enumerate() {
        same(program, element, expected, actual).map_err(|error| format!("[{index}]{error}"))?;
    }
    Ok(())
}

fn same(program: &Program, ty: TypeId, expected: &[u8], actual: &[u8]) -> Result<(), String> {
    let layout = program.types.layout(ty);
    match &program.types[ty] {
        Type::Tuple(fields) => {
            for (number, (&field, offset)) in fields.iter().zip(layout.offsets).enumerate() {
                let at = offset as usize;
                same(program, field, &expected[at..], &actual[at..]).map_err(|error| format!(".{number}{error}"))?;
            }
            Ok(())
        }
        Type::Scalar(scalar) | Type::Atomic(scalar) => {
            let read = |bytes: &[u8]| {
                let mut word = [0; 8];
                let size = scalar.size() as usize;
                word[..size].copy_from_slice(&bytes[..size]);
                u64::from_le_bytes(word)
            };
            let (expected, actual) = (read(expected), read(actual));
            let nan = match scalar {
                Scalar::F32 => f32::from_bits(expected as u32).is_nan() && f32::from_bits(actual as u32).is_nan(),
                Scalar::F64 => f64::from_bits(expected).is_nan() && f64::from_bits(actual).is_nan(),
                _ => false,
            };
            if expected == actual || nan {
                Ok(())
            } else {
                Err(format!(": expected {expected:#x}, got {actual:#x}"))
            }
        }
        _ => Err(" has an unexpected type".to_owned()),
    }
}

fn seeds() -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let first = number("VYRE_FIRST_SEED").unwrap_or(0);
    first..first + number("VYRE_SEEDS").unwrap_or(150)
}

/// A thread of the interpreter takes turns between barriers, as one of the machine does, so faults
/// of random programs are found by the same thread first.
#[test]
fn random_programs_agree() {
    for seed in seeds() {
        let options = Options {
            faults: seed % 3 == 0,
            decorated: true,
            open_externals: false,
        };
        let random = random_program(seed, options);
        let inputs = random.inputs(&mut Random::new(seed));
        if let Err(error) = compare(&random.program, random.kernel, &inputs, [2, 1, 1]) {
            panic!("seed {seed}: {error}\n{}", vyre_core::text::print(&random.program));
        }
    }
}
