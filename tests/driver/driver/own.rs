//! The kernels of the runtime itself, as plain Rust.

use std::ffi::c_void;
use std::ptr;

use crate::graph::set_condition;
use crate::launch::CONTROL_BASE;

#[derive(Clone, Copy)]
pub(crate) enum Own {
    /// Numbers the launches of a graph anew.
    Advance,
    /// Counts the turns of a loop of a graph.
    Loop,
    /// Copies as many elements as a counter says.
    Counted,
    /// Copies the parts of a table.
    Scatter,
}

/// A row of the table of parts: the target, the offset of the source, and the bytes.
#[repr(C)]
struct Part {
    to: u64,
    offset: u32,
    bytes: u32,
}

fn at<T>(address: u64) -> *mut T {
    ptr::with_exposed_provenance_mut(address as usize)
}

impl Own {
    /// That of this name.
    pub(crate) fn of(name: &str) -> Option<Own> {
        Some(match name {
            "vyre_advance" => Own::Advance,
            "vyre_loop" => Own::Loop,
            "vyre_counted" => Own::Counted,
            "vyre_scatter" => Own::Scatter,
            _ => return None,
        })
    }

    /// The bytes of each parameter.
    fn signature(self) -> &'static [usize] {
        match self {
            Own::Advance => &[8, 8],
            Own::Loop => &[8, 8, 8, 8, 8, 4],
            Own::Counted => &[8, 8, 8, 8, 8, 8, 4],
            Own::Scatter => &[8, 4],
        }
    }

    /// Reads the parameters.
    pub(crate) unsafe fn parameters(self, parameters: *mut *mut c_void) -> Vec<u64> {
        let read = |(number, &bytes): (usize, &usize)| {
            // SAFETY: there is a pointer for each parameter, to as many bytes.
            unsafe {
                let parameter = *parameters.add(number);
                match bytes {
                    4 => u64::from(parameter.cast::<u32>().read()),
                    _ => parameter.cast::<u64>().read(),
                }
            }
        };
        self.signature().iter().enumerate().map(read).collect()
    }

    /// Runs it. The addresses are those of what its contract in the runtime says.
    pub(crate) unsafe fn run(self, words: &[u64]) {
        // SAFETY: by the contract.
        unsafe {
            match (self, words) {
                (Own::Advance, &[base, count]) => {
                    let base = at::<u64>(base);
                    base.write(base.read() + count);
                }
                (Own::Loop, words) => count_turn(words),
                (Own::Counted, &[source, target, counter, count_to, most, size, wide]) => {
                    let count = match wide {
                        0 => u64::from(at::<u32>(counter).read()),
                        _ => at::<u64>(counter).read(),
                    };
                    at::<u64>(count_to).write(count);
                    let bytes = (count.min(most) * size) as usize;
                    if bytes != 0 {
                        ptr::copy_nonoverlapping(at::<u8>(source), at(target), bytes);
                    }
                }
                (Own::Scatter, &[memory, parts]) => {
                    // The last one first, for the order of the parts is that of nobody.
                    for number in (0..parts as usize).rev() {
                        let part = &*at::<Part>(memory).add(number);
                        // The kernel copies units of 16 bytes.
                        assert!((memory + u64::from(part.offset)) % 16 == part.to % 16);
                        let source = at::<u8>(memory).add(part.offset as usize);
                        ptr::copy_nonoverlapping(source, at(part.to), part.bytes as usize);
                    }
                }
                _ => {}
            }
        }
    }
}

/// The kernel that counts turns: its condition, counter, limit, flag and control, and whether it begins.
unsafe fn count_turn(words: &[u64]) {
    let [condition, count, limit, flag, control, begins] = *words else {
        return;
    };
    // SAFETY: the addresses are those of words, and that of the flag of half a word, if it is not 0.
    unsafe {
        let flag = at::<u32>(flag);
        let changed = begins != 0 || flag.is_null() || flag.read() != 0;
        let turns = match begins {
            0 => at::<u64>(count).read() + u64::from(changed),
            _ => 0,
        };
        at::<u64>(count).write(turns);
        let faulted = at::<u64>(control).read() > at::<u64>(control + CONTROL_BASE as u64).read();
        let goes_on = changed && turns < limit && !faulted;
        if goes_on && !flag.is_null() {
            flag.write(0);
        }
        set_condition(condition, u32::from(goes_on));
    }
}
