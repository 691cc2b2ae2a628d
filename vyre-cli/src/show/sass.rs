//! `--sass`: machine code, by the assembler and the disassembler of the CUDA toolkit.

use std::path::{Path, PathBuf};
use std::process::Command;

use vyre_abi::target::Target;
use vyre_build::toolkit;
use vyre_core::CompileOptions;

use super::compiled;
use super::sources::Sources;
use crate::Result;
use crate::source::Unit;

/// How to get the programs that are missing.
const HELP: &str = "\
in the repository `scripts/ptxas` fetches ptxas and `scripts/sass` all tools, from the Python package index;
elsewhere install the CUDA toolkit, or `pip install nvidia-cuda-nvcc nvidia-cuda-nvdisasm`, and name the programs in
VYRE_PTXAS and VYRE_NVDISASM, or a folder with bin/ptxas and bin/nvdisasm in VYRE_CUDA";

pub(super) fn show(unit: &Unit, arch: Target, sources: &Sources) -> Result<String> {
    let tool = |program: &str| {
        let astray = toolkit::astray(program);
        match toolkit::find(program) {
            Some(path) if astray.is_empty() || path.is_file() => Ok(path),
            _ if astray.is_empty() => Err(format!("no {program}: {HELP}")),
            _ => Err(format!("no {program}: {}\n{HELP}", astray.join("; "))),
        }
    };
    let options = CompileOptions {
        line_info: true,
        target: arch.capability,
        ..unit.options.clone()
    };
    let module = compiled(unit, &options)?;
    if arch.capability < module.target {
        return Err(format!(
            "`{}` needs sm_{} and does not run on {arch}",
            unit.name, module.target
        ));
    }
    let (ptxas, nvdisasm) = (tool("ptxas")?, tool("nvdisasm")?);
    // Values that rustc supplies are not known here.
    let ptx = module.ptx.replace("0xV", "0x0");
    let folder = Temporary::new()?;
    let (source, cubin) = (folder.0.join("kernel.ptx"), folder.0.join("kernel.cubin"));
    std::fs::write(&source, ptx).map_err(|error| format!("{}: {error}", source.display()))?;
    let assembled = run(&ptxas, |command| {
        command
            .arg(format!("-arch={arch}"))
            .args(["-lineinfo", "-v"])
            .arg(&source)
            .arg("-o")
            .arg(&cubin)
    })?;
    let lines = if sources.are_shown() { "-g" } else { "-c" };
    let code = run(&nvdisasm, |command| command.arg("-c").arg(lines).arg(&cubin))?.out;
    let mut out = resources(&assembled.said);
    out += &tidy(&code, sources);
    Ok(out)
}

/// The lines of `ptxas -v` about registers and memory, as comments.
fn resources(said: &str) -> String {
    let lines = said.lines().filter(|line| {
        ["Used ", "spill", "properties for"]
            .iter()
            .any(|part| line.contains(part))
    });
    lines
        .map(|line| {
            format!(
                "// {}\n",
                line.trim_start_matches("ptxas info").trim_start_matches([' ', ':'])
            )
        })
        .collect()
}

/// The instructions and labels, with source lines in place of the disassembler's remarks.
fn tidy(code: &str, sources: &Sources) -> String {
    let mut out = String::new();
    let mut last = String::new();
    for line in code.lines() {
        let trimmed = line.trim();
        if let Some(remark) = trimmed.strip_prefix("//## File \"") {
            let Some((file, rest)) = remark.split_once("\", line ") else {
                continue;
            };
            let number = rest
                .split(|character: char| !character.is_ascii_digit())
                .next()
                .unwrap_or_default();
            let text = number.parse().ok().and_then(|number| sources.text(file, number));
            let place = match text {
                Some(text) => format!("        // {file}:{number} | {text}\n"),
                None => format!("        // {file}:{number}\n"),
            };
            if place != last {
                out += &place;
                last = place;
            }
        } else if trimmed.starts_with("/*") || trimmed.starts_with(".L") && trimmed.ends_with(':') {
            out += line;
            out.push('\n');
        } else if let Some(name) = trimmed.strip_prefix("//--------------------- .text.") {
            out += &format!("\n{}:\n", name.split([' ', '-']).next().unwrap_or_default());
        }
    }
    out
}

/// The output of a program.
struct Said {
    out: String,
    said: String,
}

fn run(program: &Path, with: impl FnOnce(&mut Command) -> &mut Command) -> Result<Said> {
    let mut command = Command::new(program);
    let output = with(&mut command)
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match output.status.success() {
        true => Ok(Said {
            out: text(&output.stdout),
            said: text(&output.stderr),
        }),
        false => Err(format!(
            "{} failed:\n{}",
            program.display(),
            text(&output.stderr).trim_end()
        )),
    }
}

/// A folder that goes with this.
struct Temporary(PathBuf);

impl Temporary {
    fn new() -> Result<Temporary> {
        let folder = std::env::temp_dir().join(format!("vyre-{}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(Temporary(folder))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // Leftovers in the temporary folder are harmless.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
