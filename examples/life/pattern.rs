//! Patterns, in the run length encoding of `.rle` files.

/// The gun that Bill Gosper found in 1970: it fires a glider every 30 generations.
pub const GUN: &str = "\
x = 36, y = 9
24bo$22bobo$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o$2o8bo3bob2o4b
obo$10bo5bo7bo$11bo3bo$12b2o!";

/// Cells of a pattern.
#[derive(Debug, PartialEq)]
pub struct Pattern {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Column and row of each live cell.
    pub live: Vec<[usize; 2]>,
}

/// Cells of the largest pattern.
const MOST: usize = 1 << 14;

impl Pattern {
    /// Reads the text of a file: lines of comments with `#`, a line with the size, `x = 3, y = 3`, then runs of cells:
    /// `b` for dead ones, `o` for live ones, `$` for the end of a row, `!` for the end.
    pub fn parse(text: &str) -> Result<Pattern, String> {
        let mut pattern = Pattern {
            width: 0,
            height: 0,
            live: Vec::new(),
        };
        let (mut x, mut y, mut run) = (0usize, 0usize, None::<usize>);
        for line in text.lines().map(str::trim) {
            if line.starts_with('#') {
                continue;
            }
            if line.starts_with('x') {
                if let Some((_, rule)) = line.split_once("rule") {
                    let rule = rule.trim_start_matches([' ', '=']).to_ascii_uppercase();
                    if !["B3/S23", "23/3"].contains(&rule.as_str()) {
                        return Err(format!("the rule is {rule}, and the only one known here is B3/S23"));
                    }
                }
                continue;
            }
            for letter in line.chars() {
                if let Some(digit) = letter.to_digit(10) {
                    run = Some(10 * run.unwrap_or(0) + digit as usize);
                } else {
                    let count = run.take().unwrap_or(1);
                    match letter {
                        ' ' | '\t' => {}
                        'b' | '.' => x += count,
                        'o' => {
                            pattern.live.extend((x..(x + count).min(MOST + 1)).map(|x| [x, y]));
                            x += count;
                        }
                        '$' => (x, y) = (0, y + count),
                        '!' => return Ok(pattern),
                        _ => return Err(format!("{letter:?} is neither b, o, $, ! nor a number")),
                    }
                }
                if x.max(y).max(run.unwrap_or(0)) > MOST {
                    return Err(format!("the pattern has more than {MOST} columns or rows"));
                }
                pattern.width = pattern.width.max(x);
                pattern.height = pattern.height.max(y + usize::from(x > 0));
            }
        }
        match pattern.live.is_empty() {
            true => Err("the pattern has no live cell".into()),
            false => Err("the pattern does not end with !".into()),
        }
    }
}
