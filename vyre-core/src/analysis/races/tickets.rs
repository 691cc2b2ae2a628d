//! Slots by tickets: numbers that an atomic counter gives out, each of them once.
//!
//! **Rules.** A ticket is the result of an atomic addition of a constant, of the scope of the device, to a cell of global
//! memory whose address is the same for the whole launch. All that writes the root of the cell, or by an atomic what
//! another argument has, while the kernel runs are such additions, of constants above zero: views of atomics may overlap. If all of them together add at most 2^W, of which a ticket has W bits,
//! the counter goes round at most once, wherever it starts. Then two tickets of one cell differ by at
//! least the step of the lesser one: as many elements are a slot.
//!
//! A launch comes to an addition as often as the loops around it run, in each thread, so all of them together are at most a
//! constant times the blocks, which is asked of the launch unless it always holds. A loop without a known limit has none.
//!
//! Two accesses are apart if each is within the slot of its ticket, and no slot wraps.

use super::apart::Place;
use super::inequality::{Need, at_most};
use super::order::range;
use super::parts::{GRID, Pair};
use super::touches::{Memory, Touch};
use crate::analysis::digits::{Digit, Digits, NONE, Term};
use crate::analysis::loop_forest::LoopForest;
use crate::ssa::op::Op;
use crate::ssa::{Block, Function, Value};
use vyre_abi::assumption::Product;
use vyre_ir::ir::{AtomicOp, MemoryScope, Scalar};

/// A result of an atomic addition.
pub(super) struct Ticket {
    value: Value,
    root: Value,
    /// The offset of the cell; `None` for zero.
    cell: Option<Value>,
    step: u64,
    bits: u32,
    /// The most that one thread adds to cells of the root.
    each: u64,
}

/// Finds the tickets of a function.
pub(super) fn find(function: &Function, forest: &LoopForest, digits: &Digits, touches: &[Touch]) -> Vec<Ticket> {
    let ticket = |touch: &Touch| {
        let (scalar, step) = addition(function, touch)?;
        let (Memory::Of(root), false, Some((address, ..))) = (touch.memory, touch.is_shared, touch.place) else {
            return None;
        };
        let cell = match function.op(address) {
            _ if address == root => None,
            Op::Offset { base, bytes } if base == root && is_fixed(digits, bytes) => Some(bytes),
            _ => return None,
        };
        let mut each = 0u64;
        for other in touches.iter().filter(|it| it.writes) {
            let is_view = is_of_view(function, other);
            if !is_view && !other.may_share(touch, function) {
                continue;
            }
            match addition(function, other) {
                Some((same, step)) if same == scalar && (is_view || other.memory == touch.memory) => {
                    each = each.checked_add(step.checked_mul(times(forest, digits, other.block)?)?)?;
                }
                _ => return None,
            }
        }
        Some(Ticket {
            value: touch.value,
            root,
            cell,
            step,
            bits: scalar.bits(),
            each,
        })
    };
    touches.iter().filter_map(ticket).collect()
}

/// The scalar and the constant of an atomic addition that all threads of the device see.
fn addition(function: &Function, touch: &Touch) -> Option<(Scalar, u64)> {
    let Op::Atomic {
        op: AtomicOp::Add,
        scalar: scalar @ (Scalar::U32 | Scalar::U64 | Scalar::I32 | Scalar::I64),
        scope: MemoryScope::Device | MemoryScope::System,
        operands: [step, _],
        ..
    } = function.op(touch.value)
    else {
        return None;
    };
    let step = function.as_constant(step)?;
    // One with the highest bit is a subtraction.
    (1..1 << 31).contains(&step).then_some((scalar, step))
}

/// True of an atomic operation on memory that an argument has: a launch may pass views of atomics that overlap.
fn is_of_view(function: &Function, touch: &Touch) -> bool {
    let Memory::Of(root) = touch.memory else { return false };
    let is_operation = touch.is_atomic && matches!(function.op(touch.value), Op::Atomic { .. });
    is_operation && !touch.is_shared && matches!(function.op(root), Op::Argument { .. })
}

/// True if a value is the same for the whole launch.
fn is_fixed(digits: &Digits, value: Value) -> bool {
    let is_symbol = |digit: u32| digit == NONE || digits.digit(digit).is_symbol;
    let form = digits.form(value);
    form.is_some_and(|form| (form.terms.iter()).all(|term| is_symbol(term.digit) && is_symbol(term.symbol)))
}

/// The most times that a thread comes to a block, if known.
fn times(forest: &LoopForest, digits: &Digits, block: Block) -> Option<u64> {
    let mut around = forest.loops.iter().filter(|it| forest.is_inside(it.header, block));
    around.try_fold(1u64, |times, it| {
        let mut known = (0..digits.len()).map(|digit| digits.digit(digit));
        let trip = known.find(|known| known.digit == Digit::Trip(it.header))?;
        let last = if it.header == block { trip.most } else { trip.inside };
        times.checked_mul(last.checked_add(1)?)
    })
}

/// True if two accesses are within slots of two tickets of one cell. Adds what the launch has to keep.
pub(super) fn are_apart(pair: &Pair<'_>, tickets: &[Ticket], places: [Place<'_>; 2], needs: &mut Vec<Need>) -> bool {
    let found = places.map(|(form, ..)| {
        form.terms.iter().find_map(|term| {
            let ticket = (tickets.iter()).find(|ticket| pair.digits.is_own(term.digit, ticket.value))?;
            (term.factor > 0 && term.symbol == NONE).then_some((ticket, *term))
        })
    });
    let [Some((first, term)), Some((second, other))] = found else {
        return false;
    };
    let (a, b) = (places[0].0, places[1].0);
    if !share_cell(pair, first, second) || term.factor != other.factor || a.bits != b.bits {
        return false;
    }
    let factor = i128::from(term.factor);
    let ends = [(first, term), (second, other)]
        .iter()
        .zip(pair.sites)
        .all(|((ticket, _), site)| {
            let most = i128::from(site.most(ticket.value)) + i128::from(ticket.step);
            factor.saturating_mul(most) <= 1 << a.bits
        });
    let (Some(one), Some(two)) = (
        within(pair, places, 0, term.digit),
        within(pair, places, 1, other.digit),
    ) else {
        return false;
    };
    let from = one.0.min(two.0);
    let fits = |to: i128, ticket: &Ticket| to - from <= factor.saturating_mul(ticket.step.into());
    if !ends || !fits(one.1, first) || !fits(two.1, second) {
        return false;
    }
    match goes_round_once(pair, first) {
        Some(need) => needs.extend(need),
        None => return false,
    }
    true
}

/// True if two tickets are of one cell.
fn share_cell(pair: &Pair<'_>, a: &Ticket, b: &Ticket) -> bool {
    let is_same = match (a.cell, b.cell) {
        (None, None) => true,
        (Some(a), Some(b)) => pair.digits.distance(a, b) == Some(0),
        _ => false,
    };
    a.root == b.root && is_same
}

/// The bytes of an access in its slot, without the terms that both have.
fn within(pair: &Pair<'_>, places: [Place<'_>; 2], side: u8, ticket: u32) -> Option<(i128, i128)> {
    let (form, offset, bytes) = places[usize::from(side)];
    let others = places[usize::from(1 - side)].0.terms;
    let constant = i128::from(form.constant) + i128::from(offset);
    let mut found = (constant, constant + i128::from(bytes));
    for term in form.terms {
        let is_common = others.contains(term) && (pair.is_same)(term.digit);
        let is_slot = term.digit == ticket && term.symbol == NONE;
        if is_common || is_slot || pair.is_root(term.digit) {
            continue;
        }
        let &Term {
            factor,
            symbol: NONE,
            digit,
        } = term
        else {
            return None;
        };
        let (least, most) = range(pair, side, digit);
        let (a, b) = (least * i128::from(factor), most * i128::from(factor));
        found = (found.0 + a.min(b), found.1 + a.max(b));
    }
    Some(found)
}

/// The condition for all additions together to go round once, if there has to be one; `None` if it never holds.
fn goes_round_once(pair: &Pair<'_>, ticket: &Ticket) -> Option<Option<Need>> {
    let threads: u32 = pair.function.block_size.iter().product();
    let each = i128::from(ticket.each) * i128::from(threads);
    let grid: Vec<u32> = GRID.into_iter().filter(|&axis| pair.most_symbol(axis) > 1).collect();
    let all = (grid.iter()).fold(each, |all, &axis| all.saturating_mul(pair.most_symbol(axis).into()));
    let room = 1u128 << ticket.bits;
    if all as u128 <= room {
        return Some(None);
    }
    if each as u128 > room || grid.is_empty() {
        return None;
    }
    Some(Some(at_most(pair.as_product(each, &grid)?, Product::constant(room))))
}
