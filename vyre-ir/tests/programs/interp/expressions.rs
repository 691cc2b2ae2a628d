//! Expressions on scalars are evaluated by `semantics`, and may nest deeply.

use vyre_ir::ir::limits::MAX_DEPTH;

use super::on_words;

#[test]
fn operations_casts_and_bits() {
    let body = "
        let x: f32
        let m: i8
        store x = cast f32(out[0u64])
        store out[0u64] = bitcast u32(mul_add(x, x, -1.0f32))
        store out[1u64] = bitcast u32(div(sub(x, x), 0.0f32))
        store m = cast i8(out[2u64])
        store out[2u64] = cast u32(shr(neg(m), out[3u64]))
        store out[3u64] = cast u32(not(cast u8(bitcast f32(out[3u64]))))
        store out[4u64] = cast u32(cast u8(mul(x, -100.0f32)))
        store out[5u64] = rotate_left(max(out[5u64], 1u32), 31u32)";
    let result = on_words("", "1 1 1", body, [1; 3], &[3, 0, 0x180, 9, 9, 0]).unwrap();
    // The second is the canonical NaN; `-(-128i8)` wraps, and shifts by 9 modulo 8.
    let expected = [8f32.to_bits(), 0x7fc0_0000, (-64i32) as u32, 255, 0, 1 << 31];
    assert_eq!(result, expected);
}

/// The deepest expression that the validator lets pass fits on the stack of a test.
#[test]
fn deep_expressions() {
    let depth = MAX_DEPTH as usize / 2 - 4;
    let index = format!("{}0u64{}", "cast u64(out[".repeat(depth), "])".repeat(depth));
    let body = format!("store out[{index}] = 7u32");
    assert_eq!(on_words("", "1 1 1", &body, [1; 3], &[0, 1]).unwrap(), [7, 1]);
}

/// A local is read in its own assignment before it is written, by branches too.
#[test]
fn assignments_read_before_they_write() {
    let body = "
        let x: u32
        let holds: bool
        let pair: (u32, u32)
        store x = 3u32
        store x = select(lt(x, 5u32), mul(add(x, 1u32), x), x)
        store out[0u64] = x
        store x = select(lt(x, 5u32), x, select(lt(x, 7u32), 1u32, add(sub(x, 1u32), x)))
        store out[1u64] = x
        store holds = true
        store holds = or_else(eq(x, 7u32), holds)
        store out[2u64] = cast u32(holds)
        store holds = and_then(ne(x, 7u32), holds)
        store out[3u64] = cast u32(holds)
        store pair = new (u32, u32)(1u32, 2u32)
        store pair = new (u32, u32)(pair.1, pair.0)
        store out[4u64] = add(mul(pair.0, 10u32), pair.1)";
    let result = on_words("", "1 1 1", body, [1; 3], &[9; 5]).unwrap();
    assert_eq!(result, [12, 23, 1, 1, 21]);
}

/// Aggregates without size are copied where no other has come before.
#[test]
fn values_without_size() {
    let items = "struct A { u: () }";
    let body = "
        let p: ((), u32)
        let q: ((), ())
        store p = new ((), u32)(field(new A(new ()()), 0), 7u32)
        store q = select(eq(p.1, 7u32), new ((), ())(new ()(), new ()()), new ((), ())(q.1, q.0))
        store out[0u64] = p.1";
    assert_eq!(on_words(items, "1 1 1", body, [1; 3], &[0]).unwrap(), [7]);
}
