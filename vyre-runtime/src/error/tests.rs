use vyre_abi::fault::FaultKind;

use super::*;

/// `Result<()>` is returned by every launch, so it must not grow unseen.
#[test]
fn errors_stay_small() {
    assert!(size_of::<Error>() <= 80, "{}", size_of::<Error>());
}

/// A kernel that a program makes while it runs has no name for ever.
#[test]
fn names_may_be_owned() {
    let empty = |kernel: Cow<'static, str>| Error::EmptyGrid {
        kernel,
        grid: [0, 1, 1],
    };
    let owned = empty(format!("fused_{}", 3).into());
    assert_eq!(owned, empty("fused_3".into()));
    assert!(
        owned
            .to_string()
            .starts_with("`fused_3` was launched on a grid of 0 x 1 x 1 blocks")
    );
}

/// `anyhow` and others print an error and the chain of its sources.
#[test]
fn a_fault_is_printed_once() {
    let fault = Fault {
        kind: FaultKind::DivisionByZero,
        values: [0; 2],
        kernel: "divide".into(),
        file: "src/lib.rs".into(),
        line: 3,
        column: 5,
        block: [0; 3],
        thread: [1, 0, 0],
        message: String::new(),
    };
    let error = Error::Fault(Box::new(fault));
    let mut printed = error.to_string();
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        printed += &cause.to_string();
        source = cause.source();
    }
    assert_eq!(printed.matches("division by zero").count(), 1, "{printed}");
}

#[test]
fn messages_say_what_to_do() {
    let error = Error::NoDriver {
        searched: vec!["libcuda.so.1".into(), "libcuda.so".into()],
    };
    assert!(
        error
            .to_string()
            .starts_with("no CUDA driver was found (looked for libcuda.so.1, libcuda.so); install")
    );
    let error = Error::NoDriver { searched: Vec::new() };
    assert_eq!(
        error.to_string(),
        "there is no CUDA driver for this system; use `Device::cpu()`"
    );
    let error = Error::NoDevice { index: 3, count: 2 };
    assert_eq!(
        error.to_string(),
        "there is no CUDA device 3: the driver sees 2, counted from 0"
    );
    let error = Error::TooLarge {
        kernel: "k".into(),
        what: LaunchLimit::Grid(1),
        requested: 70000,
        limit: 65535,
    };
    assert_eq!(
        error.to_string(),
        "`k` needs 70000 blocks along y, and the device has at most 65535; split the launch, or use larger blocks"
    );
    let error = Error::Driver {
        call: "cuInit",
        code: 34,
        name: "CUDA_ERROR_STUB_LIBRARY".into(),
    };
    assert!(error.to_string().contains("the toolkit's stub"));
}
