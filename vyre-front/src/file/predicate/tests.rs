use super::Environment;

fn holds(predicate: &str) -> Option<bool> {
    let variable = |name: &str| {
        let values = [
            ("CARGO_CFG_TARGET_OS", "linux"),
            ("CARGO_CFG_TARGET_FEATURE", "fxsr,sse,sse2"),
            ("CARGO_CFG_UNIX", ""),
            ("CARGO_CFG_PANIC", "unwind"),
            ("CARGO_CFG_OWN", ""),
            ("CARGO_FEATURE_FAST_MATH", "1"),
        ];
        let found = values.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    Environment { variable }.holds(predicate.parse().expect("tokens"))
}

#[test]
fn what_cargo_tells_is_decided() {
    for (predicate, expected) in [
        ("unix", Some(true)),
        ("windows", Some(false)),
        ("own", Some(true)),
        ("true", Some(true)),
        ("false", Some(false)),
        ("target_os = \"linux\"", Some(true)),
        ("target_os = \"macos\"", Some(false)),
        ("target_feature = \"sse2\"", Some(true)),
        ("target_feature = \"avx\"", Some(false)),
        ("target_env = \"gnu\"", Some(false)),
        ("panic = \"abort\"", Some(false)),
        ("feature = \"fast-math\"", Some(true)),
        ("feature = \"slow\"", Some(false)),
        ("not(unix)", Some(false)),
        ("all()", Some(true)),
        ("any()", Some(false)),
        ("all(unix, not(windows), feature = \"fast-math\",)", Some(true)),
        ("any(windows, all(unix, feature = \"slow\"))", Some(false)),
    ] {
        assert_eq!(holds(predicate), expected, "{predicate}");
    }
}

#[test]
fn what_the_crate_itself_sets_is_not() {
    for (predicate, expected) in [
        ("test", None),
        ("doc", None),
        ("mine", None),
        ("mine = \"x\"", None),
        ("not(test)", None),
        ("all(unix, test)", None),
        ("all(windows, test)", Some(false)),
        ("any(unix, test)", Some(true)),
        ("any(windows, test)", None),
        ("target(os = \"linux\")", None),
        ("unix()", None),
    ] {
        assert_eq!(holds(predicate), expected, "{predicate}");
    }
}

#[test]
fn nothing_is_decided_outside_of_a_build_script() {
    let nothing = Environment { variable: |_| None };
    for predicate in ["unix", "debug_assertions", "feature = \"x\"", "target_os = \"linux\""] {
        assert_eq!(nothing.holds(predicate.parse().expect("tokens")), None, "{predicate}");
    }
}
