//! Files of words with their vectors.

use std::path::Path;

use super::support::command_line::{Result, at};
use super::support::files::read_text;

/// Words, and for each a vector of length 1.
#[derive(Debug, PartialEq)]
pub struct Vectors {
    /// The words, in the order of the file.
    pub words: Vec<String>,
    /// Components of a vector.
    pub dimensions: usize,
    /// The components, word by word.
    pub values: Vec<f32>,
}

impl Vectors {
    /// Reads a file in the format of GloVe: a word and its components in each line, with spaces between. The line of
    /// word2vec with the number of words and of dimensions may come first.
    pub fn read(path: &Path) -> Result<Vectors> {
        Vectors::parse(&read_text(path)?).map_err(|error| at(path)(&error))
    }

    /// As [`Vectors::read`], for the text of a file. An error names the line.
    pub fn parse(text: &str) -> std::result::Result<Vectors, String> {
        let (mut words, mut values, mut dimensions) = (Vec::new(), Vec::new(), 0);
        for (line, text) in text.lines().enumerate() {
            let mut fields = text.split_whitespace();
            let Some(word) = fields.next() else {
                continue;
            };
            let vector: Vec<f32> = fields
                .map(|field| {
                    field
                        .parse()
                        .map_err(|_| format!("line {}: {field:?} is no number", line + 1))
                })
                .collect::<std::result::Result<_, _>>()?;
            if line == 0 && vector.len() == 1 && word.bytes().all(|byte| byte.is_ascii_digit()) {
                continue;
            }
            if words.is_empty() {
                dimensions = vector.len();
            }
            if vector.len() != dimensions || dimensions == 0 {
                let found = vector.len();
                return Err(format!(
                    "line {}: {found} numbers, where the first word has {dimensions}",
                    line + 1
                ));
            }
            let square: f64 = vector.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
            if !(square > 0.0 && square.is_finite()) {
                return Err(format!("line {}: the vector has no direction", line + 1));
            }
            words.push(word.to_owned());
            values.extend(vector.iter().map(|&x| (f64::from(x) / square.sqrt()) as f32));
        }
        match words.len() {
            0 => Err("the file has no words".into()),
            _ => Ok(Vectors {
                words,
                dimensions,
                values,
            }),
        }
    }

    /// The vector of a row.
    pub fn row(&self, row: u32) -> &[f32] {
        &self.values[row as usize * self.dimensions..][..self.dimensions]
    }

    /// The scalar product of two rows, in the order of the kernel.
    pub fn score(&self, a: u32, b: u32) -> f32 {
        self.row(a).iter().zip(self.row(b)).fold(0.0, |sum, (a, b)| sum + a * b)
    }
}
