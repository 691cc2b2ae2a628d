#[vyre::kernel]
fn char_literal(y: &mut [u32]) {
    y[0] = 'a' as u32;
}

#[vyre::kernel]
fn format(y: &mut [f32]) {
    let _text = format!("{}", y[0]);
}

#[vyre::kernel]
fn str_literal(y: &mut [f32]) {
    let _name = "kernel";
    y[0] = 1.0;
}

fn main() {}
