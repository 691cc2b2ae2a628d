//! Whole kernels on every back end: each result is compared with plain Rust.

mod coarsening;
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

/// PTX and machine code are unchanged.
#[test]
fn ptx() {
    let modules = [
        ("coarsening", coarsening::kernels()),
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
