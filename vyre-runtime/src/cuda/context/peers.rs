//! Access of one GPU to the memory of another.

use cudarc::driver::sys::{CUdeviceptr, CUmemLocationType, CUstream};

use super::Context;
use crate::cuda::driver::{PEER_ACCESS_ALREADY_ENABLED, PoolAccess, call};
use crate::error::Result;

impl Context {
    /// Copies from another GPU's memory in the order of a stream of this one. True if the GPUs do it by themselves; else
    /// the driver stages the copy through memory of the host.
    ///
    /// # Safety
    /// Both ranges are valid, and used in the order of the stream. The context is current.
    pub(in crate::cuda) unsafe fn copy_from_peer(
        &self,
        to: CUdeviceptr,
        peer: &Context,
        from: CUdeviceptr,
        bytes: usize,
        stream: CUstream,
    ) -> Result<bool> {
        let direct = self.can_access(peer)?;
        let (own, other) = (self.calls.raw(), peer.calls.raw());
        // SAFETY: by the contract, and each address is of its context.
        unsafe { call!(self.calls, cuMemcpyPeerAsync(to, own, from, other, bytes, stream))? };
        Ok(direct)
    }

    /// True if this device reads the memory of another one; asks and enables that once. The context is current.
    fn can_access(&self, peer: &Context) -> Result<bool> {
        let mut peers = peer.peers.lock();
        if let Some((_, known)) = peers.iter().find(|(device, _)| *device == self.device) {
            return Ok(*known);
        }
        let mut can = 0;
        // SAFETY: the pointer is valid for the call.
        unsafe { call!(self.calls, cuDeviceCanAccessPeer(&mut can, self.device, peer.device))? };
        let direct = can != 0 && self.enable(peer)?;
        peers.push((self.device, direct));
        Ok(direct)
    }

    fn enable(&self, peer: &Context) -> Result<bool> {
        let Some(pool) = peer.pool else {
            // SAFETY: the contexts are of different devices, and this one is current.
            let code = unsafe { (self.calls.cuCtxEnablePeerAccess)(peer.calls.raw(), 0) };
            return match code {
                // Another library has done it.
                PEER_ACCESS_ALREADY_ENABLED => Ok(true),
                code => self.or_staged(self.calls.check("cuCtxEnablePeerAccess", code)),
            };
        };
        let access = PoolAccess {
            location_type: CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE,
            location_id: self.device,
            flags: 3,
        };
        // SAFETY: the pool is live, and there is one description.
        self.or_staged(unsafe { call!(self.calls, cuMemPoolSetAccess(pool, (&raw const access).cast(), 1)) })
    }

    /// False if access was refused, and the driver stages copies. An error only if the device is lost.
    fn or_staged(&self, enabled: Result<()>) -> Result<bool> {
        match enabled {
            Ok(()) => Ok(true),
            Err(error) if self.calls.lost().is_some() => Err(error),
            Err(_) => Ok(false),
        }
    }
}
