//! Positions of kernels: at any visibility, in modules, in function bodies, in macros.

use vyre::prelude::*;
use vyre_semantics::everywhere;

super::kernels! { Documented Named }

/// Doubles, and says so.
#[vyre::kernel]
pub(crate) fn documented(#[each] x: &mut u32) {
    *x *= 2;
}

#[vyre::kernel(launcher = Named, block = 32)]
pub fn another_name(#[each] x: &mut u32) {
    *x += 1;
}

mod outer {
    pub(super) mod inner {
        use vyre::prelude::*;

        #[vyre::kernel]
        pub(in crate::places) fn deep(x: &mut [u32]) {
            let i = thread::index();
            if i < x.len() {
                x[i] ^= 0xff;
            }
        }
    }
}

/// The device functions by their full paths, without imports.
mod bare {
    #[vyre::kernel(block = 64)]
    pub(super) fn triple(x: &mut [u32]) {
        let tile = vyre::shared::<[u32; 64]>();
        let i = vyre::thread::index();
        let t = ::vyre::thread::idx().x;
        if i < x.len() {
            tile[t] = x[i];
            vyre::block::sync();
            x[i] = tile[t] * 3;
        }
    }
}

#[test]
fn visibilities_and_modules() {
    everywhere(|place| {
        let mut x = place.device().upload(&[1u32, 2, 3])?;
        place.over(documented(&mut x), 3)?;
        place.over(another_name(&mut x), 3)?;
        place.over(outer::inner::deep(&mut x), 3)?;
        place.over(bare::triple(&mut x), 3)?;
        assert_eq!(x.download()?, [3, 5, 7].map(|v: u32| (v ^ 0xff) * 3));
        assert_eq!(<Named<'_> as vyre_runtime::kernel::Kernel>::info().block, [32, 1, 1]);
        Ok(())
    });
}

#[test]
fn in_a_function_body() {
    const LOCAL: u32 = 17;

    #[vyre::kernel]
    fn local(x: &mut [u32]) {
        let i = thread::index();
        if i < x.len() {
            x[i] += LOCAL;
        }
    }

    everywhere(|place| {
        let mut x = place.device().upload(&[1u32, 2, 3])?;
        place.over(local(&mut x), 3)?;
        place.over(Local { x: (&mut x).into() }, 3)?;
        assert_eq!(x.download()?, [35, 36, 37]);
        Ok(())
    });
}

/// A kernel whose pieces come through a macro as fragments of every kind.
macro_rules! made {
    ($name:ident, $launcher:ident, $t:ty, $op:tt, $e:expr, $l:literal, $c:block) => {
        #[vyre::kernel(launcher = $launcher)]
        fn $name(x: &mut [$t], a: $t) {
            let i = thread::index();
            if i < x.len() {
                x[i] = x[i] $op $e + $l;
                if $c {
                    x[i] += a;
                }
            }
        }
    };
}

made!(made_of_fragments, Made, i64, *, 2 + 3, 100, { 1 < 2 });

#[test]
fn out_of_a_macro() {
    everywhere(|place| {
        let mut x = place.device().upload(&[1i64, 2, -3])?;
        place.over(made_of_fragments(&mut x, 7), 3)?;
        // The expression is one operand, not its tokens.
        assert_eq!(x.download()?, [112, 117, 92]);
        Ok(())
    });
}

#[test]
fn raw_names() {
    #[vyre::kernel]
    fn r#type(r#fn: u32, r#in: &mut [u32]) {
        let r#match = thread::index();
        if r#match < r#in.len() {
            r#in[r#match] = r#fn;
        }
    }

    everywhere(|place| {
        let mut x = place.device().zeros::<u32>(2)?;
        place.over(r#type(5, &mut x), 2)?;
        assert_eq!(x.download()?, [5, 5]);
        Ok(())
    });
}

/// Names that generated code uses for itself.
#[test]
fn names_of_generated_code() {
    #[vyre::kernel]
    fn kernel(device: u32, arguments: u32, block: u32, grid: u32, info: u32, context: u32, thread: u32, y: &mut [u32]) {
        let i = vyre::thread::index();
        if i < y.len() {
            y[i] = device + arguments + block + grid + info + context + thread;
        }
    }

    everywhere(|place| {
        let mut y = place.device().zeros::<u32>(2)?;
        place.over(kernel(1, 2, 3, 4, 5, 6, 7, &mut y), 2)?;
        assert_eq!(y.download()?, [28, 28]);
        Ok(())
    });
}
