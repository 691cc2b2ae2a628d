use super::makes_code;

#[test]
fn code_is_made_where_rustc_makes_it() {
    let makes = |line: &str| makes_code(&mut line.split_whitespace().map(str::to_owned));
    for line in [
        "rustc --crate-name a --emit=dep-info,metadata,link -C opt-level=3",
        "rustc --emit link",
        "rustc --emit=asm=a.s",
    ] {
        assert!(makes(line), "{line}");
    }
    for line in [
        "rustc --crate-name link --emit=dep-info,metadata -C linker=link",
        "rust-analyzer-proc-macro-srv",
        "rustdoc --crate-type lib",
        "rustc --emit metadata link",
    ] {
        assert!(!makes(line), "{line}");
    }
    // The file of a command line that is too long for the system.
    let file = std::env::temp_dir().join(format!("vyre-arguments-{}", std::process::id()));
    for (emit, expected) in [("--emit=dep-info,link", true), ("--emit=metadata", false)] {
        std::fs::write(&file, format!("--crate-name\na\n{emit}\n")).expect("the file can be written");
        assert_eq!(makes(&format!("rustc @{}", file.display())), expected);
    }
    let _ = std::fs::remove_file(file);
}
