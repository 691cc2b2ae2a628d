#[vyre::kernel]
fn first(n: u32, y: &mut [u32]) {
    match n {
        v if let Some(before) = v.checked_sub(1) => y[0] = before,
        _ => {}
    }
}

fn main() {}
