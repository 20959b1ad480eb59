//! (temporary)
pub static TABLES: &[&super::VirtualTable] = &[];
