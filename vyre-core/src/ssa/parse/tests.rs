//! Round trip: parsed text prints unchanged; errors name the line and the reason.

use super::parse;
use crate::ssa::print::print;
use crate::ssa::verify;

/// Every kind of line in the head of a function.
const HEAD: &str = r#"function block 64 2 1
parameters const mut mut
local0: 16 bytes, align 4, promoted
local1: 8 bytes, align 8
table3: u16 [0x1, 0xffff]
inline0: results i32 f32 "mov.b32 {0}, \"{1}\";\n"

b0():
    v1: i64 = convert.u32.u64 thread.x  @4:13
    return
"#;

#[test]
fn heads_come_back() {
    let function = parse(HEAD).unwrap();
    assert_eq!(print(&function), HEAD);
    assert_eq!(function.promoted, 1);
    assert_eq!(function.inline[0].text, "mov.b32 {0}, \"{1}\";\n");
}

#[test]
fn every_kind_of_operand_comes_back() {
    let text = "\
function block 32 1 1

b0():
    store.f32[-4] argument0+0.ptr.global, -1.5_f32
    store.f32 argument0+0.ptr.global, 0x7fc00000_f32
    store.f64 local0, 1e300_f64
    store.u16 shared1, -1_i32
    store.u64 dynamic, 0_i64
    store.u32 table2_ptr.param, argument1+8.u32
    store.u64 parameter3[24], 0x0_ptr.generic
    v3: f16 = load.constant.streaming.f16[2] table2
    v4: i32 = bits v3
    v5: i32 = add.u32 v4, external7_i32
    v6: bool = eq.bool true, false
    v7: bf16 = load.bf16 argument0+0.ptr.global
    v8: bf16 = select v6, v7, 0x3f80_bf16
    v9: i32 = shuffle.up[16] v5, lane, shared_bytes
    v10: i64 = mul_wide.signed block.y, grid.z
    branch v6, b1(v10, v9), b2()
b1(v20: i64 @1/2:3, v21: i32 @9:9):
    atomic.add.u32.relaxed.system argument0+0.ptr.global, v21, 0_i32  @1/7:2
    return
b2():
    v31 = mma.m16n8k16_f16 v5, v5, v5, v5, v5, v5, v5, v5, v5, v5
    v32: i32 = result[1] v31
    ptx[0] v5, v32  @4:1
    copy_piece[0, 16, 8, 4] shared1, argument0+0.ptr.global
    copy_wait[2]
    named_barrier.wait[1, 64]
    return
";
    let function = parse(text).unwrap();
    assert_eq!(print(&function), text);
}

#[test]
fn comments_and_blank_lines_are_skipped() {
    let function = parse("// head\nfunction block 32 1 1\n\nb0():\n    // body\n    return // end\n").unwrap();
    assert_eq!(print(&function), "function block 32 1 1\n\nb0():\n    return\n");
}

#[test]
fn what_is_read_can_be_verified() {
    let function = parse("function block 1 1 1\n\nb0():\n    v0: i32 = add.u32 1_i32, 2_i64\n    return\n").unwrap();
    let panic = std::panic::catch_unwind(|| verify::check(&function, "reading")).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(message.contains("the types of the operation do not fit"), "{message}");
}

#[test]
fn faults_are_named() {
    let cases = [
        (
            "v0: i32 = frobnicate 1_i32",
            "line 2: `frobnicate` is no operation: `v0: i32 = frobnicate 1_i32`",
        ),
        (
            "v0: i32 = add.i7 1_i32, 2_i32",
            "line 2: `i7` does not fit here: `v0: i32 = add.i7 1_i32, 2_i32`",
        ),
        (
            "v0: i32 = add.u32.u32 1_i32, 2_i32",
            "line 2: the operation takes no `.u32` here: `v0: i32 = add.u32.u32 1_i32, 2_i32`",
        ),
        (
            "v0: i32 = add.u32 1_i32",
            "line 2: expected `,` at ``: `v0: i32 = add.u32 1_i32`",
        ),
        (
            "v0: i32 = add.u32 1, 2_i32",
            "line 2: `1` is no operand: `v0: i32 = add.u32 1, 2_i32`",
        ),
        ("v0: word = clock", "line 2: `word` is no type: `v0: word = clock`"),
        (
            "copy_wait",
            "line 2: a number in brackets is missing or does not fit: `copy_wait`",
        ),
        ("poll v3", "v3 is used but not defined"),
        ("barrier 1_i32", "line 2: unexpected `1_i32`: `barrier 1_i32`"),
    ];
    for (line, message) in cases {
        let text = format!("b0():\n{line}\nreturn\n");
        assert_eq!(parse(&text).unwrap_err(), message);
    }
    assert_eq!(parse("").unwrap_err(), "the function has no block");
    assert_eq!(parse("b0():\n").unwrap_err(), "the last block has no terminator");
    assert_eq!(
        parse("b0():\nreturn\nreturn").unwrap_err(),
        "line 3: the block has ended: `return`"
    );
    assert_eq!(
        parse("b0():\nb1():\n").unwrap_err(),
        "line 2: the block before has no terminator: `b1():`"
    );
    assert_eq!(
        parse("b0(v0: i32):\nv0: i32 = bits v0\nreturn").unwrap_err(),
        "line 2: v0 is defined twice: `v0: i32 = bits v0`"
    );
}
