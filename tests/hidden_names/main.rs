//! Names that vyre knows by their spelling, hidden by items of the user in every way: no program compiles to another
//! meaning than Rust's.
//!
//! Each program is a line: a module with a function, once as a kernel and once as plain Rust. Those that rustc refuses
//! are left out, and the others must find the same.
//!
//! `VYRE_LONG=1` tries all programs in the newest edition and a third in the others, and not every sixth, in older editions
//! than the last two every thirtieth; `VYRE_SHOW=1` prints those that rustc refuses.

mod vocabulary;
mod ways;

use std::path::{Path, PathBuf};
use std::process::Command;

use vyre_test_support::case;
use vyre_test_support::refused::refused_lines;

use vocabulary::{NAMES, Name};
use ways::{Hidden, WAYS};

/// A program, and what must become of it.
struct Program {
    line: String,
    /// The name, and how it is hidden.
    shown: String,
    /// True if nothing is hidden, so that it must compile.
    compiles: bool,
}

/// One in so many of the programs for the name of a number. Every other one has its body in a device function.
fn programs(of: usize, name: &Name, share: usize, all: &mut Vec<Program>) {
    for (number, (shown, way)) in WAYS.iter().enumerate() {
        let Some(hidden) = way(name) else { continue };
        if !(of + number).is_multiple_of(share) {
            continue;
        }
        let number = all.len();
        let Hidden {
            items,
            inside,
            body,
            parameter,
            compiles,
        } = hidden;
        let body = format!("{inside} {}", body.as_deref().unwrap_or(name.body));
        let (generic, argument) = match &parameter {
            Some(name) => (format!("<{name}: ::core::marker::Copy>"), format!("_: {name}, ")),
            None => Default::default(),
        };
        let first = if parameter.is_some() { "1u8, " } else { "" };
        let u64 = "::core::primitive::u64";
        let (device, body) = match parameter.is_some() || number.is_multiple_of(2) {
            true => (
                format!("#[vyre::device] fn helper{generic}({argument}a: {u64}) -> {u64} {{ {body} }}"),
                format!("helper({first}a)"),
            ),
            false => (String::new(), body),
        };
        let line = format!(
            "mod c{number} {{ use vyre::prelude::*; {items} {device} \
             #[vyre::kernel(block = 32)] pub fn probe(#[each] x: &{u64}, #[each] y: &mut {u64}) {{ let a = *x; *y = {{ {body} }}; }} \
             pub fn plain(a: {u64}) -> {u64} {{ {body} }} }}"
        );
        all.push(Program {
            line,
            shown: format!("{} by {shown}", name.path),
            compiles,
        });
    }
}

/// The library of vyre that was built for this test: the newest.
fn library() -> (PathBuf, PathBuf) {
    let exe = std::env::current_exe().expect("the path of this test");
    let folder = exe.parent().expect("a folder").to_owned();
    let entries = std::fs::read_dir(&folder).expect("a folder");
    let libraries = entries.filter_map(|entry| {
        let path = entry.ok()?.path();
        let name = path.file_name()?.to_str()?;
        let is_it = name.starts_with("libvyre-") && name.ends_with(".rlib");
        is_it.then(|| Some((path.metadata().ok()?.modified().ok()?, path.clone())))?
    });
    let (_, library) = libraries.max().expect("the library of vyre");
    (folder, library)
}

/// Compiles what rustc accepts of the programs, and runs it; the numbers of those that are left, with what was found.
fn run(folder: &Path, edition: &str, programs: &[Program]) -> Vec<(usize, String)> {
    let (dependencies, library) = library();
    let file = folder.join(format!("hidden{edition}.rs"));
    let binary = folder.join(format!("hidden{edition}{}", std::env::consts::EXE_SUFFIX));
    let mut left: Vec<usize> = (0..programs.len()).collect();
    loop {
        // The crates that paths of the edition 2015 begin with.
        let mut text = String::from("#![allow(warnings, unconditional_panic)] extern crate core; extern crate vyre;\n");
        for &number in &left {
            text += &programs[number].line;
            text.push('\n');
        }
        text += MAIN;
        for &number in &left {
            text += &format!(
                "run({number}, c{number}::plain, |x, y| c{number}::Probe::dispatch(&vyre::Device::cpu(), x, y)); "
            );
        }
        text.push('}');
        std::fs::write(&file, text).expect("the programs are written");
        let output = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()))
            .args(["--error-format=short", "--edition", edition])
            .arg("-L")
            .arg(format!("dependency={}", dependencies.display()))
            .arg("--extern")
            .arg(format!("vyre={}", library.display()))
            .arg("-o")
            .args([&binary, &file])
            .output()
            .expect("rustc runs");
        if output.status.success() {
            break;
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let lines = refused_lines(&said, &format!("hidden{edition}.rs"));
        // Behind the programs stand their uses, which fail with them.
        let refused: Vec<usize> = lines.into_iter().filter(|line| *line < left.len() + 2).collect();
        assert!(!refused.is_empty(), "rustc says {said}");
        for line in refused.into_iter().rev() {
            let number = left.remove(line - 2);
            if std::env::var_os("VYRE_SHOW").is_some() {
                let why = said.lines().find(|said| said.contains(&format!(".rs:{line}:")));
                println!("{}: {}", programs[number].shown, why.unwrap_or_default());
            }
        }
    }
    let output = Command::new(&binary).output().expect("the programs run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stderr).expect("text");
    let found = said.lines().filter_map(|line| {
        let (number, found) = line.strip_prefix("found ")?.split_once(' ')?;
        Some((number.parse().ok()?, found.to_owned()))
    });
    let found: Vec<(usize, String)> = found.collect();
    assert_eq!(found.len(), left.len(), "{said}");
    found
}

/// Runs each program on two values, in both forms. What runs in kernels alone panics elsewhere, and says so.
const MAIN: &str = r#"
fn run(number: usize, plain: fn(u64) -> u64, kernel: fn(&[u64], &mut [u64]) -> vyre::Result<()>) {
    let mut all = format!("found {number}");
    for x in [3, 200] {
        let plain = std::panic::catch_unwind(|| plain(x));
        let mut y = [0];
        let found = kernel(&[x], &mut y).map(|()| y[0]);
        let shown = match (&plain, &found) {
            (Ok(plain), Ok(found)) if plain == found => "same".to_owned(),
            (Err(_), Err(_)) => "same".to_owned(),
            (Err(why), Ok(_)) if why.downcast_ref::<String>().is_some_and(|why| why.contains("kernel")) => "same".to_owned(),
            _ => format!("{plain:?} {found:?}"),
        };
        all += " ";
        all += &shown;
    }
    // The output of the programs has no place there.
    eprintln!("{all}");
}
fn main() { std::panic::set_hook(Box::new(|_| {})); "#;

fn hidden(edition: &str) {
    let mut all = Vec::new();
    let share = match (case::is_long(), edition) {
        (false, "2021" | "2024") => 6,
        (false, _) => 30,
        (true, "2024") => 1,
        (true, _) => 3,
    };
    for (number, name) in NAMES.iter().enumerate() {
        programs(number, name, share, &mut all);
    }
    let folder = std::env::temp_dir().join(format!("vyre-hidden-names-{}-{edition}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let found = run(&folder, edition, &all);
    std::fs::remove_dir_all(&folder).expect("the folder is removed");
    println!("{} of {} programs compile", found.len(), all.len());
    let mut wrong = Vec::new();
    for (number, found) in &found {
        if found != "same same" {
            wrong.push(format!("{}: {found}\n{}", all[*number].shown, all[*number].line));
        }
    }
    for (number, program) in all.iter().enumerate() {
        if program.compiles && !found.iter().any(|(known, _)| *known == number) {
            wrong.push(format!("{} is refused\n{}", program.shown, program.line));
        }
    }
    assert!(wrong.is_empty(), "{} programs:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn hidden_names_in_2015() {
    hidden("2015");
}

#[test]
fn hidden_names_in_2018() {
    hidden("2018");
}

#[test]
fn hidden_names_in_2021() {
    hidden("2021");
}

#[test]
fn hidden_names_in_2024() {
    hidden("2024");
}
