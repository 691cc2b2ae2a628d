//! The library NCCL, which is opened when the first communicator of several GPUs needs it.
//!
//! The declarations are those of `nccl.h` and have been the same since NCCL 2.18. cudarc has them too, but for one version
//! that the whole build then shares, and its functions panic if the library is missing.

use std::env;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

use libloading::Library as Opened;

use vyre::RankProblem;

/// The oldest version that has all functions and fields, major and minor: `splitShare` of the configuration came with it.
const NEEDED: (u32, u32) = (2, 18);

/// The names of the library, in the order of the search.
const NAMES: [&str; 2] = ["libnccl.so.2", "libnccl.so"];

/// The variable that names the file.
const FILE: &str = "VYRE_NCCL";

/// `ncclSuccess` and `ncclInProgress`.
pub(super) const SUCCESS: u32 = 0;
pub(super) const IN_PROGRESS: u32 = 7;

/// `ncclUint8`.
pub(super) const BYTES: u32 = 1;

/// `ncclComm_t`.
pub(super) type Comm = *mut c_void;

/// `ncclUniqueId`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct UniqueId(pub(super) [u8; 128]);

/// The fields of `ncclConfig_t` that NCCL 2.18 has. Newer versions take the others by their defaults, as `size` says.
#[repr(C)]
pub(super) struct Config {
    size: usize,
    magic: c_uint,
    version: c_uint,
    blocking: c_int,
    cluster: c_int,
    min_ctas: c_int,
    max_ctas: c_int,
    net_name: *const c_char,
    split_share: c_int,
}

impl Config {
    /// Calls return when they are done. `watch` tells how one is ended that would not return.
    pub(super) fn blocking() -> Config {
        /// `NCCL_CONFIG_UNDEF_INT`.
        const UNDEFINED: c_int = c_int::MIN;
        Config {
            size: size_of::<Config>(),
            // `NCCL_API_MAGIC`.
            magic: 0xcafe_beef,
            // `NCCL_VERSION(2, 18, 5)`.
            version: 2 * 10_000 + 18 * 100 + 5,
            blocking: 1,
            cluster: UNDEFINED,
            min_ctas: UNDEFINED,
            max_ctas: UNDEFINED,
            net_name: std::ptr::null(),
            split_share: UNDEFINED,
        }
    }
}

macro_rules! functions {
    ($($name:ident($($argument:ty),* $(,)?);)*) => {
        /// The functions of the library. Results are numbers: newer versions may have more of them.
        #[allow(non_snake_case, reason = "the names are the library's")]
        pub(super) struct Library {
            $(pub(super) $name: unsafe extern "C" fn($($argument),*) -> u32,)*
            error_string: unsafe extern "C" fn(u32) -> *const c_char,
            last_error: unsafe extern "C" fn(Comm) -> *const c_char,
            _opened: Opened,
        }

        impl Library {
            fn of(opened: Opened) -> Result<Library, libloading::Error> {
                Ok(Library {
                    // SAFETY: `nccl.h` declares the function with these arguments; `ncclResult_t`, `ncclDataType_t` and
                    // `ncclRedOp_t` are enums of 32 bits.
                    $($name: unsafe { *opened.get(concat!(stringify!($name), "\0").as_bytes())? },)*
                    // SAFETY: as above.
                    error_string: unsafe { *opened.get(b"ncclGetErrorString\0")? },
                    // SAFETY: as above.
                    last_error: unsafe { *opened.get(b"ncclGetLastError\0")? },
                    _opened: opened,
                })
            }

            /// Functions that do nothing, with success, for tests of what calls them.
            #[cfg(all(test, unix))]
            pub(super) fn idle() -> Library {
                unsafe extern "C" fn no_text<T>(_: T) -> *const c_char {
                    std::ptr::null()
                }
                Library {
                    $($name: {
                        unsafe extern "C" fn idle($(_: $argument),*) -> u32 {
                            SUCCESS
                        }
                        idle
                    },)*
                    error_string: no_text,
                    last_error: no_text,
                    _opened: libloading::os::unix::Library::this().into(),
                }
            }
        }
    };
}

functions! {
    ncclGetUniqueId(*mut UniqueId);
    ncclCommInitRankConfig(*mut Comm, c_int, UniqueId, c_int, *mut Config);
    ncclCommGetAsyncError(Comm, *mut u32);
    ncclCommDestroy(Comm);
    ncclCommAbort(Comm);
    ncclGroupStart();
    ncclGroupEnd();
    ncclAllReduce(*const c_void, *mut c_void, usize, u32, u32, Comm, *mut c_void);
    ncclReduceScatter(*const c_void, *mut c_void, usize, u32, u32, Comm, *mut c_void);
    ncclAllGather(*const c_void, *mut c_void, usize, u32, Comm, *mut c_void);
    ncclBroadcast(*const c_void, *mut c_void, usize, u32, c_int, Comm, *mut c_void);
    ncclSend(*const c_void, usize, u32, c_int, Comm, *mut c_void);
    ncclRecv(*mut c_void, usize, u32, c_int, Comm, *mut c_void);
}

impl Library {
    /// The library; it is opened once and stays.
    pub(super) fn get() -> Result<&'static Library, RankProblem> {
        static LIBRARY: OnceLock<Result<Library, RankProblem>> = OnceLock::new();
        let library = LIBRARY.get_or_init(|| open(&names(env::var(FILE).ok())));
        library.as_ref().map_err(Clone::clone)
    }

    /// The problem of a call that has failed.
    pub(super) fn problem(&self, call: &str, code: u32, comm: Comm) -> RankProblem {
        // SAFETY: the functions take any code, and null or a communicator that exists, and return texts that stay for now.
        let texts = unsafe { [(self.error_string)(code), (self.last_error)(comm)] };
        let text = |from: *const c_char| {
            // SAFETY: as above, if it is not null.
            (!from.is_null()).then(|| unsafe { CStr::from_ptr(from) }.to_string_lossy().into_owned())
        };
        let texts: Vec<_> = texts
            .into_iter()
            .filter_map(text)
            .filter(|text| !text.is_empty())
            .collect();
        RankProblem::Library {
            call: call.to_owned(),
            code,
            text: texts.join(", "),
        }
    }
}

/// The names to try: the file that the variable names, and no other then.
fn names(file: Option<String>) -> Vec<String> {
    file.map_or_else(|| NAMES.map(str::to_owned).into(), |file| vec![file])
}

fn open(names: &[String]) -> Result<Library, RankProblem> {
    let opened = names.iter().find_map(|name| {
        // SAFETY: the initialisers of the library are sound to run.
        unsafe { Opened::new(name) }.ok()
    });
    let missing = || RankProblem::NoLibrary {
        searched: names.to_vec(),
    };
    let opened = opened.ok_or_else(missing)?;
    let mut version = 0;
    // SAFETY: `nccl.h` declares it so.
    let get = unsafe { opened.get::<unsafe extern "C" fn(*mut c_int) -> u32>(b"ncclGetVersion\0") };
    let get = get.map_err(|_| missing())?;
    // SAFETY: the pointer is valid for a write.
    unsafe { get(&raw mut version) };
    // Versions have been numbered so since 2.9.
    let found = (version as u32 / 10_000, version as u32 / 100 % 100);
    let too_old = RankProblem::LibraryTooOld { found, needed: NEEDED };
    match found < NEEDED {
        true => Err(too_old),
        false => Library::of(opened).map_err(|_| too_old),
    }
}

#[cfg(test)]
mod tests;
