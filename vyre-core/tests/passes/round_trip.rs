//! The text of a graph comes back: after every stage of real and of random programs.

use vyre_core::inspect::{Observer, Stage, compile_observed, run_passes};
use vyre_core::ir::Program;
use vyre_core::validate::validate;
use vyre_core::{CompileOptions, text};
use vyre_test_support::case::seeds;
use vyre_test_support::random_program::{Options, random_program};

/// Reads what each stage leaves.
struct Reader<'n> {
    name: &'n str,
    stages: usize,
}

impl Observer for Reader<'_> {
    fn passed(&mut self, stage: &Stage<'_>) {
        let text = stage.text();
        match run_passes(&text, &[]) {
            Ok(again) => assert_eq!(again, text, "{} after {}", self.name, stage.name),
            Err(error) => panic!("{} after {}: {error}\n{text}", self.name, stage.name),
        }
        self.stages += 1;
    }
}

fn check(name: &str, program: &Program) {
    let mut reader = Reader { name, stages: 0 };
    let valid = validate(program).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
    compile_observed(&valid, &CompileOptions::default(), &mut reader).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(reader.stages > 5, "{name} went through {} stages", reader.stages);
}

#[test]
fn of_the_cases_of_ptx() {
    let entries = std::fs::read_dir("tests/ptx/cases").expect("the cases are there");
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let all = std::fs::read_to_string(&path)
            .expect("a case can be read")
            .replace("\r\n", "\n");
        let source = all.split("\n---- PTX ----\n").next().unwrap_or_default();
        let program = text::parse(source).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        check(&path.display().to_string(), &program);
    }
}

#[test]
fn of_random_programs() {
    for seed in seeds(0..40) {
        let options = Options {
            spans: seed % 2 == 0,
            cooperation: seed % 3 == 0,
            prints: seed % 5 == 0,
            ..Options::default()
        };
        check(&format!("seed {seed}"), &random_program(seed, options).program);
    }
}
