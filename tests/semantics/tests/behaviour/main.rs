//! Whole kernels in every place: each result is compared with one computed in plain Rust, and the PTX of
//! every kernel here is in the tree, under `snapshots/`.

mod computed;
mod constants;
mod control;
mod each;
mod halves;
mod inline;
mod launches;
mod messages;
mod order;
mod places;
mod shared;
mod waiting;

pub(crate) use vyre_semantics::kernels;

/// The PTX of every kernel is that of the tree, and ptxas takes it for every GPU since Turing.
#[test]
fn ptx() {
    let modules = [
        ("computed", computed::kernels()),
        ("constants", constants::kernels()),
        ("control", control::kernels()),
        ("each", each::kernels()),
        ("halves", halves::kernels()),
        ("inline", inline::kernels()),
        ("launches", launches::kernels()),
        ("messages", messages::kernels()),
        ("order", order::kernels()),
        ("places", places::kernels()),
        ("shared", shared::kernels()),
        ("waiting", waiting::kernels()),
    ];
    vyre_semantics::ptx::snapshots("snapshots", &modules);
    vyre_semantics::ptx::counts("counts/behaviour.txt", "semantics", &modules);
}
