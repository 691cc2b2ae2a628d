//! One thread: its registers and its program counter.

use std::collections::HashMap;

use super::Block;
use super::copies::{self, Copies};
use super::half;
use super::memory::Memory;
use super::parse::{Entry, Instruction, Operand};
use super::scalar::{self, Kind, Type};
use super::warp;

/// Instructions of a turn.
const TURN: u32 = 5000;

/// The state of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Runs,
    /// Waits for its block at the instruction before `at`.
    AtBarrier,
    /// Waits for its cluster there.
    AtCluster,
    /// Waits for its warp there.
    AtExchange,
    Done,
}

/// A thread of a block.
#[derive(Debug)]
pub(super) struct Thread {
    registers: Vec<u64>,
    /// The next instruction.
    pub(super) at: usize,
    /// Addresses of the variables that it sees.
    names: HashMap<String, u64>,
    place: [u32; 3],
    pub(super) state: State,
    /// True if it waits, so that others should run next.
    gives_way: bool,
    /// Its pending copies.
    copies: Copies,
}

impl Thread {
    pub(super) fn new(entry: &Entry<'_>, names: HashMap<String, u64>, place: [u32; 3]) -> Thread {
        Thread {
            // Uninitialised registers have an arbitrary value.
            registers: vec![0xdead_beef_dead_beef; entry.registers],
            at: 0,
            names,
            place,
            state: State::Runs,
            gives_way: false,
            copies: Copies::default(),
        }
    }

    /// Runs to the next barrier or warp operation, to the end of a turn, or to the end.
    pub(super) fn run(&mut self, block: &Block<'_>, memory: &mut Memory, steps: &mut u64) -> Result<(), String> {
        for _ in 0..TURN {
            *steps = steps.checked_sub(1).ok_or("the launch does not end")?;
            let Some(instruction) = block.entry.code.get(self.at) else {
                return Err("ran past the end of the code".to_owned());
            };
            self.at += 1;
            if let Some((predicate, value)) = instruction.predicate
                && (self.registers[predicate] & 1 == 1) != value
            {
                continue;
            }
            self.state = self
                .step(instruction, block, memory)
                .map_err(|error| format!("{error}: {}", instruction.text))?;
            if self.state != State::Runs || std::mem::take(&mut self.gives_way) {
                break;
            }
        }
        self.copies.finish(memory)
    }

    fn step(&mut self, instruction: &Instruction<'_>, block: &Block<'_>, memory: &mut Memory) -> Result<State, String> {
        let name = instruction.name.as_slice();
        let operands = &instruction.operands;
        let last = name.last().copied().unwrap_or_default();
        match name[0] {
            "ret" => return Ok(State::Done),
            "barrier" if name[1..] == ["cluster", "arrive"] => {}
            "barrier" if name[1..] == ["cluster", "wait"] => return Ok(State::AtCluster),
            "mapa" => {
                let (address, rank) = (self.get(&operands[1], block)?, self.get(&operands[2], block)?);
                let there = block.map(address, rank)?;
                self.set(&operands[0], Type::parse("u32")?, there)?;
            }
            "bar" if name[1] == "warp" => return Ok(State::AtExchange),
            "bar" => return Ok(State::AtBarrier),
            "shfl" | "vote" | "match" | "redux" | "mma" | "ldmatrix" => return Ok(State::AtExchange),
            "fence" | "createpolicy" | "nanosleep" => {}
            "prefetch" => {
                memory.read(self.address(&operands[0])?, 1)?;
            }
            "cp" => self.copy(name, operands, block, memory)?,
            "mbarrier" => self.split_barrier(name[1], operands, block, memory)?,
            "bra" => {
                let Some(Operand::Name(label)) = operands.first() else {
                    return Err("no label".to_owned());
                };
                self.at = *block.entry.labels.get(label).ok_or("unknown label")?;
            }
            "ld" if name[1] == "param" => {
                let Operand::Memory(base, offset) = &operands[1] else {
                    return Err("no address".to_owned());
                };
                let ty = Type::parse(last)?;
                let Operand::Name(parameter) = &**base else {
                    let bits = memory.read(self.address(&operands[1])?, u64::from(ty.bits) / 8)?;
                    self.set(&operands[0], ty, ty.extend(bits))?;
                    return Ok(State::Runs);
                };
                let start = block.entry.parameter_offset(parameter).ok_or("unknown parameter")? + *offset as usize;
                let bytes = &block.parameters[start..start + ty.bits as usize / 8];
                let mut bits = [0; 8];
                bits[..bytes.len()].copy_from_slice(bytes);
                self.set(&operands[0], ty, ty.extend(u64::from_le_bytes(bits)))?;
            }
            "ld" => {
                if matches!(operands[0], Operand::Nowhere) {
                    return Err("a load needs a register".to_owned());
                }
                let ty = Type::parse(last)?;
                let (address, bytes) = (self.address(&operands[1])?, u64::from(ty.bits) / 8);
                let targets = Self::elements(&operands[0], name, address, bytes)?;
                for (target, number) in targets.iter().zip(0..) {
                    let bits = memory.read(address + bytes * number, bytes)?;
                    self.set(target, ty, ty.extend(bits))?;
                }
            }
            "st" => {
                let ty = Type::parse(last)?;
                let (address, bytes) = (self.address(&operands[0])?, u64::from(ty.bits) / 8);
                let values = Self::elements(&operands[1], name, address, bytes)?;
                for (value, number) in values.iter().zip(0..) {
                    let bits = self.get(value, block)?;
                    memory.write(address + bytes * number, bytes, bits)?;
                }
            }
            "atom" => {
                let old = self.atomic(name, &operands[1], &operands[2..], block, memory)?;
                let ty = if last.ends_with("x2") { "b32" } else { last };
                self.set(&operands[0], Type::parse(ty)?, old)?;
            }
            "red" => {
                self.atomic(name, &operands[0], &operands[1..], block, memory)?;
            }
            "mov" => self.mov(last, operands, block)?,
            "cvta" => {
                let bits = self.get(&operands[1], block)?;
                self.set(&operands[0], Type::parse("u64")?, bits)?;
            }
            // Rounds the 13 removed bits to nearest, ties away from zero.
            "cvt" if name[1..] == ["rna", "tf32", "f32"] => {
                let bits = self.get(&operands[1], block)? as u32;
                let rounded = match f32::from_bits(bits).is_nan() {
                    true => 0x7fff_ffff,
                    false => ((bits >> 13) + (bits >> 12 & 1)) << 13,
                };
                self.set(&operands[0], Type::parse("b32")?, rounded.into())?;
            }
            "cvt" => {
                let (to, from) = (Type::parse(name[name.len() - 2])?, Type::parse(last)?);
                let a = self.get(&operands[1], block)?;
                let value = scalar::convert(&name[..name.len() - 2], to, from, a)?;
                self.set(&operands[0], to, value)?;
            }
            "setp" => {
                let ty = Type::parse(last)?;
                let (a, b) = (self.get(&operands[1], block)?, self.get(&operands[2], block)?);
                let mut holds = scalar::compare(name[1], ty, a, b)?;
                if let Some(before) = operands.get(3) {
                    if name[2] != "and" {
                        return Err("unknown combination".to_owned());
                    }
                    holds &= self.get(before, block)? & 1 == 1;
                }
                self.set(&operands[0], Type::parse("pred")?, u64::from(holds))?;
            }
            "selp" => {
                let chosen = if self.get(&operands[3], block)? & 1 == 1 {
                    &operands[1]
                } else {
                    &operands[2]
                };
                let value = self.get(chosen, block)?;
                self.set(&operands[0], Type::parse(last)?, value)?;
            }
            _ => self.arithmetic(name, operands, block)?,
        }
        Ok(State::Runs)
    }

    fn arithmetic(&mut self, name: &[&str], operands: &[Operand], block: &Block<'_>) -> Result<(), String> {
        let mut ty = Type::parse(name.last().copied().unwrap_or_default())?;
        let mut values = [0; 3];
        let sources = operands.get(1..4.min(operands.len())).unwrap_or_default();
        for (value, source) in values.iter_mut().zip(sources) {
            *value = self.get(source, block)?;
        }
        let value = match values[..sources.len()] {
            [a] => scalar::unary(name, ty, a)?,
            [a, b] => scalar::binary(name, ty, a, b)?,
            [a, b, c] => scalar::ternary(name, ty, a, b, c)?,
            _ => return Err("unknown instruction".to_owned()),
        };
        if name.contains(&"wide") {
            ty.bits *= 2;
        }
        if matches!(name[0], "clz" | "popc") {
            ty = Type::parse("u32")?;
        }
        self.set(&operands[0], ty, value)
    }

    fn mov(&mut self, ty: &str, operands: &[Operand], block: &Block<'_>) -> Result<(), String> {
        match (&operands[0], &operands[1]) {
            (&Operand::Pair(low, high), source) => {
                let bits = self.get(source, block)?;
                self.registers[low] = bits & 0xffff_ffff;
                self.registers[high] = bits >> 32;
                Ok(())
            }
            (target, &Operand::Pair(low, high)) => {
                let bits = self.registers[low] & 0xffff_ffff | self.registers[high] << 32;
                self.set(target, Type::parse(ty)?, bits)
            }
            (target, source) => {
                let bits = self.get(source, block)?;
                self.set(target, Type::parse(ty)?, bits)
            }
        }
    }

    fn atomic(
        &self,
        name: &[&str],
        place: &Operand,
        operands: &[Operand],
        block: &Block<'_>,
        memory: &mut Memory,
    ) -> Result<u64, String> {
        let (operator, ty) = (name[name.len() - 2], name[name.len() - 1]);
        let address = self.address(place)?;
        if let Some(half) = ty.strip_suffix("x2") {
            if name[name.len() - 3..name.len() - 1] != ["add", "noftz"] {
                return Err("unknown operation on pairs".to_owned());
            }
            let (ty, old) = (Type::parse(half)?, memory.read(address, 4)?);
            let operand = self.get(&operands[0], block)?;
            let sum = |shift: u32| {
                let [a, b] = [old, operand].map(|pair| half::decode(ty, pair >> shift & 0xffff));
                half::encode(ty, a + b, 0.0) << shift
            };
            memory.write(address, 4, sum(0) | sum(16))?;
            return Ok(old);
        }
        let ty = Type::parse(ty)?;
        let size = u64::from(ty.bits) / 8;
        let old = memory.read(address, size)?;
        let first = self.get(&operands[0], block)? & ty.mask();
        let new = match operator {
            "exch" => first,
            "cas" if old == first => self.get(&operands[1], block)?,
            "cas" => old,
            "inc" if old >= first => 0,
            "inc" => old + 1,
            "add" if ty.kind == Kind::Float => scalar::binary(&["add", "rn"], ty, old, first)?,
            "min" | "max" if ty.kind == Kind::Float => return Err("no such instruction".to_owned()),
            _ => scalar::binary(&[operator], ty, old, first)?,
        };
        memory.write(address, size, new)?;
        Ok(old)
    }

    /// Barriers with split arrive and wait.
    fn split_barrier(
        &mut self,
        what: &str,
        operands: &[Operand],
        block: &Block<'_>,
        memory: &mut Memory,
    ) -> Result<(), String> {
        match what {
            "init" => {
                let state = copies::barrier(self.get(&operands[1], block)?)?;
                memory.write(self.address(&operands[0])?, 8, state)
            }
            "arrive" => {
                let token = copies::arrive(self.address(&operands[1])?, memory)?;
                self.set(&operands[0], Type::parse("b64")?, token)
            }
            "test_wait" => {
                let state = memory.read(self.address(&operands[1])?, 8)?;
                let over = copies::is_over(state, self.get(&operands[2], block)?);
                self.gives_way = !over;
                self.set(&operands[0], Type::parse("pred")?, u64::from(over))
            }
            _ => Err("unknown instruction".to_owned()),
        }
    }

    /// `cp.async` and its waits.
    fn copy(
        &mut self,
        name: &[&str],
        operands: &[Operand],
        block: &Block<'_>,
        memory: &mut Memory,
    ) -> Result<(), String> {
        match name[1..] {
            ["async", cache, "shared", "global"] => {
                let (to, from) = (self.address(&operands[0])?, self.address(&operands[1])?);
                let bytes = self.get(&operands[2], block)?;
                self.copies.begin(cache, [to, from], bytes)
            }
            ["async", "mbarrier", "arrive", "shared", "b64"] => self.copies.hold(self.address(&operands[0])?, memory),
            ["async", "commit_group"] => {
                self.copies.commit();
                Ok(())
            }
            ["async", "wait_group"] => {
                let pending = self.get(&operands[0], block)?;
                self.copies.wait(pending as usize, memory)
            }
            _ => Err("unknown instruction".to_owned()),
        }
    }

    pub(super) fn address(&self, operand: &Operand) -> Result<u64, String> {
        let Operand::Memory(base, offset) = operand else {
            return Err("no address".to_owned());
        };
        let base = match &**base {
            Operand::Register(register) => self.registers[*register],
            Operand::Name(name) => *self.names.get(name).ok_or("unknown variable")?,
            _ => return Err("no address".to_owned()),
        };
        let address = base.wrapping_add_signed(*offset);
        // Addresses of small memories have 32 bits, and wrap there.
        let is_small = base <= u64::from(u32::MAX);
        Ok(if is_small {
            address & u64::from(u32::MAX)
        } else {
            address
        })
    }

    /// The lane index of the thread.
    fn lane(&self, block: &Block<'_>) -> usize {
        let ([x, y, z], [width, height, _]) = (self.place, block.entry.block);
        ((z * height + y) * width + x) as usize % warp::SIZE
    }

    /// The registers in braces.
    pub(super) fn group(operand: &Operand) -> Result<Vec<usize>, String> {
        match operand {
            Operand::Group(registers) => Ok(registers.clone()),
            &Operand::Pair(first, second) => Ok(vec![first, second]),
            _ => Err("no registers in braces".to_owned()),
        }
    }

    /// The elements of a vector, or the only operand, of an access at an address, each of so many bytes.
    fn elements(operand: &Operand, name: &[&str], address: u64, bytes: u64) -> Result<Vec<Operand>, String> {
        let Ok(vector) = Self::group(operand) else {
            return Ok(vec![operand.clone()]);
        };
        let count = vector.len() as u64;
        if !name.contains(&format!("v{count}").as_str()) || ![2, 4].contains(&count) || count * bytes > 16 {
            return Err(format!("{count} elements of {bytes} bytes"));
        }
        if !address.is_multiple_of(count * bytes) {
            return Err(format!(
                "a vector of {} bytes at {address:#x} is not aligned",
                count * bytes
            ));
        }
        Ok(vector.into_iter().map(Operand::Register).collect())
    }

    /// A register by its number.
    pub(super) fn register(&mut self, number: usize) -> &mut u64 {
        &mut self.registers[number]
    }

    /// The value of an operand.
    pub(super) fn get(&self, operand: &Operand, block: &Block<'_>) -> Result<u64, String> {
        match operand {
            Operand::Register(register) => Ok(self.registers[*register]),
            Operand::Immediate(bits) => Ok(*bits),
            Operand::Name(name) => {
                if let Some(&address) = self.names.get(name) {
                    return Ok(address);
                }
                match name.as_str() {
                    "%laneid" => return Ok(self.lane(block) as u64),
                    "%lanemask_lt" => return Ok((1 << self.lane(block)) - 1),
                    "%lanemask_ge" => return Ok((u64::from(u32::MAX) << self.lane(block)) as u32 as u64),
                    _ => {}
                }
                if name == "%dynamic_smem_size" {
                    return Ok(block.shared_bytes.into());
                }
                let (register, axis) = name.split_once('.').ok_or("unknown name")?;
                let axis = match axis {
                    "x" => 0,
                    "y" => 1,
                    "z" => 2,
                    _ => return Err("unknown axis".to_owned()),
                };
                let values = match register {
                    "%tid" => self.place,
                    "%ctaid" => block.block,
                    "%nctaid" => block.grid,
                    "%ntid" => block.entry.block,
                    _ => return Err("unknown register".to_owned()),
                };
                Ok(u64::from(values[axis]))
            }
            _ => Err("no value".to_owned()),
        }
    }

    /// Writes a register, with the width of the instruction's type.
    pub(super) fn set(&mut self, target: &Operand, ty: Type, bits: u64) -> Result<(), String> {
        match target {
            Operand::Register(register) => {
                // A narrow load extends to the register, which has at least 32 bits.
                let mask = if ty.bits < 32 && ty.kind != Kind::Predicate {
                    0xffff_ffff
                } else {
                    ty.mask()
                };
                self.registers[*register] = bits & mask;
                Ok(())
            }
            Operand::Nowhere => Ok(()),
            _ => Err("no target".to_owned()),
        }
    }
}
