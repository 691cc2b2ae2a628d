//! The attributes of vyre.
