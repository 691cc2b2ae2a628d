//! A text with a cursor.

use serde_json::{Value, json};

/// The mark of the cursor.
const CURSOR: &str = "$0";

/// A text, and where its cursor is.
#[derive(Debug)]
pub struct Document {
    text: String,
    cursor: Option<usize>,
}

impl Document {
    /// The text without its mark `$0`, the cursor.
    pub fn new(marked: &str) -> Self {
        let cursor = marked.find(CURSOR);
        Document {
            text: marked.replacen(CURSOR, "", 1),
            cursor,
        }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The cursor as the protocol has it.
    pub(crate) fn position(&self) -> Value {
        let before = &self.text[..self.cursor.expect("a cursor, `$0`")];
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
        json!({ "line": before.matches('\n').count(), "character": column })
    }

    /// The place of a position of the protocol in the text, which is ASCII.
    fn offset(&self, position: &Value) -> usize {
        let number = |name: &str| position[name].as_u64().expect("a position") as usize;
        let lines: usize = self.text.split_inclusive('\n').take(number("line")).map(str::len).sum();
        lines + number("character")
    }

    /// The text within a range of the protocol.
    pub(crate) fn within(&self, range: &Value) -> &str {
        &self.text[self.offset(&range["start"])..self.offset(&range["end"])]
    }

    /// The line in which a range of the protocol begins.
    pub(crate) fn line(&self, range: &Value) -> &str {
        let at = range["start"]["line"].as_u64().expect("a line") as usize;
        self.text.lines().nth(at).unwrap_or_default().trim()
    }

    /// The text after edits of the protocol.
    pub(crate) fn edited(&self, edits: &[Value]) -> String {
        let mut places: Vec<_> = edits
            .iter()
            .map(|edit| {
                let (start, end) = (self.offset(&edit["range"]["start"]), self.offset(&edit["range"]["end"]));
                (start, end, edit["newText"].as_str().expect("a text"))
            })
            .collect();
        places.sort_unstable();
        let mut text = self.text.clone();
        for (start, end, new) in places.into_iter().rev() {
            text.replace_range(start..end, new);
        }
        text
    }
}
