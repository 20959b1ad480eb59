//! Large objects: each page belongs to one, none is longer than pages are, and owners, lists and comments are of what is there.
//!
//! Must not know: tables.

use super::Problems;
use crate::catalog::Catalog;
use crate::catalog::large_objects::{CLASS_OID, PAGE_BYTES, find, objects_after, pages_after};
use evenkeel::{Database, Isolation, Transaction, TxnOptions};
use evenkeel_types::error::SqlError;
use evenkeel_types::quote_ident;

/// Rows that are looked at together.
const AT_ONCE: usize = 256;

/// Tells what is wrong with the large objects of a database.
pub(super) fn check(db: &Database, catalog: &Catalog, problems: &mut Problems<'_>) -> Result<(), SqlError> {
    let mut txn = db.begin(TxnOptions { isolation: Isolation::RepeatableRead, ..TxnOptions::default() });
    txn.begin_statement();
    check_in(&mut txn, catalog, problems)?;
    Ok(txn.rollback()?)
}

fn check_in(txn: &mut Transaction, catalog: &Catalog, problems: &mut Problems<'_>) -> Result<(), SqlError> {
    let name = |oid: u32| format!("large object {oid} of database {}", quote_ident(catalog.database_name()));
    let tree = catalog.large_objects();
    for c in catalog.comments() {
        if c.texts.keys().any(|(class, _)| *class == CLASS_OID)
            && tree.map_or(Ok(None), |tree| find(txn, tree, c.oid))?.is_none()
        {
            problems.add(|| format!("there is a comment on {}, which does not exist", name(c.oid)));
        }
    }
    let Some(tree) = tree else { return Ok(()) };
    let mut last = None;
    loop {
        let objects = match objects_after(txn, tree, last, AT_ONCE) {
            Ok(objects) => objects,
            Err(e) => {
                problems.add(|| format!("the list of large objects cannot be read: {}", e.message));
                break;
            }
        };
        let Some(end) = objects.last() else { break };
        last = Some(end.oid);
        let s = catalog.security();
        for object in &objects {
            let mut roles = object.acl.iter().flat_map(|a| a.roles()).chain([object.owner]);
            if !roles.all(|r| s.role(r).is_some()) {
                problems.add(|| {
                    format!(
                        "the owner or the privileges of {} are of a role that does not exist",
                        name(object.oid)
                    )
                });
            }
        }
    }
    let (mut last, mut known) = (None, None);
    loop {
        let pages = match pages_after(txn, tree, last, AT_ONCE) {
            Ok(pages) => pages,
            Err(e) => {
                problems.add(|| format!("the pages of large objects cannot be read: {}", e.message));
                break;
            }
        };
        let Some((oid, page, _)) = pages.last() else { break };
        last = Some((*oid, *page));
        for (oid, page, bytes) in &pages {
            if bytes.len() > PAGE_BYTES || *page > i32::MAX as u32 {
                problems.add(|| format!("page {page} of {} is none that an object may have", name(*oid)));
            }
            if known != Some(*oid) {
                known = Some(*oid);
                if find(txn, tree, *oid)?.is_none() {
                    problems.add(|| format!("there are pages of {}, which does not exist", name(*oid)));
                }
            }
        }
    }
    Ok(())
}
