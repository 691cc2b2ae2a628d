//! `ldmatrix` and `mma.sync`, with the fragment layouts of each type as in the PTX manual.

use super::half;
use super::memory::Memory;
use super::parse::Operand;
use super::scalar::Type;
use super::thread::Thread;

/// Row and column of each element of a fragment; `bits` is the width of an element.
struct Layout {
    bits: u32,
    places: Vec<(usize, usize)>,
}

/// Loads matrices of eight rows of 16 bytes; each lane supplies the address of a row.
pub(super) fn load_matrices(
    number: &str,
    rest: &[&str],
    operands: &[Operand],
    lanes: &mut [Thread],
    memory: &Memory,
) -> Result<(), String> {
    let count = match number {
        "x1" => 1,
        "x2" => 2,
        "x4" => 4,
        _ => return Err(format!("{number} matrices")),
    };
    let transposed = match rest {
        ["shared", "b16"] => false,
        ["trans", "shared", "b16"] => true,
        _ => return Err("no such load of matrices".to_owned()),
    };
    let [target, address] = operands else {
        return Err("two operands".to_owned());
    };
    let target = Thread::group(target)?;
    if target.len() != count {
        return Err(format!("{} registers for {count} matrices", target.len()));
    }
    // Rows of eight elements of 16 bits.
    let mut rows = Vec::new();
    for lane in &lanes[..8 * count] {
        let mut row = [0; 8];
        let start = lane.address(address)?;
        if start % 16 != 0 {
            return Err(format!("a row of a matrix at {start:#x} is not aligned"));
        }
        for (place, element) in (0..).zip(&mut row) {
            *element = memory.read(start + 2 * place, 2)?;
        }
        rows.push(row);
    }
    for (lane, thread) in lanes.iter_mut().enumerate() {
        let (row, pair) = (lane / 4, 2 * (lane % 4));
        for (matrix, &register) in rows.chunks(8).zip(&target) {
            let (low, high) = match transposed {
                true => (matrix[pair][row], matrix[pair + 1][row]),
                false => (matrix[row][pair], matrix[row][pair + 1]),
            };
            *thread.register(register) = high << 16 | low;
        }
    }
    Ok(())
}

/// `D = A * B + C`, by a full warp.
pub(super) fn multiply_add(
    shape: &str,
    types: &[&str],
    operands: &[Operand],
    lanes: &mut [Thread],
) -> Result<(), String> {
    let &[sum, factor, other, same] = types else {
        return Err("four types".to_owned());
    };
    let is_byte = |ty| matches!(ty, "s8" | "u8");
    if factor != other && !(is_byte(factor) && is_byte(other)) || sum != same {
        return Err("no such product".to_owned());
    }
    let [d, a, b, c] = operands else {
        return Err("four operands".to_owned());
    };
    let groups = [a, b, c].map(Thread::group);
    let [a, b, c] = [groups[0].clone()?, groups[1].clone()?, groups[2].clone()?];
    let d = Thread::group(d)?;
    let (m, k) = match shape {
        "m8n8k4" => (8, 4),
        "m16n8k4" => (16, 4),
        "m16n8k8" => (16, 8),
        "m16n8k16" => (16, 16),
        "m16n8k32" => (16, 32),
        _ => return Err("no such shape".to_owned()),
    };
    let mut left = vec![vec![0u64; k]; m];
    let mut right = vec![vec![0u64; 8]; k];
    let mut sums = vec![vec![0u64; 8]; m];
    for (lane, thread) in lanes.iter_mut().enumerate() {
        for (registers, matrix, which) in [(&a, &mut left, 'a'), (&b, &mut right, 'b'), (&c, &mut sums, 'c')] {
            let ty = match which {
                'a' => factor,
                'b' => other,
                _ => sum,
            };
            let layout = layout(which, ty, (m, k), lane)?;
            let per_register = (64 / layout.bits).min(32u32.div_ceil(layout.bits)) as usize;
            if registers.len() * per_register != layout.places.len() {
                return Err(format!("{} registers of {which}", registers.len()));
            }
            for (element, &(row, column)) in layout.places.iter().enumerate() {
                let register = *thread.register(registers[element / per_register]);
                let shifted = register >> ((element % per_register) as u32 * layout.bits);
                matrix[row][column] = shifted & (u64::MAX >> (64 - layout.bits));
            }
        }
    }
    for (lane, thread) in lanes.iter_mut().enumerate() {
        let layout = layout('c', sum, (m, k), lane)?;
        for (element, &(row, column)) in layout.places.iter().enumerate() {
            let products = (0..k).map(|i| (left[row][i], right[i][column]));
            let result = dot([factor, other], sum, sums[row][column], products)?;
            let register = thread.register(d[element * layout.bits.min(32) as usize / 32]);
            // In registers of two elements, the first one clears the register.
            *register = match (layout.bits, element % 2) {
                (16, 1) => *register | result << 16,
                _ => result,
            };
        }
    }
    Ok(())
}

/// The elements of a lane's fragment, in the order of the registers.
fn layout(which: char, ty: &str, (m, k): (usize, usize), lane: usize) -> Result<Layout, String> {
    let (group, thread) = (lane >> 2, lane % 4);
    let places = match (which, ty, m, k) {
        ('a', "s8" | "u8", 16, 16) => (0..8)
            .map(|i| (if i < 4 { group } else { group + 8 }, thread * 4 + (i & 3)))
            .collect(),
        ('b', "s8" | "u8", _, 16) => (0..4).map(|i| (thread * 4 + i, group)).collect(),
        ('a', "s8" | "u8", 16, 32) => (0..16)
            .map(|i| {
                let row = if i < 4 || (8..12).contains(&i) {
                    group
                } else {
                    group + 8
                };
                (row, thread * 4 + (i & 3) + if i < 8 { 0 } else { 16 })
            })
            .collect(),
        ('b', "s8" | "u8", _, 32) => (0..8)
            .map(|i| (thread * 4 + (i & 3) + if i < 4 { 0 } else { 16 }, group))
            .collect(),
        ('a', "f16" | "bf16", 16, 8) => (0..4)
            .map(|i| (if i < 2 { group } else { group + 8 }, thread * 2 + (i & 1)))
            .collect(),
        ('b', "f16" | "bf16", _, 8) => (0..2).map(|i| (thread * 2 + i, group)).collect(),
        ('a', "f16" | "bf16", 16, 16) => (0..8)
            .map(|i| {
                let row = if i < 2 || (4..6).contains(&i) { group } else { group + 8 };
                (row, thread * 2 + (i & 1) + if i < 4 { 0 } else { 8 })
            })
            .collect(),
        ('b', "f16" | "bf16", _, 16) => (0..4)
            .map(|i| (thread * 2 + (i & 1) + if i < 2 { 0 } else { 8 }, group))
            .collect(),
        ('a', "tf32", 16, 4) => vec![(group, thread), (group + 8, thread)],
        ('b', "tf32" | "f64", _, 4) => vec![(thread, group)],
        ('a', "tf32", 16, 8) => vec![
            (group, thread),
            (group + 8, thread),
            (group, thread + 4),
            (group + 8, thread + 4),
        ],
        ('b', "tf32", _, 8) => vec![(thread, group), (thread + 4, group)],
        ('a', "f64", 8, 4) => vec![(group, thread)],
        ('a', "f64", 16, 4) => vec![(group, thread), (group + 8, thread)],
        ('a', "f64", 16, 8) => (0..4)
            .map(|i| (group + i % 2 * 8, if i < 2 { thread } else { thread + 4 }))
            .collect(),
        ('b', "f64", _, 8) => vec![(thread, group), (thread + 4, group)],
        ('c', "f64", 8, _) => vec![(group, thread * 2), (group, thread * 2 + 1)],
        ('c', "s32" | "f32" | "f16" | "f64", 16, _) => (0..4)
            .map(|i| (if i < 2 { group } else { group + 8 }, thread * 2 + (i & 1)))
            .collect(),
        _ => return Err(format!("no fragment {which} of {ty}")),
    };
    let bits = match ty {
        "s8" | "u8" => 8,
        "f16" | "bf16" => 16,
        "f64" => 64,
        _ => 32,
    };
    Ok(Layout { bits, places })
}

/// The sum of the products, starting with `start`.
fn dot(
    [factor, other]: [&str; 2],
    sum: &str,
    start: u64,
    products: impl Iterator<Item = (u64, u64)>,
) -> Result<u64, String> {
    Ok(match factor {
        "s8" | "u8" => {
            let value = |ty: &str, bits: u64| match ty {
                "s8" => i64::from(bits as u8 as i8),
                _ => bits as i64,
            };
            let products = products.map(|(a, b)| value(factor, a) * value(other, b));
            let sum = i64::from(start as i32) + products.sum::<i64>();
            u64::from(sum as u32)
        }
        "tf32" => {
            let value = |bits: u64| f64::from(f32::from_bits(bits as u32));
            let sum = products.fold(value(start), |sum, (a, b)| sum + value(a) * value(b));
            u64::from((sum as f32).to_bits())
        }
        "f16" | "bf16" => {
            let ty = Type::parse(factor)?;
            let value = |bits: u64| half::decode(ty, bits);
            let start = match sum {
                "f16" => value(start),
                _ => f64::from(f32::from_bits(start as u32)),
            };
            let exact = products.fold(start, |sum, (a, b)| sum + value(a) * value(b));
            match sum {
                "f16" => half::encode(ty, exact, 0.0),
                _ => u64::from((exact as f32).to_bits()),
            }
        }
        "f64" => {
            let sum = products.fold(f64::from_bits(start), |sum, (a, b)| {
                f64::from_bits(a).mul_add(f64::from_bits(b), sum)
            });
            sum.to_bits()
        }
        _ => return Err(format!("no factors {factor}")),
    })
}
