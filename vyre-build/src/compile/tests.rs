//! The output and the messages of the API for build scripts.

use proc_macro2::TokenStream;
use vyre_front::file::Complaint;

mod machine_code;
mod nesting;
#[cfg(target_os = "linux")]
mod network;
mod programs;

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
    build(&folder, &["kernels.rs"])?;
    Ok(folder.join("out/vyre"))
}

/// Compiles files of a folder as a build script does that runs again.
fn build(folder: &Path, files: &[&str]) -> Result<(), Error> {
    let kernels = files.iter().fold(Kernels::new(), |kernels, file| kernels.file(file));
    kernels.compile_in(folder, &folder.join("out"), &mut Build::new(), || Ok(None))
}

/// The files below a folder, from there.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).expect("the folder is there") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    let path = path.strip_prefix(folder).expect("it lies below");
                    found.push(path.to_string_lossy().replace('\\', "/"));
                }
            }
        }
    }
    found.sort();
    found
}

/// Writes a file with a kernel that stores a number.
fn write_kernel(folder: &Path, path: &str, name: &str, number: u32) {
    let path = folder.join(path);
    std::fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("the folder can be made");
    let text = format!("#[vyre::kernel(allow(races))] pub fn {name}(out: &mut [u32]) {{ out[0] = {number}; }}");
    std::fs::write(path, text).expect("the file can be written");
}

/// Files of one name in two folders, and a kernel of one name in both, stay apart.
#[test]
fn modules_lie_in_the_folders_of_their_sources() {
    let folder = folder("mirrored");
    write_kernel(&folder, "src/a/k.rs", "set", 1111);
    write_kernel(&folder, "src/with space/b/k.rs", "set", 2222);
    build(&folder, &["src/a/k.rs", "src/with space/b/k.rs"]).expect("the kernels are good");
    let out = folder.join("out/vyre");
    assert_eq!(
        files(&out),
        ["a/k.rs", "a/k/set.ptx", "with space/b/k.rs", "with space/b/k/set.ptx"]
    );
    for (path, number, other) in [("a/k", "1111", "2222"), ("with space/b/k", "2222", "1111")] {
        for file in [format!("{path}.rs"), format!("{path}/set.ptx")] {
            let text = std::fs::read_to_string(out.join(&file)).expect("the file is there");
            assert!(text.contains(number) && !text.contains(other), "{file}: {text}");
        }
        // The module finds the PTX from its own place.
        let text = std::fs::read_to_string(out.join(format!("{path}.rs"))).expect("the file is there");
        assert!(text.contains("include_str!(\"k/set.ptx\")"), "{text}");
    }
}

/// A file that is gone from the sources is gone from `OUT_DIR`, and several calls of a build script keep what they have made.
#[test]
fn stale_files_are_removed() {
    let folder = folder("stale");
    let out = folder.join("out/vyre");
    write_kernel(&folder, "src/a/k.rs", "first", 1);
    write_kernel(&folder, "src/b.rs", "set", 2);
    build(&folder, &["src/a/k.rs", "src/b.rs"]).expect("the kernels are good");
    write_kernel(&folder, "src/a/k.rs", "second", 1);
    build(&folder, &["src/a/k.rs"]).expect("the kernel is good");
    assert_eq!(files(&out), ["a/k.rs", "a/k/second.ptx"]);
    build(&folder, &["src/b.rs"]).expect("the kernel is good");
    assert_eq!(files(&out), ["b.rs", "b/set.ptx"]);
    assert!(!out.join("a").exists());
    let mut twice = Build::new();
    for file in ["src/a/k.rs", "src/b.rs"] {
        let kernels = Kernels::new().file(file);
        kernels
            .compile_in(&folder, &folder.join("out"), &mut twice, || Ok(None))
            .expect("the kernels are good");
    }
    assert_eq!(files(&out), ["a/k.rs", "a/k/second.ptx", "b.rs", "b/set.ptx"]);
}

#[test]
fn two_modules_of_one_name_are_refused() {
    let folder = folder("names");
    for file in ["src/k.rs", "k.rs", "src/K.rs"] {
        write_kernel(&folder, file, "set", 1);
    }
    for other in ["k.rs", "src/K.rs"] {
        let error = build(&folder, &["src/k.rs", other]).expect_err("the names meet");
        let text = error.to_string();
        assert!(
            matches!(&error, Error::SameName { sources, .. } if *sources == ["src/k.rs", other])
                && text.starts_with(&format!("src/k.rs and {other} are both `vyre::include_kernels!(\"")),
            "{text}"
        );
    }
    // Also in two calls of a build script; one file may be compiled twice.
    let mut calls = Build::new();
    let mut call = |file: &str| {
        Kernels::new()
            .file(file)
            .compile_in(&folder, &folder.join("out"), &mut calls, || Ok(None))
    };
    call("src/k.rs").expect("the kernel is good");
    call("src/k.rs").expect("the kernel is good");
    assert!(matches!(call("k.rs"), Err(Error::SameName { .. })));
}

/// Where case makes no difference, one would overwrite the other.
#[test]
fn kernels_that_differ_by_case_have_files_of_their_own() {
    let text = "#[vyre::kernel(allow(races))] fn set(out: &mut [u32]) { out[0] = 1; }\n\
                #[vyre::kernel(launcher = Other, allow(races))] fn SET(out: &mut [u32]) { out[0] = 2; }";
    let out = compiled("case", text).expect("the kernels are good");
    assert_eq!(files(&out), ["kernels.rs", "kernels/SET-2.ptx", "kernels/set.ptx"]);
}

/// A kernel with a mistake leaves what the last build has made: rustc may still look at it.
#[test]
fn nothing_is_written_before_all_is_compiled() {
    let folder = folder("whole");
    write_kernel(&folder, "src/k.rs", "set", 1);
    build(&folder, &["src/k.rs"]).expect("the kernel is good");
    write_kernel(&folder, "src/k.rs", "other", 1);
    std::fs::write(
        folder.join("src/wrong.rs"),
        "#[vyre::kernel(allow(races))] fn f() { g(); }",
    )
    .expect("the file can be written");
    let Err(Error::Kernels(complaints)) = build(&folder, &["src/k.rs", "src/wrong.rs"]) else {
        panic!("it has a mistake")
    };
    assert_eq!(complaints.len(), 1, "{complaints:?}");
    assert_eq!(files(&folder.join("out/vyre")), ["k.rs", "k/set.ptx"]);
}

/// A folder that cannot be written: a file has its place.
#[test]
fn an_unwritable_folder_is_named() {
    let folder = folder("unwritable");
    write_kernel(&folder, "src/k.rs", "set", 1);
    std::fs::write(folder.join("out"), "a file").expect("the file can be written");
    let Err(Error::File { path, .. }) = build(&folder, &["src/k.rs"]) else {
        panic!("nothing can be written")
    };
    assert_eq!(path, folder.join("out/vyre/k/set.ptx"));
}

#[test]
fn every_fault_is_reported_with_its_place() {
    let text = "\
#[vyre::kernel(allow(races))]
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

/// The lines and columns of the errors of a file.
fn places_of_errors(name: &str, text: &str) -> Vec<(usize, usize)> {
    let Err(Error::Kernels(complaints)) = compiled(name, text) else {
        panic!("{name} has a mistake")
    };
    complaints.iter().map(|it| (it.line, it.column)).collect()
}

/// A generic kernel is read without its types, too, and finds other words for the same mistake; a constant of a refused type
/// has no setter.
#[test]
fn a_place_has_one_error() {
    let generic =
        "#[vyre::kernel(N = [2, 4])]\nfn f<const N: usize>(x: Missing<'_>, #[each] y: &mut u32) {\n    *y = 1;\n}\n";
    assert_eq!(places_of_errors("one", generic), [(2, 25)]);
    let constant = "#[vyre::constant]\nstatic SCALE: f32 + = 2.0;\n";
    assert_eq!(places_of_errors("constant", constant), [(2, 15)]);
}

/// The type is that of the launcher, an alias in generated code.
#[test]
fn faults_in_generated_code_are_at_the_kernel() {
    let text =
        "#[vyre::kernel(N = [2, 4])]\nfn copy<const N: usize>(x: Copy<'_>, #[each] y: &mut u32) {\n    *y = 1;\n}\n";
    assert_eq!(places_of_errors("generated", text).first(), Some(&(2, 4)));
}

#[test]
fn launchers_that_hide_a_parameter_are_refused_where_the_kernel_stands() {
    let text = "#[vyre::kernel(T = [f32, f64])]\nfn t<T: Float>(#[each] x: &mut T) {\n    *x = *x + *x;\n}\n";
    let Err(Error::Kernels(complaints)) = compiled("hidden", text) else {
        panic!("its launcher would be `T`")
    };
    let [complaint] = &complaints[..] else {
        panic!("{complaints:?}")
    };
    assert_eq!((complaint.line, complaint.column), (2, 4), "{complaint}");
    assert!(complaint.message.starts_with("V0105: "), "{complaint}");
}

#[test]
fn what_cannot_be_parsed_or_read_is_an_error() {
    let Err(Error::Kernels(complaints)) = compiled("parse", "fn f( {}") else {
        panic!("this is no Rust")
    };
    assert_eq!(complaints.len(), 1);
    let missing = build(&folder("missing"), &["kernels.rs"]);
    assert!(matches!(missing, Err(Error::File { .. })));
}

#[test]
fn files_that_stay_the_same_are_not_written() {
    let text = "#[vyre::kernel(allow(races))] fn set(out: &mut [u32]) { out[0] = 1; }";
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
        let kernels = Kernels::new().file(&name);
        let error = kernels.compile_in(folder, &self::folder("cases"), &mut Build::new(), || Ok(None));
        let error = error.expect_err("each case has a mistake");
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
    let kernel = "#[vyre::kernel(allow(races))] fn set(out: &mut [u32]) { out[0] = 1; }\n";
    for (number, item) in [
        "fn main();",
        "static X: u32;",
        "macro foo() {}",
        "const Y: u32;",
        "turn",
    ]
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
    let text = "#[vyre::kernel(allow(races))] fn set(out: &mut [u32]) { out[0] = 1; }\n\
                struct S; impl S { fn f(); }\n";
    let out = compiled("unformatted", text).expect("the kernel is good");
    let text = std::fs::read_to_string(out.join("kernels.rs")).expect("the file is there");
    assert!(text.contains("fn f ()") && text.contains("set.ptx"), "{text}");
}

#[test]
fn items_name_their_places() {
    let text = "#[vyre::device]\nfn half(x: f32) -> f32 { x / 2.0 }\n\
                pub mod inner {\n    // Not kept.\n    pub const A: &str = \"a\nb\";\n\
                \n    #[vyre::kernel(allow(races))]\n    pub fn fill(y: &mut [f32]) { y[0] = 1.0; }\n}\n";
    let out = compiled("places", text).expect("it compiles");
    let text = std::fs::read_to_string(out.join("kernels.rs")).expect("the file is there");
    for (place, item) in [
        ("kernels.rs:1", "#[allow("),
        ("kernels.rs:3", "pub mod inner {"),
        ("kernels.rs:5", "pub const A: &str = \"a\nb\";"),
        ("kernels.rs:8", "#[allow(clippy::impl_trait_in_params)]\npub fn fill"),
    ] {
        let mark = format!("// {place}\n");
        let mut found = text.split(&mark).skip(1);
        assert!(found.any(|after| after.starts_with(item)), "{place}: {item}\n{text}");
    }
    assert!(syn::parse_file(&text).is_ok(), "{text}");
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
    let expanded = crate::device(TokenStream::new(), device).to_string();
    assert!(
        expanded.contains("V0511") && expanded.contains("macro_rules"),
        "{expanded}"
    );
}
