//! The command line of a program: options, exit codes, and a standard output that may be closed.

use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use lexopt::{Arg, Parser, ValueExt};

/// The result of a program; the error is what it prints on standard error.
pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Exit code for errors. `grep` has it too, where 1 says that nothing was found.
pub const FAILURE: u8 = 2;

/// The arguments of a program, without the options of its own.
#[derive(Default)]
pub struct Arguments {
    /// True if the option `--cpu` is present.
    pub cpu: bool,
    /// The arguments that are no options, in order.
    pub values: Vec<OsString>,
}

/// Asks [`run`] to print the help.
#[derive(Debug)]
struct HelpWanted;

impl fmt::Display for HelpWanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("help is asked for")
    }
}

impl Error for HelpWanted {}

/// Runs a program that reads its [`Arguments`] and writes its output to the given stream. `--help` prints `help`; an
/// error is printed with the program's name and has the exit code 2. If the reader of the output has closed it,
/// the program ends in silence.
pub fn run(name: &str, help: &str, program: impl FnOnce(&mut Parser, &mut dyn Write) -> Result<ExitCode>) -> ExitCode {
    let mut parser = Parser::from_env();
    let mut out = io::stdout().lock();
    let result = program(&mut parser, &mut out).or_else(|error| match error.is::<HelpWanted>() {
        true => Ok(write!(out, "{help}").map(|()| ExitCode::SUCCESS)?),
        false => Err(error),
    });
    // Standard output is written when a line ends, and the last may have no end.
    let result = result.and_then(|code| Ok(out.flush().map(|()| code)?));
    let error = match result {
        Ok(code) => return code,
        Err(error) => error,
    };
    if is_closed_pipe(&*error) {
        return ExitCode::SUCCESS;
    }
    tell(format_args!("{name}: {error}"));
    if error.is::<lexopt::Error>() {
        tell(format_args!("{name} --help lists the options"));
    }
    ExitCode::from(FAILURE)
}

/// Writes a line to standard error. If its reader has closed it, the line is lost and the exit code stays, where
/// `eprintln!` panics.
pub fn tell(line: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{line}");
}

fn is_closed_pipe(error: &(dyn Error + 'static)) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

impl Arguments {
    /// Reads the command line of a program without options of its own.
    pub fn read(parser: &mut Parser) -> Result<Arguments> {
        Arguments::read_with(parser, |option, _| Err(option.unexpected()))
    }

    /// Reads the command line. `own` reads the program's own options, and refuses unknown ones.
    pub fn read_with(
        parser: &mut Parser,
        mut own: impl FnMut(Arg<'_>, &mut Parser) -> std::result::Result<(), lexopt::Error>,
    ) -> Result<Arguments> {
        let mut found = Arguments::default();
        while let Some(argument) = parser.next()? {
            match argument {
                Arg::Short('h') | Arg::Long("help") => return Err(HelpWanted.into()),
                Arg::Long("cpu") => found.cpu = true,
                Arg::Value(value) => found.values.push(value),
                // An option borrows the parser, and its value is read from the parser too.
                Arg::Short(letter) => own(Arg::Short(letter), parser)?,
                Arg::Long(name) => {
                    let name = name.to_owned();
                    own(Arg::Long(&name), parser)?;
                }
            }
        }
        Ok(found)
    }

    /// Refuses more values than the program has names for.
    pub fn at_most(self, names: usize) -> Result<Arguments> {
        match self.values.get(names) {
            Some(value) => Err(format!("unexpected argument {value:?}").into()),
            None => Ok(self),
        }
    }

    /// A path, or the one that is used where none is given.
    pub fn path(&self, place: usize, default: &str) -> PathBuf {
        self.values.get(place).map_or_else(|| default.into(), PathBuf::from)
    }

    /// A number within bounds.
    pub fn number(&self, place: usize, name: &str, default: usize, bounds: RangeInclusive<usize>) -> Result<usize> {
        let Some(value) = self.values.get(place) else {
            return Ok(default);
        };
        let number = value.clone().parse().ok().filter(|number| bounds.contains(number));
        let (least, most) = (bounds.start(), bounds.end());
        Ok(number.ok_or_else(|| format!("{name} is a number from {least} to {most}, and not {value:?}"))?)
    }
}

/// Reads the value of an option, a number within bounds.
pub fn number<T>(option: &str, bounds: RangeInclusive<T>) -> impl Fn(&str) -> std::result::Result<T, String>
where
    T: FromStr + PartialOrd + fmt::Display,
{
    move |text| {
        let number = text.parse().ok().filter(|number| bounds.contains(number));
        number.ok_or_else(|| format!("{option} is a number from {} to {}", bounds.start(), bounds.end()))
    }
}

/// Reads a width and a height, as in 640x480, of at most so much.
pub fn size(most: usize) -> impl Fn(&str) -> std::result::Result<(usize, usize), String> {
    move |text| {
        let side = |text: &str| text.parse().ok().filter(|side| (1..=most).contains(side));
        let sides = text
            .split_once('x')
            .and_then(|(width, height)| side(width).zip(side(height)));
        sides.ok_or_else(|| format!("the size is two numbers from 1 to {most} with an x between, as in 640x480"))
    }
}

/// Adds the path of a file to an error.
pub fn at(path: &Path) -> impl Fn(&dyn fmt::Display) -> Box<dyn Error> {
    move |error| format!("{}: {error}", path.display()).into()
}

/// Makes the folder of a PNG file to write. Refuses another extension, and a file that the program reads.
pub fn prepare_png(output: &Path, input: Option<&Path>) -> Result<()> {
    let is_png = |extension: &std::ffi::OsStr| extension.eq_ignore_ascii_case("png");
    if !output.extension().is_some_and(is_png) {
        return Err(at(output)(&"the output is a PNG file, and its name must end in .png"));
    }
    // Paths that do not exist yet are no file that is read.
    let same = |input: &Path| Some(input.canonicalize().ok()? == output.canonicalize().ok()?);
    if input.and_then(same) == Some(true) {
        return Err(at(output)(&"the output would overwrite the input; name another file"));
    }
    if let Some(folder) = output.parent() {
        std::fs::create_dir_all(folder).map_err(|error| at(folder)(&error))?;
    }
    Ok(())
}
