//! ptxas, and the machine code that it has made.
//!
//! `OUT_DIR/vyre-cubins` keeps machine code by the digest of all that it is made of, so that an edit costs the assembly of
//! its kernel alone. Files come there by renaming, whole.

use std::borrow::Cow;
use std::collections::hash_map::DefaultHasher;
use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
#[cfg(feature = "compile")]
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::{AtomicU64, Ordering};
#[cfg(feature = "compile")]
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use vyre_abi::target::Target;

/// The time of each file of machine code: the first of January 2000, in seconds.
const CODE_TIME: u64 = 946_684_800;

/// Machine code stays for so long after its last use.
#[cfg(feature = "compile")]
const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// An assembler.
pub(crate) struct Assembler {
    program: PathBuf,
    /// True if the machine code has tables of the source lines.
    line_info: bool,
    /// Its answer to `--version`.
    version: String,
    cache: PathBuf,
}

/// Machine code, and what ptxas has said about it.
#[cfg(feature = "compile")]
#[derive(Clone, Debug)]
pub(crate) struct Assembled {
    pub(crate) code: Vec<u8>,
    pub(crate) said: String,
}

/// The outcome of a job: machine code, or the messages of the assembler.
#[cfg(feature = "compile")]
pub(crate) type Outcome = Result<Assembled, String>;

impl Assembler {
    /// The assembler of this program, or what it says if it does not run.
    pub(crate) fn of(program: PathBuf, line_info: bool, out: &Path) -> Result<Assembler, String> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let version = match Command::new(&program).arg("--version").output() {
            Ok(output) if output.status.success() => text(&output.stdout),
            Ok(output) => return Err(text(&output.stderr)),
            Err(error) => return Err(error.to_string()),
        };
        Ok(Assembler {
            program,
            line_info,
            version,
            cache: out.join("vyre-cubins"),
        })
    }

    #[cfg(feature = "compile")]
    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// The release of its toolkit, for example `13.0`.
    #[cfg(feature = "compile")]
    pub(crate) fn release(&self) -> &str {
        let rest = self.version.split("release ").nth(1).unwrap_or_default();
        rest.split([',', '\n']).next().unwrap_or_default()
    }

    /// The folder of machine code.
    #[cfg(feature = "compile")]
    pub(crate) fn folder(&self) -> &Path {
        &self.cache
    }

    /// Assembles modules, each for an architecture, several at a time.
    #[cfg(feature = "compile")]
    pub(crate) fn assemble_all(&self, jobs: &[(&str, Target)]) -> io::Result<Vec<Outcome>> {
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
        self.forget_old();
        outcomes.into_iter().map(|(_, outcome)| outcome).collect()
    }

    /// Assembles a module, or finds the machine code of an earlier build.
    #[cfg(feature = "compile")]
    fn assemble(&self, ptx: &str, target: Target) -> io::Result<Outcome> {
        let code = match self.file(ptx, target)? {
            Ok(code) => code,
            Err(said) => return Ok(Err(said)),
        };
        Ok(Ok(Assembled {
            said: fs::read_to_string(code.with_extension("txt"))?,
            code: fs::read(code)?,
        }))
    }

    /// The file with the machine code of a module, which is made unless an earlier build has done so; or the messages of
    /// the assembler. What it has said lies beside it, as `.txt`.
    pub(crate) fn file(&self, ptx: &str, target: Target) -> io::Result<Result<PathBuf, String>> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let ptx = match self.line_info {
            true => Cow::Borrowed(ptx),
            false => Cow::Owned(without_lines(ptx)),
        };
        let digest = self.digest(&ptx, target);
        let kept = |suffix: &str| self.cache.join(format!("{digest:032x}.{suffix}"));
        let (code, said) = (kept("cubin"), kept("txt"));
        // The code is there last.
        if code.is_file() && said.is_file() {
            set_time(&said, SystemTime::now());
            return Ok(Ok(code));
        }
        fs::create_dir_all(&self.cache)?;
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let aside = |suffix: &str| {
            self.cache
                .join(format!("aside-{}-{number}.{suffix}", std::process::id()))
        };
        let (source, output, log) = (aside("ptx"), aside("cubin"), aside("txt"));
        let run = || {
            fs::write(&source, &*ptx)?;
            let mut command = Command::new(&self.program);
            command.arg("-v").args(self.line_info.then_some("-lineinfo"));
            command.arg(format!("-arch={target}"));
            let result = command.arg(&source).arg("-o").arg(&output).output()?;
            // The name of the file says nothing: it is gone soon.
            let place = source.display().to_string();
            let text = String::from_utf8_lossy(&result.stderr).replace(&place, "PTX");
            if !result.status.success() {
                return Ok(Err(text));
            }
            fs::write(&log, text)?;
            fs::rename(&log, &said)?;
            fs::rename(&output, &code)?;
            // The file of a digest never changes, and cargo builds a crate again if one of its files is newer.
            set_time(&code, UNIX_EPOCH + Duration::from_secs(CODE_TIME));
            Ok(Ok(code))
        };
        let outcome = run();
        for path in [source, output, log] {
            // A file that stays is old soon.
            let _ = fs::remove_file(path);
        }
        outcome
    }

    /// All that machine code depends on. 128 bits, so that no two of a crate's kernels have the same by chance.
    fn digest(&self, ptx: &str, target: Target) -> u128 {
        let half = |number: u8| {
            let mut hasher = DefaultHasher::new();
            (number, &self.version, self.line_info, target, ptx).hash(&mut hasher);
            u128::from(hasher.finish())
        };
        half(0) << 64 | half(1)
    }

    /// Removes machine code that was not used for a while. Files that stay cost nothing but space.
    #[cfg(feature = "compile")]
    pub(crate) fn forget_old(&self) {
        let Ok(entries) = fs::read_dir(&self.cache) else { return };
        for path in entries.flatten().map(|entry| entry.path()) {
            let is_code = path.extension().is_some_and(|extension| extension == "cubin");
            // The text beside it has the time of the last use.
            let noted = if is_code {
                path.with_extension("txt")
            } else {
                path.clone()
            };
            let data = fs::metadata(noted).or_else(|_| fs::metadata(&path));
            let age = data
                .and_then(|data| data.modified())
                .map(|used| used.elapsed().unwrap_or_default());
            if age.is_ok_and(|age| age > KEPT) {
                let _ = fs::remove_file(path);
            }
        }
    }
}

/// PTX without the lines of the source, from which ptxas makes tables that double the machine code. All else keeps its line.
fn without_lines(ptx: &str) -> String {
    let is_line = |line: &&str| {
        [".loc ", ".file "]
            .iter()
            .any(|start| line.trim_start().starts_with(start))
    };
    let lines = ptx.split_inclusive('\n');
    lines.map(|line| if is_line(&line) { "\n" } else { line }).collect()
}

/// Sets the time of a file. Where that cannot be, a crate is built once more than needed, or code made again.
fn set_time(path: &Path, time: SystemTime) {
    let file = File::options().append(true).open(path);
    let _ = file.and_then(|file| file.set_modified(time));
}

/// Threads for so many jobs: as many as cargo allows a build script.
#[cfg(feature = "compile")]
fn workers(jobs: usize) -> usize {
    let allowed = std::env::var("NUM_JOBS").ok().and_then(|number| number.parse().ok());
    let allowed = allowed.or_else(|| thread::available_parallelism().ok().map(usize::from));
    allowed.unwrap_or(1).clamp(1, jobs.max(1))
}
