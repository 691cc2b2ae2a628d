//! Memory: slices and their parts, shared memory, atomics, copies and caches.

mod aligned;
mod any_slice;
mod arrays_of_atomics;
mod atomics;
mod caches;
mod copies;
mod dynamic;
mod host_constants;
mod in_place;
mod invalid;
mod mapped;
mod optional_slices;
mod scopes;
mod small_atomics;
mod structs_of_atomics;
mod structs_of_slices;
mod updates;

/// PTX and machine code are as they were.
#[test]
fn ptx() {
    let modules = [
        ("aligned", aligned::kernels()),
        ("any_slice", any_slice::kernels()),
        ("atomics", atomics::kernels()),
        ("caches", caches::kernels()),
        ("copies", copies::kernels()),
        ("dynamic", dynamic::kernels()),
        ("host_constants", host_constants::kernels()),
        ("in_place", in_place::kernels()),
        ("invalid", invalid::kernels()),
        ("mapped", mapped::kernels()),
        ("scopes", scopes::kernels()),
        ("small_atomics", small_atomics::kernels()),
        ("updates", updates::kernels()),
    ];
    vyre_semantics::ptx::counts("counts/memory.txt", "semantics", &modules);
}
