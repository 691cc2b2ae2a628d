use vyre::shared;

#[vyre::kernel(block = 64)]
fn number(y: &mut [u64]) {
    let all = shared::barriers::<2, 64>();
    let token = all[0].arrive();
    y[0] = token;
    all[0].wait(3);
}

fn main() {}
