//! One interface to all back ends, so that a test is written once.

use std::sync::{Arc, Mutex, OnceLock};

use vyre::{Device, Error, Result, Stream};
use vyre_runtime::Launch;
pub use vyre_runtime::kernel::Kernel;
use vyre_runtime::kernel::KernelInfo;

use crate::given::Call;
use crate::{given, interpreter, machine};

/// A back end.
#[derive(Clone, Debug)]
pub enum Place {
    /// The reference interpreter, over buffers of the CPU device.
    Interpreter(Device),
    /// The PTX, run by a machine on the host, over buffers of the CPU device.
    Machine(Device),
    /// A device, the CPU or a GPU, with a stream of this test, so that it receives no other test's
    /// faults.
    Device(Device, Stream),
}

/// The extents of a launch: as many axes as the kernel uses.
pub trait Extents {
    /// The extents along x, y and z, 1 where there are none.
    fn extents(self) -> [u64; 3];
}

impl Extents for usize {
    fn extents(self) -> [u64; 3] {
        [self as u64, 1, 1]
    }
}

impl Extents for [usize; 2] {
    fn extents(self) -> [u64; 3] {
        [self[0] as u64, self[1] as u64, 1]
    }
}

impl Extents for [usize; 3] {
    fn extents(self) -> [u64; 3] {
        self.map(|extent| extent as u64)
    }
}

impl Place {
    /// The device of the buffers.
    pub fn device(&self) -> &Device {
        match self {
            Place::Interpreter(device) | Place::Machine(device) | Place::Device(device, _) => device,
        }
    }

    /// The name in failure messages.
    pub fn name(&self) -> &str {
        match self {
            Place::Interpreter(_) => "the interpreter",
            Place::Machine(_) => "the machine that runs PTX",
            Place::Device(device, _) => device.name(),
        }
    }

    /// Runs a kernel over a domain and waits for it.
    ///
    /// # Errors
    /// Errors of the launch or the kernel.
    pub fn over<K: Kernel>(&self, kernel: K, domain: impl Extents) -> Result<()> {
        let domain = domain.extents();
        let Place::Device(device, stream) = self else {
            return self.erased(K::info(), &kernel, domain);
        };
        Launch::over(kernel, domain).on(stream).launch(device)?;
        stream.synchronize()
    }

    /// A launcher without its type on a back end without a device. Most tests come here, each with a kernel of its own, for
    /// which a generic function would be compiled.
    fn erased(&self, info: &'static KernelInfo, kernel: &dyn Kernel, domain: [u64; 3]) -> Result<()> {
        self.on_host(&Call::of(info, kernel)?, domain, 0, &mut String::new())
    }

    /// As [`over`](Self::over), with dynamic shared memory.
    ///
    /// # Errors
    /// Errors of the launch or the kernel.
    pub fn over_sharing<K: Kernel>(&self, kernel: K, domain: impl Extents, shared_bytes: usize) -> Result<()> {
        let domain = domain.extents();
        match self {
            Place::Interpreter(_) | Place::Machine(_) => {
                self.on_host(&Call::of(K::info(), &kernel)?, domain, shared_bytes, &mut String::new())
            }
            Place::Device(device, stream) => {
                let launch = Launch::over(kernel, domain).shared_bytes(shared_bytes);
                launch.on(stream).launch(device)?;
                stream.synchronize()
            }
        }
    }

    /// Runs a kernel on a back end without a device, and appends its printed output to `output`.
    fn on_host(&self, call: &Call<'_>, domain: [u64; 3], shared_bytes: usize, output: &mut String) -> Result<()> {
        match given::blocks(call, domain) {
            Some(blocks) => self.grid_on_host(call, blocks, shared_bytes, output),
            None => Ok(()),
        }
    }

    fn grid_on_host(&self, call: &Call<'_>, blocks: [u32; 3], shared_bytes: usize, output: &mut String) -> Result<()> {
        let shared_bytes = shared_bytes as u32;
        match self {
            Place::Machine(_) => machine::grid(call, self.device(), blocks, shared_bytes, output),
            _ => interpreter::grid(call, self.device(), blocks, shared_bytes, output),
        }
    }

    /// Runs a kernel over a domain, waits for it, and returns its printed output and its result.
    pub fn printed<K: Kernel>(&self, kernel: K, domain: impl Extents) -> (String, Result<()>) {
        let output = Arc::new(Mutex::new(String::new()));
        let result = match self {
            Place::Interpreter(_) | Place::Machine(_) => {
                let output = &mut output.lock().unwrap();
                Call::of(K::info(), &kernel).and_then(|call| self.on_host(&call, domain.extents(), 0, output))
            }
            Place::Device(_, stream) => {
                let kept = output.clone();
                stream.print_to(move |text| kept.lock().unwrap().push_str(text));
                let result = self.over(kernel, domain);
                stream.print_to(|text| panic!("nobody asked for {text:?}"));
                result
            }
        };
        let output = output.lock().unwrap().clone();
        (output, result)
    }

    /// Runs a kernel on a number of blocks and waits for it.
    ///
    /// # Errors
    /// Errors of the launch or the kernel.
    pub fn grid<K: Kernel>(&self, kernel: K, blocks: [u32; 3]) -> Result<()> {
        self.grid_sharing(kernel, blocks, 0)
    }

    /// As [`grid`](Self::grid), with dynamic shared memory.
    ///
    /// # Errors
    /// Errors of the launch or the kernel.
    pub fn grid_sharing<K: Kernel>(&self, kernel: K, blocks: [u32; 3], shared_bytes: usize) -> Result<()> {
        match self {
            Place::Interpreter(_) | Place::Machine(_) => {
                self.grid_on_host(&Call::of(K::info(), &kernel)?, blocks, shared_bytes, &mut String::new())
            }
            Place::Device(device, stream) => {
                let launch = Launch::grid(kernel, blocks).shared_bytes(shared_bytes);
                launch.on(stream).launch(device)?;
                stream.synchronize()
            }
        }
    }
}

/// Every back end on this machine. Prints a message if there is no GPU.
pub fn places() -> Vec<Place> {
    let on_device = |device: Device| {
        let stream = device.stream().expect("a stream");
        Place::Device(device, stream)
    };
    [Place::Interpreter(Device::cpu()), Place::Machine(Device::cpu())]
        .into_iter()
        .chain(devices().into_iter().map(on_device))
        .collect()
}

/// Runs a test on every back end.
pub fn everywhere(test: impl Fn(&Place) -> Result<()>) {
    everywhere_of(&test);
}

fn everywhere_of(test: &dyn Fn(&Place) -> Result<()>) {
    for place in places() {
        if let Err(error) = test(&place) {
            panic!("on {}: {error}", place.name());
        }
    }
}

/// The devices: the CPU and, if present, a GPU.
pub fn devices() -> Vec<Device> {
    let mut devices = vec![Device::cpu()];
    devices.extend(gpu());
    devices
}

/// The first CUDA device. Prints `SKIP-GPU` with the name of the test if there is none.
pub fn gpu() -> Option<Device> {
    static GPU: OnceLock<Option<Device>> = OnceLock::new();
    let gpu = GPU.get_or_init(|| match Device::cuda(0) {
        Ok(device) => Some(device),
        Err(Error::NoDriver { .. } | Error::NoDevice { .. }) => None,
        Err(error) => panic!("the CUDA device does not start: {error}"),
    });
    if gpu.is_none() {
        println!("SKIP-GPU {}", std::thread::current().name().unwrap_or("a test"));
    }
    gpu.clone()
}
