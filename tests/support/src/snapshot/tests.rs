use super::compare_listed;

#[test]
fn index_and_files_agree() {
    let folder = std::env::temp_dir().join(format!("vyre-snapshots-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("a")).expect("a folder");
    std::fs::write(
        folder.join("README.md"),
        "# Title\n\n- `a/x`: shows\n  this\n- `b/z`: that\n",
    )
    .expect("an index");
    std::fs::write(folder.join("a/x.ptx"), "one\n").expect("a snapshot");
    let compare = |names: &[(&str, &'static str)]| {
        let kernels: Vec<(String, &str)> = names.iter().map(|&(name, ptx)| (name.to_owned(), ptx)).collect();
        compare_listed(&folder, &kernels)
    };
    assert_eq!(compare(&[("a/x", "one\n"), ("a/unlisted", "two\n")]), Ok(()));
    assert!(compare(&[("a/x", "two\n")]).is_err_and(|said| said.contains("x.ptx:1 differs")));
    assert!(compare(&[("a/y", "one\n")]).is_err_and(|said| said.contains("lists `a/x`, and there is no such kernel")));
    std::fs::write(folder.join("a/y.ptx"), "one\n").expect("a file");
    assert!(compare(&[("a/x", "one\n")]).is_err_and(|said| said.contains("does not list")));
    // Leftovers in the temporary folder are harmless.
    let _ = std::fs::remove_dir_all(&folder);
}
