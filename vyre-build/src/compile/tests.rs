//! The output and the messages of the API for build scripts.

use super::*;

/// A folder of this test run.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("vyre-compile-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
    folder
}

fn compiled(name: &str, text: &str) -> Result<PathBuf, Error> {
    let folder = folder(name);
    std::fs::write(folder.join("kernels.rs"), text).expect("the file can be written");
    compile_in(&folder, Path::new("kernels.rs"), &folder.join("out"))?;
    Ok(folder.join("out"))
}

#[test]
fn every_fault_is_reported_with_its_place() {
    let text = "\
#[vyre::kernel]
fn first(out: &mut [u32]) {
    let s = String::new();
    out[0] = ELSEWHERE;
}

#[kernel(blocks = 3)]
fn second(out: &mut [u32]) {
    out[0] = 1;
}
";
    let Err(Error::Kernels(complaints)) = compiled("faults", text) else {
        panic!("it has faults")
    };
    let places: Vec<_> = complaints.iter().map(|it| (it.line, it.column)).collect();
    assert_eq!(places, [(3, 13), (4, 14), (7, 10)], "{complaints:?}");
    let text = Error::Kernels(complaints).to_string();
    assert!(
        text.starts_with("kernels.rs:3:13: ") && text.contains("\nkernels.rs:7:10: "),
        "{text}"
    );
}

#[test]
fn what_cannot_be_parsed_or_read_is_an_error() {
    let Err(Error::Kernels(complaints)) = compiled("parse", "fn f( {}") else {
        panic!("this is no Rust")
    };
    assert_eq!(complaints.len(), 1);
    let missing = compile_in(&folder("missing"), Path::new("kernels.rs"), &folder("missing"));
    assert!(matches!(missing, Err(Error::File { .. })));
}

#[test]
fn files_that_stay_the_same_are_not_written() {
    let text = "#[vyre::kernel] fn set(out: &mut [u32]) { out[0] = 1; }";
    let times = || {
        let out = compiled("same", text).expect("the kernel is good");
        ["kernels.rs", "kernels/set.ptx"].map(|name| {
            let file = std::fs::metadata(out.join(name)).expect("the file is written");
            file.modified().expect("files have times")
        })
    };
    let first = times();
    std::thread::sleep(std::time::Duration::from_millis(20));
    assert_eq!(first, times());
}

/// Each file in `ui-tests/build-cases` has a mistake, with the expected diagnostics beside it.
/// `VYRE_BLESS=1` rewrites them.
#[test]
fn cases_say_what_is_wrong() {
    let folder = Path::new("../ui-tests/build-cases");
    let mut cases = 0;
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let name = PathBuf::from(entry.expect("an entry").file_name());
        if name.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let error = compile_in(folder, &name, &self::folder("cases")).expect_err("each case has a mistake");
        let (said, path) = (format!("{error}\n"), folder.join(&name).with_extension("stderr"));
        if std::env::var_os("VYRE_BLESS").is_some() {
            std::fs::write(&path, said).expect("what is said can be written");
        } else {
            let expected = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
            assert_eq!(expected, said, "{}: VYRE_BLESS=1 accepts the change", path.display());
        }
        cases += 1;
    }
    assert!(cases > 2, "{cases} cases");
}

#[test]
fn items_that_are_incomplete_have_a_place() {
    let kernel = "#[vyre::kernel] fn set(out: &mut [u32]) { out[0] = 1; }\n";
    for (number, item) in ["fn main();", "static X: u32;", "macro foo() {}", "const Y: u32;"]
        .iter()
        .enumerate()
    {
        let Err(Error::Kernels(complaints)) = compiled(&format!("incomplete{number}"), &format!("{kernel}{item}"))
        else {
            panic!("{item} is incomplete")
        };
        let [Complaint { line: 2, column: 1, .. }] = complaints[..] else {
            panic!("{complaints:?}")
        };
    }
}

/// Syntax in the middle of an item that the printer does not know is passed on.
#[test]
fn items_that_cannot_be_formatted_stay() {
    let text = "#[vyre::kernel] fn set(out: &mut [u32]) { out[0] = 1; }\n\
                struct S; impl S { fn f(); }\n";
    let out = compiled("unformatted", text).expect("the kernel is good");
    let text = std::fs::read_to_string(out.join("kernels.rs")).expect("the file is there");
    assert!(text.contains("fn f ()") && text.contains("set.ptx"), "{text}");
}

#[test]
fn what_is_nested_too_deeply_is_not_read() {
    for (name, text) in [
        ("blocks", format!("{}{}", "{".repeat(5000), "}".repeat(5000))),
        (
            "types",
            format!("let x: {}u32{} = 1;", "[".repeat(5000), "; 1]".repeat(5000)),
        ),
        ("not", format!("let x = {}1;", "!".repeat(20_000))),
        ("closures", format!("let x = {}1;", "|x: u32| ".repeat(5000))),
        ("returns", format!("{};", "return ".repeat(5000))),
    ] {
        let text = format!("fn host() {{ {text} }}");
        let Err(Error::Kernels(complaints)) = compiled(&format!("deep-{name}"), &text) else {
            panic!("{name} are nested")
        };
        assert!(complaints[0].message.starts_with("V0511"), "{complaints:?}");
    }
}

/// The attributes too say so, and leave what callers need.
#[test]
fn attributes_do_not_read_what_is_nested_too_deeply() {
    let (open, close) = ("{".repeat(5000), "}".repeat(5000));
    let kernel: TokenStream = format!("fn deep(x: &mut [u32]) {{ {open} {close} }}")
        .parse()
        .expect("tokens");
    let expanded = crate::expand::expand(TokenStream::new(), kernel).to_string();
    assert!(
        expanded.contains("V0511") && expanded.contains("struct Deep"),
        "{expanded}"
    );
    let device: TokenStream = format!("fn deep(x: u32) -> u32 {{ {open} x {close} }}")
        .parse()
        .expect("tokens");
    let expanded = crate::expand::device(TokenStream::new(), device).to_string();
    assert!(
        expanded.contains("V0511") && expanded.contains("macro_rules"),
        "{expanded}"
    );
}
