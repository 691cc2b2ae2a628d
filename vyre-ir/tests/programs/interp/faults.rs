//! Faults of each kind, and undefined behaviour.

use vyre_abi::fault::{Fault, FaultKind};
use vyre_ir::interp::{Error, Undefined};

use super::on_words;

/// The fault of a body, in thread (1, 1, 0) of block (2, 0, 0) only.
fn fault_in(stmt: &str) -> Fault {
    let body = format!(
        "
        let i: u64
        let n: i32
        let s: &[u32]
        let a: [u32; 4]
        store i = 7u64
        if and_then(eq(block_index.x, 2u32), eq(add(thread_index.x, thread_index.y), 2u32)) {{
            {stmt}
        }}"
    );
    match on_words("", "2 2 1", &body, [3, 1, 1], &[0; 6]) {
        Err(Error::Fault(fault)) => *fault,
        other => panic!("{stmt}: {other:?}"),
    }
}

fn expected(kind: FaultKind, values: [u64; 2], place: (u32, u32), message: &str) -> Fault {
    Fault {
        kind,
        kernel: "k".to_owned(),
        file: "k.rs".to_owned(),
        line: place.0,
        column: place.1,
        message: message.to_owned(),
        values,
        block: [2, 0, 0],
        thread: [1, 1, 0],
    }
}

#[test]
fn index_out_of_bounds() {
    let fault = expected(FaultKind::IndexOutOfBounds, [7, 6], (4, 9), "out");
    assert_eq!(fault_in("store out[i] = 1u32  @4:9"), fault);
    // For an array on the side that is read; the span is that of the place.
    let fault = fault_in("store out[0u64] = a[i]  @5:2*3 3 1");
    assert_eq!((fault.values, fault.message.as_str()), ([7, 4], "a"));
    // The value is evaluated before the place.
    let stmt = "store out[8u64] = a[i]";
    assert_eq!(fault_in(stmt).values, [7, 4]);
    assert_eq!(fault_in(stmt).line, 0);
    assert_eq!(fault_in(stmt).file, "");
}

#[test]
fn messages_have_values() {
    let stmt = r#"assert lt(i, 3u64), "{u64} of {{3}}: {f32:.1}", i, 2.25f32  @4:9"#;
    let fault = expected(FaultKind::Assertion, [0, 0], (4, 9), "7 of {3}: 2.2");
    assert_eq!(fault_in(stmt), fault);
    // Values are evaluated where the assertion fails, and fault themselves.
    let fault = fault_in(r#"assert lt(i, 3u64), "{u32}", out[i]"#);
    assert_eq!((fault.kind, fault.values), (FaultKind::IndexOutOfBounds, [7, 6]));
    let body = "
        let i: u64
        store i = 99u64
        assert true, \"{u32}\", out[i]
        store out[0u64] = 1u32";
    assert_eq!(on_words("", "1 1 1", body, [1; 3], &[0]).unwrap(), [1]);
}

#[test]
fn range_out_of_bounds() {
    let kind = FaultKind::RangeOutOfBounds;
    assert_eq!(
        fault_in("store s = &out[2u64..i]  @6:3"),
        expected(kind, [2, 7], (6, 3), "out")
    );
    assert_eq!(
        fault_in("store s = &a[2u64..1u64]  @6:3"),
        expected(kind, [2, 1], (6, 3), "a")
    );
}

#[test]
fn division_faults() {
    for op in ["div", "rem"] {
        let zero = fault_in(&format!("store n = {op}(5i32, n)  @7:1"));
        assert_eq!(zero, expected(FaultKind::DivisionByZero, [0, 0], (7, 1), ""));
        let overflow = fault_in(&format!("store n = {op}(-2147483648i32, -1i32)  @7:1"));
        assert_eq!(overflow, expected(FaultKind::DivisionOverflow, [0, 0], (7, 1), ""));
    }
}

#[test]
fn assertions_and_panics() {
    let fault = fault_in("assert eq(i, 8u64), \"i is eight\"  @8:2");
    assert_eq!(fault, expected(FaultKind::Assertion, [0, 0], (8, 2), "i is eight"));
    let fault = fault_in("assert false, panic \"never\"  @9:2");
    assert_eq!(fault, expected(FaultKind::Panic, [0, 0], (9, 2), "never"));
    assert!(on_words("", "1 1 1", "assert true, \"fine\"", [1; 3], &[]).is_ok());
}

/// Threads 1 and 3 fault; the first one counts, though thread 0 has gone on to a barrier.
#[test]
fn the_first_fault_in_thread_order_counts() {
    let body = "
        if eq(and(thread_index.x, 1u32), 1u32) {
            assert false, panic \"odd\"
        }
        barrier
        assert false, panic \"even\"";
    let Err(Error::Fault(fault)) = on_words("", "4 1 1", body, [2, 1, 1], &[]) else {
        panic!("threads fault")
    };
    assert_eq!(
        (fault.message.as_str(), fault.thread, fault.block),
        ("odd", [1, 0, 0], [0; 3])
    );
}

#[test]
fn faults_in_functions_name_their_line() {
    let items = "
        fn get(x: &[u32], i: u64) -> u32 {
            return x[i]  @20:5
        }";
    let body = "
        let y: u32
        call y = get(&out[0u64..length(out)], 3u64)  @10:1";
    let Err(Error::Fault(fault)) = on_words(items, "1 1 1", body, [1; 3], &[0; 3]) else {
        panic!("the index is out of bounds")
    };
    assert_eq!((fault.line, fault.values), (20, [3, 3]));
}

#[test]
fn unchecked_accesses_out_of_bounds_are_errors() {
    let undefined = |stmt: &str| match on_words("", "1 1 1", stmt, [1; 3], &[0; 2]) {
        Err(Error::Undefined { what, span, .. }) => (what, span.line),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        undefined("store out[unchecked 2u64] = 1u32  @3:1"),
        (Undefined::Index { index: 2, length: 2 }, 3)
    );
    assert_eq!(
        undefined("let s: &[u32]\nstore s = &out[unchecked 1u64..18446744073709551615u64]  @4:1"),
        (
            Undefined::Range {
                start: 1,
                end: u64::MAX,
                length: 2
            },
            4
        )
    );
}
