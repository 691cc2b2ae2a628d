use super::*;

#[test]
fn a_missing_library_is_named_with_what_to_install() {
    let names = names(Some("/nowhere/libnccl.so.2".to_owned()));
    let problem = open(&names).map(drop).unwrap_err().to_string();
    assert!(
        problem.starts_with("NCCL was not found (looked for /nowhere/libnccl.so.2); install NVIDIA's package libnccl2"),
        "{problem}"
    );
}

/// Any other library has no function of this name.
#[test]
#[cfg(target_os = "linux")]
fn another_library_is_none() {
    let problem = open(&names(Some("libc.so.6".to_owned()))).map(drop).unwrap_err();
    assert!(matches!(problem, RankProblem::NoLibrary { .. }), "{problem}");
}
