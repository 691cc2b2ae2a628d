use super::Target;

fn target(name: &str) -> Target {
    Target::from_name(name).unwrap_or_else(|| panic!("{name} is a target"))
}

#[test]
fn targets_have_names() {
    for known in Target::ALL {
        assert_eq!(Target::from_name(&known.to_string()), Some(known));
    }
    assert_eq!(target("sm_90a").capability, 90);
    for unknown in [
        "",
        "sm_",
        "90",
        "sm_85",
        "sm_80a",
        "sm_90A",
        "compute_90",
        "sm_090",
        "sm_90aa",
    ] {
        assert_eq!(Target::from_name(unknown), None, "{unknown}");
    }
}

/// "Binary Compatibility" of the CUDA C++ Programming Guide.
#[test]
fn code_runs_on_later_minors_of_its_major() {
    for (name, devices) in [
        ("sm_75", &[75][..]),
        ("sm_80", &[80, 86, 89]),
        ("sm_86", &[86, 89]),
        ("sm_87", &[87]),
        ("sm_89", &[89]),
        ("sm_90", &[90]),
        ("sm_90a", &[90]),
        ("sm_100", &[100, 103]),
        ("sm_100f", &[100, 103]),
        ("sm_100a", &[100]),
        ("sm_103", &[103]),
        ("sm_110", &[110]),
        ("sm_120", &[120, 121]),
        ("sm_120a", &[120]),
        ("sm_121f", &[121]),
    ] {
        let all = [70, 75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121];
        let runs: Vec<u32> = all.into_iter().filter(|&device| target(name).runs_on(device)).collect();
        assert_eq!(runs, devices, "{name}");
    }
}

/// The best code for a device is the greatest that runs there: its own capability before lower ones, its own features
/// before those of all.
#[test]
fn targets_are_ordered_by_fit() {
    let mut targets = ["sm_86", "sm_90a", "sm_80", "sm_100f", "sm_100", "sm_90", "sm_100a"].map(target);
    targets.sort();
    let names = targets.map(|target| target.to_string());
    assert_eq!(
        names,
        ["sm_80", "sm_86", "sm_90", "sm_90a", "sm_100", "sm_100f", "sm_100a"]
    );
}
