//! The kernels of the runtime that copy, on the host and through ptxas.

use vyre_test_support::{ptx_machine, ptxas};

const PTX: &str = include_str!("../../../vyre-runtime/src/cuda/copies.ptx");

/// Bytes of an object of memory, which differ from place to place.
fn numbers(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|number| (number * 7 % 251 + 1) as u8).collect()
}

/// The bytes of the target after a counted copy, and the count that it writes.
fn counted(start: usize, size: u64, most: u64, count: u64, is_wide: bool, blocks: u32) -> (Vec<u8>, u64) {
    let mut objects = vec![
        numbers(start + (size * most) as usize),
        vec![0; 4096],
        count.to_le_bytes()[..if is_wide { 8 } else { 4 }].to_vec(),
        vec![0; 8],
    ];
    let parameters = |addresses: &[u64], _: &mut [Vec<u8>]| {
        let words = [
            addresses[0] + start as u64,
            addresses[1],
            addresses[2],
            addresses[3],
            most,
            size,
        ];
        let words = words.iter().map(|word| word.to_le_bytes().to_vec());
        words.chain([u32::from(is_wide).to_le_bytes().to_vec()]).collect()
    };
    ptx_machine::run(PTX, "vyre_counted", blocks, &mut objects, parameters).unwrap();
    let count = objects[3][..].try_into().map(u64::from_le_bytes);
    (objects.swap_remove(1), count.unwrap())
}

#[test]
fn as_many_elements_are_copied_as_are_counted() {
    // The bytes of an element, and its alignment.
    for (size, align) in [(1u64, 1), (2, 2), (4, 4), (12, 4), (7, 1), (16, 16)] {
        for start in (0..34).step_by(align) {
            for count in [0, 1, 2, 3, 16, 17, 40, 41, 1000] {
                let most = 40;
                let (found, told) = counted(start, size, most, count, count % 2 == 0, 1 + (count % 3) as u32);
                let bytes = (size * count.min(most)) as usize;
                let mut expected = numbers(start + (size * most) as usize)[start..start + bytes].to_vec();
                expected.resize(4096, 0);
                assert!(found == expected, "{count} elements of {size} bytes from {start} on");
                assert_eq!(told, count);
            }
        }
    }
    // A wide counter that says more than 32 bits have, and turns of the loops.
    assert_eq!(counted(0, 4, 10, 1 << 40, true, 1).1, 1 << 40);
    for start in [0, 4, 1] {
        let (found, _) = counted(start, 1, 4096, 4096, false, 1);
        assert!(found == numbers(start + 4096)[start..], "{start}");
    }
    assert_eq!(counted(0, 0, 10, 5, false, 1), (vec![0; 4096], 5));
}

#[test]
fn all_parts_are_copied() {
    // Each length at each offset; no other byte changes.
    let lengths = [0, 1, 2, 3, 5, 14, 15, 16, 17, 31, 32, 33, 47, 100, 511, 512, 513, 1100];
    for start in 0..18 {
        let (mut at, mut parts) = (start, Vec::new());
        for length in lengths {
            parts.push((at, length));
            at += length + 1 + length % 3;
        }
        let end = at;
        let mut objects = vec![vec![0; 16 * parts.len()], vec![0xee; end]];
        let mut expected = objects[1].clone();
        let parameters = |addresses: &[u64], objects: &mut [Vec<u8>]| {
            for (row, &(at, length)) in parts.iter().enumerate() {
                let to = addresses[1] + at as u64;
                let offset = objects[0].len() + (to as usize).wrapping_sub(objects[0].len()) % 16;
                let source = numbers(offset + length).split_off(offset);
                expected[at..at + length].copy_from_slice(&source);
                objects[0].resize(offset, 0);
                objects[0].extend(source);
                let table = &mut objects[0][16 * row..16 * row + 16];
                table[..8].copy_from_slice(&to.to_le_bytes());
                table[8..12].copy_from_slice(&(offset as u32).to_le_bytes());
                table[12..].copy_from_slice(&(length as u32).to_le_bytes());
            }
            vec![
                addresses[0].to_le_bytes().to_vec(),
                (parts.len() as u32).to_le_bytes().to_vec(),
            ]
        };
        ptx_machine::run(PTX, "vyre_scatter", 3, &mut objects, parameters).unwrap();
        assert!(objects[1] == expected, "from {start} on");
    }
}

#[test]
fn the_kernels_are_assembled() {
    let Some(assembler) = ptxas::find() else { return };
    for target in ptxas::TARGETS {
        ptxas::assemble(assembler, PTX, target).unwrap();
    }
}
