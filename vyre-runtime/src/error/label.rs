//! Labels of calls in errors.

use std::borrow::Cow;

use super::Error;

impl Error {
    /// The error of a call that has a label: the name of the kernel is followed by it, in parentheses.
    pub(crate) fn of_call(mut self, label: &str) -> Error {
        let add = |kernel: &mut Cow<'static, str>| *kernel = format!("{kernel} ({label})").into();
        match &mut self {
            Error::Fault(fault) => fault.kernel = format!("{} ({label})", fault.kernel),
            Error::WrongDevice { user: kernel, .. }
            | Error::EmptyGrid { kernel, .. }
            | Error::WrongDimensions { kernel, .. }
            | Error::BrokenClusters { kernel, .. }
            | Error::TooLarge { kernel, .. }
            | Error::PtxRejected { kernel, .. }
            | Error::Argument { kernel, .. }
            | Error::Stopped { kernel, .. }
            | Error::StreamInSequence { kernel }
            | Error::WrongKernel { kernel, .. }
            | Error::Timeout { kernel, .. }
            | Error::OutputTooLarge { kernel, .. } => add(kernel),
            _ => {}
        }
        self
    }
}
