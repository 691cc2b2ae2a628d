//! All that vyre refuses is said in one go.
#[vyre::kernel]
fn fill(n: u32, y: &mut [u32]) {
    let _name = "kernel";
    let _squares = [|x: u32| x * x];
    y[1] = (n as f128) as u32;
    println!("done");
}

fn main() {}
