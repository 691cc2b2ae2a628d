//! Graphs without the feature `graphs`: none is ever launched.

use std::sync::Arc;

use super::context::Context;
use crate::backend::{DeviceGraph, FaultedLaunch, Queue};
use crate::error::Result;

pub(super) fn open(_: &Arc<Context>, _: &dyn Queue) -> Result<Option<Box<dyn DeviceGraph>>> {
    Ok(None)
}

/// The graphs that were launched on a queue.
#[derive(Default)]
pub(super) struct QueuedGraphs {}

impl QueuedGraphs {
    #[inline]
    pub(super) fn is_faulted(&self) -> bool {
        false
    }

    pub(super) fn is_quiet(&self) -> bool {
        true
    }

    pub(super) fn take_faults(&self, _: &mut Vec<FaultedLaunch>) -> Result<()> {
        Ok(())
    }

    pub(super) fn take_printed(&self, _: &mut String) -> Result<()> {
        Ok(())
    }
}
