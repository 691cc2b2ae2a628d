//! rust-analyzer as an editor drives it: a crate with one file, which tests write and ask about.

mod connection;
mod document;
mod editor;

pub use document::Document;
pub use editor::{Editor, editor};
