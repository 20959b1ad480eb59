//! `pg_largeobject` and `pg_largeobject_metadata`: their rows may be many, so the executor reads them some at a time (`exec/large_object`).
//!
//! Must not know: anything but their columns.

use super::{VirtualTable, table};
use crate::catalog::large_objects::{CLASS_OID, METADATA_OID};
use evenkeel_types::Type::{Bytea, Int4, Oid, TextArray};

/// The tables of this file.
pub static TABLES: &[&VirtualTable] = &[&PG_LARGEOBJECT, &PG_LARGEOBJECT_METADATA];

static PG_LARGEOBJECT: VirtualTable =
    table(CLASS_OID, "pg_largeobject", &[("loid", Oid), ("pageno", Int4), ("data", Bytea)], |_, _| {
        Ok(Vec::new())
    });

static PG_LARGEOBJECT_METADATA: VirtualTable = table(
    METADATA_OID,
    "pg_largeobject_metadata",
    &[("oid", Oid), ("lomowner", Oid), ("lomacl", TextArray)],
    |_, _| Ok(Vec::new()),
);
