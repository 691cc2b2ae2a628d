//! Errors that many calls have.

use std::fmt::Display;

use super::Error;

impl Error {
    /// Something belongs to another device than its user.
    #[cold]
    pub(crate) fn wrong_device(user: &str, what: &str, belongs: &dyn Display, wanted: &dyn Display) -> Error {
        Error::WrongDevice {
            user: user.to_owned().into(),
            what: what.to_owned().into(),
            belongs: belongs.to_string().into(),
            wanted: wanted.to_string().into(),
        }
    }

    /// A device does not have a feature.
    #[cold]
    pub(crate) fn unsupported(feature: &str, device: &dyn Display) -> Error {
        Error::Unsupported {
            feature: feature.to_owned(),
            device: device.to_string(),
        }
    }

    /// The interpreter has ended a launch of a kernel.
    #[cfg(any(feature = "programs", feature = "check"))]
    #[cold]
    pub(crate) fn of_interpreter(kernel: &str, error: vyre_ir::interp::Error) -> Error {
        match error {
            vyre_ir::interp::Error::Fault(fault) => Error::Fault(fault),
            error => Error::Stopped {
                kernel: kernel.to_owned().into(),
                reason: error.to_string(),
            },
        }
    }

    /// This needs the CPU as a device, whose feature is off.
    #[cold]
    pub(crate) fn without_cpu(asked: &str) -> Error {
        Error::MissingFeature {
            feature: "cpu",
            asked: asked.to_owned(),
        }
    }

    /// There is no memory for so many bytes.
    #[cold]
    pub(crate) fn out_of_memory(bytes: usize) -> Error {
        Error::OutOfMemory {
            requested: bytes as u64,
            free: None,
        }
    }
}
