//! How the CUDA back end loads kernels, on a driver that is played on the host.

use std::ffi::{CString, c_char};
use std::fs::{self, File};
use std::io::Read;
use std::os::fd::FromRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use crate::kernels::{self, Entry, on_both_drivers, on_driver};
use vyre_runtime::{Device, Error, FaultKind};
use vyre_test_driver::{Driver, Stage, plays};

/// Waits until a function of the driver has been called so often.
fn wait_for(driver: &Driver, function: &str, calls: u64) {
    let start = Instant::now();
    while driver.calls(function) < calls {
        assert!(start.elapsed() < Duration::from_secs(20), "no call of `{function}`");
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_kernel_is_assembled_once_for_all_threads() {
    on_both_drivers(
        "loading::a_kernel_is_assembled_once_for_all_threads",
        |driver, [load, unload]| {
            let device = Device::cuda(0).unwrap();
            let start = Barrier::new(8);
            thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| {
                        start.wait();
                        Entry::<0>.launch(&device).unwrap();
                    });
                }
            });
            assert_eq!((driver.calls(load), driver.calls(unload)), (1, 0));
            assert_eq!(driver.calls("cuLaunchKernel"), 8);
            assert_eq!(device.stats().kernels_loaded, 1);
        },
    );
}

#[test]
fn a_kernel_is_loaded_before_its_first_launch() {
    on_both_drivers(
        "loading::a_kernel_is_loaded_before_its_first_launch",
        |driver, [load, _]| {
            let device = Device::cuda(0).unwrap();
            device.load::<Entry<0>>().unwrap();
            // Also by a thread that has not used the device yet.
            thread::scope(|scope| scope.spawn(|| device.load::<Entry<1>>().unwrap()).join().unwrap());
            let functions = driver.calls("cuKernelGetFunction") + driver.calls("cuModuleGetFunction");
            assert_eq!(
                (driver.calls(load), functions, driver.calls("cuLaunchKernel")),
                (2, 2, 0)
            );
            device.load::<Entry<0>>().unwrap();
            Entry::<0>.launch(&device).unwrap();
            Entry::<1>.launch(&device).unwrap();
            assert_eq!((driver.calls(load), driver.calls("cuLaunchKernel")), (2, 2));
            let error = device.load::<Entry<{ kernels::BROKEN }>>().unwrap_err();
            assert!(matches!(error, Error::PtxRejected { code: 218, .. }), "{error}");
        },
    );
}

/// Each assembler ends once four are at work, so it would fail if any two waited for each other.
#[test]
fn kernels_are_assembled_at_the_same_time() {
    on_driver("loading::kernels_are_assembled_at_the_same_time", |driver| {
        let device = Device::cuda(0).unwrap();
        let device = &device;
        thread::scope(|scope| {
            let threads = [
                scope.spawn(|| Entry::<{ kernels::MEETS }>.launch(device)),
                scope.spawn(|| Entry::<{ kernels::MEETS + 1 }>.launch(device)),
                scope.spawn(|| Entry::<{ kernels::MEETS + 2 }>.launch(device)),
                scope.spawn(|| Entry::<{ kernels::MEETS + 3 }>.launch(device)),
            ];
            for thread in threads {
                thread.join().unwrap().unwrap();
            }
        });
        assert_eq!(driver.calls("cuLibraryLoadData"), 4);
    });
}

/// A thread that waits for an assembler keeps nobody from other kernels, and from their faults.
#[test]
fn a_fault_does_not_wait_for_an_assembler() {
    on_driver("loading::a_fault_does_not_wait_for_an_assembler", |driver| {
        let device = Device::cuda(0).unwrap();
        thread::scope(|scope| {
            let held = scope.spawn(|| Entry::<{ kernels::HELD }>.launch(&device));
            wait_for(driver, "cuLibraryLoadData", 1);
            Entry::<{ kernels::FAULTS }>.launch(&device).unwrap();
            let error = device.synchronize().unwrap_err();
            assert!(
                matches!(&error, Error::Fault(fault) if fault.kernel == "faults" && fault.kind == FaultKind::Panic),
                "{error}"
            );
            assert!(!held.is_finished());
            driver.release();
            held.join().unwrap().unwrap();
        });
        assert_eq!(driver.calls("cuLibraryLoadData"), 2);
    });
}

/// A kernel that the driver refuses, at once or when its code comes into the context, is told with the
/// assembler's log, and leaves nothing behind.
#[test]
fn a_refused_kernel_is_told_with_the_log() {
    on_both_drivers(
        "loading::a_refused_kernel_is_told_with_the_log",
        |driver, [load, unload]| {
            let device = Device::cuda(0).unwrap();
            let refused = |kernel: &'static str, log: &'static str| Error::PtxRejected {
                kernel: kernel.into(),
                code: 218,
                name: "CUDA_ERROR_INVALID_PTX".into(),
                log: log.into(),
            };
            for tried in 1..=2 {
                assert_eq!(
                    Entry::<{ kernels::BROKEN }>.launch(&device).unwrap_err(),
                    refused("broken", "ptxas fatal   : Parsing error near 'played'")
                );
                assert_eq!(
                    Entry::<{ kernels::LATE }>.launch(&device).unwrap_err(),
                    refused("late", "ptxas fatal   : Parsing error, found late")
                );
                assert_eq!(
                    (driver.calls(load), driver.calls("cuModuleLoadDataEx")),
                    (2 * tried, 2 * tried)
                );
                assert_eq!(driver.modules(), 0);
            }
            let unloaded = driver.calls(unload);
            let error = Entry::<{ kernels::NAMELESS }>.launch(&device).unwrap_err();
            assert!(error.to_string().contains("the PTX has no entry `nameless`"), "{error}");
            assert_eq!(driver.calls(unload), unloaded + 1);
            assert_eq!(driver.modules(), 0);
            Entry::<0>.launch(&device).unwrap();
            assert_eq!(driver.modules(), 1);
            assert_eq!(device.stats().kernels_loaded, 1);
        },
    );
}

/// As a driver does that loads libraries into the contexts of older devices, too.
#[test]
fn a_kernel_that_is_no_library_is_a_module() {
    on_both_drivers(
        "loading::a_kernel_that_is_no_library_is_a_module",
        |driver, [load, _]| {
            let device = Device::cuda(0).unwrap();
            Entry::<{ kernels::SINGLE }>.launch(&device).unwrap();
            Entry::<{ kernels::SINGLE }>.launch(&device).unwrap();
            assert_eq!((driver.calls(load), driver.calls("cuModuleLoadDataEx")), (1, 1));
            assert_eq!((driver.modules(), device.stats().kernels_loaded), (1, 1));
        },
    );
}

/// Each device loads a kernel for itself.
#[test]
fn two_devices_load_each_for_itself() {
    const TEST: &str = "loading::two_devices_load_each_for_itself";
    if let Some(driver) = Driver::of(TEST) {
        let [first, second] = [0, 1].map(|index| Device::cuda(index).unwrap());
        Entry::<0>.launch(&first).unwrap();
        Entry::<0>.launch(&second).unwrap();
        Entry::<1>.launch(&second).unwrap();
        Entry::<1>.launch(&first).unwrap();
        for device in [first, second] {
            assert_eq!(device.stats().kernels_loaded, 2);
        }
        assert_eq!(driver.calls("cuLibraryLoadData"), 4);
        assert_eq!(driver.calls("cuLaunchKernel"), 4);
    } else if let Some(mut stage) = Stage::new(env!("CARGO_TARGET_TMPDIR"), TEST) {
        stage.env("PLAYED_DRIVER_DEVICES", "2").run();
    }
}

/// The kinds of events of a watched folder: reads, opens, writes, new, moved and removed files.
const EVENTS: u32 = 0x1 | 0x20 | 0x2 | 0x100 | 0xc0 | 0x200;

unsafe extern "C" {
    fn inotify_init1(flags: i32) -> i32;
    fn inotify_add_watch(watch: i32, path: *const c_char, events: u32) -> i32;
}

/// The system's notes of what is done in a folder.
struct Watch(File);

impl Watch {
    fn new(folder: &Path) -> Watch {
        let path = CString::new(folder.as_os_str().as_bytes()).unwrap();
        // Does not block.
        let flags = 0o4000;
        // SAFETY: the path ends with a zero, and the descriptor is a new one that nobody else owns.
        unsafe {
            let watch = inotify_init1(flags);
            assert!(watch >= 0 && inotify_add_watch(watch, path.as_ptr(), EVENTS) >= 0);
            Watch(File::from_raw_fd(watch))
        }
    }

    /// True if something was done since the last call.
    fn has_seen(&mut self) -> bool {
        matches!(self.0.read(&mut [0; 4096]), Ok(1..))
    }
}

/// Machine code is kept by the driver alone. So there is no folder whose contents the runtime would trust, and none that it
/// has to write: not where caches lie, and not where a variable of the user points.
#[test]
fn no_folder_of_caches_is_touched() {
    const TEST: &str = "loading::no_folder_of_caches_is_touched";
    const FOLDER: &str = "VYRE_CACHE_DIR";
    if plays(TEST) {
        let folder = std::env::var_os(FOLDER).unwrap();
        let folder = Path::new(&folder);
        let mut watch = Watch::new(folder);
        let device = Device::cuda(0).unwrap();
        device.load::<Entry<0>>().unwrap();
        Entry::<1>.launch(&device).unwrap();
        Entry::<{ kernels::PRINTS }>.launch(&device).unwrap();
        device.load::<Entry<{ kernels::BROKEN }>>().unwrap_err();
        device.synchronize().unwrap();
        assert_eq!(device.stats().ptx_loaded, 3);
        assert!(!watch.has_seen(), "something in {} was touched", folder.display());
        // A read is seen: the check above can fail.
        fs::read(folder.join("foreign")).unwrap();
        assert!(watch.has_seen());
    } else if let Some(mut stage) = Stage::new(env!("CARGO_TARGET_TMPDIR"), TEST) {
        let folder = stage.folder().join("caches");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("foreign"), "code of somebody else").unwrap();
        for mode in [0o777, 0o555] {
            fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
            for variable in [FOLDER, "XDG_CACHE_HOME", "HOME", "TMPDIR"] {
                stage.env(variable, &folder);
            }
            stage.run();
        }
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    }
}
