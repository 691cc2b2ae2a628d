//! Aggregates, tables, shared memory and atomics.

use vyre_abi::fault::FaultKind;

use super::{Argument, Error, Options, launch_with, on_words, read_words, run, words};

#[test]
fn structs_tuples_and_arrays() {
    let items = "
        struct Particle { place: [u16; 3], mass: (u8, u32) }";
    let body = "
        let p: Particle
        let q: Particle
        let i: u64
        store p = new Particle(new [u16; 3](1u16, 2u16, 3u16), new (u8, u32)(4u8, 5u32))
        store q = p
        store p.0[2u64] = 30u16
        store i = 2u64
        store out[0u64] = cast u32(p.0[i])
        store out[1u64] = cast u32(q.0[i])
        store q.1 = new (u8, u32)(40u8, 50u32)
        store out[2u64] = add(cast u32(q.1.0), q.1.1)
        store out[3u64] = field(p.1, 1)
        store p.0 = repeat [u16; 3](9u16)
        store out[4u64] = cast u32(add(p.0[0u64], p.0[2u64]))
        store out[5u64] = field(field(new (u8, (u16, u32))(1u8, new (u16, u32)(2u16, 77u32)), 1), 1)";
    let result = on_words(items, "1 1 1", body, [1; 3], &[0; 6]).unwrap();
    assert_eq!(result, [30, 3, 90, 5, 18, 77]);
}

/// Structs in buffers have C's layout: `u8` at 0, `u32` at 4, `u16` at 8, 12 bytes in all.
#[test]
fn structs_in_buffers_have_the_layout_of_c() {
    let text = "
        struct S { a: u8, b: u32, c: u16 }
        kernel k(x: &mut [S], by: S) dimensions 1 block 2 1 1 { entry k {
            let i: u64
            store i = global_index.x
            store x[i].1 = add(x[i].1, by.1)
            store x[i].2 = add(x[i].2, by.2)
            store x[i].0 = add(x[i].0, by.0)
        } }";
    let mut x = vec![
        1, 0xee, 0xee, 0xee, 2, 0, 0, 0, 3, 0, 0xee, 0xee, 4, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0,
    ];
    let by = [10, 0, 0, 0, 20, 0, 0, 1, 30, 0, 0, 0];
    run(text, &mut [Argument::Slice(&mut x), Argument::Bytes(&by)], [1; 3]).unwrap();
    let expected = [
        11, 0xee, 0xee, 0xee, 22, 0, 0, 1, 33, 0, 0xee, 0xee, 14, 0, 0, 0, 25, 0, 0, 1, 36, 0, 0, 0,
    ];
    assert_eq!(x, expected);
}

#[test]
fn tables_hold_their_values() {
    let items = "
        table rows: [[u16; 2]; 2] = 0x1 0x2 0x3 0xffff
        table signed: [i8; 2] = 0xff 0x7f";
    let body = "
        let i: u64
        store i = 1u64
        store out[0u64] = cast u32(table::rows[i][0u64])
        store out[1u64] = cast u32(table::rows[1u64][i])
        store out[2u64] = cast u32(table::signed[0u64])";
    assert_eq!(
        on_words(items, "1 1 1", body, [1; 3], &[0; 3]).unwrap(),
        [3, 0xffff, u32::MAX]
    );
}

/// Shared memory starts poisoned in every block, and no block sees another's.
#[test]
fn shared_memory_is_the_block_s_own() {
    let items = "
        shared flag: bool
        shared cell: u32";
    let body = "
        store out[global_index.x] = shared::cell
        store shared::cell = 1u32";
    assert_eq!(
        on_words(items, "1 1 1", body, [2, 1, 1], &[0; 2]).unwrap(),
        [0xa5a5_a5a5; 2]
    );
}

#[test]
fn histogram_with_atomics() {
    let text = "
        shared local: [AtomicU32; 8]
        kernel k(data: &[u32], hist: &[AtomicU32]) dimensions 1 block 16 1 1 { entry k {
            let old: u32
            if lt(thread_index.x, 8u32) {
                atomic store(shared::local[cast u64(thread_index.x)], 0u32) relaxed block
            }
            barrier
            if lt(global_index.x, length(data)) {
                atomic add(shared::local[cast u64(rem(data[global_index.x], 8u32))], 1u32) relaxed block
            }
            fence.seq_cst.block
            barrier
            if lt(thread_index.x, 8u32) {
                atomic old = load(shared::local[cast u64(thread_index.x)]) relaxed block
                atomic add(hist[cast u64(thread_index.x)], old) relaxed device
            }
        } }";
    let data: Vec<u32> = (0..100u32).map(|i| i * i / 3).collect();
    let mut expected = [0; 8];
    for value in &data {
        expected[*value as usize % 8] += 1;
    }
    let (mut data, mut hist) = (words(&data), words(&[0; 8]));
    run(
        text,
        &mut [Argument::Slice(&mut data), Argument::Slice(&mut hist)],
        [7, 1, 1],
    )
    .unwrap();
    assert_eq!(read_words(&hist), expected);
}

#[test]
fn every_atomic_yields_the_old_value() {
    let text = "
        kernel k(cells: &[AtomicI32], out: &mut [i32]) dimensions 1 block 1 1 1 { entry k {
            let old: i32
            atomic old = add(cells[0u64], 5i32) relaxed device
            store out[0u64] = old
            atomic old = sub(cells[1u64], 5i32) relaxed device
            store out[1u64] = old
            atomic old = and(cells[2u64], 12i32) relaxed device
            store out[2u64] = old
            atomic old = or(cells[3u64], 12i32) acquire device
            store out[3u64] = old
            atomic old = xor(cells[4u64], 12i32) release system
            store out[4u64] = old
            atomic old = min(cells[5u64], -7i32) acq_rel device
            store out[5u64] = old
            atomic old = max(cells[6u64], -7i32) seq_cst device
            store out[6u64] = old
            atomic old = exchange(cells[7u64], 70i32) relaxed device
            store out[7u64] = old
            atomic old = compare_exchange(cells[8u64], 10i32, 80i32) relaxed device
            store out[8u64] = old
            atomic old = compare_exchange(cells[9u64], 11i32, 90i32) relaxed device
            store out[9u64] = old
            atomic old = load(cells[10u64]) relaxed device
            store out[10u64] = old
            atomic store(cells[11u64], 110i32) relaxed device
        } }";
    let (mut cells, mut out) = (words(&[10; 12]), words(&[0; 12]));
    run(
        text,
        &mut [Argument::Slice(&mut cells), Argument::Slice(&mut out)],
        [1; 3],
    )
    .unwrap();
    let expected = [15, 5, 8, 14, 6, -7, 10, 70, 80, 10, 10, 110].map(|value: i32| value as u32);
    assert_eq!(read_words(&cells), expected);
    assert_eq!(read_words(&out), [10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 0]);
}

#[test]
fn float_atomics() {
    let text = "
        kernel k(cells: &[AtomicF32]) dimensions 1 block 4 1 1 { entry k {
            let x: f32
            store x = cast f32(thread_index.x)
            atomic add(cells[0u64], x) relaxed device
            atomic max(cells[1u64], x) relaxed device
            atomic min(cells[2u64], neg(x)) relaxed device
            atomic compare_exchange(cells[3u64], 0.0f32, 1.0f32) relaxed device
        } }";
    // Compare-exchange compares bits, so -0 is not 0; a maximum ignores a NaN.
    let bits = [0.5f32, f32::NAN, 0.0, -0.0].map(f32::to_bits);
    let mut cells = words(&bits);
    run(text, &mut [Argument::Slice(&mut cells)], [1; 3]).unwrap();
    assert_eq!(read_words(&cells), [6.5f32, 3.0, -3.0, -0.0].map(f32::to_bits));
}

/// Runs a body with 100 bytes of dynamic shared memory.
fn with_dynamic(body: &str) -> Result<Vec<u32>, Error> {
    let text = format!(
        "type &mut [f64]\ntype &mut [u16]\nshared byte: u8\nkernel k(out: &mut [u32]) dimensions 1 block 4 1 1 {{ entry k {{\n{body}\n}} }}"
    );
    let program = super::parse(&text);
    let options = Options {
        shared_bytes: 100,
        ..Options::default()
    };
    let mut bytes = words(&[0; 4]);
    let kernel = program.kernel("k").expect("the kernel");
    launch_with(
        &super::valid(&program),
        kernel,
        &mut [Argument::Slice(&mut bytes)],
        [1; 3],
        options,
    )?;
    Ok(read_words(&bytes))
}

#[test]
fn slices_in_dynamic_shared_memory() {
    let body = "
        let i: u64
        let some: &mut [u16]
        let rest: &mut [f64]
        store i = linear_index
        store shared::byte = 9u8
        store some = dynamic_shared &mut [u16](1u64, 20u64)
        store rest = dynamic_shared &mut [f64](50u64)
        store some[i] = cast u16(i)
        store rest[i] = cast f64(add(i, 10u64))
        barrier
        store out[i] = add(cast u32(some[sub(3u64, i)]), cast u32(rest[sub(3u64, i)]))
        store out[i] = add(out[i], mul(1000u32, cast u32(length(rest))))";
    assert_eq!(with_dynamic(body).unwrap(), [4016, 4014, 4012, 4010]);
    let past = "
        let s: &mut [f64]
        store s = dynamic_shared &mut [f64](1000u64)
        store out[0u64] = cast u32(length(s))";
    assert_eq!(with_dynamic(past).unwrap(), [0; 4]);
}

#[test]
fn too_little_dynamic_shared_memory_is_a_fault() {
    for (length, values) in [("43u64", [102, 100]), ("18446744073709551615u64", [14, 100])] {
        let body = format!("let s: &mut [u16]\nstore s = dynamic_shared &mut [u16](16u64, {length})");
        match with_dynamic(&body) {
            Err(Error::Fault(fault)) => {
                assert_eq!((fault.kind, fault.values), (FaultKind::SharedMemory, values));
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(with_dynamic("let s: &mut [u16]\nstore s = dynamic_shared &mut [u16](16u64, 42u64)").is_ok());
}
