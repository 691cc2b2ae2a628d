//! The texts of errors.

use std::fmt;

use super::{ArgumentProblem, CaptureProblem, Error, HandleProblem, LaunchLimit, LostDevice, RankProblem};

impl fmt::Display for LaunchLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const AXES: [&str; 3] = ["x", "y", "z"];
        match *self {
            LaunchLimit::Grid(axis) => write!(f, "blocks along {}", AXES[axis.min(2)]),
            LaunchLimit::Block(axis) => write!(f, "threads of a block along {}", AXES[axis.min(2)]),
            LaunchLimit::Threads => f.write_str("threads in a block"),
            LaunchLimit::Resident => f.write_str("blocks that wait for each other"),
            LaunchLimit::SharedMemory { .. } => f.write_str("bytes of shared memory in a block"),
            LaunchLimit::Cluster => f.write_str("blocks in a cluster"),
        }
    }
}

impl fmt::Display for ArgumentProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArgumentProblem::Missing => f.write_str("is missing from the call"),
            ArgumentProblem::Unexpected { parameters } => write!(
                f,
                "is one too many: the kernel has {parameters} parameter{}",
                if *parameters == 1 { "" } else { "s" }
            ),
            ArgumentProblem::Kind { expected, given } => write!(f, "takes {expected}, and {given} was given"),
            ArgumentProblem::Length { bytes, element } => write!(
                f,
                "has elements of {element} bytes, of which {bytes} bytes are no whole number"
            ),
            ArgumentProblem::Size { bytes, expected } => {
                write!(f, "takes {expected} bytes, and {bytes} were given")
            }
            ArgumentProblem::Alignment { address, alignment } => write!(
                f,
                "has elements that are aligned to {alignment} bytes, which address {address:#x} is not; begin the view at a \
                 multiple of {alignment} bytes"
            ),
            ArgumentProblem::Bool { offset } => {
                write!(f, "has a `bool` at byte {offset} that is neither 0 nor 1")
            }
            ArgumentProblem::ReadOnly => f.write_str(
                "is written by the kernel, and a buffer was given to be read; give it by `.resident_mut(&mut buffer)`",
            ),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoDriver { searched } => {
                if searched.is_empty() {
                    return f.write_str("there is no CUDA driver for this system; use `Device::cpu()`");
                }
                write!(
                    f,
                    "no CUDA driver was found (looked for {}); install the NVIDIA driver, or put the folder of its \
                     library on the library path (LD_LIBRARY_PATH on Linux), or use `Device::cpu()`",
                    List(searched, ", ")
                )
            }
            Error::DriverTooOld { found, needed, missing } => {
                write!(f, "the CUDA driver supports CUDA {}.{}", found.0, found.1)?;
                if let Some(missing) = missing {
                    write!(f, " and lacks `{missing}`")?;
                }
                write!(
                    f,
                    "; CUDA {}.{} or newer is needed, so update the NVIDIA driver",
                    needed.0, needed.1
                )
            }
            Error::NoDevice { index, count: 0 } => write!(
                f,
                "there is no CUDA device {index}: the driver sees none; check `nvidia-smi` and \
                 CUDA_VISIBLE_DEVICES, or use `Device::cpu()`"
            ),
            Error::NoDevice { index, count } => {
                write!(
                    f,
                    "there is no CUDA device {index}: the driver sees {count}, counted from 0"
                )
            }
            Error::UnknownName { what, name, known } => {
                let others = if known.len() == 1 { "there is only" } else { "there are" };
                write!(f, "there is no {what} `{name}`; {others} {}", List(known, ", "))
            }
            Error::AmbiguousName { what, name, count } => {
                write!(f, "there are {count} {what}s `{name}`; give each a name of its own")
            }
            Error::Timeout { kernel, limit } => write!(
                f,
                "`{kernel}` was not over after {limit:?}; it goes on, and its stream can be waited for; give it more time, or \
                 less work"
            ),
            Error::OutputTooLarge { kernel, bytes, limit } => write!(
                f,
                "`{kernel}` has {bytes} bytes of outputs, and the call allows {limit}; keep outputs in buffers, or raise \
                 `max_output_bytes`"
            ),
            Error::OutOfMemory { requested, free } => {
                write!(f, "out of memory: {requested} bytes were asked for")?;
                if let Some(free) = free {
                    write!(f, " and {free} are free")?;
                }
                f.write_str("; drop buffers that are no longer needed, or work in smaller parts")
            }
            Error::Driver { call, code, name } => {
                write!(f, "`{call}` failed with {name} ({code})")?;
                f.write_str(advice(*code))
            }
            Error::Closed { device } => write!(
                f,
                "{device} was shut down, and what was made on it can only be dropped; open the device again, and upload anew"
            ),
            Error::DeviceLost(lost) => {
                let LostDevice {
                    device,
                    call,
                    code,
                    name,
                    kernels,
                } = &**lost;
                write!(f, "{device} is lost: `{call}` failed with {name} ({code})")?;
                match &kernels[..] {
                    [] => f.write_str(" while no kernel of this program ran")?,
                    kernels => write!(f, " while these may have run: {}", List(kernels, ", "))?,
                }
                f.write_str(
                    "; look for `unsafe` code in kernels, and call `device.recover()`, or go on with `Device::cpu()`",
                )
            }
            Error::RestartNeeded { device, code } => write!(
                f,
                "{device} was lost with code {code}, after which the driver refuses all calls of this process; start the \
                 program again, or do such work in a child process"
            ),
            Error::Forked => f.write_str(
                "this process was forked from one that uses CUDA, and only the parent can go on with it; start a new \
                 process in place of forking, or open the first device after the fork",
            ),
            Error::WrongDevice {
                what, belongs, wanted, ..
            } if what == "the event" => write!(
                f,
                "the event belongs to {belongs} and was used on {wanted}; wait for it on the host, by `event.wait()`, or \
                 record one on {wanted}"
            ),
            Error::WrongDevice {
                user,
                what,
                belongs,
                wanted,
            } => write!(
                f,
                "{} belongs to {belongs}, but {} runs on {wanted}; run it on {belongs}, or copy the data over first",
                Named(what),
                Named(user)
            ),
            Error::StreamInSequence { kernel } => write!(
                f,
                "`{kernel}` was recorded on a stream of its own, but a sequence has one stream for all of its steps; leave out \
                 `.on(..)` here, and give the stream to the sequence, by `Sequence::on`"
            ),
            Error::WrongKernel { kernel, recorded } => write!(
                f,
                "the node launches `{recorded}`, and only its arguments and its extent can be exchanged, not the kernel for \
                 `{kernel}`; record another sequence"
            ),
            Error::ForeignNode => f.write_str(
                "the graph does not have this node: it is from another sequence, or its launch had an empty domain, which \
                 records nothing; use the one that `Sequence::node` returned for this graph",
            ),
            Error::LengthMismatch {
                first,
                first_length,
                second,
                second_length,
            } => write!(
                f,
                "{} has {first_length} elements and {} has {second_length}; the lengths must be equal, so take a part of \
                 the longer one",
                Named(first),
                Named(second)
            ),
            Error::RangeOutOfBounds { start, end, .. } if start > end => {
                write!(f, "range {start}..{end} ends before it begins")
            }
            Error::RangeOutOfBounds { start, end, length } => {
                write!(f, "range {start}..{end} is out of bounds of length {length}")
            }
            Error::CountOutOfBounds { count, length } => write!(
                f,
                "the counter says {count} elements, and the buffer has {length}; make the buffer longer, set the counter before \
                 the kernel counts, or have the kernel write no more than there is room for. What the buffer has can be read \
                 by `download`"
            ),
            Error::InvalidElement { index, element } => write!(
                f,
                "element {index} of what was read has bits that are no value of `{element}`; have each element written by one \
                 thread, or by atomics, and as the type that it is read as"
            ),
            Error::MatrixSize {
                rows,
                cols,
                pitch,
                length,
            } => {
                write!(
                    f,
                    "a matrix of {rows} rows and {cols} columns, with a pitch of {pitch}, "
                )?;
                let most = u32::MAX;
                let is_large = |&extent: &usize| u32::try_from(extent).is_err();
                match [*rows, *cols, *pitch].iter().any(is_large) {
                    _ if pitch < cols => {
                        f.write_str("has rows that overlap; the pitch is at least the number of columns")
                    }
                    true => write!(f, "is too large; none of them is more than {most}"),
                    false => {
                        let needed = rows.saturating_sub(1) as u64 * *pitch as u64 + *cols as u64;
                        write!(f, "has {needed} elements, and there are {length}")
                    }
                }
            }
            Error::WrongDimensions {
                kernel,
                dimensions,
                blocks,
            } => write!(
                f,
                "`{kernel}` has {dimensions} dimension{}, and a launch of {blocks:?} blocks more; launch it with an extent \
                 for each of its own",
                if *dimensions == 1 { "" } else { "s" }
            ),
            Error::BrokenClusters {
                kernel,
                cluster,
                blocks,
            } => write!(
                f,
                "`{kernel}` has clusters of {cluster:?} blocks, and {blocks:?} blocks make no whole ones; launch a \
                 multiple, or `over` a domain, which rounds up"
            ),
            Error::EmptyGrid {
                kernel,
                grid: [x, y, z],
            } => write!(
                f,
                "`{kernel}` was launched on a grid of {x} x {y} x {z} blocks; every axis needs at least one \
                 (a domain given to `over` may be empty)"
            ),
            Error::MayRace { kernel, problem } => write!(f, "`{kernel}` {problem}"),
            Error::TooLarge {
                kernel,
                what: LaunchLimit::Resident,
                requested,
                limit,
            } => write!(
                f,
                "`{kernel}` waits for the whole grid, so all of its {requested} blocks run at the same time, and the \
                 device runs at most {limit}; launch as many as `device.resident_blocks(&kernel, shared_bytes)` says, and \
                 let each do more"
            ),
            Error::TooLarge {
                kernel,
                what: LaunchLimit::SharedMemory { own, dynamic },
                limit,
                ..
            } => {
                // The sum may be more than its field holds.
                let sum = u128::from(*own) + u128::from(*dynamic);
                write!(
                    f,
                    "`{kernel}` needs {sum} bytes of shared memory in a block, {own} of its own and {dynamic} of the \
                     launch, and the device has at most {limit}; share less, or give the launch less by \
                     `.shared_bytes(n)`"
                )
            }
            Error::TooLarge {
                kernel,
                what,
                requested,
                limit,
            } => write!(
                f,
                "`{kernel}` needs {requested} {what}, and the device has at most {limit}; {}",
                match what {
                    LaunchLimit::Grid(_) => "split the launch, or use larger blocks",
                    LaunchLimit::Block(_) | LaunchLimit::Threads => "give the kernel smaller blocks",
                    LaunchLimit::SharedMemory { .. } | LaunchLimit::Resident => "share less, or launch fewer blocks",
                    LaunchLimit::Cluster => {
                        "ask `device.max_cluster_blocks()`, and launch a kernel with smaller clusters, or without"
                    }
                }
            ),
            Error::StreamCaptured { device, problem } => match &**problem {
                CaptureProblem::Work => write!(
                    f,
                    "a stream of {device} is being captured into a graph, of which this work can be no part; do it before or \
                     after the capture, or on another stream, or launch by `.captured()`"
                ),
                CaptureProblem::Invalidated => write!(
                    f,
                    "a stream of {device} is being captured into a graph, and an earlier call has made the capture invalid; \
                     end it, and begin again"
                ),
                CaptureProblem::Reports { kernel } => write!(
                    f,
                    "`{kernel}` can fault, print or wait for the grid, and a graph that somebody else captures on {device} \
                     has no memory for that; put it into a graph of a `Sequence`"
                ),
                CaptureProblem::Order { kernel, parameter } => write!(
                    f,
                    "`{parameter}` of `{kernel}` was used by other streams of {device}, for which one that is being captured \
                     cannot wait; launch the kernel once on the stream before the capture"
                ),
            },
            Error::Fault(fault) => fault.fmt(f),
            #[cfg(feature = "check")]
            Error::Check(found) => found.fmt(f),
            Error::LostFault { records } => write!(
                f,
                "more than {records} launches of a stream have faulted since the last wait, and a later one may have, \
                 too; wait more often, by `stream.synchronize()`, to see every fault"
            ),
            Error::DamagedFault { kernel, site } => write!(
                f,
                "a kernel reported a fault, but its record (kernel {kernel}, site {site}) was overwritten; \
                 look for `unsafe` code in kernels that writes outside of its memory"
            ),
            Error::PtxRejected {
                kernel,
                code,
                name,
                log,
            } => {
                write!(f, "the driver refused the PTX of `{kernel}`: {name} ({code})")?;
                f.write_str(advice(*code))?;
                match log.trim() {
                    "" => Ok(()),
                    log => write!(f, "\n{log}"),
                }
            }
            Error::Argument {
                kernel,
                parameter,
                problem,
            } => write!(f, "{} of `{kernel}` {problem}", Named(parameter)),
            Error::Handle { number, problem } => match problem {
                HandleProblem::Foreign if *number == 0 => f.write_str("the buffer is of another device than the table"),
                HandleProblem::Foreign => write!(
                    f,
                    "handle {number} is of another table; use it with the one that made it"
                ),
                HandleProblem::Freed => write!(f, "handle {number} has no buffer any more: it was freed, or taken out"),
                HandleProblem::Twice => write!(f, "handle {number} stands twice in a call that takes each once"),
                HandleProblem::Lent => write!(
                    f,
                    "handle {number} is lent by `with`: use its buffer, or the handle after `with` has returned"
                ),
                HandleProblem::Length { length, given } => write!(
                    f,
                    "the buffer of handle {number} has {length} bytes, and {given} were given; give as many, or write a part"
                ),
                HandleProblem::Range { start, end, length } => write!(
                    f,
                    "bytes {start}..{end} of handle {number} are out of bounds of its {length} bytes"
                ),
            },
            Error::InvalidProgram { errors } => {
                write!(f, "the program cannot be compiled: {}", List(errors, "; "))
            }
            Error::UncheckedProgram { operations } => write!(
                f,
                "the program has operations that nobody checks ({}); if they stay within the arguments of all calls, \
                 compile it by `unsafe {{ device.compile_trusted(program) }}`",
                List(operations, "; ")
            ),
            Error::NoKernelChosen { kernels } if kernels.is_empty() => f.write_str("the program has no kernel to call"),
            Error::NoKernelChosen { kernels } => write!(
                f,
                "the program has several kernels; choose one of {} by `.kernel(name)`",
                List(kernels, ", ")
            ),
            Error::Stopped { kernel, reason } => write!(f, "the launch of `{kernel}` was stopped: {reason}"),
            Error::Ranks { rank, ranks, problem } => match **problem {
                // The variables are what would tell the number of the rank.
                RankProblem::Variable { .. } => write!(f, "{problem}"),
                _ => write!(f, "rank {rank} of {ranks}: {problem}"),
            },
            Error::MissingFeature { feature, asked } => write!(
                f,
                "{asked} needs the feature `{feature}` of vyre, which this program was built without; add it in Cargo.toml, as \
                 `vyre = {{ .., features = [\"{feature}\"] }}`{}",
                match *feature {
                    "check" => " under `[dev-dependencies]`, or unset the variable",
                    _ => "",
                }
            ),
            Error::Unsupported { feature, device } => write!(f, "{feature}, which {device} does not have"),
        }
    }
}

/// The name of a parameter, or a description in words.
struct Named<'n>(&'n str);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_bytes().contains(&b' ') {
            true => f.write_str(self.0),
            false => write!(f, "`{}`", self.0),
        }
    }
}

/// Texts with a separator between them.
pub(super) struct List<'l>(pub(super) &'l [String], pub(super) &'static str);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for text in self.0 {
            f.write_str(separator)?;
            f.write_str(text)?;
            separator = self.1;
        }
        Ok(())
    }
}

/// Advice about a `CUresult`; empty for codes without any.
fn advice(code: u32) -> &'static str {
    match code {
        34 => {
            "; the library found is the toolkit's stub, so put the driver's own libcuda before it on the library path"
        }
        46 | 101 => "; the device is taken or hidden, see CUDA_VISIBLE_DEVICES and the compute mode in `nvidia-smi`",
        209 => "; the kernel has no code for this device",
        218 => "; the PTX is damaged or the driver cannot read it",
        221 | 223 => "; the driver cannot compile PTX here, install its PTX compiler library",
        222 if cfg!(feature = "programs") => "; the PTX is newer than the driver, so update the NVIDIA driver",
        222 => {
            "; the PTX is newer than the driver, so update the NVIDIA driver, or enable the feature `programs` of vyre, which \
             lowers the kernel again where older PTX can do the same"
        }
        802 => "; the fabric manager of the machine is not ready",
        803 | 804 => "; the driver's library and its kernel module do not fit together, restart after an update",
        700 | 714..=719 => "; the device's context cannot be used any more, restart the program",
        _ => "",
    }
}
