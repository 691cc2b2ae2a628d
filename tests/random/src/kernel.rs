//! Launches of kernels that are known only at run time, with arguments given as bytes.

use std::cell::Cell;
use std::sync::{Arc, Mutex, PoisonError};

use vyre_abi::kernel::{AssumedInfo, EntryInfo, Location, Site};
use vyre_core::ir::{Handle, Kernel as Code, Program, Type};
use vyre_core::module::Module;
use vyre_runtime::kernel::{Arguments, HostBody, Kernel, KernelCache, KernelInfo};
use vyre_runtime::{Device, DeviceBuffer, Element, Error, Launch, Result, Stream, ViewMut};
use vyre_test_support::case::{Case, SHARED_BYTES};
use vyre_test_support::random_program::Input;

/// A launcher's description of a kernel. Leaked, because launchers have static ones.
pub fn leak(program: &Program, kernel: Handle<Code>, module: &Module, host: HostBody) -> &'static KernelInfo {
    let code = &program.kernels[kernel];
    let compiled = module.kernels.iter().find(|compiled| compiled.kernel == kernel);
    let sites = compiled.map_or(&[][..], |compiled| &compiled.sites);
    let prints = compiled.map_or(&[][..], |compiled| &compiled.prints);
    let location = |span: vyre_core::ir::Span| Location {
        file: text(match span.is_some() {
            true => &program.files[span.file as usize],
            false => "",
        }),
        line: span.line,
        column: span.column,
    };
    let entries = code.entries.iter().map(|entry| EntryInfo {
        symbol: text(&entry.symbol),
        coarsening: entry.coarsening,
    });
    let assumed = compiled.and_then(|compiled| compiled.assumed.as_ref());
    let assumed = assumed.into_iter().map(|assumed| AssumedInfo {
        symbol: text(&assumed.symbol),
        needs: assumed.code(program, code).leak(),
    });
    let sites = sites.iter().map(|site| Site {
        kind: site.kind,
        location: location(site.span),
        message: text(&site.message),
    });
    Box::leak(Box::new(KernelInfo {
        name: text(&code.name),
        location: location(code.span),
        dimensions: code.dimensions,
        block: code.block,
        cluster: list(code.cluster.into_iter().flatten()),
        shared_bytes: compiled.map_or(0, |compiled| compiled.shared_bytes),
        cooperative: compiled.is_some_and(|compiled| compiled.cooperative),
        parameters: list(code.parameters.iter().map(|parameter| text(&parameter.name))),
        constants: &[],
        entries: list(entries),
        assumed: list(assumed),
        cubins: &[],
        ptx: text(&module.ptx),
        target: module.target,
        newer: &[],
        program: "",
        sites: list(sites),
        prints: list(prints.iter().map(|template| text(template))),
        host,
        cache: KernelCache::new(),
    }))
}

fn text(text: &str) -> &'static str {
    text.to_owned().leak()
}

fn list<T>(items: impl Iterator<Item = T>) -> &'static [T] {
    items.collect::<Vec<_>>().leak()
}

/// Runs a kernel with the arguments of a case; returns the arguments afterwards and the printed
/// output. Uses a separate stream, to keep it apart from tests that print concurrently.
///
/// # Errors
/// Errors of the launch, and the fault of the kernel.
///
/// # Panics
/// If an element size of the case's slices is not supported.
pub fn launch_printing(
    device: &Device,
    info: &'static KernelInfo,
    entry: usize,
    case: &Case,
) -> (Result<Vec<Input>>, String) {
    let printed = Arc::new(Mutex::new(String::new()));
    let sink = printed.clone();
    let keep = move |text: &str| sink.lock().unwrap_or_else(PoisonError::into_inner).push_str(text);
    let result = device.stream().and_then(|stream| {
        stream.print_to(keep);
        launch(&stream, info, entry, case)
    });
    let printed = printed.lock().unwrap_or_else(PoisonError::into_inner).clone();
    (result, printed)
}

/// The difference between the printed output and the interpreter's, if any. Threads print in any
/// order, and those that follow a fault in the interpreter may print elsewhere.
pub fn different_text(expected: &str, found: &str, faults: bool) -> Option<String> {
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    (!faults && sorted(expected) != sorted(found)).then(|| format!("prints {found:?} in place of {expected:?}"))
}

fn launch(stream: &Stream, info: &'static KernelInfo, entry: usize, case: &Case) -> Result<Vec<Input>> {
    let device = &stream.device();
    let types = &case.program.types;
    let mut inputs = case.inputs.clone();
    let mut buffers = Vec::new();
    let parameters = &case.program.kernels[case.kernel].parameters;
    for (parameter, input) in parameters.iter().zip(&inputs) {
        if let (Type::Slice { element, .. }, Input::Slice(bytes)) = (&types[parameter.ty], input) {
            buffers.push(upload(device, types.layout(*element).size, bytes)?);
        }
    }
    let mut views = buffers.iter_mut();
    // Host constants follow the parameters. A kernel with host constants gets the values that are
    // set.
    let given = match info.constants.is_empty() {
        true => inputs.len(),
        false => parameters.len(),
    };
    let arguments = inputs[..given].iter().map(|input| match input {
        Input::Scalar(constant) => scalar(&constant.bits.to_le_bytes()),
        Input::Bytes(bytes) => scalar(bytes),
        Input::Slice(_) => views.next().expect("one buffer for each slice").view(),
    });
    let arguments = arguments.collect();
    INFO.set(Some(info));
    Launch::grid(Dynamic { arguments, entry }, case.grid)
        .shared_bytes(SHARED_BYTES as usize)
        .on(stream)
        .launch(device)?;
    stream.synchronize()?;
    let slices = inputs.iter_mut().filter_map(|input| match input {
        Input::Slice(bytes) => Some(bytes),
        _ => None,
    });
    for (bytes, buffer) in slices.zip(&buffers) {
        *bytes = buffer.download()?;
    }
    Ok(inputs)
}

thread_local! {
    /// The kernel launched by this thread: launchers identify it by their type only.
    static INFO: Cell<Option<&'static KernelInfo>> = const { Cell::new(None) };
}

struct Dynamic<'v> {
    arguments: Vec<Box<dyn Argument + 'v>>,
    entry: usize,
}

// SAFETY: `launch` receives arguments of the kernel's types, and random programs neither exceed
// their slices nor write immutable ones.
unsafe impl Kernel for Dynamic<'_> {
    fn info() -> &'static KernelInfo {
        INFO.get().expect("set before every launch")
    }

    fn arguments<'a>(&'a self, arguments: &mut Arguments<'a>) {
        for argument in &self.arguments {
            argument.push(arguments);
        }
    }

    fn entry(&self) -> usize {
        self.entry
    }
}

trait Argument {
    fn push<'a>(&'a self, arguments: &mut Arguments<'a>);
}

/// Bytes in place of a value: kernels take their arguments by address.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
struct Value<const N: usize>([u8; N]);

/// Bytes in place of an element of a slice.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Cells<const N: usize>([u8; N]);

// SAFETY: bytes are plain data, of any pattern, without padding: `N` is a multiple of 8.
unsafe impl<const N: usize> Element for Value<N> {}
// SAFETY: bytes are plain data, of any pattern, without padding.
unsafe impl<const N: usize> Element for Cells<N> {}

/// The largest scalar, struct, tuple, array or host table supported here, in bytes.
const LARGEST: usize = 13_000;

impl Argument for Value<LARGEST> {
    fn push<'a>(&'a self, arguments: &mut Arguments<'a>) {
        arguments.value(self);
    }
}

impl<const N: usize> Argument for ViewMut<'_, Cells<N>> {
    fn push<'a>(&'a self, arguments: &mut Arguments<'a>) {
        arguments.view_mut(self);
    }
}

fn scalar(bytes: &[u8]) -> Box<dyn Argument> {
    let mut value = Value([0; LARGEST]);
    value.0[..bytes.len()].copy_from_slice(bytes);
    Box::new(value)
}

trait Buffer {
    fn view(&mut self) -> Box<dyn Argument + '_>;
    fn download(&self) -> Result<Vec<u8>>;
}

impl<const N: usize> Buffer for DeviceBuffer<Cells<N>> {
    fn view(&mut self) -> Box<dyn Argument + '_> {
        Box::new(self.as_view_mut())
    }

    fn download(&self) -> Result<Vec<u8>> {
        Ok(DeviceBuffer::download(self)?.iter().flat_map(|cell| cell.0).collect())
    }
}

fn upload(device: &Device, size: u64, bytes: &[u8]) -> Result<Box<dyn Buffer>> {
    fn of<const N: usize>(device: &Device, bytes: &[u8]) -> Result<Box<dyn Buffer>> {
        let cells = bytes.chunks_exact(N).map(|chunk| {
            let mut cell = Cells([0; N]);
            cell.0.copy_from_slice(chunk);
            cell
        });
        Ok(Box::new(device.upload(&cells.collect::<Vec<_>>())?))
    }
    macro_rules! sizes {
        ($($size:literal)*) => {
            match size {
                $($size => of::<$size>(device, bytes),)*
                _ => panic!("no buffer for elements of {size} bytes"),
            }
        };
    }
    sizes!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32)
}

/// The first CUDA device, or a line that reports a skipped test.
///
/// # Panics
/// If there is one that cannot be opened.
pub fn cuda(test: &str) -> Option<Device> {
    match Device::cuda(0) {
        Ok(device) => Some(device),
        Err(Error::NoDriver { .. } | Error::NoDevice { .. }) => {
            use std::io::Write;
            // Not by `println!`, whose output the test harness captures.
            let _ = writeln!(std::io::stderr(), "SKIP-GPU {test}: skipped: no CUDA device");
            None
        }
        Err(error) => panic!("the CUDA device cannot be opened: {error}"),
    }
}
