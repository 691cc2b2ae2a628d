//! Why kernels were not compiled.

use std::fmt;
use std::path::PathBuf;

use vyre_abi::target::Target;
use vyre_front::file::Complaint;

/// Why [`compile`](fn@crate::compile) failed. Both `{}` and `{:?}` print what a user should read.
#[non_exhaustive]
pub enum Error {
    /// A variable that cargo sets for build scripts is not set.
    NotInBuildScript {
        /// The variable.
        variable: &'static str,
    },
    /// A file cannot be read or written.
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// Kernels are wrong.
    Kernels(Vec<Complaint>),
    /// A file has no name by which `vyre::include_kernels!` could take it in.
    NoName {
        /// The file, as it was given.
        path: PathBuf,
        /// Why.
        reason: &'static str,
    },
    /// A program cannot be compiled, or has no launcher.
    Program {
        /// The name that it was given.
        name: String,
        /// The reason, with a way out.
        faults: Vec<String>,
    },
    /// There is no machine code for an architecture of this name.
    UnknownTarget {
        /// The name.
        target: String,
        /// One that there is, of a similar name.
        near: Option<String>,
    },
    /// There is no ptxas, and [`Ptxas::Required`](crate::Ptxas) asks for it.
    NoAssembler {
        /// The program that was found, and why it does not run.
        tried: Option<(PathBuf, String)>,
        /// A sentence for each variable that names one and leads to no file.
        astray: Vec<String>,
    },
    /// ptxas does not assemble a kernel.
    Assembler {
        /// The program.
        program: PathBuf,
        /// The kernel.
        kernel: String,
        /// The target.
        target: String,
        /// Its messages.
        said: String,
    },
    /// Two modules have one name.
    SameName {
        /// The name, as `vyre::include_kernels!` takes it.
        name: String,
        /// The first one, and the one after it.
        sources: [String; 2],
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NotInBuildScript { variable } => {
                write!(
                    f,
                    "{variable} is not set: call `vyre_build::compile` from a build script, or set it"
                )
            }
            Error::File { path, error } => write!(f, "{}: {error}", path.display()),
            Error::Kernels(complaints) => {
                for (number, complaint) in complaints.iter().enumerate() {
                    write!(f, "{}{complaint}", if number == 0 { "" } else { "\n" })?;
                }
                Ok(())
            }
            Error::Program { name, faults } => {
                write!(f, "the program `{name}`: {}", faults.join("\n"))
            }
            Error::UnknownTarget { target, near } => {
                write!(f, "there is no target `{target}`")?;
                if let Some(near) = near {
                    write!(f, "; did you mean `{near}`?")?;
                }
                let known = Target::ALL.map(|target| target.to_string());
                write!(f, " The targets are {}", known.join(", "))
            }
            Error::NoAssembler { tried, astray } => {
                match tried {
                    Some((program, said)) => write!(f, "{} does not run: {}", program.display(), said.trim_end())?,
                    None => f.write_str("there is no ptxas")?,
                }
                for variable in astray {
                    write!(f, "\nnote: {variable}")?;
                }
                f.write_str(
                    "\nhelp: install the CUDA toolkit, or `pip install nvidia-cuda-nvcc`, and name the program in VYRE_PTXAS, \
                     or the folder that has bin/ptxas in VYRE_CUDA",
                )
            }
            Error::Assembler {
                program,
                kernel,
                target,
                said,
            } => write!(
                f,
                "{} does not assemble `{kernel}` for {target}:\n{}\nhelp: name a newer ptxas in VYRE_PTXAS, or leave out \
                 the target",
                program.display(),
                said.trim_end()
            ),
            Error::NoName { path, reason } => write!(f, "{}: {reason}", path.display()),
            Error::SameName {
                name,
                sources: [first, second],
            } => write!(
                f,
                "{first} and {second} are both `vyre::include_kernels!({name:?})`, also where only upper and lower \
                 case differ: rename one of them"
            ),
        }
    }
}

/// As `Display`: this is printed if `main` returns the error.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::File { error, .. } => Some(error),
            _ => None,
        }
    }
}
