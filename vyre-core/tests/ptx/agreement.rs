//! Programs through the interpreter and, compiled, through a machine that runs PTX: both must end
//! alike, to the bit.

use vyre_core::ir::{Constant, Handle, Kernel, Program, Scalar};
use vyre_core::text::print;
use vyre_test_support::case::{Case, seeds};
use vyre_test_support::random_program::{Input, Options, random_program};

/// Runs each entry of a kernel both ways; gives the PTX.
pub(crate) fn compare(
    program: &Program,
    kernel: Handle<Kernel>,
    inputs: &[Input],
    grid: [u32; 3],
) -> Result<String, String> {
    compare_case(&Case {
        program: program.clone(),
        kernel,
        grid,
        inputs: inputs.to_vec(),
    })
}

/// Runs one block of the kernel `k` of a text both ways; gives the PTX.
fn agrees(source: &str, inputs: &[Input]) -> String {
    let program = vyre_core::text::parse(source).unwrap_or_else(|error| panic!("{error}"));
    let kernel = program.kernel("k").expect("the program has a kernel");
    compare(&program, kernel, inputs, [1, 1, 1]).unwrap_or_else(|error| panic!("{error}"))
}

/// A thread of the interpreter takes turns between barriers, as one of the machine does, so faults
/// are found by the same thread first, unless threads wait elsewhere: then warps and blocks take turns too, and
/// those of the interpreter and of the machine do so in orders of their own.
fn compare_case(case: &Case) -> Result<String, String> {
    let module = case.compile();
    let in_order = case.is_in_order();
    let lines = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    for entry in 0..case.program.kernels[case.kernel].entries.len() {
        let (expected, printed) = case.interpret_printing(entry).map_err(|error| error.to_string())?;
        let (found, seen) = case
            .on_machine_printing(&module, entry)
            .map_err(|error| format!("{error}\n{}", module.ptx))?;
        // Only in the interpreter the first fault ends the launch.
        let same = match expected {
            Ok(_) if in_order => printed == seen,
            Ok(_) => lines(&printed) == lines(&seen),
            Err(_) => !in_order || seen.starts_with(&printed),
        };
        if !same {
            return Err(format!(
                "entry {entry} prints {seen:?} in place of {printed:?}\n{}",
                module.ptx
            ));
        }
        if let Some(difference) = case.difference(&expected, &found, in_order) {
            return Err(format!("entry {entry}, {difference}\n{}", module.ptx));
        }
    }
    Ok(module.ptx)
}

#[test]
fn random_programs_agree() {
    for seed in seeds(0..150) {
        let options = Options {
            faults: seed.is_multiple_of(3),
            spans: true,
            odd_names: seed % 3 == 1,
            prints: seed % 4 == 1,
            cooperation: seed % 5 < 2,
            clusters: seed % 7 < 2,
            constants: seed % 8 < 3,
            ..Options::default()
        };
        let case = Case::random(random_program(seed, options), seed);
        if compare_case(&case).is_err() {
            let is_defined = |case: &Case| {
                let mut entries = 0..case.program.kernels[case.kernel].entries.len();
                entries.all(|entry| case.interpret(entry).is_ok())
            };
            let small = case.reduced(|case| is_defined(case) && compare_case(case).is_err());
            let error = compare_case(&small).err().unwrap_or_default();
            panic!("seed {seed}: {error}\n{}", print(&small.program));
        }
    }
}

/// The bits of a computed NaN are unspecified, and must not show in a float of another type.
#[test]
fn bits_of_a_nan_in_another_half() {
    let source = "vyre 1
type &[f16]
type &mut [bf16]
kernel k(x: &[f16], y: &mut [bf16]) dimensions 1 block 8 1 1 {
    entry k {
        store y[linear_index] = bitcast bf16(ceil(x[linear_index]))
    }
}";
    let halves: [u16; 8] = [0x7e00, 0x7e01, 0xffd5, 0xfe00, 0x3c01, 0x7c00, 0xfc00, 0x8001];
    let bytes = halves.iter().flat_map(|half| half.to_le_bytes()).collect();
    agrees(source, &[Input::Slice(bytes), Input::Slice(vec![0; 16])]);
}

/// The known remainder of a dividend under one condition implies nothing about the dividend
/// elsewhere.
#[test]
fn a_remainder_under_a_condition() {
    let source = "vyre 1
type &[u64]
type &mut [u64]
kernel k(x: &[u64], y: &mut [u64]) dimensions 1 block 4 1 1 {
    entry k {
        let n: i32
        let m: i32
        store n = not(cast i32(x[linear_index]))
        if eq(n, 2i32) {
            store m = rem(n, 5i32)
        }
        store y[linear_index] = cast u64(n)
    }
}";
    let words = [0u64, !2, 7, u64::MAX];
    let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    agrees(source, &[Input::Slice(bytes), Input::Slice(vec![0; 32])]);
}

/// If the constant index of an element wraps, the offset of its field may wrap too.
#[test]
fn a_field_of_an_element_far_past_the_end() {
    let source = "vyre 1
struct S { a: u32, b: u32, c: u32 }
type &mut [S]
kernel k(y: &mut [S]) dimensions 1 block 1 1 1 {
    entry k {
        store y[1537228672809129301u64].2 = 1u32
    }
}";
    agrees(source, &[Input::Slice(vec![0; 24])]);
}

/// The code after a failed assertion is dropped, but passes still meet it.
#[test]
fn code_behind_a_failed_assertion() {
    let source = "vyre 1
type &mut [u64]
kernel k(out: &mut [u64], a: u32, b: u32) dimensions 1 block 1 1 1 {
    entry k {
        let sum: u32
        assert ne(a, a), \"always\"
        store sum = add(a, b)
        if lt(sum, 7u32) {
            store out[0u64] = mul(cast u64(sum), cast u64(add(sum, a)))
        }
        store out[0u64] = shl(cast u64(sum), 3u32)
    }
}";
    let word = |bits| Input::Scalar(Constant::new(Scalar::U32, bits));
    let ptx = agrees(source, &[Input::Slice(vec![0; 8]), word(1), word(2)]);
    assert!(!ptx.contains("mul.wide"), "{ptx}");
}

/// The upper half of a block returns after a statement, and the lower half does another one behind a barrier.
fn after_returns(before: &str, behind: &str) {
    agrees(
        &format!(
            "vyre 1
file \"k.rs\"
type [u32; 64]
shared tile: [u32; 64]
kernel k(out: &mut [u32]) dimensions 1 block 64 1 1 {{ entry k {{
    let t: u64
    store t = cast u64(thread_index.x)
    if ge(t, 32u64) {{
        {before}
        return
    }}
    barrier
    {behind}
}} }}
"
        ),
        &[Input::Slice(vec![0; 256])],
    );
}

#[test]
fn a_barrier_orders_the_writes_of_threads_that_returned() {
    after_returns(
        "store shared::tile[t] = add(7u32, cast u32(t))",
        "store out[t] = shared::tile[add(t, 32u64)]",
    );
}

#[test]
fn a_barrier_orders_the_reads_of_threads_that_returned() {
    after_returns("store out[t] = out[sub(t, 32u64)]", "store out[t] = 9u32");
}
