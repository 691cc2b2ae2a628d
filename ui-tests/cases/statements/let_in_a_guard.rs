#[vyre::kernel]
fn first(n: u32, y: &mut [u32]) {
    match n {
        v if let Some(before) = v.checked_sub(1) => y[0] = before,
        _ => {}
    }
}

#[vyre::kernel]
fn small(n: u32, y: &mut [u32]) {
    match n {
        v if v < 9 && let Some(before) = v.checked_sub(1) => y[0] = before,
        _ => {}
    }
}

fn main() {}
