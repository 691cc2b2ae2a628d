//! ptxas, and the machine code that it has made.
//!
//! `OUT_DIR/vyre-cubins` keeps machine code by the digest of all that it is made of, so that an edit costs the assembly of
//! its kernel alone. Files come there by renaming, whole.

use std::collections::hash_map::DefaultHasher;
use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, SystemTime};

use vyre_abi::target::Target;

use super::error::Error;
use super::targets::Ptxas;
use crate::toolkit;

/// Machine code stays for so long after its last use.
const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The variables that direct the search for ptxas, but `PATH`: a terminal and an editor often have different ones, and
/// the crate would be built anew for each.
const VARIABLES: [&str; 4] = ["VYRE_PTXAS", "VYRE_CUDA", "CUDA_HOME", "CUDA_PATH"];

/// An assembler.
pub(super) struct Assembler {
    program: PathBuf,
    options: &'static [&'static str],
    /// What it says of its version.
    version: String,
    cache: PathBuf,
}

/// Machine code, and what ptxas has said about it.
#[derive(Clone, Debug)]
pub(super) struct Assembled {
    pub(super) code: Vec<u8>,
    pub(super) said: String,
}

/// The outcome of a job: machine code, or the messages of the assembler.
pub(super) type Outcome = Result<Assembled, String>;

impl Assembler {
    /// The assembler of this machine, or `None` where the build goes on without.
    pub(super) fn find(policy: Ptxas, line_info: bool, out: &Path) -> Result<Option<Assembler>, Error> {
        if policy == Ptxas::Never {
            return Ok(None);
        }
        for variable in VARIABLES {
            println!("cargo:rerun-if-env-changed={variable}");
        }
        let found = match toolkit::find("ptxas") {
            Some(program) => Assembler::of(program, line_info, out),
            None => {
                println!("cargo:rerun-if-env-changed=PATH");
                Err(Error::NoAssembler { tried: None })
            }
        };
        match found {
            Ok(assembler) => Ok(Some(assembler)),
            Err(error) if policy == Ptxas::Required => Err(error),
            Err(error) => {
                warn(&format!("kernels are PTX alone: {error}"));
                Ok(None)
            }
        }
    }

    /// The assembler of this program, if it runs.
    pub(super) fn of(program: PathBuf, line_info: bool, out: &Path) -> Result<Assembler, Error> {
        println!("cargo:rerun-if-changed={}", program.display());
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let said = match Command::new(&program).arg("--version").output() {
            Ok(output) if output.status.success() => Ok(text(&output.stdout)),
            Ok(output) => Err(text(&output.stderr)),
            Err(error) => Err(error.to_string()),
        };
        match said {
            Ok(version) => Ok(Assembler {
                program,
                options: if line_info { &["-lineinfo"] } else { &[] },
                version,
                cache: out.join("vyre-cubins"),
            }),
            Err(said) => Err(Error::NoAssembler {
                tried: Some((program, said)),
            }),
        }
    }

    pub(super) fn program(&self) -> &Path {
        &self.program
    }

    /// The release of its toolkit, for example `13.0`.
    pub(super) fn release(&self) -> &str {
        let rest = self.version.split("release ").nth(1).unwrap_or_default();
        rest.split([',', '\n']).next().unwrap_or_default()
    }

    /// Assembles modules, each for an architecture, several at a time.
    pub(super) fn assemble_all(&self, jobs: &[(&str, Target)]) -> Result<Vec<Outcome>, Error> {
        fs::create_dir_all(&self.cache).map_err(|error| self.failed(error))?;
        let next = AtomicUsize::new(0);
        let work = || {
            let mut done = Vec::new();
            loop {
                let job = next.fetch_add(1, Ordering::Relaxed);
                let Some(&(ptx, target)) = jobs.get(job) else {
                    return done;
                };
                done.push((job, self.assemble(ptx, target)));
            }
        };
        let mut outcomes: Vec<(usize, io::Result<Outcome>)> = thread::scope(|scope| {
            let helpers: Vec<_> = (1..workers(jobs.len())).map(|_| scope.spawn(work)).collect();
            let mut done = work();
            for helper in helpers {
                match helper.join() {
                    Ok(more) => done.extend(more),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            done
        });
        outcomes.sort_by_key(|(job, _)| *job);
        let outcomes = outcomes.into_iter().map(|(_, outcome)| outcome);
        let outcomes = outcomes
            .collect::<io::Result<_>>()
            .map_err(|error| self.failed(error))?;
        self.forget_old();
        Ok(outcomes)
    }

    fn failed(&self, error: io::Error) -> Error {
        Error::File {
            path: self.cache.clone(),
            error,
        }
    }

    /// Assembles a module, or finds the machine code of an earlier build.
    fn assemble(&self, ptx: &str, target: Target) -> io::Result<Outcome> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let digest = self.digest(ptx, target);
        let kept = |suffix: &str| self.cache.join(format!("{digest:032x}.{suffix}"));
        let (code, said) = (kept("cubin"), kept("txt"));
        // The code is there last.
        if let (Ok(code_read), Ok(said_read)) = (fs::read(&code), fs::read_to_string(&said)) {
            touch(&code);
            touch(&said);
            return Ok(Ok(Assembled {
                code: code_read,
                said: said_read,
            }));
        }
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let aside = |suffix: &str| {
            self.cache
                .join(format!("aside-{}-{number}.{suffix}", std::process::id()))
        };
        let (source, output, log) = (aside("ptx"), aside("cubin"), aside("txt"));
        let run = || {
            fs::write(&source, ptx)?;
            let mut command = Command::new(&self.program);
            command.arg("-v").args(self.options).arg(format!("-arch={target}"));
            let result = command.arg(&source).arg("-o").arg(&output).output()?;
            // Its name of the file, which is gone soon, says nothing.
            let place = source.display().to_string();
            let text = String::from_utf8_lossy(&result.stderr).replace(&place, "PTX");
            if !result.status.success() {
                return Ok(Err(text));
            }
            let assembled = Assembled {
                code: fs::read(&output)?,
                said: text,
            };
            fs::write(&log, &assembled.said)?;
            fs::rename(&log, &said)?;
            fs::rename(&output, &code)?;
            Ok(Ok(assembled))
        };
        let outcome = run();
        for path in [source, output, log] {
            // What is left is old soon.
            let _ = fs::remove_file(path);
        }
        outcome
    }

    /// All that machine code depends on. 128 bits, so that no two of a crate's kernels have the same by chance.
    fn digest(&self, ptx: &str, target: Target) -> u128 {
        let half = |number: u8| {
            let mut hasher = DefaultHasher::new();
            (number, &self.version, self.options, target, ptx).hash(&mut hasher);
            u128::from(hasher.finish())
        };
        half(0) << 64 | half(1)
    }

    /// Removes machine code that was not used for a while. Files that stay cost nothing but space.
    fn forget_old(&self) {
        let Ok(entries) = fs::read_dir(&self.cache) else { return };
        for entry in entries.flatten() {
            let used = entry.metadata().and_then(|data| data.modified());
            let age = used.ok().and_then(|used| SystemTime::now().duration_since(used).ok());
            if age.is_some_and(|age| age > KEPT) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Notes that a file was used; where its time cannot be set, it is made again some day.
fn touch(path: &Path) {
    let file = File::options().append(true).open(path);
    let _ = file.and_then(|file| file.set_modified(SystemTime::now()));
}

/// Threads for so many jobs: as many as cargo allows a build script.
fn workers(jobs: usize) -> usize {
    let allowed = std::env::var("NUM_JOBS").ok().and_then(|number| number.parse().ok());
    let allowed = allowed.or_else(|| thread::available_parallelism().ok().map(usize::from));
    allowed.unwrap_or(1).clamp(1, jobs.max(1))
}

/// A warning of the build script, which is shown for packages of the workspace.
pub(super) fn warn(text: &str) {
    for line in text.lines() {
        println!("cargo:warning={line}");
    }
}
