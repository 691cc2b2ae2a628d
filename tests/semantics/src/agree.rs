//! Functions compiled both as a kernel and as the plain function that it must agree with.

use vyre::{DeviceBuffer, Result};
use vyre_runtime::kernel::KernelInfo;

use crate::places::{Place, places};
use crate::ptx;
use crate::values::Value;

/// Runs a kernel of `length` threads on every back end and compares its results with those that `plain` gives for each; then
/// assembles its PTX. `run` launches the kernel, `inputs` describes those of one thread.
///
/// # Panics
/// If a result differs, or ptxas reports an error.
pub fn agreement<R: Value>(
    info: &'static KernelInfo,
    length: usize,
    plain: &dyn Fn(usize) -> R,
    run: &dyn Fn(&Place, &mut DeviceBuffer<R>) -> Result<()>,
    inputs: &dyn Fn(usize) -> String,
) {
    let expected: Vec<R> = (0..length).map(plain).collect();
    for place in places() {
        let got = (place.device().upload(&vec![R::ZERO; expected.len()]))
            .and_then(|mut results| {
                run(&place, &mut results)?;
                results.download()
            })
            .unwrap_or_else(|error| panic!("`{}` on {}: {error}", info.name, place.name()));
        let wrong: Vec<usize> = (0..expected.len()).filter(|&at| !expected[at].same(got[at])).collect();
        if !wrong.is_empty() {
            let mut report = format!(
                "`{}` on {}: {} of {} results differ",
                info.name,
                place.name(),
                wrong.len(),
                got.len()
            );
            for &at in wrong.iter().take(5) {
                report += &format!("\n  {} gives {:?}, not {:?}", inputs(at), got[at], expected[at]);
            }
            panic!("{report}\n{}", info.program);
        }
    }
    ptx::assemble_quickly(info);
}

/// Generates tests of functions. Each is compiled twice from the same tokens, by rustc as a plain
/// function and by vyre as a kernel that calls it for one set of inputs per thread, and both must
/// give the same bits (any NaN equals any other). If vyre defines more than Rust does, the plain
/// function's body follows after `as`.
///
/// ```
/// vyre_semantics::agree! {
///     fn twice(a: i32) -> i32 { a + a } as { a.wrapping_add(a) }
///     fn larger(a: u8, b: u8) -> bool { a > b }
/// }
/// ```
#[macro_export]
macro_rules! agree {
    ($(fn $name:ident($($p:ident: $t:ident),* $(,)?) -> $r:ident $body:tt $(as $reference:tt)?)*) => {
        $($crate::agree!(@one $name ($($p: $t),*) $r $body $body $($reference)?);)*
    };
    // The last body of the two or three is the plain function's.
    (@one $name:ident $parameters:tt $r:ident $body:tt $_body:tt $reference:tt) => {
        $crate::agree!(@one $name $parameters $r $body $reference);
    };
    (@one $name:ident ($($p:ident: $t:ident),*) $r:ident $body:tt $reference:tt) => {
        #[test]
        #[allow(
            warnings,
            arithmetic_overflow,
            clippy::all,
            reason = "one body is written for three callers"
        )]
        fn $name() {
            fn plain($($p: $t),*) -> $r $reference

            #[::vyre::kernel(launcher = Run)]
            fn $name($($p: &[$t],)* results: &mut [$r]) {
                let place = ::vyre::thread::index();
                if place < results.len() {
                    $(let $p = $p[place];)*
                    results[place] = $body;
                }
            }

            $crate::agree!(@columns $($p: $t),*);
            let length = $crate::agree!(@length $($p),*);
            $crate::agreement(
                <Run<'_> as $crate::places::Kernel>::info(),
                length,
                &|_at| plain($($p[_at]),*),
                &|place, results| {
                    $(let $p = place.device().upload(&$p)?;)*
                    place.over($name($(&$p,)* results), length)
                },
                &|_at| format!("{:?}", ($($p[_at],)*)),
            );
        }
    };
    (@columns) => {};
    (@columns $p:ident: $t:ident) => {
        let $p: Vec<$t> = $crate::values::singles();
    };
    (@columns $p:ident: $t:ident, $q:ident: $u:ident $(, $o:ident: $v:ident)*) => {
        let ($p, $q): (Vec<$t>, Vec<$u>) = $crate::values::pairs();
        $(let $o: Vec<$v> = $crate::values::picks($p.len());)*
    };
    (@length) => { 3 };
    (@length $p:ident $(, $q:ident)*) => { $p.len() };
}
