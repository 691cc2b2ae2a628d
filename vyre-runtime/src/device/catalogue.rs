//! Which devices there are, by name, and why others are missing.

use std::fmt;

use super::{CHECKED_CPU, Device};
use crate::cuda;
use crate::error::{Error, Result};
use crate::profile::Profile;

/// A back end, as [`Device::backends`] lists it.
///
/// ```
/// # use vyre::prelude::*;
/// # fn main() -> vyre::Result<()> {
/// for backend in Device::backends() {
///     println!("{}: {} devices", backend.name, backend.devices);
///     assert_eq!(backend.error.is_some(), backend.devices == 0);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BackendInfo {
    /// Its name: `cuda` or `cpu`.
    pub name: &'static str,
    /// The number of its devices, opened or not.
    pub devices: usize,
    /// The reason why it has none.
    pub error: Option<Error>,
}

/// A device that exists and cannot be opened, as [`Device::missing`] lists it.
///
/// ```
/// # use vyre::prelude::*;
/// # fn main() -> vyre::Result<()> {
/// for missing in Device::missing() {
///     eprintln!("{} is not used: {}", missing.id, missing.error);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MissingDevice {
    /// Its name for [`Device::open`]: `cuda:1`.
    pub id: String,
    /// The reason.
    pub error: Error,
}

/// The versions of what runs a device's kernels.
///
/// ```
/// # use vyre::prelude::*;
/// # fn main() -> vyre::Result<()> {
/// let version = Device::cpu().version();
/// assert_eq!(version.to_string(), format!("vyre {}", version.runtime));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Version {
    /// The version of this runtime, as Cargo has it.
    pub runtime: &'static str,
    /// The CUDA version that the driver supports, major and minor; `None` on the CPU.
    pub cuda: Option<(u32, u32)>,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "vyre {}", self.runtime)?;
        match self.cuda {
            Some((major, minor)) => write!(f, ", CUDA {major}.{minor}"),
            None => Ok(()),
        }
    }
}

/// The number of CUDA devices, or the reason why there is none.
fn cuda_devices() -> Result<usize> {
    match cuda::count()? {
        0 => Err(Error::NoDevice { index: 0, count: 0 }),
        count => Ok(count),
    }
}

/// The number of devices that names make of the CPU: they stay open, so a wrong name should not make many.
const MOST_CPUS: usize = 1024;

/// The number that follows a prefix, without a sign, which `parse` would accept.
fn number_after(prefix: &str, name: &str) -> Option<usize> {
    let number = name.strip_prefix(prefix)?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| number.parse().ok())?
}

impl Device {
    /// The back ends in the order in which [`Device::best`] prefers them. Opens no device.
    ///
    /// ```
    /// let backends = vyre::Device::backends();
    /// assert_eq!(backends.last().unwrap().name, "cpu");
    /// for backend in backends {
    ///     match backend.error {
    ///         None => println!("{}: {} devices", backend.name, backend.devices),
    ///         Some(error) => println!("{}: {error}", backend.name),
    ///     }
    /// }
    /// ```
    pub fn backends() -> Vec<BackendInfo> {
        let cuda = cuda_devices();
        vec![
            BackendInfo {
                name: "cuda",
                devices: cuda.as_ref().map_or(0, |&count| count),
                error: cuda.err(),
            },
            BackendInfo {
                name: "cpu",
                devices: usize::from(cfg!(feature = "cpu")),
                error: cfg!(not(feature = "cpu")).then(|| Error::without_cpu("the CPU as a device")),
            },
        ]
    }

    /// A device by its name: `cpu`, `cuda:1` for [`Device::cuda(1)`](Device::cuda), `cuda` for the first one, `cpu:1` for
    /// the second of [`Device::cpus`].
    ///
    /// ```
    /// # use vyre::Device;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::open("cpu")?;
    /// assert_eq!(Device::open(&device.id())?, device);
    /// let error = Device::open("gpu").unwrap_err();
    /// assert!(error.to_string().starts_with("there is no device `gpu`; there "));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::UnknownName`] with the names of all devices, and those of [`Device::cuda`].
    pub fn open(name: &str) -> Result<Device> {
        if name == "cpu" {
            return Ok(Device::cpu());
        }
        #[cfg(feature = "check")]
        if name == "cpu:checked" {
            return Ok(Device::checked());
        }
        if name == "cuda" {
            return Device::cuda(0);
        }
        if let Some(index) = number_after("cuda:", name) {
            return Device::cuda(index);
        }
        if let Some(number) = number_after("cpu:", name).filter(|&number| number < MOST_CPUS) {
            return Ok(Device::numbered_cpu(number));
        }
        let cuda = (0..cuda::count().unwrap_or(0)).map(|index| format!("cuda:{index}"));
        Err(Error::UnknownName {
            what: "device",
            name: name.to_owned(),
            known: cuda.chain(["cpu".to_owned()]).collect(),
        })
    }

    /// All devices that can be opened: the CUDA devices in the driver's order, then the CPU. Opens each;
    /// [`Device::missing`] lists those that cannot be.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # #[vyre::kernel]
    /// # fn twice(#[each] x: &mut u32) {
    /// #     *x *= 2;
    /// # }
    /// # fn main() -> vyre::Result<()> {
    /// for device in Device::all() {
    ///     let mut x = [1, 2, 3];
    ///     Twice::dispatch(&device, &mut x)?;
    ///     assert_eq!(x, [2, 4, 6], "on {device}");
    /// }
    /// assert_eq!(Device::all().last(), Some(&Device::cpu()));
    /// # Ok(())
    /// # }
    /// ```
    pub fn all() -> Vec<Device> {
        let cuda = (0..cuda::count().unwrap_or(0)).filter_map(|index| Device::cuda(index).ok());
        cuda.chain(cfg!(feature = "cpu").then(Device::cpu)).collect()
    }

    /// The CUDA devices that the driver has and that cannot be opened, with the reasons. Tries to open each that
    /// is not open.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// for missing in Device::missing() {
    ///     eprintln!("{}: {}", missing.id, missing.error);
    ///     assert!(Device::open(&missing.id).is_err());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn missing() -> Vec<MissingDevice> {
        let missing = |index| {
            let error = Device::cuda(index).err()?;
            let id = format!("cuda:{index}");
            Some(MissingDevice { id, error })
        };
        (0..cuda::count().unwrap_or(0)).filter_map(missing).collect()
    }

    /// The reason why this device is the best one although it is the CPU: why there is no CUDA device, or why
    /// the first cannot be opened, which this tries. `None` on a GPU, and where a GPU is there to be used.
    ///
    /// ```
    /// # use vyre::Device;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// match device.why() {
    ///     None => assert!(device.is_cuda()),
    ///     Some(error) => println!("running on the CPU: {error}"),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn why(&self) -> Option<Error> {
        match self.is_cuda() {
            true => None,
            false => Device::cuda(0).err(),
        }
    }

    /// Its name for [`Device::open`]: `cuda:0` or `cpu`, or `cpu:1` for the second of [`Device::cpus`].
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// assert_eq!(Device::cpu().id(), "cpu");
    /// for device in Device::all() {
    ///     assert_eq!(Device::open(&device.id())?, device);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn id(&self) -> String {
        match (self.state().ordinal(), self.state().cpu()) {
            (Some(index), _) => format!("cuda:{index}"),
            (None, 0) => "cpu".to_owned(),
            (None, CHECKED_CPU) => "cpu:checked".to_owned(),
            (None, number) => format!("cpu:{number}"),
        }
    }

    /// The versions of the runtime and of the driver.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let version = Device::best()?.version();
    /// println!("{version}"); // vyre 0.1.0, CUDA 13.0
    /// assert_eq!(Device::cpu().version().cuda, None);
    /// # Ok(())
    /// # }
    /// ```
    pub fn version(&self) -> Version {
        Version {
            runtime: env!("CARGO_PKG_VERSION"),
            cuda: self.is_cuda().then(cuda::version).and_then(Result::ok),
        }
    }

    /// The profile of the device, for planners. Asks the driver.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let profile = Device::best()?.profile();
    /// println!("{}: {} multiprocessors", profile.name, profile.multiprocessors);
    /// assert_eq!(profile.warp_size, 32);
    /// # Ok(())
    /// # }
    /// ```
    pub fn profile(&self) -> Profile {
        self.state().backend().profile()
    }
}
