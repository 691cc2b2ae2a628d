//! Warp operations.

use super::Block;
use super::memory::Memory;
use super::mma;
use super::scalar::Type;
use super::thread::{State, Thread};

/// Threads of a warp.
pub(super) const SIZE: usize = 32;

/// The value read from an inactive lane: arbitrary.
const NOBODY: u64 = 0xdead_beef_dead_beef;

/// Executes warp operations once all named lanes that have not exited are at them; true if there
/// were any.
pub(super) fn exchange(lanes: &mut [Thread], block: &Block<'_>, memory: &Memory) -> Result<bool, String> {
    let mut exchanged = false;
    for lane in 0..lanes.len() {
        if lanes[lane].state == State::AtExchange {
            exchanged |= exchange_with(lane, lanes, block, memory)?;
        }
    }
    Ok(exchanged)
}

/// The same for the operation that one lane is at.
fn exchange_with(first: usize, lanes: &mut [Thread], block: &Block<'_>, memory: &Memory) -> Result<bool, String> {
    if matches!(block.waits_at(&lanes[first])?.name.first(), Some(&"mma" | &"ldmatrix")) {
        return of_matrices(first, lanes, block, memory);
    }
    let members = match block.waits_at(&lanes[first])?.operands.last() {
        Some(members) => lanes[first].get(members, block)?,
        None => return Err("an exchange names no lanes".to_owned()),
    };
    if members >> first & 1 == 0 {
        return Err(format!("lane {first} is not among those that its exchange names"));
    }
    let there: Vec<usize> = (0..lanes.len())
        .filter(|&lane| members >> lane & 1 == 1 && lanes[lane].state != State::Done)
        .collect();
    let place = (State::AtExchange, lanes[first].at);
    if there.iter().any(|&lane| (lanes[lane].state, lanes[lane].at) != place) {
        return Ok(false);
    }
    let instruction = block.waits_at(&lanes[first])?;
    for &lane in &there {
        let named = instruction
            .operands
            .last()
            .map(|operand| lanes[lane].get(operand, block));
        if named != Some(Ok(members)) {
            return Err(format!("lanes {first} and {lane} name others: {}", instruction.text));
        }
    }
    let (name, operands) = (instruction.name.as_slice(), &instruction.operands);
    // Operand `number` of each active lane.
    let given = |lanes: &[Thread], number: usize| -> Result<[Option<u64>; SIZE], String> {
        let mut values = [None; SIZE];
        for &lane in &there {
            values[lane] = Some(lanes[lane].get(&operands[number], block)?);
        }
        Ok(values)
    };
    let results: [u64; SIZE] = match *name {
        ["bar", "warp", "sync"] => [0; SIZE],
        ["shfl", "sync", mode, "b32"] => {
            let (values, amounts, bounds) = (given(lanes, 1)?, given(lanes, 2)?, given(lanes, 3)?);
            let mut results = [0; SIZE];
            for &lane in &there {
                let (amount, bound) = (amounts[lane].unwrap_or(0), bounds[lane].unwrap_or(0));
                let source = source(mode, lane as u64, amount & 31, bound)?;
                results[lane] = values[source as usize].unwrap_or(NOBODY);
            }
            results
        }
        ["vote", "sync", "ballot", "b32"] => {
            let votes = given(lanes, 1)?;
            let lanes = there.iter().filter(|&&lane| votes[lane].unwrap_or(0) & 1 == 1);
            [lanes.fold(0, |ballot, lane| ballot | 1 << lane); SIZE]
        }
        ["match", "any", "sync", ty] => {
            let mask = Type::parse(ty)?.mask();
            let values = given(lanes, 1)?.map(|value| value.map(|value| value & mask));
            let mut results = [0; SIZE];
            for &lane in &there {
                let same = there.iter().filter(|&&other| values[other] == values[lane]);
                results[lane] = same.fold(0, |same, other| same | 1 << other);
            }
            results
        }
        ["redux", "sync", op, ty] => {
            let values = given(lanes, 1)?.into_iter().flatten().map(|value| value as u32);
            [u64::from(combined(op, ty, values)?); SIZE]
        }
        _ => return Err(format!("unknown instruction: {}", instruction.text)),
    };
    for &lane in &there {
        if name[0] != "bar" {
            lanes[lane].set(&operands[0], Type::parse("b32")?, results[lane])?;
        }
        lanes[lane].state = State::Runs;
    }
    Ok(true)
}

/// The values of some lanes, one at least, combined by `redux`.
fn combined(op: &str, ty: &str, mut values: impl Iterator<Item = u32>) -> Result<u32, String> {
    let first = values.next().ok_or("no lane is there")?;
    let combine: fn(u32, u32) -> u32 = match (op, ty) {
        ("add", "u32" | "s32") => u32::wrapping_add,
        ("min", "u32") => u32::min,
        ("max", "u32") => u32::max,
        ("min", "s32") => |a, b| (a as i32).min(b as i32) as u32,
        ("max", "s32") => |a, b| (a as i32).max(b as i32) as u32,
        ("and", "b32") => |a, b| a & b,
        ("or", "b32") => |a, b| a | b,
        ("xor", "b32") => |a, b| a ^ b,
        _ => return Err(format!("no reduction `{op}.{ty}`")),
    };
    Ok(values.fold(first, combine))
}

/// The source lane of a shuffle; the bound also selects the bits of a lane index that identify its
/// segment.
fn source(mode: &str, lane: u64, amount: u64, bound: u64) -> Result<u64, String> {
    let (segment, bound) = (bound >> 8 & 31, bound & 31);
    let lowest = lane & segment;
    let highest = lowest | bound & !segment;
    let (source, is_there) = match mode {
        "up" => (lane.wrapping_sub(amount), lane >= amount + highest),
        "down" => (lane + amount, lane + amount <= highest),
        "bfly" => (lane ^ amount, lane ^ amount <= highest),
        "idx" => {
            let source = lowest | amount & !segment;
            (source, source <= highest)
        }
        _ => return Err(format!("no shuffle `{mode}`")),
    };
    Ok(if is_there { source } else { lane })
}

/// Executes a matrix product or load once all lanes have arrived, none of which may have faulted.
fn of_matrices(first: usize, lanes: &mut [Thread], block: &Block<'_>, memory: &Memory) -> Result<bool, String> {
    let at = lanes[first].at;
    let waits = |lane: &Thread| (lane.state, lane.at) == (State::AtExchange, at);
    if lanes.iter().any(|lane| lane.state == State::Done) {
        return Err("matrices without some lanes of a warp".to_owned());
    }
    if !lanes.iter().all(waits) {
        return Ok(false);
    }
    let instruction = block.waits_at(&lanes[first])?;
    if lanes.len() != SIZE {
        return Err("matrices without a whole warp".to_owned());
    }
    match instruction.name.as_slice() {
        ["mma", "sync", "aligned", shape, "row", "col", types @ ..] => {
            mma::multiply_add(shape, types, &instruction.operands, lanes)?;
        }
        ["ldmatrix", "sync", "aligned", "m8n8", number, rest @ ..] => {
            mma::load_matrices(number, rest, &instruction.operands, lanes, memory)?;
        }
        _ => return Err(format!("unknown instruction: {}", instruction.text)),
    }
    for lane in lanes {
        lane.state = State::Runs;
    }
    Ok(true)
}
