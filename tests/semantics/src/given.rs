//! Builds a launch on the host from a launcher made for a device: the program that it embeds, and
//! its arguments, in buffers of the CPU device, whose addresses are those of host memory.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Mutex, OnceLock, PoisonError};

use vyre::{Device, Result};
use vyre_core::ir::{Constant, Handle, Kernel as KernelDefinition, Scalar, Type};
use vyre_core::module::Module;
use vyre_core::validate::Validated;
use vyre_core::{compile, text, validate};
use vyre_runtime::kernel::{Arguments, Kernel, KernelInfo};
use vyre_test_support::case::{VERIFIED, assert_required};

/// A kernel's program, parsed once.
pub(crate) struct Known {
    pub(crate) program: Validated<'static>,
    pub(crate) kernel: Handle<KernelDefinition>,
    module: OnceLock<Module>,
}

impl Known {
    /// The program of the text embedded by a kernel.
    pub(crate) fn of(info: &'static KernelInfo) -> &'static Known {
        static ALL: Mutex<Option<HashMap<&str, &Known>>> = Mutex::new(None);
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        all.get_or_insert_default().entry(info.program).or_insert_with(|| {
            let source = info.program;
            let program = text::parse(source)
                .unwrap_or_else(|error| panic!("the embedded text is no program: {error}\n{source}"));
            // Leaked: the kernel lives as long as the process.
            let program = Box::leak(Box::new(program));
            let program = validate::validate(program)
                .unwrap_or_else(|errors| panic!("the embedded text is no valid program: {errors:?}\n{source}"));
            let (kernel, _) = program.program().kernels.iter().next().expect("one kernel");
            Box::leak(Box::new(Known {
                program,
                kernel,
                module: OnceLock::new(),
            }))
        })
    }

    /// The compiled module, with each pass verified.
    pub(crate) fn module(&self) -> &Module {
        self.module.get_or_init(|| {
            let module = compile(&self.program, &VERIFIED).unwrap_or_else(|error| panic!("{error}"));
            assert_required(&self.program, &module);
            module
        })
    }
}

/// An argument of a launch, copied out of the launcher's memory.
pub(crate) enum Given {
    Scalar(Constant),
    Bytes(Vec<u8>),
    Slice {
        address: *mut u8,
        bytes: Vec<u8>,
        written: bool,
    },
}

/// A launcher without its type, so that the back ends are compiled once and not for each kernel of the suite.
pub(crate) struct Call<'a> {
    pub(crate) info: &'static KernelInfo,
    pub(crate) entry: usize,
    arguments: Arguments<'a>,
}

impl<'a> Call<'a> {
    /// Checks the launcher as a launch does.
    pub(crate) fn of(info: &'static KernelInfo, kernel: &'a dyn Kernel) -> Result<Call<'a>> {
        kernel.check()?;
        let mut arguments = Arguments::new();
        kernel.arguments(&mut arguments);
        Ok(Call {
            info,
            entry: kernel.entry(),
            arguments,
        })
    }
}

/// The blocks that cover a domain; `None` if it is empty.
pub(crate) fn blocks(call: &Call<'_>, domain: [u64; 3]) -> Option<[u32; 3]> {
    let info = call.info;
    let entry = &info.entries[call.entry];
    let mut grid = [0; 3];
    for axis in 0..3 {
        let coarsening = if axis == 0 { entry.coarsening } else { 1 };
        let covered = u64::from(info.block[axis]) * u64::from(coarsening);
        let cluster = info.cluster.get(axis).copied().unwrap_or(1);
        let blocks = domain[axis].div_ceil(covered).next_multiple_of(cluster.into());
        grid[axis] = u32::try_from(blocks).expect("a grid on the host is small");
    }
    (!grid.contains(&0)).then_some(grid)
}

/// The arguments of a launch.
pub(crate) fn given(call: &Call<'_>, known: &Known, device: &Device) -> Vec<Given> {
    let program = known.program.program();
    let mut pointers = call.arguments.pointers().iter().copied();
    let given = (program.kernels[known.kernel].parameters.iter())
        .map(|parameter| match program.types[parameter.ty] {
            // SAFETY: a launcher pushes what its kernel's parameters say, in their order.
            Type::Scalar(scalar) => unsafe { self::scalar(scalar, pointers.next()) },
            Type::Slice { element, mutable } => {
                let size = program.types.layout(element).size;
                let atomic = program.types.has_atomics(element);
                // SAFETY: as above, and the buffers are those of the CPU device.
                unsafe { slice(size, pointers.next(), pointers.next(), mutable || atomic) }
            }
            Type::Struct { .. } | Type::Array { .. } => {
                let size = program.types.layout(parameter.ty).size;
                // SAFETY: as above.
                unsafe { bytes(size, pointers.next()) }
            }
            ref other => panic!("no launcher has a parameter like {other:?}"),
        })
        .chain(
            call.info
                .constants
                .iter()
                .map(|constant| Given::Bytes(constant.bytes(device))),
        )
        .collect();
    assert!(
        pointers.next().is_none(),
        "the launcher pushes more than the program takes"
    );
    given
}

/// Writes results back into the buffers.
pub(crate) fn write_back(given: &[Given]) {
    for given in given {
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
