#[vyre::kernel(block = 32)]
fn of_another_type(x: &[i32], y: &mut [f32]) {
    let tile = vyre::shared::<[f32; 32]>();
    let t = vyre::thread::idx().x;
    vyre::pipeline::copy(&mut tile[t], &x[t]);
    vyre::pipeline::copy(&mut tile[t..t + 4], &x[t]);
    y[t] = tile[t];
}

mod token_as_a_number {
    use vyre::shared;

    #[vyre::kernel(block = 64)]
    fn number(y: &mut [u64]) {
        let all = shared::barriers::<2, 64>();
        let token = all[0].arrive();
        y[0] = token;
        all[0].wait(3);
    }
}

fn main() {}
