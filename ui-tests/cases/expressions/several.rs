//! All that vyre refuses is said in one go.
#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let name = "kernel";
    let square = |x: f32| x * x;
    y[0] = match 1 {
        _ => y[1].checked_add(1),
    };
    println!("done");
}

fn main() {}
