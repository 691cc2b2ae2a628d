//! Programs that are checked and, for a GPU, compiled.

use std::fmt;
use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;
use vyre_core::ir::{Arena, Constant, Handle, Kernel, Program, PtxLimits};
use vyre_core::unchecked::{Unchecked, unchecked};
use vyre_core::validate::{Validated, validate};
use vyre_core::{CompileOptions, compile, externals, interp};

use super::kernel::OwnedKernel;
use super::options::Options;
use super::split::Parts;
use crate::backend::Interpreter;
use crate::error::{Error, Result};
use crate::interpret::Interpreted;
use crate::interpret::signature::{self, Kind, Parameter};
use crate::load::kernel::KernelDescription;
use crate::sync::Mutex;

/// A program that is ready for a device.
pub(crate) struct Compiled {
    /// The program as it was given.
    pub(crate) source: Arc<Program>,
    /// The digest of its text, and of the options unless they are the usual ones.
    pub(crate) digest: u128,
    pub(crate) options: Options,
    /// The kernels, in its order.
    pub(crate) kernels: Vec<CompiledKernel>,
    /// Its operations that nobody checks, in words.
    pub(crate) unchecked: Vec<String>,
    /// The `.version` and `.target` of the PTX, the highest of all kernels; `None` without PTX.
    pub(crate) needs: Option<Needs>,
}

/// The requirements of PTX: its `.version`, major and minor, and its `.target`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Needs {
    pub(crate) version: (u32, u32),
    pub(crate) target: u32,
}

/// A kernel of such a program.
pub(crate) struct CompiledKernel {
    owned: OwnedKernel,
    /// A program with this kernel alone, whose constants have their values.
    program: Arc<Program>,
    parameters: Arc<[Parameter]>,
    interpreted: Interpreted,
    /// True if its threads may wait for others in loops or at grid barriers.
    waits: bool,
    /// The entry that was chosen last, and what it was chosen for.
    chosen: Mutex<Option<(EntryKey, usize)>>,
    /// Its parts, once a call has asked for them.
    parts: OnceLock<Arc<Parts>>,
}

impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "program {:032x}", self.digest)
    }
}

impl Compiled {
    /// Checks a program and compiles each kernel, to PTX within limits if there are any.
    pub(crate) fn new(
        source: Arc<Program>,
        digest: u128,
        options: Options,
        limits: Option<PtxLimits>,
    ) -> Result<Compiled> {
        let whole = match source.externals.is_empty() && options == Options::default() {
            true => {
                checked(&source)?;
                Arc::clone(&source)
            }
            false => {
                let mut whole = (*source).clone();
                externals::fold(&mut whole).map_err(invalid)?;
                checked(&whole)?;
                options.apply(&mut whole);
                Arc::new(whole)
            }
        };
        let (mut kernels, mut needs) = (Vec::with_capacity(whole.kernels.len()), None);
        for kernel in whole.kernels.handles() {
            let (kernel, needed) = CompiledKernel::new(&whole, kernel, options, limits)?;
            kernels.push(kernel);
            needs = match (needs, needed) {
                (Some(Needs { version, target }), Some(needed)) => Some(Needs {
                    version: needed.version.max(version),
                    target: needed.target.max(target),
                }),
                (needs, needed) => needed.or(needs),
            };
        }
        Ok(Compiled {
            unchecked: unchecked(&whole).iter().map(|found| describe(&whole, found)).collect(),
            source,
            digest,
            options,
            kernels,
            needs,
        })
    }
}

impl CompiledKernel {
    fn new(
        whole: &Arc<Program>,
        kernel: Handle<Kernel>,
        options: Options,
        limits: Option<PtxLimits>,
    ) -> Result<(CompiledKernel, Option<Needs>)> {
        // A module holds one kernel, so that a launch loads no other.
        let program = match whole.kernels.len() {
            1 => Arc::clone(whole),
            _ => {
                let mut alone = (**whole).clone();
                alone.kernels = Arena::from_iter([whole.kernels[kernel].clone()]);
                Arc::new(alone)
            }
        };
        let valid = checked(&program)?;
        let to_ptx = |limits| {
            #[allow(clippy::needless_update, reason = "a feature of the compiler adds an option")]
            let options = CompileOptions {
                limits: Some(limits),
                target: limits.target,
                line_info: options.set.has_line_info(),
                ..CompileOptions::default()
            };
            compile(&valid, &options).map_err(invalid)
        };
        let module = limits.map(to_ptx).transpose()?;
        let needs = module.as_ref().map(|module| Needs {
            version: module.version,
            target: module.target,
        });
        let kernel = Handle::new(0);
        let owned = OwnedKernel::new(&valid, module.as_ref());
        let entries = valid.info().entries(kernel).iter();
        let waits = entries
            .clone()
            .any(|entry| entry.body.effects.waiting_loop || entry.body.effects.grid_barrier);
        let parameters: Arc<[Parameter]> = signature::parameters(&program.types, &program.kernels[kernel]).into();
        let interpreted = Interpreted {
            program: Arc::clone(&program),
            parameters: Arc::clone(&parameters),
        };
        let kernel = CompiledKernel {
            owned,
            program,
            parameters,
            interpreted,
            waits,
            chosen: Mutex::new(None),
            parts: OnceLock::new(),
        };
        Ok((kernel, needs))
    }

    pub(crate) fn description(&self) -> &KernelDescription<'_> {
        self.owned.description()
    }

    pub(crate) fn program(&self) -> &Program {
        &self.program
    }

    pub(crate) fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// True if its threads may wait for others in loops or at grid barriers, where they look whether to leave.
    pub(crate) fn waits(&self) -> bool {
        self.waits
    }

    /// Its parts, which are made once.
    pub(crate) fn parts(&self, make: impl FnOnce() -> Result<Parts>) -> Result<&Arc<Parts>> {
        if let Some(parts) = self.parts.get() {
            return Ok(parts);
        }
        let made = Arc::new(make()?);
        Ok(self.parts.get_or_init(|| made))
    }

    pub(crate) fn interpreter(&self) -> &dyn Interpreter {
        &self.interpreted
    }

    /// The first entry whose predicate holds for the values of scalars, the bytes of aggregates and the lengths of
    /// slices, in the order of the parameters.
    pub(crate) fn entry<'a>(&self, known: impl Iterator<Item = Known<'a>> + Clone) -> Result<usize> {
        if self.description().entries.len() == 1 {
            return Ok(0);
        }
        // Calls in a row mostly have the same lengths, and an evaluation takes longer than a launch.
        let mut key = EntryKey::new();
        known.clone().for_each(|known| known.append(&mut key));
        if let Some((last, entry)) = &*self.chosen.lock()
            && *last == key
        {
            return Ok(*entry);
        }
        let entry = self.evaluate(known)?;
        *self.chosen.lock() = Some((key, entry));
        Ok(entry)
    }

    fn evaluate<'a>(&self, known: impl Iterator<Item = Known<'a>>) -> Result<usize> {
        let arguments = known.map(|known| match known {
            Known::Value(value) => interp::Argument::Scalar(value),
            Known::Bytes(bytes) => interp::Argument::Bytes(bytes),
            Known::Length(length) => interp::Argument::Length(length),
        });
        // A predicate reads no constants that the host sets.
        let constants = self.description().constants.iter();
        let constants = constants.map(|constant| interp::Argument::Bytes(constant.initial));
        let mut arguments: Vec<_> = arguments.chain(constants).collect();
        let valid = checked(&self.program)?;
        interp::entry(&valid, Handle::new(0), &mut arguments).map_err(|error| Error::Stopped {
            kernel: self.description().name.to_owned().into(),
            reason: error.to_string(),
        })
    }

    /// True if the kernel may write through a parameter.
    pub(crate) fn writes(&self, parameter: usize) -> bool {
        let kind = self.parameters.get(parameter).map(|parameter| parameter.kind);
        matches!(kind, Some(Kind::Slice { writes: true, .. }))
    }
}

/// The facts about the arguments of a call, as bytes.
type EntryKey = SmallVec<[u8; 64]>;

/// The facts about an argument before the launch.
pub(crate) enum Known<'a> {
    Value(Constant),
    Bytes(&'a [u8]),
    /// The elements of a slice.
    Length(u64),
}

impl Known<'_> {
    /// Appends what tells it from another one for the same parameter.
    fn append(&self, key: &mut EntryKey) {
        match self {
            Known::Value(value) => key.extend_from_slice(&value.bits.to_le_bytes()),
            Known::Bytes(bytes) => key.extend_from_slice(bytes),
            Known::Length(length) => key.extend_from_slice(&length.to_le_bytes()),
        }
    }
}

/// The program, if it is valid.
fn checked(program: &Program) -> Result<Validated<'_>> {
    validate(program).map_err(|errors| Error::InvalidProgram {
        errors: errors.iter().map(|error| error.display(program).to_string()).collect(),
    })
}

/// An operation and its place, in words.
fn describe(program: &Program, found: &Unchecked) -> String {
    let Unchecked {
        within,
        operation,
        span,
        ..
    } = found;
    match program.files.get(span.file as usize).filter(|_| span.is_some()) {
        Some(file) => format!("`{within}` has {operation} at {file}:{}:{}", span.line, span.column),
        None => format!("`{within}` has {operation}"),
    }
}

fn invalid(error: impl std::error::Error) -> Error {
    Error::InvalidProgram {
        errors: vec![error.to_string()],
    }
}
