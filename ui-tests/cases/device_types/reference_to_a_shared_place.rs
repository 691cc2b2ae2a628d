#[vyre::device]
#[derive(Clone, Copy)]
enum Command {
    Move(f32, f32),
    Paint(u32),
}

#[vyre::kernel]
fn moved(#[each] command: &mut Command, #[each] y: &mut f32) {
    let mut place = y;
    if let Command::Move(x, _) = command {
        place = x;
    }
    *place += 1.0;
}

fn main() {}
