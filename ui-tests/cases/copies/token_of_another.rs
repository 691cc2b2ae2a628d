use vyre::shared;

#[vyre::kernel(block = 64)]
fn mixed(y: &mut [u32]) {
    let full = shared::barriers::<2, 64>();
    let empty = shared::barriers::<2, 64>();
    let token = full[0].arrive();
    empty[0].wait(token);
    let (first, second) = (full[1].arrive(), empty[1].arrive());
    full[0].wait(first);
    empty[1].wait(second);
    empty[0].wait(full[y.len() % 2].arrive());
    let last = &full[1];
    let of_last = last.arrive();
    full[0].wait(of_last);
    y[0] = 1;
}

#[vyre::device]
fn of_function(number: usize) {
    let full = shared::barriers::<2, 64>();
    let token = full[0].arrive();
    full[1].wait(token);
    let token = full[number].arrive();
    full[1].wait(token);
}

fn main() {}
