//! The board in a terminal, two cells to a character.

use std::io::{self, Write};

/// A part of a terminal, where each board takes the place of the one before.
///
/// Colours and cursor are as before after each board, so the program may be interrupted at any time.
pub struct Screen<'o> {
    out: &'o mut dyn Write,
    /// Lines from the first one of the last board to the cursor.
    lines: usize,
}

impl<'o> Screen<'o> {
    /// Begins at the cursor.
    pub fn new(out: &'o mut dyn Write) -> Screen<'o> {
        Screen { out, lines: 0 }
    }

    /// Shows the light of all cells, and a line of text below them.
    pub fn show(&mut self, light: &[u8], width: usize, status: &str) -> io::Result<()> {
        let mut frame = match self.lines {
            0 => String::new(),
            lines => format!("\x1b[{lines}A"),
        };
        for rows in light.chunks(2 * width) {
            let (above, below) = rows.split_at(width);
            let mut last = None;
            for (x, &above) in above.iter().enumerate() {
                // The upper half of the character has the first colour, the lower half the second.
                let colours = [colour(above), colour(below.get(x).copied().unwrap_or(0))];
                if last.replace(colours) != Some(colours) {
                    let [[r, g, b], [under_r, under_g, under_b]] = colours;
                    frame += &format!("\x1b[38;2;{r};{g};{b};48;2;{under_r};{under_g};{under_b}m");
                }
                frame.push('▀');
            }
            frame += "\x1b[0m\n";
        }
        self.lines = light.chunks(2 * width).len() + 1;
        writeln!(self.out, "{frame}\x1b[2K{status}")?;
        self.out.flush()
    }
}

/// From black over violet and orange to a warm white.
fn colour(light: u8) -> [u8; 3] {
    const STOPS: [[i32; 3]; 5] = [
        [8, 8, 16],
        [48, 20, 92],
        [150, 40, 110],
        [240, 130, 60],
        [255, 246, 214],
    ];
    let place = i32::from(light) * 4;
    let stop = (place / 255).min(3);
    [0, 1, 2].map(|k| {
        let [from, to] = [stop, stop + 1].map(|stop| STOPS[stop as usize][k]);
        (from + (to - from) * (place - 255 * stop) / 255) as u8
    })
}
