//! `docs/contract.md`, held against the code that it speaks of.

/// The names of the device profile there.
const PROFILE: &str = "backend supports_subgroup_ops supports_indirect_dispatch supports_distributed_collectives \
    supports_specialization_constants supports_f16 supports_bf16 supports_trap_propagation supports_tensor_cores \
    has_mul_high has_dual_issue_fp32_int32 has_subgroup_shuffle has_shared_memory max_native_int_width max_workgroup_size \
    max_invocations_per_workgroup max_shared_memory_bytes max_storage_buffer_binding_size subgroup_size compute_units \
    regs_per_thread_max l1_cache_bytes l2_cache_bytes mem_bw_gbps timing_quality supports_device_timestamps \
    supports_hardware_counters ideal_unroll_depth ideal_vector_pack_bits ideal_workgroup_tile shared_memory_bank_count \
    shared_memory_bank_width_bytes";

/// The names of the pipeline trait and of the calls that make pipelines.
const PIPELINE: &str = "id dispatch dispatch_borrowed dispatch_borrowed_timed dispatch_borrowed_into \
    dispatch_borrowed_batched dispatch_borrowed_batched_into dispatch_persistent_handles \
    dispatch_persistent_handles_into dispatch_persistent_resource_outputs dispatch_persistent_handles_batched \
    dispatch_persistent_handles_batched_into dispatch_persistent_handle_rows_into compile_native \
    compile_native_shared pipeline_cache_snapshot";

/// The names of buffers that stay on the device, there.
const RESIDENT: &str = "allocate_resident upload_resident upload_resident_many upload_resident_at \
    upload_resident_at_many download_resident download_resident_into download_resident_range \
    download_resident_range_into download_resident_ranges_into free_resident dispatch_resident_timed \
    supports_resident_dispatch";

/// The names of the life of a back end there.
const LIFE: &str = "prepare flush shutdown device_lost try_recover";

/// The names of sequences.
const SEQUENCES: &str = "dispatch_resident_sequence_read_ranges_into dispatch_resident_sequence_read_ranges_timed_into \
    dispatch_resident_repeated_sequence_read_ranges_into dispatch_async dispatch_borrowed_async";

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The cells of the tables' rows.
fn rows(text: &str) -> Vec<Vec<&str>> {
    let rows = text
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    rows.map(|row| row.split(" | ").collect()).collect()
}

/// The spans of code of a text.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn every_name_of_the_profile_has_one_row() {
    let contract = read("docs/contract.md");
    let rows = rows(&contract);
    for name in PROFILE.split_whitespace() {
        let found = rows
            .iter()
            .filter(|row| code(row[0]).any(|other| other == name))
            .count();
        assert_eq!(found, 1, "`{name}` stands in {found} rows");
    }
}

#[test]
fn every_name_of_a_section_has_one_row() {
    let contract = read("docs/contract.md");
    let sections = [
        ("## Pipelines", PIPELINE),
        ("## Buffers by number", RESIDENT),
        ("## Life", LIFE),
        ("## Sequences and pending work", SEQUENCES),
    ];
    for (title, names) in sections {
        let (_, section) = contract.split_once(title).unwrap();
        let (section, _) = section.split_once("\n## ").unwrap();
        let rows = rows(section);
        for name in names.split_whitespace() {
            let is_named = |row: &&Vec<&str>| code(row[0]).any(|other| other == name);
            assert_eq!(rows.iter().filter(is_named).count(), 1, "`{name}`");
        }
    }
}

/// The tests that the table names exist, in the files that it names.
#[test]
fn the_tests_of_the_contract_exist() {
    let contract = read("docs/contract.md");
    let files = [
        ("queries", "vyre-runtime/tests/queries.rs"),
        ("played", "vyre-runtime/tests/played_driver.rs"),
        ("profile", "vyre-runtime/src/profile/tests.rs"),
        ("support", "vyre-runtime/src/device/support/tests.rs"),
        ("stats", "vyre-runtime/tests/stats.rs"),
        ("machine_code", "vyre-runtime/tests/machine_code.rs"),
        ("events", "vyre-runtime/tests/events.rs"),
        ("life", "vyre-runtime/tests/life.rs"),
        ("handles", "vyre-runtime/tests/handles.rs"),
        ("pinned", "vyre-runtime/tests/pinned.rs"),
        ("spans", "vyre-runtime/tests/spans.rs"),
        ("peers", "vyre-runtime/tests/peers.rs"),
        ("audit", "vyre-runtime/src/stats/tests.rs"),
        ("programs", "vyre-runtime/tests/programs.rs"),
        ("played programs", "vyre-runtime/tests/played_programs.rs"),
        ("sequences", "vyre-runtime/tests/sequences.rs"),
        ("played sequences", "vyre-runtime/tests/played_sequences.rs"),
        ("config", "vyre-runtime/tests/config.rs"),
        ("pending", "vyre-runtime/tests/pending.rs"),
        ("played pending", "vyre-runtime/tests/played_pending.rs"),
        ("recorded calls", "vyre-runtime/tests/recorded_calls.rs"),
        ("launching", "tests/launching.rs"),
        ("ulp_budget", "tests/ulp_budget.rs"),
        ("buffers", "vyre-runtime/tests/buffers.rs"),
        ("failures", "vyre-runtime/tests/failures.rs"),
        ("old driver", "vyre-runtime/tests/old_driver.rs"),
        ("launches", "vyre-runtime/tests/launches.rs"),
        ("loading", "vyre-runtime/tests/loading.rs"),
        ("network", "vyre-build/src/compile/tests/network.rs"),
        ("drops", "vyre-runtime/tests/drops.rs"),
        ("memory", "vyre-runtime/tests/memory.rs"),
        ("machine code", "vyre-build/src/compile/tests/machine_code.rs"),
        ("graphs", "vyre-runtime/tests/graphs.rs"),
        ("played graphs", "vyre-runtime/tests/played_graphs.rs"),
        ("interop", "vyre-runtime/tests/interop.rs"),
        ("dlpack", "vyre-runtime/tests/dlpack.rs"),
        ("compile", "vyre-build/src/compile/tests.rs"),
        ("front programs", "vyre-build/src/compile/tests/programs.rs"),
        ("module names", "vyre-build/src/compile/module_name/tests.rs"),
        ("build script", "tests/build-script/src/lib.rs"),
        ("ui", "ui-tests/cases/launch"),
    ];
    let mut shown = 0;
    for row in rows(&contract) {
        for part in row.get(2).into_iter().flat_map(|cell| cell.split("; ")) {
            let Some((file, rest)) = part.split_once(": ") else {
                continue;
            };
            // Not a span of code that names a file.
            if file.contains('`') {
                continue;
            }
            let Some((_, path)) = files.iter().find(|(name, _)| *name == file) else {
                panic!("`{file}` names no file: {part}");
            };
            let is_folder = !path.ends_with(".rs");
            let source = if is_folder { String::new() } else { read(path) };
            for test in code(rest) {
                let is_there = match is_folder {
                    true => std::path::Path::new(path).join(format!("{test}.stderr")).is_file(),
                    false => source.contains(&format!("fn {test}()")),
                };
                assert!(is_there, "{path} has no test `{test}`");
                shown += 1;
            }
        }
    }
    assert!(shown > 20, "only {shown} tests were found in the table");
}

/// Each kind of bad input has an answer and a test.
#[test]
fn bad_input_has_an_answer() {
    let contract = read("docs/contract.md");
    let (_, section) = contract.split_once("## Bad input").unwrap();
    let mut topics = Vec::new();
    for row in &rows(section)[1..] {
        let [input, answer, shown] = row[..] else {
            panic!("{row:?}")
        };
        assert!(!answer.is_empty() && shown.contains(": `"), "{input}");
        topics.extend(input.strip_prefix("**").and_then(|rest| rest.split("**").next()));
    }
    let all = [
        "devices",
        "pipelines",
        "buffers",
        "sequences and graphs",
        "loading",
        "build",
        "interop",
    ];
    assert_eq!(topics, all);
}

/// Every field and metric has a row in the table.
#[test]
fn every_claim_of_a_profile_stands_in_the_contract() {
    let contract = read("docs/contract.md");
    let source = read("vyre-runtime/src/profile/mod.rs");
    let start = source.find("pub struct Profile {").unwrap();
    let body = &source[start..source[start..].find("\n}").unwrap() + start];
    let claims: Vec<&str> = body
        .lines()
        .filter_map(|line| line.trim().strip_prefix("pub ")?.strip_suffix(": bool,"))
        .collect();
    assert!(claims.len() >= 8, "{claims:?}");
    for claim in claims {
        assert!(contract.contains(&format!("`{claim}`")), "`{claim}` has no row");
    }
}

/// Each statistic has a row.
#[test]
fn every_metric_stands_in_the_contract() {
    let contract = read("docs/contract.md");
    for (name, _) in vyre::Device::cpu().stats().metrics() {
        assert!(contract.contains(&format!("`{name}`")), "`{name}` has no row");
    }
}
