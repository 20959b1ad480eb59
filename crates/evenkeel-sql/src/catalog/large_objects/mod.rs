//! Large objects: what their tree holds, by which keys, and who may do what with one.
//!
//! Invariants:
//! 1. An object is there if its row is; pages belong to an object that is there.
//!
//! Must not know: sessions, functions.
//!
#![doc = include_str!("README.md")]

mod descriptors;
mod pages;

pub use descriptors::{Descriptor, Descriptors};
pub use pages::{MAX_BYTES, PAGE_BYTES, read, remove_pages, size, truncate, write};

use super::security::acl::{self, Class, Privileges};
use super::security::{Access, Security, Stored};
use super::{Catalog, Kind, Object, codec};
use evenkeel::{Direction, KeyRange, LockMode, Locked, Transaction, TreeId, WaitPolicy};
use evenkeel_types::error::{SqlError, SqlState};
use std::ops::Bound;
use std::sync::Arc;

/// OID of `pg_largeobject`, by which comments and dependencies name large objects, and their tree in the catalog.
pub const CLASS_OID: u32 = 2613;
/// OID of `pg_largeobject_metadata`.
pub const METADATA_OID: u32 = 2995;

/// What a key begins with: of an object's row, and of a page. Then the object's number, and the page's, big-endian.
const OBJECT: u8 = 1;
const PAGE: u8 = 2;

fn object_key(oid: u32) -> Vec<u8> {
    [&[OBJECT][..], &oid.to_be_bytes()].concat()
}

fn page_key(oid: u32, page: u32) -> Vec<u8> {
    [&[PAGE][..], &oid.to_be_bytes(), &page.to_be_bytes()].concat()
}

/// The object and the page of a page's key.
fn read_page_key(key: &[u8]) -> Result<(u32, u32), SqlError> {
    match *key {
        [PAGE, a, b, c, d, e, f, g, h] => {
            Ok((u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h])))
        }
        _ => Err(damaged()),
    }
}

fn damaged() -> SqlError {
    SqlError::new(SqlState::DATA_CORRUPTED, "a row of a large object is damaged")
}

/// There is no such object.
pub fn missing(oid: u32) -> SqlError {
    SqlError::new(SqlState::UNDEFINED_OBJECT, format!("large object {oid} does not exist"))
}

fn decode(oid: u32, row: &[u8]) -> Result<Access, SqlError> {
    match codec::decode(Kind::Access, oid, row)? {
        Object::Security(Stored::Access(access)) => Ok(Arc::unwrap_or_clone(access)),
        _ => Err(damaged()),
    }
}

fn encode(access: &Access) -> Vec<u8> {
    codec::encode(&Object::Security(Stored::Access(Arc::new(access.clone()))))
}

/// Owner and privileges of an object, as the statement sees them; `None`: it is not there.
pub fn find(txn: &mut Transaction, tree: TreeId, oid: u32) -> Result<Option<Access>, SqlError> {
    txn.get(tree, &object_key(oid))?.map(|row| decode(oid, &row)).transpose()
}

/// Makes an object; another with its number is a violation of uniqueness.
pub fn create(txn: &mut Transaction, tree: TreeId, access: &Access) -> Result<(), SqlError> {
    match txn.insert(tree, &object_key(access.oid), &encode(access)) {
        Err(evenkeel::Error::DuplicateKey) => {
            let index = "pg_largeobject_metadata_oid_index";
            let message = format!("duplicate key value violates unique constraint \"{index}\"");
            let mut e = SqlError::new(SqlState::UNIQUE_VIOLATION, message)
                .with_detail(format!("Key (oid)=({}) already exists.", access.oid))
                .with_constraint(index);
            (e.schema, e.table) = (Some("pg_catalog".into()), Some("pg_largeobject_metadata".into()));
            Err(e)
        }
        other => Ok(other?),
    }
}

/// Writes who may do what with an object that is there.
pub fn set_access(txn: &mut Transaction, tree: TreeId, access: &Access) -> Result<(), SqlError> {
    Ok(txn.put(tree, &object_key(access.oid), &encode(access))?)
}

/// Sees to it that the object stays until the transaction ends; its row may change. Blocks for who is about to unlink it.
pub fn keep(txn: &mut Transaction, tree: TreeId, oid: u32) -> Result<(), SqlError> {
    match txn.lock(tree, &object_key(oid), LockMode::KeyShare, WaitPolicy::Block)? {
        Locked::Current(_) | Locked::Changed(_) => Ok(()),
        Locked::Gone | Locked::Skipped => Err(missing(oid)),
    }
}

/// Owner and privileges as they are now, to be changed by this transaction alone. Blocks for who else changes them.
pub fn find_to_change(txn: &mut Transaction, tree: TreeId, oid: u32) -> Result<Access, SqlError> {
    match txn.lock(tree, &object_key(oid), LockMode::NoKeyUpdate, WaitPolicy::Block)? {
        Locked::Current(row) | Locked::Changed(row) => decode(oid, &row),
        Locked::Gone | Locked::Skipped => Err(missing(oid)),
    }
}

/// Takes away an object's row, once nobody keeps it. Its pages are for the caller to remove, in a later statement: who kept it may have written some.
pub fn remove(txn: &mut Transaction, tree: TreeId, oid: u32) -> Result<(), SqlError> {
    let key = object_key(oid);
    loop {
        match txn.delete(tree, &key)? {
            evenkeel::Write::Done => return Ok(()),
            evenkeel::Write::Changed(_) => {}
            evenkeel::Write::Gone | evenkeel::Write::SelfModified => return Err(missing(oid)),
        }
    }
}

/// Some of the objects that are there, in the order of their numbers, behind one.
pub fn objects_after(
    txn: &mut Transaction,
    tree: TreeId,
    after: Option<u32>,
    most: usize,
) -> Result<Vec<Access>, SqlError> {
    let range = match after {
        None => KeyRange::prefix(&[OBJECT]),
        Some(oid) => {
            KeyRange { start: Bound::Excluded(object_key(oid)), end: Bound::Excluded(vec![OBJECT + 1]) }
        }
    };
    let mut cursor = txn.cursor(tree, range, Direction::Forward)?;
    let mut found = Vec::new();
    while found.len() < most
        && let Some((key, row)) = cursor.next(txn)?
    {
        let oid = key.get(1..5).and_then(|oid| oid.try_into().ok()).map(u32::from_be_bytes);
        let oid = oid.ok_or_else(damaged)?;
        found.push(decode(oid, row)?);
    }
    Ok(found)
}

/// Some pages, in the order of objects and pages, behind one: object, page, bytes.
pub fn pages_after(
    txn: &mut Transaction,
    tree: TreeId,
    after: Option<(u32, u32)>,
    most: usize,
) -> Result<Vec<(u32, u32, Vec<u8>)>, SqlError> {
    let range = match after {
        None => KeyRange::prefix(&[PAGE]),
        Some((oid, page)) => {
            KeyRange { start: Bound::Excluded(page_key(oid, page)), end: Bound::Excluded(vec![PAGE + 1]) }
        }
    };
    let mut cursor = txn.cursor(tree, range, Direction::Forward)?;
    let mut found = Vec::new();
    while found.len() < most
        && let Some((key, bytes)) = cursor.next(txn)?
    {
        let (oid, page) = read_page_key(key)?;
        found.push((oid, page, bytes.to_vec()));
    }
    Ok(found)
}

/// What of `mask` a role has on an object.
pub fn mask(s: &Security, role: u32, access: &Access, mask: Privileges) -> Privileges {
    if s.is_superuser(role) {
        return mask;
    }
    let default = || Class::LargeObject.default_acl(access.owner);
    access.acl.clone().unwrap_or_else(default).mask(s, role, access.owner, mask)
}

/// Refuses a role that lacks a privilege on an object.
pub fn check(s: &Security, role: u32, access: &Access, privilege: Privileges) -> Result<(), SqlError> {
    if mask(s, role, access, privilege) == privilege {
        return Ok(());
    }
    Err(acl::denied(Class::LargeObject.noun(), &access.oid.to_string()))
}

impl Catalog {
    /// The tree of the database's large objects; `None`: there has never been one.
    pub fn large_objects(&self) -> Option<TreeId> {
        self.large_objects
    }
}
