//! A launch in two orders: a result that differs depends on the order of blocks or threads.
//!
//! The second order is the reverse of the first, so any two threads of a block, and any two blocks, take turns both ways.

use super::{Check, Checked, Does, Kind, Party, Recorder, Report};
use crate::interp::memory::{Pointer, SHARED};
use crate::interp::{Argument, Options, Printed, launch_recorded};
use crate::ir::{Handle, Kernel};
use crate::validate::Validated;

/// Runs a kernel like [`launch_checked`](crate::interp::launch_checked), and then again in the reverse order, on copies of
/// what it writes. Where nothing else is found, it reports the first element of each slice that differs. The slices and the
/// output are those of the first run, unless the second one reports something else.
pub fn launch_twice(
    program: &Validated<'_>,
    kernel: Handle<Kernel>,
    arguments: &mut [Argument<'_>],
    grid: [u32; 3],
    options: Options,
    check: &Check,
    output: &mut Printed,
) -> Checked {
    let before = slices(arguments);
    let known: Vec<Vec<bool>> = check.unwritten.iter().map(|it| it.written.borrow().clone()).collect();
    let (first, one) = launch_recorded(program, kernel, arguments, grid, options, check, true, output);
    let (Some(one), true) = (one, first.is_clean()) else {
        return first;
    };
    let after = slices(arguments);
    set(arguments, &before);
    let again = Check {
        reversed: !check.reversed,
        ..check.clone()
    };
    for (unwritten, known) in check.unwritten.iter().zip(known) {
        *unwritten.written.borrow_mut() = known;
    }
    let mut unseen = Printed::default();
    let (mut second, other) = launch_recorded(program, kernel, arguments, grid, options, &again, true, &mut unseen);
    let (Some(other), true) = (other, second.is_clean()) else {
        return second;
    };
    for (parameter, (one_slice, other_slice)) in after.iter().zip(slices(arguments)).enumerate() {
        if let (Some(one_slice), Some(other_slice)) = (one_slice, other_slice) {
            let slices = [&one_slice[..], &other_slice[..]];
            second.reports.extend(differs(parameter, [&one, &other], slices));
        }
    }
    set(arguments, &after);
    second
}

impl Checked {
    /// True if nothing was found, and the launch has come to its end.
    pub fn is_clean(&self) -> bool {
        self.reports.is_empty() && self.outcome.is_ok()
    }
}

/// Copies of the slices that a launch may write.
fn slices(arguments: &[Argument<'_>]) -> Vec<Option<Vec<u8>>> {
    let copy = |argument: &Argument<'_>| match argument {
        Argument::Slice(bytes) => Some(bytes.to_vec()),
        _ => None,
    };
    arguments.iter().map(copy).collect()
}

fn set(arguments: &mut [Argument<'_>], copies: &[Option<Vec<u8>>]) {
    for (argument, copy) in arguments.iter_mut().zip(copies) {
        if let (Argument::Slice(bytes), Some(copy)) = (argument, copy) {
            bytes.copy_from_slice(copy);
        }
    }
}

/// The report of the first element of a slice that differs, if one does.
fn differs(parameter: usize, runs: [&Recorder; 2], slices: [&[u8]; 2]) -> Option<Report> {
    let at = (0..slices[0].len()).find(|&at| slices[0][at] != slices[1][at])? as u64;
    let names = &runs[0].names;
    let place = names.at(parameter, at)?;
    let (start, scalar) = names.scalar_at(parameter, at);
    let value = |bytes: &[u8]| {
        let end = (start + u64::from(scalar.size())) as usize;
        super::names::value(scalar, &bytes[start as usize..end])
    };
    let parties = runs.iter().filter_map(|run| run.writer(place)).collect();
    Some(Report {
        kind: Kind::Order,
        kernel: names.kernel.clone(),
        object: names.object(place),
        parties,
        values: Some([value(slices[0]), value(slices[1])]),
        missing: "each element needs one writer, or the writers an order: a barrier, another launch, or an operation of \
                  which any order has one result",
    })
}

impl Recorder {
    /// The last thread that has written memory.
    fn writer(&self, at: Pointer) -> Option<Party> {
        let region = self.regions.get((at.region() - SHARED) as usize)?;
        let access = region.known(at.offset() / region.granule)?.last_write()?;
        let does = Does::Access(access.action);
        Some(self.names.party(access.who(), does, access.span()))
    }
}
