use vyre::shared;

#[vyre::kernel(block = 64)]
fn twice(y: &mut [u32]) {
    let all = shared::barriers::<2, 64>();
    let token = all[0].arrive();
    all[0].wait(token);
    all[0].wait(token);
    y[0] = 1;
}

fn main() {}
