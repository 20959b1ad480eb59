//! Extended statistics as `pg_statistic_ext` has them.
//!
//! Must not know: how they are made.

use super::roles::owner_of;
use super::{VirtualTable, text};
use crate::catalog::PG_CATALOG_OID;
use evenkeel_types::{Datum, Type};

/// The tables of this file.
pub static TABLES: &[&VirtualTable] = &[&PG_STATISTIC_EXT];

static PG_STATISTIC_EXT: VirtualTable = VirtualTable {
    oid: 3381,
    schema: PG_CATALOG_OID,
    name: "pg_statistic_ext",
    columns: &[
        ("oid", Type::Oid),
        ("stxrelid", Type::Oid),
        ("stxname", Type::Name),
        ("stxnamespace", Type::Oid),
        ("stxowner", Type::Oid),
        ("stxkeys", Type::Int2Vector),
        ("stxstattarget", Type::Int2),
        ("stxkind", Type::CharArray),
        ("stxexprs", Type::Text),
    ],
    is_view: false,
    rows: |catalog, _| {
        let row =
            |(table, s): (&std::sync::Arc<crate::catalog::Table>, &crate::catalog::ExtendedStatistics)| {
                vec![
                    Datum::Oid(s.oid),
                    Datum::Oid(table.oid),
                    text(&s.name),
                    Datum::Oid(table.schema),
                    owner_of(catalog, table.oid),
                    Datum::vector(Type::Int2, s.columns.iter().map(|n| Datum::Int2(*n as i16 + 1)).collect()),
                    s.target.map_or(Datum::Null, |n| Datum::Int2(n as i16)),
                    Datum::array(Type::Char, s.kinds().map(|(_, letter)| text(letter)).collect()),
                    Datum::Null,
                ]
            };
        Ok(catalog.extended_statistics().map(row).collect())
    },
};
