//! Name resolution across items: the names in sight of an item, and how device items travel to where they are used.

pub(crate) mod attributes;
pub(crate) mod chains;
pub(crate) mod declared;
pub(crate) mod impls;
pub(crate) mod items;
pub(crate) mod names;
pub(crate) mod source_scan;
pub(crate) mod spelling;
pub(crate) mod trait_marker;
pub(crate) mod transport;
