//! Kernels that end, on a driver that is played on the host.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::{env, fs, process};

use vyre_test_driver::{Driver, Stage};

use super::made::{kernel, launch};
use crate::backend::Queue;
use crate::cuda::context::Context;
use crate::cuda::driver::driver;
use crate::cuda::queue::CudaQueue;
use crate::error::Error;
use crate::kernel::KernelInfo;

/// Runs the body in a process on the played driver.
fn on_driver(test: &str, body: impl FnOnce(&Driver)) {
    let test = format!("cuda::tests::played::{test}");
    if let Some(driver) = Driver::of(&test) {
        return body(&driver);
    }
    let folder = env::temp_dir().join(format!("vyre-played-{}-{}", process::id(), test.replace("::", "-")));
    if let Some(stage) = Stage::new(&folder.to_string_lossy(), &test) {
        stage.run();
    }
    let _ = fs::remove_dir_all(folder);
}

/// A module is unloaded with the last user of its kernel, and not before, and a
/// fault that is read later still names the kernel, whatever has its place by then.
#[test]
fn kernels_end_with_their_last_user() {
    on_driver("kernels_end_with_their_last_user", |played| {
        let context = Arc::new(Context::open(driver().unwrap(), 0, 1000).unwrap());
        let queue = CudaQueue::open(context.clone(), 0).unwrap();
        let clock = AtomicU64::new(0);
        let launch = |kernel: &KernelInfo| launch(&queue, kernel, &clock);
        let unloaded = || played.calls("cuLibraryUnload");
        let first = kernel("first");
        assert_eq!(launch(&first), 1);
        let loaded = context.load(&first).unwrap();
        assert_eq!(played.calls("cuLibraryLoadData"), 1);
        drop(first);
        assert_eq!((loaded.number, unloaded()), (1, 0));
        let waits = played.calls("cuStreamSynchronize");
        drop(loaded);
        assert_eq!((unloaded(), played.calls("cuStreamSynchronize")), (1, waits + 1));
        let second = kernel("second");
        assert_eq!(launch(&second), 2);
        assert_eq!(context.load(&second).unwrap().number, 2);
        drop(second);
        assert_eq!(unloaded(), 2);
        queue.wait().unwrap();
        let mut faulted = Vec::new();
        queue.take_faults(&mut faulted).unwrap();
        let names = faulted.iter().map(|fault| match &fault.error {
            Error::Fault(fault) => &*fault.kernel,
            other => panic!("{other}"),
        });
        assert!(names.eq(["first", "second"]));
    });
}
