//! Kernels of programs on the CPU: the reference interpreter runs them on the memory of buffers.

use std::ffi::c_void;
use std::ptr;
use std::slice;
use std::sync::Arc;

use vyre_core::interp::{self, Argument};
use vyre_core::ir::{Constant, Handle, Program};
use vyre_core::validate::validate;

use super::signature::{Kind, Parameter};
use crate::backend::{Interpreter, PrintedText};
use crate::error::{Error, Result};

/// The only kernel of a valid program.
pub(super) struct Interpreted {
    pub(super) program: Arc<Program>,
    pub(super) parameters: Arc<[Parameter]>,
}

impl Interpreter for Interpreted {
    unsafe fn run(
        &self,
        parameters: &[*const c_void],
        grid: [u32; 3],
        shared_bytes: u32,
        printed: &mut PrintedText,
    ) -> Result<()> {
        let program = &*self.program;
        let handle = Handle::new(0);
        let kernel = &program.kernels[handle];
        // Cheap beside the run, and what it finds borrows the program.
        let valid = validate(program).map_err(|errors| Error::InvalidProgram {
            errors: errors.iter().map(|error| error.display(program).to_string()).collect(),
        })?;
        let mut pointers = parameters.iter().copied();
        let mut next = || pointers.next().unwrap_or(ptr::null()).cast::<u8>();
        let mut arguments = Vec::with_capacity(parameters.len());
        for parameter in self.parameters.iter() {
            arguments.push(match &parameter.kind {
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
                    let bytes = (length * element.size) as usize;
                    match (bytes, writes) {
                        (0, _) => Argument::Input(&[]),
                        // SAFETY: the slice is memory of a buffer, where nothing else accesses what the kernel may
                        // write and nothing writes what it reads, by the contract.
                        (_, true) => Argument::Slice(unsafe { slice::from_raw_parts_mut(pointer(address), bytes) }),
                        // SAFETY: as above.
                        (_, false) => Argument::Input(unsafe { slice::from_raw_parts(pointer(address), bytes) }),
                    }
                }
            });
        }
        for (_, table) in program.host_tables() {
            let size = program.types.layout(table.ty).size as usize;
            // SAFETY: the constants that the host sets follow the parameters, each of its size.
            arguments.push(Argument::Bytes(unsafe { slice::from_raw_parts(next(), size) }));
        }
        let options = interp::Options {
            // The last entry takes any arguments, and its threads cover one index each, as the grid has it.
            entry: kernel.entries.len().checked_sub(1),
            shared_bytes,
            ..interp::Options::default()
        };
        let mut output = interp::Printed {
            room: printed.room,
            ..interp::Printed::default()
        };
        let done = interp::launch_limited(&valid, handle, &mut arguments, grid, options, &mut output);
        *printed = PrintedText {
            text: output.text,
            room: output.room,
            lost: output.lost,
        };
        done.map_err(|error| match error {
            interp::Error::Fault(fault) => Error::Fault(fault),
            error => Error::Stopped {
                kernel: kernel.name.clone().into(),
                reason: error.to_string(),
            },
        })
    }
}

fn pointer(address: u64) -> *mut u8 {
    ptr::with_exposed_provenance_mut(address as usize)
}
