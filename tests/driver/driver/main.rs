//! A CUDA driver that is played on the host: devices of compute capability 9.0, or the one that `PLAYED_DRIVER_TARGET`
//! has, as `75`, whose memory is that of
//! the host and whose work is done when the call that queues it returns.
//!
//! It defines the functions that the runtime of vyre looks up. `PLAYED_DRIVER_VERSION` is the CUDA
//! version that it reports, in the driver's encoding, `PLAYED_DRIVER_DEVICES` the number of devices, 1
//! without it, `PLAYED_DRIVER_APART` that they have no way to each other, or, with `refused`, that they seem to have one
//! and are refused access, and `PLAYED_DRIVER_TAKEN` the number of a device that somebody else has, which cannot be
//! opened.
#![allow(non_snake_case, reason = "the names are the driver's")]

/// Defines functions of the driver, each of which counts its calls.
macro_rules! functions {
    ($(fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block)*) => { $(
        #[unsafe(no_mangle)]
        #[allow(unused_unsafe, reason = "not all of them need it")]
        unsafe extern "C" fn $name($($argument: $type),*) -> u32 {
            if let Some(code) = crate::control::call(stringify!($name)) {
                return code;
            }
            if crate::capture::refuses(stringify!($name)) {
                return crate::result::CAPTURE_UNSUPPORTED;
            }
            // SAFETY: the caller holds the contract of the driver's function.
            unsafe { $body }
        }
    )* };
}

mod assembler;
mod capture;
mod contexts;
mod control;
mod device;
mod graph;
mod launch;
mod memory;
mod module;
mod nvtx;
mod order;
mod own;
mod stream;

/// Results, which are `CUresult`s.
mod result {
    pub(crate) const SUCCESS: u32 = 0;
    pub(crate) const INVALID_VALUE: u32 = 1;
    pub(crate) const OUT_OF_MEMORY: u32 = 2;
    pub(crate) const NOT_INITIALIZED: u32 = 3;
    pub(crate) const DEVICE_UNAVAILABLE: u32 = 46;
    pub(crate) const INVALID_DEVICE: u32 = 101;
    pub(crate) const INVALID_CONTEXT: u32 = 201;
    pub(crate) const NO_BINARY: u32 = 209;
    pub(crate) const PEER_ACCESS_UNSUPPORTED: u32 = 217;
    pub(crate) const INVALID_PTX: u32 = 218;
    pub(crate) const UNSUPPORTED_PTX: u32 = 222;
    pub(crate) const INVALID_HANDLE: u32 = 400;
    pub(crate) const NOT_FOUND: u32 = 500;
    pub(crate) const ILLEGAL_ADDRESS: u32 = 700;
    pub(crate) const CONTEXT_IS_DESTROYED: u32 = 709;
    pub(crate) const NOT_READY: u32 = 600;
    pub(crate) const CAPTURE_UNSUPPORTED: u32 = 900;
    pub(crate) const CAPTURE_INVALIDATED: u32 = 901;
    pub(crate) const CAPTURE_ISOLATION: u32 = 905;
    pub(crate) const CAPTURED_EVENT: u32 = 907;
    pub(crate) const CAPTURE_WRONG_THREAD: u32 = 908;
    pub(crate) const UNKNOWN: u32 = 999;
}

/// The compute capability, as the `.target` of PTX says it.
fn target() -> u32 {
    let set = std::env::var("PLAYED_DRIVER_TARGET").ok();
    set.and_then(|text| text.parse().ok()).unwrap_or(90)
}

/// The CUDA version, in the driver's encoding.
fn version() -> u32 {
    let set = std::env::var("PLAYED_DRIVER_VERSION").ok();
    set.and_then(|text| text.parse().ok()).unwrap_or(13000)
}
