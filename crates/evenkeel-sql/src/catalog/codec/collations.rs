//! Collations that users made, and the orders of index columns.
//!
//! An index keeps sort keys, so it keeps what they were made by: the locale, behind `NONDETERMINISTIC` if the keys have no texts, and the version of the rules.
//!
//! Invariants:
//! 1. A column whose keys were made by other rules than the server's is read as `outdated`: nobody may rely on them.
//!
//! Must not know: what else there is of a table.

use super::{Reader, Writer, corrupt, part};
use crate::catalog::{Index, IndexColumn, Table, UserCollation};
use evenkeel_types::Collation;
use evenkeel_types::collation::VERSION;
use evenkeel_types::error::SqlError;
use std::sync::Arc;

/// OIDs of bytewise collations that an index column says in its flags; the first stands for the column's own.
const IN_FLAGS: [u32; 6] = [0, 100, 950, 951, 962, 811];

/// Stands before the locale of a collation that is not deterministic. No locale begins with it.
const NONDETERMINISTIC: char = '~';

/// A collation that a user made.
pub(super) fn encode_own(w: &mut Writer, c: &UserCollation) {
    w.u32(c.schema);
    w.str(&c.name);
    w.u8(c.provider as u8);
    w.str(&c.locale);
    w.str(&c.ctype);
    w.bool(c.is_deterministic);
    w.opt_str(c.version.as_deref());
}

/// The same back.
pub(super) fn decode_own(oid: u32, r: &mut Reader<'_>) -> Result<UserCollation, SqlError> {
    Ok(UserCollation {
        oid,
        schema: r.u32()?,
        name: r.str()?,
        provider: char::from(r.u8()?),
        locale: r.str()?,
        ctype: r.str()?,
        is_deterministic: r.bool()?,
        version: r.opt_str()?,
    })
}

/// What the flags of a column say.
pub(super) fn in_flags(c: &IndexColumn) -> u8 {
    let place = IN_FLAGS.iter().position(|oid| *oid == c.collation.oid);
    place.filter(|_| c.collation.is_bytewise()).unwrap_or(0) as u8
}

/// What they mean.
pub(super) fn of_flags(place: u8) -> Result<Collation, SqlError> {
    IN_FLAGS.get(usize::from(place)).map(|oid| Collation::bytewise(*oid)).ok_or_else(corrupt)
}

/// Whether the flags do not say it.
fn is_said_apart(c: &IndexColumn) -> bool {
    !c.collation.is_bytewise() || c.outdated || !IN_FLAGS.contains(&c.collation.oid)
}

/// Appends what flags do not say of a table's indexes.
pub(super) fn encode(w: &mut Writer, t: &Table) {
    let all: Vec<(u32, usize, &IndexColumn)> = t
        .indexes
        .iter()
        .flat_map(|i| i.columns.iter().enumerate().map(|(n, c)| (i.oid, n, c)))
        .filter(|(_, _, c)| is_said_apart(c))
        .collect();
    if all.is_empty() {
        return;
    }
    w.part(part::INDEX_COLLATIONS, |w| {
        w.len(all.len());
        for (index, n, c) in &all {
            w.u32(*index);
            w.len(*n);
            w.u32(c.collation.oid);
            let locale = c.collation.locale().unwrap_or("");
            match c.collation.is_deterministic() {
                true => w.str(locale),
                false => w.str(&format!("{NONDETERMINISTIC}{locale}")),
            }
            w.str(if c.outdated { "" } else { VERSION });
        }
    });
}

/// Reads it.
pub(super) fn decode(r: &mut Reader<'_>, indexes: &mut [Arc<Index>]) -> Result<(), SqlError> {
    let all = r.list(|r| Ok((r.u32()?, r.u32()? as usize, r.u32()?, r.str()?, r.str()?)))?;
    for (index, n, oid, locale, version) in all {
        let Some(index) = indexes.iter_mut().find(|i| i.oid == index) else { continue };
        let column = Arc::make_mut(index).columns.get_mut(n).ok_or_else(corrupt)?;
        if locale.is_empty() {
            column.collation = Collation::bytewise(oid);
            continue;
        }
        // A locale that is gone is a rule that has changed.
        let found = match locale.strip_prefix(NONDETERMINISTIC) {
            Some(locale) => Collation::nondeterministic(oid, locale),
            None => Collation::of_locale(oid, &locale),
        };
        match found {
            Ok(found) => (column.collation, column.outdated) = (found, version != VERSION),
            Err(_) => (column.collation, column.outdated) = (Collation::bytewise(oid), true),
        }
    }
    Ok(())
}
