//! The rule in plain Rust.

/// The next generation of a board without a border.
pub fn evolve(cells: &[u8], width: usize) -> Vec<u8> {
    let height = cells.len() / width;
    let neighbours = |x: usize, y: usize| -> u8 {
        let rows = [y + height - 1, y, y + 1].map(|row| &cells[row % height * width..][..width]);
        let columns = [x + width - 1, x, x + 1].map(|column| column % width);
        let all: u8 = rows.iter().flat_map(|row| columns.map(|column| row[column])).sum();
        all - cells[y * width + x]
    };
    (0..cells.len())
        .map(|i| match neighbours(i % width, i / width) {
            3 => 1,
            2 => cells[i],
            _ => 0,
        })
        .collect()
}
