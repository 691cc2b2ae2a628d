//! Arguments of a kernel, from the pointers that a launch passes.

use std::ffi::c_void;
use std::ptr;
use std::slice;

use vyre_ir::interp::Argument;
use vyre_ir::ir::{Constant, Program};

use super::signature::{Kind, Parameter};
use crate::error::{Error, Result};

/// The arguments of a launch.
pub(super) struct Read<'a> {
    pub(super) arguments: Vec<Argument<'a>>,
    /// The parameters that are slices with elements, and their addresses.
    #[cfg_attr(not(feature = "check"), allow(dead_code, reason = "for checking mode"))]
    pub(super) slices: Vec<(usize, u64)>,
}

/// Reads the arguments of the only kernel of a program.
///
/// # Errors
/// Two slices of the same memory, of which the kernel may write one: the interpreter has each memory once.
///
/// # Safety
/// The pointers are those of the kernel: for each parameter in order one to its value or, for a slice, to its address and to
/// its length, and then those to the constants that the host sets. As long as the result lives, nothing else accesses their
/// memory in a conflicting way.
pub(super) unsafe fn read<'a>(
    program: &Program,
    parameters: &[Parameter],
    pointers: &[*const c_void],
) -> Result<Read<'a>> {
    let mut arguments = Vec::with_capacity(pointers.len());
    let mut pointers = pointers.iter().copied();
    let mut next = || pointers.next().unwrap_or(ptr::null()).cast::<u8>();
    let (mut slices, mut ranges) = (Vec::new(), Vec::<(u64, u64, bool, usize)>::new());
    for (number, parameter) in parameters.iter().enumerate() {
        let argument = match &parameter.kind {
            Kind::Value(scalar) => {
                let mut word = [0; 8];
                let size = scalar.size() as usize;
                // SAFETY: the pointer is one to a value of the parameter's type, by the contract.
                unsafe { ptr::copy_nonoverlapping(next(), word.as_mut_ptr(), size) };
                Argument::Scalar(Constant::new(*scalar, u64::from_le_bytes(word)))
            }
            Kind::Aggregate(content) => {
                // SAFETY: as above.
                Argument::Bytes(unsafe { slice::from_raw_parts(next(), content.size as usize) })
            }
            Kind::Slice { element, writes } => {
                // SAFETY: the pointers are those to the address and the length of a slice, by the contract.
                let [address, length] = [next(), next()].map(|word| unsafe { word.cast::<u64>().read() });
                let bytes = length * element.size;
                if bytes == 0 {
                    arguments.push(Argument::Input(&[]));
                    continue;
                }
                let end = address + bytes;
                let meets = |&&(start, stop, written, _): &&(u64, u64, bool, usize)| {
                    start < end && address < stop && (written || *writes)
                };
                if let Some((.., other)) = ranges.iter().find(meets) {
                    return Err(same_memory(program, [&parameters[*other], parameter]));
                }
                ranges.push((address, end, *writes, number));
                slices.push((number, address));
                match writes {
                    // SAFETY: the slice is memory of a buffer, where nothing else accesses what the kernel may write, by the
                    // contract, and no other argument does, as was just seen.
                    true => Argument::Slice(unsafe { slice::from_raw_parts_mut(pointer(address), bytes as usize) }),
                    // SAFETY: nothing writes the slice, as above.
                    false => Argument::Input(unsafe { slice::from_raw_parts(pointer(address), bytes as usize) }),
                }
            }
        };
        arguments.push(argument);
    }
    for (_, table) in program.host_tables() {
        let size = program.types.layout(table.ty).size as usize;
        // SAFETY: the constants that the host sets follow the parameters, each of its size.
        arguments.push(Argument::Bytes(unsafe { slice::from_raw_parts(next(), size) }));
    }
    Ok(Read { arguments, slices })
}

fn pointer(address: u64) -> *mut u8 {
    ptr::with_exposed_provenance_mut(address as usize)
}

#[cold]
fn same_memory(program: &Program, parameters: [&Parameter; 2]) -> Error {
    let kernel = program.kernels.iter().next().map_or("", |(_, kernel)| &kernel.name);
    let [one, other] = parameters.map(|parameter| &parameter.name);
    Error::Unsupported {
        feature: format!(
            "`{kernel}` was launched with the same memory as `{one}` and `{other}`, of which it may write one; give it once, \
             or give parts that do not overlap, or launch it elsewhere: the interpreter"
        ),
        device: "the interpreter".to_owned(),
    }
}
