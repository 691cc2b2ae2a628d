use vyre_core::text;
use vyre_core::validate::validate;

use super::{Need, missing};
use crate::backend::Limits;
use crate::load::lowering::ptx_version;

/// A kernel of each kind of requirement, and one without any.
const SOURCE: &str = r#"vyre 1
file "k.rs"
type &[f32]
type &mut [f32]

kernel copies() dimensions 1 block 32 1 1 {
    entry copies {
        copy_commit  @3:5
        copy_wait[0]  @4:5
    }
}

kernel clustered() dimensions 1 block 32 1 1 cluster 4 1 1 {
    entry clustered {
        copy_commit
    }
}

kernel waits() dimensions 1 block 32 1 1 {
    entry waits {
        grid_barrier
    }
}

kernel plain(x: &[f32], y: &mut [f32]) dimensions 1 block 32 1 1 {
    entry plain {
        store y[0u64] = x[0u64]
    }
}
"#;

/// The lines for a GPU.
fn lacks(target: u32, ptx: (u32, u32), limits: Limits) -> Vec<String> {
    let program = text::parse(SOURCE).unwrap();
    let valid = validate(&program).unwrap();
    let found = missing(&valid, target, ptx, &limits);
    found.iter().map(ToString::to_string).collect()
}

#[test]
fn a_gpu_has_what_its_capability_has() {
    assert_eq!(
        lacks(
            75,
            (8, 0),
            Limits {
                cluster: 1,
                ..Limits::CUDA
            }
        ),
        [
            "`copies` has copy_commit at k.rs:3:5, which needs compute capability 8.0",
            "`copies` has copy_wait[0] at k.rs:4:5, which needs compute capability 8.0",
            "`clustered` has clusters of [4, 1, 1] blocks, which needs compute capability 9.0",
            "`clustered` has copy_commit, which needs compute capability 8.0",
        ]
    );
    assert_eq!(
        lacks(
            86,
            (8, 0),
            Limits {
                cluster: 1,
                ..Limits::CUDA
            }
        ),
        ["`clustered` has clusters of [4, 1, 1] blocks, which needs compute capability 9.0"]
    );
    assert_eq!(lacks(90, (8, 0), Limits::CUDA), [""; 0]);
}

#[test]
fn a_gpu_may_lack_what_its_capability_has() {
    let limits = Limits {
        cluster: 1,
        cooperative: false,
        ..Limits::CUDA
    };
    assert_eq!(
        lacks(90, (8, 0), limits),
        [
            "`clustered` has clusters of 4 blocks, which needs clusters of 4 blocks",
            "`waits` has grid_barrier, which needs cooperative launches",
        ]
    );
}

/// Cache hints are left out, and sums of halves take another way, so they are supported.
#[test]
fn what_is_done_without_is_supported() {
    let program = text::parse(
        "vyre 1
type &[f32]
type &mut [f32]
type AtomicBF16x2
type &[AtomicBF16x2]

kernel k(x: &[f32], y: &mut [f32], h: &[AtomicBF16x2], b: bf16) dimensions 1 block 32 1 1 {
    entry k {
        store y[0u64].l2_evict_last = x[0u64].ahead_256
        atomic add(h[0u64], repeat [bf16; 2](b)) relaxed device
    }
}
",
    );
    let program = match program {
        Ok(program) => program,
        Err(error) => panic!("{error}"),
    };
    let valid = validate(&program).unwrap();
    assert_eq!(missing(&valid, 75, (8, 0), &Limits::CUDA), []);
    let options = vyre_core::CompileOptions {
        limits: Some(vyre_core::ir::PtxLimits {
            version: (8, 0),
            target: 75,
        }),
        ..Default::default()
    };
    let module = vyre_core::compile(&valid, &options).unwrap();
    assert!(
        module.target <= 75 && module.version <= (8, 0),
        "{:?}",
        (module.target, module.version)
    );
}

/// Each operation against the version that its module declares.
#[test]
fn a_driver_reads_ptx_up_to_a_version() {
    assert_eq!(
        lacks(90, (7, 0), Limits::CUDA),
        ["`clustered` has clusters of [4, 1, 1] blocks, which needs a driver that reads PTX 7.8"]
    );
    for (cuda, ptx) in [
        ((12, 0), (8, 0)),
        ((12, 1), (8, 1)),
        ((12, 6), (8, 5)),
        ((12, 8), (8, 7)),
        ((13, 2), (9, 0)),
    ] {
        assert_eq!(ptx_version(cuda), ptx);
    }
}

#[test]
fn a_program_that_is_not_valid_says_why() {
    let text = SOURCE.replace("block 32 1 1 cluster 4 1 1", "block 32 1 1 cluster 40 1 1");
    let program = text::parse(&text).unwrap();
    let errors = crate::Device::cpu().supports(&program).unwrap_err();
    assert!(
        matches!(&errors[0].needs, Need::ValidProgram(error) if error.contains("cluster")),
        "{errors:?}"
    );
    assert!(errors[0].to_string().starts_with("the program is not valid: "));
}
