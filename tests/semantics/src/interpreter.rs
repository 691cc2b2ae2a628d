//! Launches by the reference interpreter, from the text that a kernel embeds.
//!
//! It takes the same launchers as a device, with buffers of the CPU device, whose addresses are
//! those of host memory.

use std::ffi::c_void;

use vyre::Result;
use vyre_core::interp::{self, Argument};
use vyre_core::ir::{Constant, Scalar, Type};
use vyre_core::{text, valid};
use vyre_runtime::kernel::{Arguments, Kernel};

/// A parameter of a launch, copied out of the launcher's memory.
enum Given {
    Scalar(Constant),
    Bytes(Vec<u8>),
    Slice {
        address: *mut u8,
        bytes: Vec<u8>,
        written: bool,
    },
}

/// Runs a kernel over a domain.
pub(crate) fn over<K: Kernel>(kernel: &K, domain: [u64; 3]) -> Result<()> {
    let info = K::info();
    let entry = &info.entries[kernel.entry()];
    let mut grid = [0; 3];
    for axis in 0..3 {
        let coarsening = if axis == 0 { entry.coarsening } else { 1 };
        let covered = u64::from(info.block[axis]) * u64::from(coarsening);
        grid[axis] = u32::try_from(domain[axis].div_ceil(covered)).expect("a grid for the interpreter is small");
    }
    if grid.contains(&0) {
        Ok(())
    } else {
        self::grid(kernel, grid)
    }
}

/// Runs a kernel on a number of blocks.
pub(crate) fn grid<K: Kernel>(kernel: &K, blocks: [u32; 3]) -> Result<()> {
    kernel.check()?;
    let mut arguments = Arguments::new();
    kernel.arguments(&mut arguments);
    let source = K::info().program;
    let program =
        text::parse(source).unwrap_or_else(|error| panic!("the embedded text is no program: {error}\n{source}"));
    let program = valid::validate(&program)
        .unwrap_or_else(|errors| panic!("the embedded text is no valid program: {errors:?}\n{source}"));
    let (handle, definition) = program.program().kernels.iter().next().expect("one kernel");

    let mut pointers = arguments.pointers().iter().copied();
    let mut given: Vec<Given> = (definition.parameters.iter())
        .map(|parameter| match program.program().types[parameter.ty] {
            // SAFETY: a launcher pushes what its kernel's parameters say, in their order.
            Type::Scalar(scalar) => unsafe { self::scalar(scalar, pointers.next()) },
            Type::Slice { element, mutable } => {
                let size = program.program().types.layout(element).size;
                let atomic = matches!(program.program().types[element], Type::Atomic(_));
                // SAFETY: as above, and the buffers are those of the CPU device.
                unsafe { slice(size, pointers.next(), pointers.next(), mutable || atomic) }
            }
            Type::Struct { .. } => {
                let size = program.program().types.layout(parameter.ty).size;
                // SAFETY: as above.
                unsafe { bytes(size, pointers.next()) }
            }
            ref other => panic!("no launcher has a parameter like {other:?}"),
        })
        .collect();
    assert!(
        pointers.next().is_none(),
        "the launcher pushes more than the program takes"
    );

    let mut copies: Vec<Argument<'_>> = (given.iter_mut())
        .map(|given| match given {
            Given::Scalar(constant) => Argument::Scalar(*constant),
            Given::Bytes(bytes) => Argument::Bytes(bytes),
            Given::Slice { bytes, .. } => Argument::Slice(bytes),
        })
        .collect();
    let result = interp::launch(program, handle, &mut copies, blocks);
    drop(copies);
    for given in &given {
        if let Given::Slice {
            address,
            bytes,
            written: true,
        } = given
        {
            // SAFETY: the launcher borrows the buffer for writing, and it has this many bytes.
            unsafe { address.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        }
    }
    match result {
        Ok(()) => Ok(()),
        Err(interp::Error::Fault(fault)) => Err((*fault).into()),
        Err(other) => panic!("the interpreter gave up: {other:?}\n{source}"),
    }
}

/// # Safety
/// `pointer` points at a value of the scalar's type.
unsafe fn scalar(scalar: Scalar, pointer: Option<*const c_void>) -> Given {
    let mut bits = [0; 8];
    let size = scalar.size() as usize;
    let pointer = pointer.expect("a pointer for each parameter").cast::<u8>();
    // SAFETY: the value has `size` bytes.
    unsafe { pointer.copy_to_nonoverlapping(bits.as_mut_ptr(), size) };
    Given::Scalar(Constant::new(scalar, u64::from_le_bytes(bits)))
}

/// # Safety
/// `pointer` points at a value of this size, which has no padding.
unsafe fn bytes(size: u64, pointer: Option<*const c_void>) -> Given {
    let pointer = pointer.expect("a pointer for each parameter").cast::<u8>();
    // SAFETY: the caller's promise.
    Given::Bytes(unsafe { std::slice::from_raw_parts(pointer, size as usize) }.to_vec())
}

/// # Safety
/// The pointers point at the address and length of a slice in host memory, whose elements have
/// `size` bytes.
unsafe fn slice(size: u64, address: Option<*const c_void>, length: Option<*const c_void>, written: bool) -> Given {
    let word = |pointer: Option<*const c_void>| {
        // SAFETY: the caller's promise.
        unsafe { pointer.expect("two pointers for a slice").cast::<u64>().read() }
    };
    let (address, length) = (word(address), word(length));
    let address = std::ptr::with_exposed_provenance_mut::<u8>(address as usize);
    let bytes = match (length * size) as usize {
        0 => Vec::new(),
        // SAFETY: the caller's promise; no launch runs while the launcher is borrowed.
        count => unsafe { std::slice::from_raw_parts(address, count) }.to_vec(),
    };
    Given::Slice {
        address,
        bytes,
        written,
    }
}
