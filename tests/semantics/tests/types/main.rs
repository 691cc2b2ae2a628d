//! User types: the same kernels compiled by a build script, which sees their whole file, and by
//! attributes, with types carried by macros.

#![allow(clippy::duplicate_mod, reason = "the same tests hold both")]

use vyre::Kernel;
use vyre_semantics::ptx;

#[allow(unreachable_pub, reason = "launchers are public as in a crate of their own")]
#[path = "."]
mod by_build_script {
    pub mod kernels {
        vyre::include_kernels!("tests/types/kernels");
    }
    pub mod vectors {
        vyre::include_kernels!("tests/types/vectors");
    }
    #[path = "suite.rs"]
    mod suite;
    #[path = "vector_suite.rs"]
    mod vector_suite;
}

#[allow(unreachable_pub, reason = "launchers are public as in a crate of their own")]
#[path = "."]
mod by_attribute {
    #[path = "kernels.rs"]
    pub mod kernels;
    #[path = "suite.rs"]
    mod suite;
    #[path = "vector_suite.rs"]
    mod vector_suite;
    #[path = "vectors.rs"]
    pub mod vectors;
}

#[test]
fn counts() {
    use by_build_script::kernels::{Advance, Beyond, Least, Refer, Renew, Same, Sort, Transform, Turn, Visit};
    let kernels = vec![
        Advance::info(),
        Renew::info(),
        Least::info(),
        Turn::info(),
        Sort::info(),
        Beyond::info(),
        Visit::info(),
        Refer::info(),
        Transform::info(),
        Same::info(),
    ];
    let vectors = {
        use by_build_script::vectors::{Floats, Others, Reversed};
        vec![Floats::info(), Others::info(), Reversed::info()]
    };
    ptx::counts(
        "counts/types.txt",
        "semantics",
        &[("types", kernels), ("vectors", vectors)],
    );
}
