//! Addresses of this host at which processes of a test meet.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

/// The first port, and their number: below those that systems give out by themselves, from 32768 on Linux, so that nothing
/// else takes a port between this call and its use.
const FIRST: u32 = 20000;
const PORTS: u32 = 12000;

/// An address of this host that nobody listens at. Calls of one process, and of processes that run at the same time, get
/// different ones.
///
/// # Panics
///
/// Panics if all ports are taken.
pub fn free_address() -> String {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    for _ in 0..PORTS {
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        // A process has 16 ports before it meets those of the next one.
        let port = FIRST + (process::id().wrapping_mul(16).wrapping_add(call)) % PORTS;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port as u16));
        if TcpListener::bind(address).is_ok() {
            return address.to_string();
        }
    }
    panic!("all ports from {FIRST} to {} are taken", FIRST + PORTS - 1);
}
