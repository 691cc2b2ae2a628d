//! Tests that each quirk is still present in ptxas: two small kernels show it in the machine code.
//!
//! A failing test means that this ptxas has fixed the bug. Once no version in use has it, its
//! rewrite can be removed.

use vyre_test_support::ptxas;

/// Two kernel bodies that show a bug. `x` is at `%rd0`, `out` at `%rd1`; the words of `x` are in `%r0` to
/// `%r2`, and as floats in `%f0` and `%d0`.
struct Pair {
    quirk: &'static str,
    shown: Shown,
    target: &'static str,
    bodies: [&'static str; 2],
}

/// The symptom of a bug.
#[derive(PartialEq)]
enum Shown {
    /// The bodies have different meanings and the same machine code.
    Same,
    /// The bodies have the same meaning and different machine code. The differing instruction is
    /// wrong, as a GPU showed.
    Different,
}

const PAIRS: &[Pair] = &[
    Pair {
        quirk: "rotated_difference",
        shown: Shown::Different,
        target: "sm_90",
        bodies: [
            "sub.u32 %r3, 0, %r0; shf.l.wrap.b32 %r4, %r3, %r3, 4; add.u32 %r5, %r4, 1; sub.u32 %r6, 0, %r5; st.global.u32 [%rd1], %r6;",
            "neg.s32 %r3, %r0; shf.l.wrap.b32 %r4, %r3, %r3, 4; add.u32 %r5, %r4, 1; sub.u32 %r6, 0, %r5; st.global.u32 [%rd1], %r6;",
        ],
    },
    // -2147483648 % 3 is -2, and 1 only if unsigned.
    Pair {
        quirk: "remainder_of_abs",
        shown: Shown::Same,
        target: "sm_90",
        bodies: [
            "abs.s32 %r3, %r0; rem.s32 %r4, %r3, 3; st.global.u32 [%rd1], %r4;",
            "abs.s32 %r3, %r0; rem.u32 %r4, %r3, 3; st.global.u32 [%rd1], %r4;",
        ],
    },
    Pair {
        quirk: "extremum_of_negation",
        shown: Shown::Same,
        target: "sm_90",
        bodies: [
            "neg.s32 %r3, %r1; min.s32 %r4, %r0, %r3; min.s32 %r5, %r4, %r2; st.global.u32 [%rd1], %r5;",
            "min.s32 %r4, %r0, %r1; min.s32 %r5, %r4, %r2; st.global.u32 [%rd1], %r5;",
        ],
    },
    // A NaN is not above -1.
    Pair {
        quirk: "compared_magnitude",
        shown: Shown::Same,
        target: "sm_90",
        bodies: [
            "abs.f32 %f1, %f0; setp.lt.f32 %p0, 0fBF800000, %f1; selp.u32 %r3, 1, 0, %p0; st.global.u32 [%rd1], %r3;",
            "mov.u32 %r3, 1; st.global.u32 [%rd1], %r3;",
        ],
    },
    Pair {
        quirk: "selected_zero",
        shown: Shown::Same,
        target: "sm_90",
        bodies: [
            "setp.lt.s32 %p0, %r0, %r1; selp.f32 %f1, 0fBF800000, 0f80000000, %p0; st.global.f32 [%rd1], %f1;",
            "setp.lt.s32 %p0, %r0, %r1; selp.f32 %f1, 0fBF800000, 0f00000000, %p0; st.global.f32 [%rd1], %f1;",
        ],
    },
    // For a NaN the first is 1 and the second 0.
    Pair {
        quirk: "saturated_nan",
        shown: Shown::Same,
        target: "sm_90",
        bodies: [
            "min.f32 %f1, %f0, 0f3F800000; max.f32 %f2, %f1, 0f00000000; st.global.f32 [%rd1], %f2;",
            "max.f32 %f1, %f0, 0f00000000; min.f32 %f2, %f1, 0f3F800000; st.global.f32 [%rd1], %f2;",
        ],
    },
    Pair {
        quirk: "saturated_nan of f64",
        shown: Shown::Same,
        target: "sm_90",
        bodies: [
            "min.f64 %d1, %d0, 0d3FF0000000000000; max.f64 %d2, %d1, 0d0000000000000000; st.global.f64 [%rd1], %d2;",
            "max.f64 %d1, %d0, 0d0000000000000000; min.f64 %d2, %d1, 0d3FF0000000000000; st.global.f64 [%rd1], %d2;",
        ],
    },
    Pair {
        quirk: "saturated_zero",
        shown: Shown::Same,
        target: "sm_90",
        bodies: [
            "max.f32 %f1, %f0, 0f80000000; min.f32 %f2, %f1, 0f3F800000; st.global.f32 [%rd1], %f2;",
            "max.f32 %f1, %f0, 0f00000000; min.f32 %f2, %f1, 0f3F800000; st.global.f32 [%rd1], %f2;",
        ],
    },
];

fn module(body: &str) -> String {
    format!(
        ".version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 out) {{
    .reg .pred %p<1>;
    .reg .b32 %r<7>;
    .reg .f32 %f<3>;
    .reg .f64 %d<3>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd0, [x];
    cvta.to.global.u64 %rd0, %rd0;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd1, %rd1;
    ld.global.u32 %r0, [%rd0];
    ld.global.u32 %r1, [%rd0+4];
    ld.global.u32 %r2, [%rd0+8];
    ld.global.f32 %f0, [%rd0];
    ld.global.f64 %d0, [%rd0];
    {body}
    ret;
}}
"
    )
}

#[test]
fn quirks_are_still_there() {
    let Some(assembler) = ptxas::find() else {
        return;
    };
    for pair in PAIRS {
        let [first, second] = pair.bodies.map(|body| {
            let assembled = ptxas::assemble(assembler, &module(body), pair.target);
            let assembled = assembled.unwrap_or_else(|said| panic!("{}: {said}", pair.quirk));
            machine_code(&assembled.cubin).to_vec()
        });
        assert!(!first.is_empty() && !second.is_empty());
        assert!(
            (first == second) == (pair.shown == Shown::Same),
            "this ptxas does not have the quirk `{}`: see the head of `ptx/quirks/mod.rs`",
            pair.quirk
        );
    }
}

/// The section `.text.k` of a 64-bit little-endian ELF file.
fn machine_code(cubin: &[u8]) -> &[u8] {
    let number = |at: usize, size: usize| {
        let mut bytes = [0; 8];
        bytes[..size].copy_from_slice(&cubin[at..at + size]);
        u64::from_le_bytes(bytes) as usize
    };
    let (table, size, count, names) = (number(0x28, 8), number(0x3a, 2), number(0x3c, 2), number(0x3e, 2));
    let section = |index: usize| table + index * size;
    let strings = number(section(names) + 0x18, 8);
    let code = (0..count).map(section).find(|&header| {
        let name = strings + number(header, 4);
        cubin[name..].starts_with(b".text.k\0")
    });
    let header = code.expect("a kernel has machine code");
    &cubin[number(header + 0x18, 8)..][..number(header + 0x20, 8)]
}
