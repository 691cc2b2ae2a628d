//! Places in the user's source.

/// A place in the source of a kernel.
///
/// `file` indexes [`Program::files`](super::Program::files); lines and columns count from 1. The
/// span of a node that no source line made is [`Span::NONE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Span {
    /// Index into [`Program::files`](super::Program::files).
    pub file: u32,
    /// Line, from 1; 0 in [`Span::NONE`].
    pub line: u32,
    /// Column, from 1; 0 in [`Span::NONE`].
    pub column: u32,
}

impl Span {
    /// No place: a node that the compiler or a tool made.
    pub const NONE: Span = Span {
        file: 0,
        line: 0,
        column: 0,
    };

    /// Whether this names a place in a source file.
    pub fn is_some(self) -> bool {
        self.line != 0
    }
}

impl Default for Span {
    fn default() -> Self {
        Span::NONE
    }
}
