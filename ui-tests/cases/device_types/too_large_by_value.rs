#[vyre::device]
#[derive(Clone, Copy)]
struct Table {
    rows: [[f32; 16]; 16],
}

#[vyre::kernel]
fn fill(table: Table, y: &mut [f32]) {
    y[0] = table.rows[0][0];
}

fn main() {}
