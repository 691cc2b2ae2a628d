//! Machine code, made by the real ptxas, and by programs in its place.

use std::fs;
use std::path::{Path, PathBuf};

use vyre_test_support::ptxas;

use super::{Build, Error, Kernels, Ptxas, files, folder, targets, write_kernel};

/// Compiles `src/k.rs` of a folder as a build script does that runs again, with this assembler.
fn build(kernels: &Kernels, folder: &Path, program: &Path) -> Result<(), Error> {
    let out = folder.join("out");
    let assembler = || targets::assembler(program.to_owned(), kernels.options.line_info, &out).map(Some);
    kernels.compile_in(folder, &out, &mut Build::new(), assembler)
}

/// The real assembler, or `None` with a line that says so.
fn real(test: &str) -> Option<&'static Path> {
    let found = ptxas::find();
    if found.is_none() {
        eprintln!("skipped {test}: no ptxas");
    }
    found
}

/// PTX that names no lines of the source.
fn without_lines(ptx: &str) -> String {
    let lines = ptx
        .lines()
        .filter(|line| !line.contains(".loc ") && !line.contains(".file "));
    lines.map(|line| format!("{line}\n")).collect()
}

/// A table without the widths of its columns.
fn words_alone(text: &str) -> String {
    let lines = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.map(|line| line + "\n").collect()
}

fn read(path: PathBuf) -> String {
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn each_target_has_code_that_fits() {
    let Some(program) = real("each_target_has_code_that_fits") else {
        return;
    };
    let folder = folder("targets");
    fs::create_dir_all(folder.join("src")).expect("the folder can be made");
    let text = "#[vyre::kernel(allow(races))] pub fn set(out: &mut [u32]) { out[0] = 1; }\n\
                #[vyre::kernel(cluster = 2, allow(races))] pub fn newer(out: &mut [u32]) { cluster::sync(); out[0] = 1; }\n\
                #[vyre::kernel(allow(races))] pub fn sum(out: &mut [u32]) { out[0] = warp::sum(out[1]); }";
    fs::write(folder.join("src/k.rs"), text).expect("the file can be written");
    let kernels = Kernels::new()
        .file("src/k.rs")
        .targets(["sm_80", "sm_90a"])
        .targets(["sm_80".to_owned()])
        .report(true);
    build(&kernels, &folder, program).expect("the kernels are good");
    let out = folder.join("out/vyre");
    assert_eq!(
        files(&out),
        [
            "k.rs",
            "k/newer.cubins.rs",
            "k/newer.ptx",
            "k/newer.sm_90a.cubin",
            "k/set.cubins.rs",
            "k/set.ptx",
            "k/set.sm_80.cubin",
            "k/set.sm_90a.cubin",
            "k/sum.cubins.rs",
            "k/sum.ptx",
            "k/sum.sm_80.cubin",
            "k/sum.sm_80.ptx",
            "k/sum.sm_90a.cubin",
            "report.json",
            "report.txt",
        ]
    );
    let code = |name: &str| fs::read(out.join(name)).expect("the file is there");
    assert!(code("k/set.sm_80.cubin").starts_with(b"\x7fELF") && code("k/set.sm_90a.cubin").starts_with(b"\x7fELF"));
    assert_ne!(code("k/set.sm_80.cubin"), code("k/set.sm_90a.cubin"));
    // The output of the assembler alone, which makes tables of lines of a text that names them.
    let text = read(out.join("k/set.ptx"));
    assert!(
        text.contains("\n.file 1 \"src/k.rs\"\n") && text.contains("\n    .loc 1 1 "),
        "{text}"
    );
    let alone = |text: &str| ptxas::assemble(program, text, "sm_80").expect("it is good PTX").cubin;
    assert!(code("k/set.sm_80.cubin") == alone(&without_lines(&text)));
    assert!(code("k/set.sm_80.cubin").len() < alone(&text).len());
    // Newer devices have a text of their own.
    let newer = read(out.join("k/sum.sm_80.ptx"));
    assert!(newer.contains("redux.sync.add.u32") && !read(out.join("k/sum.ptx")).contains("redux"));
    assert!(code("k/sum.sm_80.cubin") == alone(&without_lines(&newer)));
    assert!(read(out.join("k.rs")).contains("include_str!(\"k/sum.sm_80.ptx\")"));
    let list = read(out.join("k/newer.cubins.rs"));
    assert!(
        list.contains("Target::new(90, ::vyre::__private::Features::Architecture)"),
        "{list}"
    );
    assert!(
        list.contains("include_bytes!(\"newer.sm_90a.cubin\")") && !list.contains("sm_80"),
        "{list}"
    );
    assert!(read(out.join("k.rs")).contains("include!(\"k/newer.cubins.rs\")"));
    let report = words_alone(&read(out.join("report.txt")));
    let line = |start: &str| {
        report
            .lines()
            .find(|line| line.starts_with(start))
            .unwrap_or_else(|| panic!("{report}"))
    };
    assert!(line("k: newer sm_80").ends_with("needs sm_90"), "{report}");
    let size = code("k/set.sm_90a.cubin").len();
    assert!(
        line("k: set sm_90a").contains(" 100 % ") && line("k: set sm_90a").ends_with(&format!(" {size}")),
        "{report}"
    );
    assert!(read(out.join("report.json")).contains(&format!("\"cubin_bytes\": {size}}}")));
}

/// A program in a folder, in the place of ptxas.
#[cfg(unix)]
fn script(folder: &Path, text: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join("my tools").join("ptxas");
    fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("the folder can be made");
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("the program can be written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it can be made to run");
    path
}

/// Its path and those of the crate have spaces.
#[cfg(unix)]
#[test]
fn an_edit_costs_its_kernel_alone() {
    let Some(program) = real("an_edit_costs_its_kernel_alone") else {
        return;
    };
    let folder = folder("with spaces");
    let log = folder.join("runs");
    let script = script(
        &folder,
        &format!(
            "echo \"$*\" >> '{}'\nexec '{}' \"$@\"",
            log.display(),
            program.display()
        ),
    );
    let runs = || {
        let all = fs::read_to_string(&log).unwrap_or_default();
        all.lines().filter(|line| line.contains("-arch=")).count()
    };
    write_kernel(&folder, "src/a b/first.rs", "set", 1);
    write_kernel(&folder, "src/second.rs", "set", 2);
    let kernels = Kernels::new()
        .file("src/a b/first.rs")
        .file("src/second.rs")
        .targets(["sm_80", "sm_90"]);
    build(&kernels, &folder, &script).expect("the kernels are good");
    assert_eq!(runs(), 4);
    let code = || fs::read(folder.join("out/vyre/second/set.sm_90.cubin")).expect("the file is there");
    let before = code();
    write_kernel(&folder, "src/a b/first.rs", "set", 3);
    // A mistake beside it, which is mended, changes nothing.
    write_kernel(&folder, "src/second.rs", "set(", 2);
    build(&kernels, &folder, &script).expect_err("there is a mistake");
    write_kernel(&folder, "src/second.rs", "set", 2);
    build(&kernels, &folder, &script).expect("the kernels are good");
    assert_eq!((runs(), code() == before), (6, true));
    // Other options make other code.
    let kernels = kernels.options(vyre_core::CompileOptions {
        line_info: true,
        ..Default::default()
    });
    build(&kernels, &folder, &script).expect("the kernels are good");
    assert_eq!(runs(), 10);
    assert_ne!(code(), before);
    // Machine code that was not used for long goes.
    let cache = folder.join("out/vyre-cubins");
    let (all, old) = (
        files(&cache),
        std::time::UNIX_EPOCH + std::time::Duration::from_secs(1 << 30),
    );
    for name in &all {
        let file = fs::File::options()
            .append(true)
            .open(cache.join(name))
            .expect("the file is there");
        file.set_modified(old).expect("its time can be set");
    }
    build(&kernels, &folder, &script).expect("the kernels are good");
    assert_eq!((runs(), all.len(), files(&cache).len()), (10, 20, 8));
    // Nothing changes the time of a file that rustc may have read: the crate would be built again each time.
    for name in files(&cache).iter().filter(|name| name.ends_with(".cubin")) {
        let time = fs::metadata(cache.join(name)).and_then(|data| data.modified());
        assert_eq!(time.expect("the file is there"), old);
    }
}

#[cfg(unix)]
#[test]
fn messages_of_the_assembler_are_shown() {
    let folder = folder("failing");
    write_kernel(&folder, "src/k.rs", "set", 1);
    let script = script(
        &folder,
        "case \"$*\" in --version) echo 'release 1.0, V1.0';; *) echo 'ptxas fatal   : too old' >&2; exit 255;; esac",
    );
    let kernels = Kernels::new()
        .file("src/k.rs")
        .targets(["sm_90"])
        .ptxas(Ptxas::Required);
    let error = build(&kernels, &folder, &script)
        .expect_err("it is required")
        .to_string();
    let place = script.display();
    assert_eq!(
        error,
        format!(
            "{place} does not assemble `set` for sm_90:\nptxas fatal   : too old\n\
             help: name a newer ptxas in VYRE_PTXAS, or leave out the target"
        )
    );
    assert!(!folder.join("out/vyre").exists());
    // Where it is not, the kernel is PTX alone, and the report says why.
    let kernels = kernels.ptxas(Ptxas::IfPresent).report(true);
    build(&kernels, &folder, &script).expect("PTX is enough");
    let out = folder.join("out/vyre");
    assert_eq!(read(out.join("k/set.cubins.rs")), "&[\n]\n");
    assert!(words_alone(&read(out.join("report.txt"))).contains("k: set sm_90 ptxas fatal : too old"));
    // A program that does not run at all.
    let script = self::script(&folder, "echo 'wrong libc' >&2; exit 1");
    let error = build(&kernels, &folder, &script)
        .expect_err("it does not run")
        .to_string();
    assert!(
        error.starts_with(&format!("{place} does not run: wrong libc\nhelp: ")) && error.contains("VYRE_PTXAS"),
        "{error}"
    );
}

/// Runs itself in a process where `VYRE_PTXAS` names nothing.
#[test]
fn a_missing_assembler_is_an_error_where_it_is_required() {
    const TEST: &str = "compile::tests::machine_code::a_missing_assembler_is_an_error_where_it_is_required";
    if std::env::var_os("VYRE_TEST_MISSING").is_none() {
        let mut command = std::process::Command::new(std::env::current_exe().expect("a process knows its program"));
        command
            .args([TEST, "--exact"])
            .env("VYRE_TEST_MISSING", "1")
            .env("VYRE_PTXAS", "/nowhere/ptxas")
            .env("VYRE_CUDA", "/nowhere/cuda");
        let output = command.output().expect("the test runs again");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{said}");
        return;
    }
    let out = folder("missing-ptxas");
    let error = targets::find(Ptxas::Required, false, &out)
        .err()
        .expect("it is required")
        .to_string();
    assert!(
        error.starts_with("/nowhere/ptxas does not run: ") && error.contains("help: install the CUDA toolkit"),
        "{error}"
    );
    assert!(
        error.contains("\nnote: VYRE_PTXAS leads to /nowhere/ptxas, which is no file\n")
            && error.contains(&format!(
                "\nnote: VYRE_CUDA leads to {}, which is no file\n",
                Path::new("/nowhere/cuda/bin/ptxas").display()
            )),
        "{error}"
    );
    for policy in [Ptxas::IfPresent, Ptxas::Never] {
        let found = targets::find(policy, false, &out).unwrap_or_else(|error| panic!("{error}"));
        assert!(found.is_none());
    }
}

#[test]
fn unknown_targets_are_refused() {
    let folder = folder("unknown");
    write_kernel(&folder, "src/k.rs", "set", 1);
    for (name, near) in [
        ("90a", Some("sm_90a")),
        ("compute_80", Some("sm_80")),
        ("sm90", Some("sm_90")),
        ("sm_85", Some("sm_75")),
        ("hopper", None),
    ] {
        let kernels = Kernels::new().file("src/k.rs").targets([name]);
        let error = kernels
            .compile_in(&folder, &folder.join("out"), &mut Build::new(), || Ok(None))
            .expect_err("there is none");
        let Error::UnknownTarget { target, near: found } = &error else {
            panic!("{error}")
        };
        assert_eq!((target.as_str(), found.as_deref()), (name, near));
        let text = error.to_string();
        assert!(text.starts_with(&format!("there is no target `{name}`")) && text.ends_with("sm_121f, sm_121a"));
    }
}

/// A folder for machine code that cannot be made: a file has its place.
#[test]
fn an_unwritable_folder_of_machine_code_is_named() {
    let Some(program) = real("an_unwritable_folder_of_machine_code_is_named") else {
        return;
    };
    let folder = folder("unwritable-cubins");
    write_kernel(&folder, "src/k.rs", "set", 1);
    fs::create_dir_all(folder.join("out")).expect("the folder can be made");
    fs::write(folder.join("out/vyre-cubins"), "a file").expect("the file can be written");
    let kernels = Kernels::new().file("src/k.rs").targets(["sm_90"]);
    let error = build(&kernels, &folder, program).expect_err("nothing can be written");
    assert!(
        matches!(&error, Error::File { path, .. } if *path == folder.join("out/vyre-cubins")),
        "{error}"
    );
}

/// Eight processes that want the same code at the same time, of which some are killed, never see a part of a file, and leave
/// none behind for a later build.
#[cfg(unix)]
#[test]
fn processes_share_machine_code() {
    use std::process::{Command, Stdio};
    use std::time::Duration;

    use vyre_abi::target::{Features, Target};

    const TEST: &str = "compile::tests::machine_code::processes_share_machine_code";
    const FOLDER: &str = "VYRE_TEST_SHARED_CODE";
    /// Has all modules assembled, from the given one on.
    fn assemble(folder: &Path, first: usize) {
        const MODULES: usize = 12;
        let program = folder.join("my tools/ptxas");
        let assembler = targets::assembler(program, false, &folder.join("out")).expect("it runs");
        for number in 0..MODULES {
            let ptx = format!("module {} {}", (first + number) % MODULES, "x".repeat(10_000));
            let file = assembler.file(&ptx, Target::new(80, Features::Baseline));
            let file = file.expect("the folder can be written").expect("it is assembled");
            assert_eq!(read(file), format!("code of {ptx}"));
        }
    }
    if let Some(folder) = std::env::var_os(FOLDER) {
        return assemble(Path::new(&folder), std::process::id() as usize);
    }
    let folder = folder("shared");
    // In two parts, with time between them.
    script(
        &folder,
        "[ \"$1\" = --version ] && exec echo 'release 1.0, V1.0'\n\
         while [ $# -gt 1 ]; do case \"$1\" in *.ptx) from=$1;; -o) to=$2;; esac; shift; done\n\
         printf 'code of ' > \"$to\" && sleep 0.02 && cat \"$from\" >> \"$to\"",
    );
    let start = |_| {
        let mut command = Command::new(std::env::current_exe().expect("a process knows its program"));
        let command = command.args([TEST, "--exact"]).env(FOLDER, &folder);
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("the test runs again")
    };
    let mut killed: Vec<_> = (0..8).map(start).collect();
    let working = killed.split_off(4);
    for (number, process) in killed.iter_mut().enumerate() {
        std::thread::sleep(Duration::from_millis(30 * number as u64));
        let _ = process.kill();
        let _ = process.wait();
    }
    for process in working {
        let output = process.wait_with_output().expect("a child has output");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
    assemble(&folder, 0);
    let kept = files(&folder.join("out/vyre-cubins"));
    // Temporary files of a killed process are removed when they are old.
    let whole = kept.iter().filter(|name| !name.starts_with("aside-")).count();
    assert_eq!(whole, 24, "{kept:?}");
}
