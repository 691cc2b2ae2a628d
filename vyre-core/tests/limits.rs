//! Code for devices that take less than a program asks for.

use vyre_core::ir::{Constant, Handle, PtxLimits, Scalar};
use vyre_core::module::Module;
use vyre_core::validate::validate;
use vyre_core::{CompileOptions, compile, interp, text};
use vyre_test_support::ptx_machine::{self, Argument};
use vyre_test_support::{case::VERIFIED, ptxas};

/// A program whose kernel `k` has this body, with blocks of a warp.
fn program(body: &str) -> String {
    format!(
        "vyre 1\ntype &[f32]\ntype &mut [f32]\ntype AtomicBF16x2\ntype &[AtomicBF16x2]\n\
         kernel k(x: &[f32], y: &mut [f32], h: &[AtomicBF16x2], b: bf16) dimensions 1 block 32 1 1 {{\n\
         entry k {{\n{body}\nreturn\n}}\n}}\n"
    )
}

fn module(source: &str, limits: Option<PtxLimits>) -> Module {
    let program = text::parse(source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let valid = validate(&program).unwrap_or_else(|errors| panic!("{errors:?}"));
    let options = CompileOptions { limits, ..VERIFIED };
    compile(&valid, &options).unwrap()
}

const TURING: PtxLimits = PtxLimits {
    version: (8, 0),
    target: 75,
};

/// Hints change no result, so a device without them runs the kernel.
#[test]
fn hints_that_a_device_lacks_are_left_out() {
    let cases = [
        (
            "store y[0u64].l2_evict_first = x[1u64].l2_evict_last",
            "createpolicy",
            80,
        ),
        ("store y[0u64] = x[1u64].ahead_256", "L2::256B", 80),
    ];
    for (body, word, target) in cases {
        let source = program(body);
        let whole = module(&source, None);
        assert!(whole.ptx.contains(word) && whole.target == target, "{}", whole.ptx);
        let limited = module(&source, Some(TURING));
        assert!(!limited.ptx.contains(word) && limited.target == 70, "{}", limited.ptx);
        if let Some(assembler) = ptxas::find() {
            ptxas::assemble(assembler, &limited.ptx, "sm_75").unwrap_or_else(|said| panic!("{said}"));
        }
        // Where they are there, they stay.
        let ampere = PtxLimits { target: 80, ..TURING };
        assert_eq!(module(&source, Some(ampere)), whole);
    }
    // By the version of PTX alone.
    let old = PtxLimits {
        version: (7, 3),
        target: 90,
    };
    let limited = module(&program("store y[0u64].evict_last = x[1u64]"), Some(old));
    assert!(limited.version <= old.version, "{}", limited.ptx);
}

/// Sums of pairs, on a machine that runs PTX and in the interpreter, have the same bits by either way.
#[test]
fn sums_of_pairs_go_by_exchange() {
    let body = "atomic add(h[0u64], repeat [bf16; 2](b)) relaxed device\n\
                atomic sub(h[1u64], repeat [bf16; 2](b)) seq_cst system";
    let source = program(body);
    let parsed = text::parse(&source).unwrap_or_else(|error| panic!("{error}"));
    let (native, limited) = (module(&source, None), module(&source, Some(TURING)));
    assert!(native.target == 90 && native.ptx.contains(".bf16x2"), "{}", native.ptx);
    assert!(limited.target == 70 && limited.ptx.contains(".cas."), "{}", limited.ptx);
    if let Some(assembler) = ptxas::find() {
        ptxas::assemble(assembler, &limited.ptx, "sm_75").unwrap_or_else(|said| panic!("{said}"));
    }
    // 1.0 and -0.5, twice; 0.25 is added 32 times.
    let cells = [0x3f80u16, 0xbf00, 0x3f80, 0xbf00].map(u16::to_le_bytes).concat();
    let wanted = [0x4110u16, 0x40f0, 0xc0e0, 0xc108].map(u16::to_le_bytes).concat();
    let b = 0x3e80u16.to_le_bytes();
    let run = |module: &Module| {
        let (mut x, mut y, mut h) = (vec![0; 4], vec![0; 4], cells.clone());
        let mut arguments = [
            Argument::Slice(&mut x),
            Argument::Slice(&mut y),
            Argument::Slice(&mut h),
            Argument::Bytes(&b),
        ];
        let run = ptx_machine::launch(module, &parsed, Handle::new(0), 0, &mut arguments, ([1, 1, 1], 0));
        run.unwrap_or_else(|error| panic!("{error}\n{}", module.ptx));
        h
    };
    assert_eq!((run(&native), run(&limited)), (wanted.clone(), wanted.clone()));
    let (mut x, mut y, mut h) = ([0; 4], [0; 4], cells);
    let mut arguments = [
        interp::Argument::Slice(&mut x),
        interp::Argument::Slice(&mut y),
        interp::Argument::Slice(&mut h),
        interp::Argument::Scalar(Constant {
            scalar: Scalar::BF16,
            bits: 0x3e80,
        }),
    ];
    let valid = validate(&parsed).unwrap_or_else(|errors| panic!("{errors:?}"));
    interp::launch(&valid, Handle::new(0), &mut arguments, [1, 1, 1]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(h, wanted);
}

/// Operations without another way stay as they are, and the module says what it needs.
#[test]
fn other_operations_still_need_what_they_need() {
    let source = program("copy_commit\nstore y[0u64] = cast f32(mul_add(b, b, b))");
    let (whole, limited) = (module(&source, None), module(&source, Some(TURING)));
    assert_eq!((limited.target, limited.ptx), (80, whole.ptx));
}
