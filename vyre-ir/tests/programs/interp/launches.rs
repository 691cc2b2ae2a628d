//! Arguments, grids, builtins, entries and externals.

use vyre_ir::interp::{Error, Options, entry, launch, launch_with};
use vyre_ir::ir::Handle;

use super::{Argument, on_words, parse, read_words, run, u32_argument, valid, words};

#[test]
fn saxpy() {
    let text = "
        kernel k(a: f32, x: &[f32], y: &mut [f32]) dimensions 1 block 32 1 1 { entry k {
            let i: u64
            store i = global_index.x
            if lt(i, length(y)) {
                store y[i] = add(mul(a, x[i]), y[i])
            }
        } }";
    let floats = |values: &[f32]| words(&values.iter().map(|value| value.to_bits()).collect::<Vec<_>>());
    let x: Vec<f32> = (0..100).map(|i| i as f32 * 0.1).collect();
    let y: Vec<f32> = (0..100).map(|i| 1.0 / (i as f32 + 1.0)).collect();
    let expected: Vec<f32> = x.iter().zip(&y).map(|(x, y)| 3.0 * x + y).collect();
    let (mut x, mut y) = (floats(&x), floats(&y));
    let a = Argument::Scalar(vyre_abi::semantics::Native::constant(3.0f32));
    run(
        text,
        &mut [a, Argument::Slice(&mut x), Argument::Slice(&mut y)],
        [4, 1, 1],
    )
    .unwrap();
    assert_eq!(y, floats(&expected));
}

#[test]
fn builtins_name_every_thread() {
    let body = "
        let i: u64
        store i = linear_index
        store out[i] = add(mul(cast u32(global_index.x), 100u32), add(mul(cast u32(global_index.y), 10u32), cast u32(global_index.z)))
        store out[add(i, 48u64)] = add(thread_index.z, mul(10u32, add(block_index.y, mul(10u32, add(block_size.y, mul(10u32, grid_size.x))))))";
    let result = on_words("", "2 1 2", body, [3, 4, 1], &[0; 96]).unwrap();
    let mut number = 0;
    for block_y in 0..4 {
        for block_x in 0..3 {
            for z in 0..2 {
                for x in 0..2 {
                    assert_eq!(result[number], (block_x * 2 + x) * 100 + block_y * 10 + z);
                    assert_eq!(result[number + 48], z + 10 * (block_y + 10 * (1 + 10 * 3)));
                    number += 1;
                }
            }
        }
    }
    assert_eq!(number, 48);
}

#[test]
fn an_empty_grid_does_nothing() {
    let body = "store out[0u64] = 1u32";
    assert_eq!(on_words("", "1 1 1", body, [1, 0, 1], &[5]).unwrap(), [5]);
}

const ENTRIES: &str = "
    kernel k(x: &mut [u32], n: u32) dimensions 1 block 1 1 1 {
        entry four coarsening 4 if and_then(eq(rem(length(x), 4u64), 0u64), eq(n, 0u32)) {
            store x[0u64] = 4u32
        }
        entry two if eq(n, 2u32) {
            store x[0u64] = 2u32
        }
        entry any {
            store x[0u64] = 1u32
        }
    }";

#[test]
fn the_first_entry_whose_predicate_holds_runs() {
    let program = parse(ENTRIES);
    let kernel = program.kernel("k").unwrap();
    // The length, `n`, and the entry.
    for (length, n, expected) in [(8, 0, 0), (8, 1, 2), (7, 0, 2), (7, 2, 1)] {
        let mut x = words(&vec![0; length]);
        let mut arguments = [Argument::Slice(&mut x), u32_argument(n)];
        assert_eq!(entry(&valid(&program), kernel, &mut arguments), Ok(expected));
        launch(&valid(&program), kernel, &mut arguments, [1; 3]).unwrap();
        assert_eq!(read_words(&x)[0], [4, 2, 1][expected]);
    }
}

#[test]
fn an_entry_can_be_chosen() {
    let program = parse(ENTRIES);
    let kernel = program.kernel("k").unwrap();
    let mut x = words(&[0; 8]);
    let mut arguments = [Argument::Slice(&mut x), u32_argument(0)];
    let mut with = |entry| {
        let options = Options {
            entry: Some(entry),
            ..Options::default()
        };
        launch_with(&valid(&program), kernel, &mut arguments, [1; 3], options)
    };
    assert_eq!(with(3), Err(Error::NoEntry));
    assert_eq!(with(2), Ok(()));
    assert_eq!(read_words(&x)[0], 1);
}

#[test]
fn externals_need_a_value() {
    let text = "
        external SCALE: u32 = 0xV0000000
        kernel k(x: &mut [u32]) dimensions 1 block 1 1 1 { entry k {
            store x[0u64] = external::SCALE
        } }";
    let mut program = parse(text);
    let kernel = program.kernel("k").unwrap();
    let mut x = words(&[0]);
    let result = launch(&valid(&program), kernel, &mut [Argument::Slice(&mut x)], [1; 3]);
    assert_eq!(result, Err(Error::External(Handle::new(0))));
    program.externals[Handle::new(0)].value = Some(12);
    launch(&valid(&program), kernel, &mut [Argument::Slice(&mut x)], [1; 3]).unwrap();
    assert_eq!(read_words(&x), [12]);
}

#[test]
fn arguments_must_fit() {
    let text = "kernel k(n: u32, x: &[u32], t: (u8, u32)) dimensions 1 block 1 1 1 { entry k {} }";
    let (mut short, mut bytes) = (vec![0; 7], vec![0; 8]);
    let refused = |parameter| Err(Error::Argument { parameter });
    let float = Argument::Scalar(vyre_abi::semantics::Native::constant(1.0f32));
    let slice = |bytes: &mut Vec<u8>, first, last: &[u8]| {
        run(
            text,
            &mut [first, Argument::Slice(bytes), Argument::Bytes(last)],
            [1; 3],
        )
    };
    assert_eq!(slice(&mut bytes, u32_argument(1), &[0; 8]), Ok(()));
    assert_eq!(slice(&mut bytes, float, &[0; 8]), refused(0));
    assert_eq!(slice(&mut short, u32_argument(1), &[0; 8]), refused(1));
    assert_eq!(slice(&mut bytes, u32_argument(1), &[0; 5]), refused(2));
    let too_few = Err(Error::ArgumentCount { expected: 3, given: 0 });
    assert_eq!(run(text, &mut [], [1; 3]), too_few);
}
