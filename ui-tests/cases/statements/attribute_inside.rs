//! Attributes inside a kernel that are not supported: one of another purpose, and `cfg` in the arguments of a macro, which
//! rustc decides too late.

#[vyre::kernel]
fn fill(y: &mut [u32]) {
    #[inline]
    let checked = 1;
    y[0] = 1;
}

#[vyre::kernel]
fn clear(y: &mut [u32]) {
    assert!({
        #[cfg(any())]
        let limit = 1;
        y.len() > 1
    });
    y[0] = 0;
}

fn main() {}
