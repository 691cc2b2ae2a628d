//! Runs PTX that no program stands behind.

use std::cell::Cell;
use std::collections::HashMap;

use super::memory::Memory;
use super::parse::Source;
use super::{Block, STEP_LIMIT, Turn};

/// Runs an entry of a text over a number of blocks, which do not wait for each other, on objects of memory. A function
/// gets the addresses of the objects, may write to these, and returns the bytes of each parameter.
///
/// # Errors
/// As [`launch`](super::launch).
pub fn run(
    ptx: &str,
    symbol: &str,
    blocks: u32,
    objects: &mut [Vec<u8>],
    parameters: impl FnOnce(&[u64], &mut [Vec<u8>]) -> Vec<Vec<u8>>,
) -> Result<(), String> {
    let source = Source::parse(ptx, symbol)?;
    let mut memory = Memory::default();
    let addresses: Vec<u64> = objects.iter().map(|_| memory.add(false, Vec::new())).collect();
    let parameters = source.entry.lay_out(&parameters(&addresses, objects))?;
    for (object, &address) in objects.iter_mut().zip(&addresses) {
        memory.put(address, std::mem::take(object));
    }
    let (names, mut steps) = (HashMap::new(), STEP_LIMIT);
    for number in 0..blocks {
        let block = Block {
            entry: &source.entry,
            names: &names,
            parameters: &parameters,
            grid: [blocks, 1, 1],
            shared_bytes: 0,
            block: [number, 0, 0],
            own: Cell::default(),
        };
        let mut threads = block.threads(&mut memory);
        loop {
            match block.turn(&mut threads, &mut memory, &mut steps)? {
                Turn::Done => break,
                Turn::Runs => {}
                Turn::Waits => return Err("a block waits for others".to_owned()),
            }
        }
        memory.release_small();
    }
    for (object, &address) in objects.iter_mut().zip(&addresses) {
        *object = memory.take(address);
    }
    Ok(())
}
