#[vyre::kernel]
fn show(y: &mut [u32]) {
    let all = [0u32; 33];
    println!("{all:?}");
    assert_eq!(y[0], 1, "{} {} {} {} {} {} {} {:2$}", 1, 2, 3, 4, 5, 6, 7, 8);
}

fn main() {}
