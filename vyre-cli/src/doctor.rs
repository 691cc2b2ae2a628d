//! `vyre doctor`: checks the toolchain, the driver and the tools, with advice for missing ones.

use std::path::PathBuf;
use std::process::Command;

use vyre_build::toolkit;
use vyre_runtime::Device;

use crate::Result;

/// Says what is found of toolchain, NVIDIA driver, GPUs and tools, and what to do about what is not
///
/// Kernels build with cargo alone and run on the CPU; the rest adds to that. The exit status is 1 where something stands
/// in the way of a build.
#[derive(clap::Args)]
pub(crate) struct Options {}

/// The oldest Rust that vyre builds with.
const OLDEST_RUST: &str = env!("CARGO_PKG_RUST_VERSION");

/// The version of CUDA that the feature `cuda-12080` names to `cudarc`, as its build script reads it.
const DECLARED_CUDA: &str = "12080";

/// State of a component.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Found,
    /// Missing, and not needed by everyone.
    Missing,
    /// Breaks builds.
    Wrong,
}

/// A line of the report.
struct Finding {
    state: State,
    what: String,
    /// A remedy; empty if there is nothing to do.
    advice: String,
}

fn found(what: impl Into<String>) -> Finding {
    Finding {
        state: State::Found,
        what: what.into(),
        advice: String::new(),
    }
}

fn missing(what: impl Into<String>, advice: impl Into<String>) -> Finding {
    Finding {
        state: State::Missing,
        what: what.into(),
        advice: advice.into(),
    }
}

fn wrong(what: impl Into<String>, advice: impl Into<String>) -> Finding {
    Finding {
        state: State::Wrong,
        ..missing(what, advice)
    }
}

pub(crate) fn doctor(_: &Options) -> Result<()> {
    let mut findings = vec![rust()];
    findings.extend(devices());
    findings.extend(["ptxas", "nvdisasm"].map(tool));
    findings.extend(cudarc());
    findings.push(jit_cache());
    for finding in &findings {
        let state = match finding.state {
            State::Found => "ok",
            State::Missing => "missing",
            State::Wrong => "WRONG",
        };
        crate::print(&format!("{state:<8} {}\n", finding.what))?;
        for line in finding.advice.lines() {
            crate::print(&format!("         {line}\n"))?;
        }
    }
    match findings.iter().any(|finding| finding.state == State::Wrong) {
        true => Err("a build will fail until what is WRONG above is mended".to_owned()),
        false => Ok(()),
    }
}

/// The compiler used by cargo.
fn rust() -> Finding {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let said = Command::new(&rustc).arg("--version").output();
    let said = said
        .map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
        .unwrap_or_default();
    match said.split(' ').nth(1) {
        None => wrong(
            format!("no Rust: `{} --version` says nothing", rustc.display()),
            "install it by https://rustup.rs",
        ),
        Some(version) if numbers(version) < numbers(OLDEST_RUST) => wrong(
            format!("{said}, older than {OLDEST_RUST}"),
            "run `rustup update stable`",
        ),
        Some(_) => found(format!("{said}; {OLDEST_RUST} or newer is needed")),
    }
}

/// The components of a version: `1.88.0-nightly` is 1, 88, 0.
fn numbers(version: &str) -> Vec<u32> {
    let plain = version.split('-').next().unwrap_or_default();
    plain.split('.').filter_map(|number| number.parse().ok()).collect()
}

/// The driver and its GPUs, as the runtime sees them.
fn devices() -> Vec<Finding> {
    let advice = "without one kernels run on the CPU, with the same results";
    let mut findings = Vec::new();
    for backend in Device::backends() {
        if let Some(error) = backend.error {
            findings.push(missing(format!("GPU: {error}"), advice));
        }
    }
    for device in Device::missing() {
        findings.push(missing(format!("GPU {}: {}", device.id, device.error), advice));
    }
    for device in Device::all() {
        let (id, name, processors) = (device.id(), device.name(), device.multiprocessors());
        findings.push(found(match (device.compute_capability(), device.version().cuda) {
            (Some((major, minor)), Some(cuda)) => format!(
                "GPU {id}: {name}, compute capability {major}.{minor}, {processors} multiprocessors, driver for CUDA {}.{}",
                cuda.0, cuda.1
            ),
            _ => format!("CPU: {name}, {processors} threads run blocks"),
        }));
    }
    findings
}

/// A disassembler of machine code.
fn tool(name: &str) -> Finding {
    let astray = toolkit::astray(name);
    if !astray.is_empty() {
        let text = format!("{name}: {}", astray.join("; "));
        return missing(text, "set the variable to what is there, or unset it".to_owned());
    }
    match toolkit::find(name) {
        Some(path) => {
            let version = toolkit::version(&path).map_or_else(String::new, |version| format!(" {version}"));
            found(format!("{name}{version}: {}", path.display()))
        }
        None => {
            let (script, package) = match name {
                "ptxas" => ("scripts/ptxas", "nvidia-cuda-nvcc"),
                _ => ("scripts/sass", "nvidia-cuda-nvdisasm"),
            };
            missing(
                format!("{name}, for `vyre show --sass` and the tests of the repository"),
                format!(
                    "in the repository run `{script}`; elsewhere `pip install {package}`, and set VYRE_{}",
                    name.to_uppercase()
                ),
            )
        }
    }
}

/// A variable that stops the build script of `cudarc`: it names a version of CUDA beside that of the features.
fn cudarc() -> Option<Finding> {
    let set = std::env::var("CUDARC_CUDA_VERSION").ok()?;
    (set != DECLARED_CUDA).then(|| {
        wrong(
            format!("CUDARC_CUDA_VERSION={set} names a second version of CUDA to `cudarc`, which compiles for one"),
            "unset it: vyre names CUDA 12.8, whatever toolkit is installed",
        )
    })
}

/// The driver's cache of the machine code that it compiles from PTX.
fn jit_cache() -> Finding {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    if set("CUDA_CACHE_DISABLE").is_some_and(|value| value != "0") {
        return missing(
            "the driver's cache of machine code is off, by CUDA_CACHE_DISABLE",
            "unset it: each process assembles its kernels anew otherwise",
        );
    }
    let home = set("HOME")
        .or_else(|| set("APPDATA"))
        .map(PathBuf::from)
        .unwrap_or_default();
    let default = match cfg!(windows) {
        true => home.join("NVIDIA").join("ComputeCache"),
        false => home.join(".nv").join("ComputeCache"),
    };
    let folder = set("CUDA_CACHE_PATH").map_or(default, PathBuf::from);
    match folder.is_dir() {
        true => found(format!("the driver's cache of machine code: {}", folder.display())),
        false => found(format!(
            "the driver will keep its cache of machine code in {}",
            folder.display()
        )),
    }
}

#[cfg(test)]
mod tests;
