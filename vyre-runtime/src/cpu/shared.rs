//! State shared by the queues of a device.

use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(feature = "check")]
use crate::checking::Checker;
use crate::checking::Checking;
use crate::error::{Error, Result};

/// The state of a device.
pub(super) struct Shared {
    pub(super) name: &'static str,
    /// True for a device that does nothing: it is shut down, or there is an error.
    pub(super) is_shut: AtomicBool,
    /// The reason why it does nothing, if it has never been open.
    pub(super) refused: Option<Error>,
    #[cfg(feature = "check")]
    pub(super) checker: Option<Checker>,
}

impl Shared {
    pub(super) fn new(checking: &Checking) -> Shared {
        let refused = match checking {
            Checking::Refused(error) => Some(error.clone()),
            _ => None,
        };
        Shared {
            name: match checking {
                Checking::On(_) => "CPU, checked",
                _ => "CPU",
            },
            is_shut: AtomicBool::new(refused.is_some()),
            refused,
            #[cfg(feature = "check")]
            checker: match checking {
                Checking::On(mode) => Some(Checker::new(*mode)),
                _ => None,
            },
        }
    }

    #[inline]
    pub(super) fn check(&self) -> Result<()> {
        match self.is_shut.load(Ordering::Relaxed) {
            false => Ok(()),
            true => Err(self.error()),
        }
    }

    #[cold]
    fn error(&self) -> Error {
        self.refused.clone().unwrap_or_else(|| Error::Closed {
            device: self.name.to_owned(),
        })
    }

    /// Notes for checking mode that the host writes memory.
    pub(super) fn written(&self, _address: u64, _bytes: usize) {
        #[cfg(feature = "check")]
        if let Some(checker) = &self.checker {
            checker.written(_address, _bytes);
        }
    }
}
