//! `pg_description` and `pg_shdescription`: what COMMENT ON keeps.
//!
//! Must not know: how comments are made.

use super::extensions::PLPGSQL_OID;
use super::{ViewContext, VirtualTable, class_oid, table, text};
use crate::catalog::extension::available;
use crate::catalog::{Catalog, PUBLIC_OID};
use evenkeel_types::Datum;
use evenkeel_types::Type::{Int4, Oid, Text};
use evenkeel_types::error::SqlError;

/// The tables of this file.
pub static TABLES: &[&VirtualTable] = &[&PG_DESCRIPTION, &PG_SHDESCRIPTION];

/// What is said of the schema that every database begins with, until something else is.
pub const OF_PUBLIC: &str = "standard public schema";

static PG_DESCRIPTION: VirtualTable = table(
    2609,
    "pg_description",
    &[("objoid", Oid), ("classoid", Oid), ("objsubid", Int4), ("description", Text)],
    |catalog, _| Ok(rows(catalog, false)),
);

static PG_SHDESCRIPTION: VirtualTable = table(
    2396,
    "pg_shdescription",
    &[("objoid", Oid), ("classoid", Oid), ("description", Text)],
    |catalog, _: &dyn ViewContext| -> Result<_, SqlError> { Ok(rows(catalog, true)) },
);

/// What is shared among databases has no column numbers.
fn is_shared(class: u32) -> bool {
    class == class_oid::DATABASE || class == class_oid::ROLE
}

fn rows(catalog: &Catalog, shared: bool) -> Vec<Vec<Datum>> {
    let mut rows = Vec::new();
    if !shared && catalog.schema(PUBLIC_OID).is_some() && catalog.comments_on(PUBLIC_OID).is_none() {
        let (oid, class) = (Datum::Oid(PUBLIC_OID), Datum::Oid(class_oid::NAMESPACE));
        rows.push(vec![oid, class, Datum::Int4(0), text(OF_PUBLIC)]);
    }
    if !shared && catalog.comments_on(PLPGSQL_OID).is_none() {
        let said = available("plpgsql").map_or("", |a| a.comment);
        let (oid, class) = (Datum::Oid(PLPGSQL_OID), Datum::Oid(class_oid::EXTENSION));
        rows.push(vec![oid, class, Datum::Int4(0), text(said)]);
    }
    for c in catalog.comments() {
        for ((class, part), said) in c.texts.iter().filter(|((class, _), _)| is_shared(*class) == shared) {
            // What is said of attributes is kept with their type, and is of its row in pg_class.
            let of_attributes = catalog.user_type(c.oid).filter(|_| *class == class_oid::RELATION);
            let oid = of_attributes.and_then(|t| t.class_oid()).unwrap_or(c.oid);
            let mut row = vec![Datum::Oid(oid), Datum::Oid(*class), Datum::Int4(*part), text(said)];
            if shared {
                row.remove(2);
            }
            rows.push(row);
        }
    }
    rows
}
