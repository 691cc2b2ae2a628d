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

    /// There is no memory for so many bytes.
    #[cold]
    pub(crate) fn out_of_memory(bytes: usize) -> Error {
        Error::OutOfMemory {
            requested: bytes as u64,
            free: None,
        }
    }
}
