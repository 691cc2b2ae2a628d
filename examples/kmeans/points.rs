//! Points in CSV files.

use std::fmt::Write as _;
use std::path::Path;

use vyre::random::Philox;

use super::support::command_line::{Result, at};
use super::support::files::read_text;

/// Points as the rows of a table.
#[derive(Debug, PartialEq)]
pub struct Points {
    /// The names of the columns.
    pub names: Vec<String>,
    /// The values, row by row.
    pub values: Vec<f32>,
}

impl Points {
    /// Reads a file of numbers with commas between them. The first line may have the names of the columns.
    pub fn read(path: &Path) -> Result<Points> {
        Points::parse(&read_text(path)?).map_err(|error| at(path)(&error))
    }

    /// As [`Points::read`], for the text of a file. An error names the line.
    pub fn parse(text: &str) -> std::result::Result<Points, String> {
        let mut lines = text
            .lines()
            .map(str::trim)
            .enumerate()
            .filter(|(_, line)| !line.is_empty())
            .peekable();
        let Some(&(_, first)) = lines.peek() else {
            return Err("the file has no points".into());
        };
        let fields = || first.split(',').map(str::trim);
        let has_names = fields().any(|field| field.parse::<f32>().is_err());
        let names: Vec<String> = match has_names {
            true => fields().map(|name| name.trim_matches('"').to_owned()).collect(),
            false => (1..=fields().count())
                .map(|column| format!("column {column}"))
                .collect(),
        };
        if has_names {
            lines.next();
        }
        let mut values = Vec::new();
        for (line, text) in lines {
            let before = values.len();
            for field in text.split(',').map(str::trim) {
                match field.parse::<f32>() {
                    Ok(value) if value.is_finite() => values.push(value),
                    _ => return Err(format!("line {}: {field:?} is no number", line + 1)),
                }
            }
            let found = values.len() - before;
            if found != names.len() {
                return Err(format!(
                    "line {}: {found} columns, where the first line has {}",
                    line + 1,
                    names.len()
                ));
            }
        }
        match values.is_empty() {
            true => Err("the file has no points".into()),
            false => Ok(Points { names, values }),
        }
    }

    /// How many points there are.
    pub fn count(&self) -> usize {
        self.values.len() / self.names.len()
    }

    /// The values of each point.
    pub fn rows(&self) -> impl Iterator<Item = &[f32]> {
        self.values.chunks_exact(self.names.len())
    }

    /// Points on two arms of a spiral, in twelve clusters, the same on every machine.
    pub fn spiral(count: usize) -> Points {
        let mut random = Philox::new(2026, 0, 0);
        let mut values = Vec::with_capacity(2 * count);
        for _ in 0..count {
            let cluster = random.below(12);
            let (arm, along) = ((cluster % 2) as f32, (cluster / 2) as f32);
            let (sin, cos) = (
                vyre::math::sin_pi(arm + 0.32 * along),
                vyre::math::cos_pi(arm + 0.32 * along),
            );
            let (distance, spread) = (2.0 + 1.1 * along, 0.35 + 0.06 * along);
            values.push(distance * cos + spread * random.normal_f32());
            values.push(distance * sin + spread * random.normal_f32());
        }
        Points {
            names: vec!["x".into(), "y".into()],
            values,
        }
    }

    /// The text of a file with these points, to three digits behind the point.
    pub fn text(&self) -> String {
        let mut text = self.names.join(",") + "\n";
        for row in self.rows() {
            for (column, value) in row.iter().enumerate() {
                let comma = if column > 0 { "," } else { "" };
                write!(text, "{comma}{value:.3}").expect("a string takes text");
            }
            text.push('\n');
        }
        text
    }
}
