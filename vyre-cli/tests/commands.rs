//! Output of the commands: each file in `cases/` holds command lines and their output, which `VYRE_BLESS=1` rewrites.
//! Commands run in the folder `inputs/`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use vyre_test_support::snapshot;

fn vyre(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vyre"));
    command.args(arguments).current_dir("tests/inputs");
    command.output().expect("the tool runs")
}

/// The output of a command line, and its exit status unless that is 0. No ptxas is found, so that reports are the same
/// everywhere.
fn transcript(line: &str) -> String {
    let arguments: Vec<&str> = line.trim_start_matches("$ vyre").split_whitespace().collect();
    let mut command = Command::new(env!("CARGO_BIN_EXE_vyre"));
    command.args(&arguments).current_dir("tests/inputs");
    if arguments.iter().any(|argument| argument.starts_with("--report")) {
        command.env("VYRE_PTXAS", "nowhere/ptxas");
    }
    let output = command.output().expect("the tool runs");
    let text = |bytes: &[u8]| {
        String::from_utf8_lossy(bytes)
            .replace("\r\n", "\n")
            .replace("vyre.exe", "vyre")
    };
    let mut out = format!("{line}\n{}{}", text(&output.stdout), text(&output.stderr));
    if let Some(status @ 1..) = output.status.code() {
        let _ = writeln!(out, "(exit status {status})");
    }
    out
}

#[test]
fn commands_print_what_is_expected() {
    let mut files: Vec<PathBuf> = std::fs::read_dir("tests/cases")
        .expect("the cases are there")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    files.sort();
    let mut wrong = String::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a case can be read");
        let lines = text.lines().filter(|line| line.starts_with("$ vyre "));
        let actual: Vec<String> = lines.map(transcript).collect();
        if let Err(difference) = snapshot::compare(&file, &actual.join("\n")) {
            wrong += &difference;
            wrong.push('\n');
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn raw_program_comes_back() {
    let shown = vyre(&["show", "saxpy.rs", "--ir", "--raw"]).stdout;
    let file = std::env::temp_dir().join(format!("vyre-cli-{}.vyre", std::process::id()));
    std::fs::write(&file, &shown).expect("the temporary folder can be written");
    let again = vyre(&["show", file.to_str().expect("a name"), "--ir", "--raw"]);
    let _ = std::fs::remove_file(&file);
    assert_eq!(String::from_utf8_lossy(&again.stdout), String::from_utf8_lossy(&shown));
    assert!(!shown.is_empty());
}

#[test]
fn raw_graph_goes_through_a_pass() {
    let shown = vyre(&["show", "saxpy.rs", "--ssa=after:build", "--raw"]).stdout;
    let graph = String::from_utf8(shown).expect("the graph is text");
    let after = vyre_core::inspect::run_passes(&graph, &["gvn", "dce"]).expect("the passes run");
    assert!(after.contains("guard[0]"), "{after}");
}

#[test]
fn times_name_every_phase() {
    let output = vyre(&["show", "saxpy.rs", "--time-passes"]);
    let text = String::from_utf8_lossy(&output.stdout);
    for phase in ["phase", "front", "validate", "build", "gvn", "ptx", "total"] {
        assert!(
            text.lines().any(|line| line.split(' ').next() == Some(phase)),
            "no {phase} in {text}"
        );
    }
}

#[test]
fn machine_code_stands_beside_its_source() {
    let tools = ["ptxas", "nvdisasm"].map(vyre_build::toolkit::find);
    if tools.iter().any(Option::is_none) {
        eprintln!("skipped: no ptxas or no nvdisasm");
        return;
    }
    let output = vyre(&["show", "saxpy.rs", "--sass", "--arch", "sm_80"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("// saxpy.rs:8 | y[i] = a * x[i] + y[i];"), "{text}");
    assert!(text.contains("STG.E"), "{text}");
}

/// With ptxas a report has the registers, and JSON the same findings as the text.
#[test]
fn reports_are_the_same_for_people_and_programs() {
    let text = vyre(&["show", "warps.rs", "--report"]).stdout;
    let text = String::from_utf8(text).expect("the report is text");
    let json = vyre(&["show", "warps.rs", "--report=json", "--arch", "sm_80"]).stdout;
    let json: serde_json::Value = serde_json::from_slice(&json).expect("the report is JSON");
    let kernels = json["kernels"].as_array().expect("a list");
    assert_eq!(kernels.len(), text.matches("\nkernel ").count());
    let accesses: Vec<&serde_json::Value> = kernels
        .iter()
        .flat_map(|kernel| kernel["accesses"].as_array().expect("a list"))
        .collect();
    assert_eq!(accesses.len(), text.matches("of 4 bytes: ").count(), "{text}");
    for (pattern, words) in [
        ("strided", "strided by"),
        ("coalesced", " coalesced"),
        ("scattered", "scattered"),
    ] {
        let of_pattern = accesses.iter().filter(|access| access["pattern"] == pattern).count();
        assert!(of_pattern > 0);
        assert_eq!(of_pattern, text.matches(words).count(), "{pattern}: {text}");
    }
    let has_ptxas = vyre_build::toolkit::find("ptxas").is_some_and(|path| path.is_file());
    for kernel in kernels {
        assert_eq!(kernel["code"]["registers"].is_u64(), has_ptxas, "{}", kernel["code"]);
        assert_eq!(
            kernel["code"]["reason"] == "ptxas not found",
            !has_ptxas,
            "{}",
            kernel["code"]
        );
    }
}

#[test]
fn without_tools_machine_code_says_how_to_get_them() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vyre"));
    // Nothing is in these places.
    for variable in ["PATH", "VYRE_CUDA", "CUDA_HOME", "CUDA_PATH", "VYRE_PTXAS"] {
        command.env_remove(variable);
    }
    let input = Path::new("tests/inputs/saxpy.rs")
        .canonicalize()
        .expect("the input is there");
    command
        .args(["show", "--sass"])
        .arg(input)
        .current_dir(std::env::temp_dir());
    let output = command.output().expect("the tool runs");
    if Path::new("/usr/local/cuda/bin/ptxas").exists() {
        return;
    }
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        text.starts_with("error: no ptxas: in the repository `scripts/ptxas`"),
        "{text}"
    );
}

#[test]
fn variables_that_lead_nowhere_are_named() {
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vyre"));
        command.args(arguments).current_dir("tests/inputs");
        command
            .env("VYRE_PTXAS", "/nowhere/ptxas")
            .env("VYRE_CUDA", "/nowhere/cuda");
        command.output().expect("the tool runs")
    };
    let said = run(&["show", "saxpy.rs", "--sass"]).stderr;
    let doctor = run(&["doctor"]).stdout;
    for text in [said, doctor] {
        let text = String::from_utf8_lossy(&text);
        assert!(
            text.contains("VYRE_PTXAS leads to /nowhere/ptxas, which is no file")
                && text.contains("VYRE_CUDA leads to /nowhere/cuda"),
            "{text}"
        );
    }
}

#[test]
fn doctor_looks_at_everything() {
    let output = vyre(&["doctor"]);
    let text = String::from_utf8_lossy(&output.stdout);
    for word in ["rustc", "GPU", "CPU", "ptxas", "nvdisasm", "cache"] {
        assert!(text.contains(word), "no {word} in {text}");
    }
}

/// The first of two GPUs is taken: the second is found, and the first is missing with the reason.
#[test]
#[cfg(target_os = "linux")]
fn doctor_lists_the_gpus() {
    const TEST: &str = "doctor_lists_the_gpus";
    if vyre_test_driver::plays(TEST) {
        let text = String::from_utf8_lossy(&vyre(&["doctor"]).stdout).into_owned();
        let taken = "missing  GPU cuda:0: `cuDevicePrimaryCtxRetain` failed with CUDA_ERROR_DEVICE_UNAVAILABLE (46)";
        assert!(text.contains(taken), "{text}");
        let found =
            "ok       GPU cuda:1: Played GPU, compute capability 9.0, 4 multiprocessors, driver for CUDA 13.0\n";
        assert!(text.contains(found) && text.contains("ok       CPU: CPU, "), "{text}");
    } else if let Some(mut stage) = vyre_test_driver::Stage::new(env!("CARGO_TARGET_TMPDIR"), TEST) {
        stage.env("PLAYED_DRIVER_DEVICES", "2").env("PLAYED_DRIVER_TAKEN", "0");
        stage.run();
    }
}

#[test]
fn doctor_names_a_version_that_stops_the_build() {
    for (version, status) in [("13040", 1), ("12080", 0)] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vyre"));
        let output = command
            .arg("doctor")
            .env("CUDARC_CUDA_VERSION", version)
            .output()
            .expect("the tool runs");
        let text = String::from_utf8_lossy(&output.stdout);
        let named = format!("WRONG    CUDARC_CUDA_VERSION={version}");
        assert_eq!(text.contains(&named), status == 1, "{text}");
        assert_eq!(output.status.code(), Some(status), "{text}");
    }
}

#[test]
fn reduced_program_still_passes_the_check() {
    if cfg!(windows) {
        return;
    }
    let check = format!(
        "{} run {{}} 2>&1 | grep -q 'out of bounds of length 4'",
        env!("CARGO_BIN_EXE_vyre")
    );
    let output = vyre(&["reduce", "faults.vyre", "--check", &check]);
    let text = String::from_utf8_lossy(&output.stdout);
    snapshot::compare(Path::new("tests/reduced.vyre"), &text).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn a_closed_pipe_is_no_error() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vyre"));
    command
        .args(["show", "saxpy.rs", "--ssa=after:gvn"])
        .current_dir("tests/inputs");
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let output = command
        .stdout(writer)
        .stderr(std::process::Stdio::piped())
        .output()
        .expect("the tool runs");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

/// What is nested very deeply is refused, with its place, in both forms of programs.
#[test]
fn deep_files_are_refused() {
    let rust = |body: &str| format!("#[vyre::kernel]\nfn k(a: u32, y: &mut [u32]) {{\n    {body}\n}}\n");
    let text = |body: &str| {
        format!("vyre 1\nkernel k(c: bool, y: &mut [f32]) dimensions 1 block 1 1 1 {{\nentry k {{\n{body}\n}}\n}}\n")
    };
    let nest =
        |before: &str, inner: &str, after: &str| format!("{}{inner}{}", before.repeat(20_000), after.repeat(20_000));
    let cases = [
        ("rs", rust(&format!("y[0] = {};", nest("", "a", " + a")))),
        ("rs", rust(&format!("y[0] = {};", nest("(", "a", ")")))),
        ("rs", rust(&format!("y[0] = {};", nest("", "a", " as u32")))),
        ("rs", rust(&format!("let t: {} = a;", nest("Option<", "u32", ">")))),
        ("rs", rust(&nest("{", "", "}"))),
        ("vyre", text(&format!("store y[0u64] = {}", nest("neg(", "1f32", ")")))),
        (
            "vyre",
            text(&format!("store y[0u64] = {}", nest("(neg(", "1f32", ") : f32)"))),
        ),
        ("vyre", text(&nest("if c {\n", "", "}\n"))),
        ("vyre", text(&format!("let t: {}", nest("(", "f32", ")")))),
    ];
    for (number, (extension, text)) in cases.iter().enumerate() {
        let name = format!("vyre-deep-{}-{number}.{extension}", std::process::id());
        let file = std::env::temp_dir().join(name);
        std::fs::write(&file, text).expect("the temporary folder can be written");
        for command in ["show", "run"] {
            let output = vyre(&[command, file.to_str().expect("a name")]);
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{number}: {said:.300}");
            let place = format!("error: {}:", file.display());
            assert!(
                said.starts_with(&place) && said.contains("nested too deeply"),
                "{said:.300}"
            );
        }
        let _ = std::fs::remove_file(&file);
    }
}
