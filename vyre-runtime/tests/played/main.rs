//! The CUDA back end on a driver that is played on the host, and what of it also runs on the CPU or on a GPU.
//!
//! Each test runs again in a process of its own, which finds the played driver.

#[cfg(target_os = "linux")]
mod kernels;
#[path = "../support/mod.rs"]
mod support;

#[cfg(all(target_os = "linux", feature = "programs"))]
mod batches;
#[cfg(target_os = "linux")]
mod captures;
#[cfg(target_os = "linux")]
mod driver;
mod drops;
#[cfg(target_os = "linux")]
mod failures;
#[cfg(target_os = "linux")]
mod graphs;
#[cfg(target_os = "linux")]
mod interop;
#[cfg(target_os = "linux")]
mod loading;
#[cfg(target_os = "linux")]
mod machine_code;
#[cfg(target_os = "linux")]
mod old_driver;
mod peers;
#[cfg(target_os = "linux")]
mod pending;
mod pinned;
#[cfg(all(target_os = "linux", feature = "programs"))]
mod programs;
#[cfg(target_os = "linux")]
mod races;
#[cfg(target_os = "linux")]
mod sequences;
#[cfg(target_os = "linux")]
mod shared_memory;
mod spans;
#[cfg(target_os = "linux")]
mod versions;
