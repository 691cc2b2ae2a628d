//! rustc's own error, once.
#[vyre::kernel]
fn fill(y: &mut [f32]) {
    'rows: for i in 0..4 {
        for j in 0..4 {
            if y[i + j] > 1.0 {
                break 'columns;
            }
            if y[i] > 2.0 {
                continue 'rows;
            }
        }
    }
}

fn main() {}
