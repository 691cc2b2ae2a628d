//! Compiling kernels takes no network.

use std::ffi::c_int;
use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::compiled;

/// The sockets that were asked for.
static SOCKETS: AtomicUsize = AtomicUsize::new(0);

/// Stands in place of the system's function, with which every connection of this process begins.
// SAFETY: it has the type of that function, and answers that there is no socket.
#[unsafe(no_mangle)]
extern "C" fn socket(_domain: c_int, _kind: c_int, _protocol: c_int) -> c_int {
    SOCKETS.fetch_add(1, Ordering::Relaxed);
    -1
}

#[test]
fn no_connection_is_opened() {
    compiled(
        "network",
        "#[vyre::kernel(allow(races))] pub fn set(out: &mut [u32]) { out[0] = 1; }",
    )
    .expect("the kernel is good");
    assert_eq!(SOCKETS.load(Ordering::Relaxed), 0);
    // A connection is seen: the check above can fail.
    TcpListener::bind("127.0.0.1:0").expect_err("there are no sockets");
    assert_eq!(SOCKETS.load(Ordering::Relaxed), 1);
}
