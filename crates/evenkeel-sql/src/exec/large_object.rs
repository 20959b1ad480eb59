//! Functions on large objects: what they check, and which rows they read and write.
//!
//! Invariants:
//! 1. What a descriptor that only reads sees is what the statement saw that opened it; what one that writes sees is what is there now, in every isolation.
//!
//! Must not know: how pages are kept.

use super::{Cx, Row};
use crate::catalog::large_objects::{self as large, Descriptor, MAX_BYTES};
use crate::catalog::security::Access;
use crate::catalog::security::acl::{self, Class, Privileges};
use evenkeel::{Sight, Transaction, TreeId};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{Datum, MAX_VALUE_BYTES, ScalarFn, Type};
use std::sync::Arc;

/// Modes of `lo_open`.
const INV_WRITE: i32 = 0x20000;
const INV_READ: i32 = 0x40000;

/// Rows of a system view that are made at a time.
const ROWS_AT_ONCE: usize = 64;

fn error<T>(code: SqlState, message: String) -> Result<T, SqlError> {
    Err(SqlError::new(code, message))
}

fn int(args: &[Datum], n: usize) -> i64 {
    args.get(n).and_then(Datum::as_i64).unwrap_or(0)
}

fn oid_of(args: &[Datum], n: usize) -> u32 {
    args.get(n).and_then(Datum::as_oid).unwrap_or(0)
}

/// Answers a function; `args` are its arguments.
pub(super) fn ask(f: &ScalarFn, args: &[Datum], cx: &mut Cx<'_>) -> Result<Datum, SqlError> {
    if f.strict && args.iter().any(Datum::is_null) {
        return Ok(Datum::Null);
    }
    let (first, bytes) =
        (int(args, 0) as i32, |n: usize| args.get(n).and_then(Datum::as_bytes).unwrap_or(&[]));
    Ok(match f.name {
        "lo_creat" => Datum::Oid(create(0, "lo_creat()", cx)?),
        "lo_create" => Datum::Oid(create(oid_of(args, 0), "lo_create()", cx)?),
        "lo_from_bytea" => {
            let oid = create(oid_of(args, 0), "lo_from_bytea()", cx)?;
            write_at(oid, 0, bytes(1), cx)?;
            Datum::Oid(oid)
        }
        "lo_open" => Datum::Int4(open(oid_of(args, 0), int(args, 1) as i32, cx)?),
        "lo_close" => {
            cx.views.large_objects().borrow_mut().close(first)?;
            Datum::Int4(0)
        }
        "loread" => {
            let (oid, at, sight) = opened(first, cx)?;
            let data = read(oid, at, int(args, 1).max(0) as u64, sight.as_ref(), cx)?;
            moved(first, at + data.len() as u64, cx)?;
            Datum::Bytes(data.into())
        }
        "lowrite" => {
            cx.views.check_writable("lowrite()")?;
            let at = opened_to_write(first, cx)?;
            write_at(at.0, at.1, bytes(1), cx)?;
            moved(first, at.1 + bytes(1).len() as u64, cx)?;
            Datum::Int4(bytes(1).len() as i32)
        }
        "lo_lseek" => Datum::Int4(
            i32::try_from(seek(first, int(args, 1), int(args, 2), cx)?)
                .map_err(|_| too_far("lo_lseek", first))?,
        ),
        "lo_lseek64" => Datum::Int8(seek(first, int(args, 1), int(args, 2), cx)? as i64),
        "lo_tell" => Datum::Int4(i32::try_from(opened(first, cx)?.1).map_err(|_| too_far("lo_tell", first))?),
        "lo_tell64" => Datum::Int8(opened(first, cx)?.1 as i64),
        "lo_truncate" | "lo_truncate64" => {
            cx.views.check_writable(&format!("{}()", f.name))?;
            let oid = opened_to_write(first, cx)?.0;
            truncate(oid, int(args, 1), cx)?;
            Datum::Int4(0)
        }
        "lo_unlink" => {
            unlink(oid_of(args, 0), cx)?;
            Datum::Int4(1)
        }
        "lo_get" => get(args, cx)?,
        "lo_put" => {
            cx.views.check_writable("lo_put()")?;
            let oid = oid_of(args, 0);
            writable(oid, cx)?;
            write_at(oid, sought(int(args, 1))?, bytes(2), cx)?;
            Datum::Text(Arc::from(""))
        }
        "has_largeobject_privilege" => has_privilege(args, cx)?,
        "lo_import" => {
            cx.views.check_writable("lo_import()")?;
            return Err(no_files("lo_import"));
        }
        "lo_export" => return Err(no_files("lo_export")),
        name => return Err(SqlError::internal(format!("{name} is no function on large objects"))),
    })
}

fn no_files(name: &str) -> SqlError {
    SqlError::unsupported(format!("{name} with a file on the server is not supported"))
        .with_hint("psql's \\lo_import and \\lo_export, and libpq's functions of these names, go by files of the client.")
}

fn too_far(function: &str, descriptor: i32) -> SqlError {
    let message = format!("{function} result out of range for large-object descriptor {descriptor}");
    SqlError::new(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, message)
}

/// The tree, as the statement or, if it has come since, the database has it.
fn tree(cx: &Cx<'_>) -> Option<TreeId> {
    cx.catalog.large_objects().or_else(|| cx.views.large_object_tree())
}

/// The object as it is for who reads by `sight`, or for who writes.
fn find(oid: u32, sight: Option<&Sight>, cx: &mut Cx<'_>) -> Result<(TreeId, Access), SqlError> {
    let tree = tree(cx).ok_or_else(|| large::missing(oid))?;
    match cx.txn.within(sight, |t| large::find(t, tree, oid))? {
        Some(access) => Ok((tree, access)),
        None => Err(large::missing(oid)),
    }
}

/// Whether privileges are not looked at.
fn is_compatible(cx: &Cx<'_>) -> bool {
    cx.eval.env.setting("lo_compat_privileges").is_some_and(|v| v == "on")
}

fn check(access: &Access, privilege: Privileges, cx: &Cx<'_>) -> Result<(), SqlError> {
    if is_compatible(cx) {
        return Ok(());
    }
    large::check(cx.catalog.security(), cx.views.role(), access, privilege)
}

fn create(asked: u32, what: &str, cx: &mut Cx<'_>) -> Result<u32, SqlError> {
    cx.views.check_writable(what)?;
    let tree = match tree(cx) {
        Some(tree) => tree,
        None => cx.views.make_large_objects()?,
    };
    let owner = cx.views.role();
    let acl = cx.catalog.security().new_acl(owner, 0, Class::LargeObject);
    cx.views.note_transaction(cx.txn.id());
    for role in acl.iter().flat_map(|a| a.roles()).chain([owner]) {
        cx.views.keep_role(role)?;
    }
    loop {
        cx.check_interrupt()?;
        let oid = if asked == 0 { cx.views.new_oid()? } else { asked };
        let access = Access { oid, owner, acl: acl.clone(), columns: Default::default() };
        match cx.txn.within(None, |t| large::create(t, tree, &access)) {
            // Somebody has asked for that number.
            Err(e) if asked == 0 && e.code == SqlState::UNIQUE_VIOLATION => {}
            made => return made.map(|()| oid),
        }
    }
}

fn open(oid: u32, mode: i32, cx: &mut Cx<'_>) -> Result<i32, SqlError> {
    let writes = mode & INV_WRITE != 0;
    if writes {
        cx.views.check_writable("lo_open(INV_WRITE)")?;
    }
    if mode & (INV_READ | INV_WRITE) == 0 {
        let message = format!("invalid flags for opening a large object: {mode}");
        return error(SqlState::INVALID_PARAMETER_VALUE, message);
    }
    let sight = if writes { None } else { Some(cx.txn.sight()?) }; // invariant 1
    let (_, access) = find(oid, sight.as_ref(), cx)?;
    check(&access, acl::SELECT, cx)?;
    if writes {
        check(&access, acl::UPDATE, cx)?;
    }
    cx.views.large_objects().borrow_mut().open(Descriptor::new(oid, sight))
}

/// Where a descriptor stands, and what it reads by.
fn opened(descriptor: i32, cx: &Cx<'_>) -> Result<(u32, u64, Option<Sight>), SqlError> {
    let mut all = cx.views.large_objects().borrow_mut();
    let d = all.get(descriptor)?;
    Ok((d.oid, d.at, d.sight.clone()))
}

fn opened_to_write(descriptor: i32, cx: &Cx<'_>) -> Result<(u32, u64), SqlError> {
    let mut all = cx.views.large_objects().borrow_mut();
    let d = all.get(descriptor)?;
    if !d.writes() {
        let message = format!("large object descriptor {descriptor} was not opened for writing");
        return error(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, message);
    }
    Ok((d.oid, d.at))
}

fn moved(descriptor: i32, at: u64, cx: &Cx<'_>) -> Result<(), SqlError> {
    cx.views.large_objects().borrow_mut().get(descriptor)?.at = at;
    Ok(())
}

/// Refuses a place that no object has.
fn sought(at: i64) -> Result<u64, SqlError> {
    match u64::try_from(at) {
        Ok(at) if at <= MAX_BYTES => Ok(at),
        _ => error(SqlState::INVALID_PARAMETER_VALUE, format!("invalid large object seek target: {at}")),
    }
}

fn seek(descriptor: i32, offset: i64, whence: i64, cx: &mut Cx<'_>) -> Result<u64, SqlError> {
    let (oid, at, sight) = opened(descriptor, cx)?;
    let base = match whence {
        0 => 0,
        1 => at,
        2 => size(oid, sight.as_ref(), cx)?,
        _ => return error(SqlState::INVALID_PARAMETER_VALUE, format!("invalid whence setting: {whence}")),
    };
    let at = sought((base as i64).saturating_add(offset))?;
    moved(descriptor, at, cx)?;
    Ok(at)
}

fn size(oid: u32, sight: Option<&Sight>, cx: &mut Cx<'_>) -> Result<u64, SqlError> {
    let Some(tree) = tree(cx) else { return Ok(0) };
    cx.txn.within(sight, |t| large::size(t, tree, oid))
}

/// At most so many bytes from a place on.
fn read(oid: u32, at: u64, len: u64, sight: Option<&Sight>, cx: &mut Cx<'_>) -> Result<Vec<u8>, SqlError> {
    let Some(tree) = tree(cx) else { return Ok(Vec::new()) };
    let eval = &cx.eval;
    cx.txn.within(sight, |t| {
        let len = len.min(large::size(t, tree, oid)?.saturating_sub(at));
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        eval.make_len(len)?;
        large::read(t, tree, oid, at, len)
    })
}

/// Refuses an object that is not there, or that the role may not write.
fn writable(oid: u32, cx: &mut Cx<'_>) -> Result<(), SqlError> {
    let (_, access) = find(oid, None, cx)?;
    check(&access, acl::SELECT, cx)?;
    check(&access, acl::UPDATE, cx)
}

/// Runs a change of an object that is there, and stays there.
fn change(
    oid: u32,
    cx: &mut Cx<'_>,
    how: impl FnOnce(&mut Transaction, TreeId) -> Result<(), SqlError>,
) -> Result<(), SqlError> {
    let tree = tree(cx).ok_or_else(|| large::missing(oid))?;
    cx.views.note_transaction(cx.txn.id()); // it may wait
    cx.txn.within(None, |t| {
        large::keep(t, tree, oid)?;
        how(t, tree)
    })
}

fn write_at(oid: u32, at: u64, bytes: &[u8], cx: &mut Cx<'_>) -> Result<(), SqlError> {
    if at + bytes.len() as u64 > MAX_BYTES {
        let message = format!("invalid large object write request size: {}", bytes.len());
        return error(SqlState::INVALID_PARAMETER_VALUE, message);
    }
    if bytes.is_empty() {
        return Ok(());
    }
    change(oid, cx, |t, tree| large::write(t, tree, oid, at, bytes))
}

fn truncate(oid: u32, len: i64, cx: &mut Cx<'_>) -> Result<(), SqlError> {
    let target = match u64::try_from(len) {
        Ok(target) if target <= MAX_BYTES => target,
        _ => {
            let message = format!("invalid large object truncation target: {len}");
            return error(SqlState::INVALID_PARAMETER_VALUE, message);
        }
    };
    change(oid, cx, |t, tree| large::truncate(t, tree, oid, target))
}

fn unlink(oid: u32, cx: &mut Cx<'_>) -> Result<(), SqlError> {
    cx.views.check_writable("lo_unlink()")?;
    let (tree, access) = find(oid, None, cx)?;
    if !is_compatible(cx) && !cx.catalog.security().has_privileges_of(cx.views.role(), access.owner) {
        return Err(acl::not_owner(Class::LargeObject.noun(), &oid.to_string()));
    }
    cx.views.large_objects().borrow_mut().close_object(oid);
    remove(oid, tree, cx.txn)?;
    cx.views.note_unlinked(oid);
    Ok(())
}

/// Takes away an object with its pages.
pub(crate) fn remove(oid: u32, tree: TreeId, txn: &mut Transaction) -> Result<(), SqlError> {
    txn.within(None, |t| large::remove(t, tree, oid))?;
    // Who kept the object until now may have written pages.
    txn.within(None, |t| large::remove_pages(t, tree, oid, 0))
}

fn get(args: &[Datum], cx: &mut Cx<'_>) -> Result<Datum, SqlError> {
    let oid = oid_of(args, 0);
    if args.len() == 3 && int(args, 2) < 0 {
        return error(SqlState::INVALID_PARAMETER_VALUE, "requested length cannot be negative".into());
    }
    let sight = cx.txn.sight()?;
    let (_, access) = find(oid, Some(&sight), cx)?;
    check(&access, acl::SELECT, cx)?;
    let (at, most) = match args.len() {
        3 => (sought(int(args, 1))?, int(args, 2) as u64),
        _ => (0, u64::MAX),
    };
    let len = most.min(size(oid, Some(&sight), cx)?.saturating_sub(at));
    if len > MAX_VALUE_BYTES as u64 {
        return error(SqlState::PROGRAM_LIMIT_EXCEEDED, "large object read request is too large".into());
    }
    Ok(Datum::Bytes(read(oid, at, len, Some(&sight), cx)?.into()))
}

fn has_privilege(args: &[Datum], cx: &mut Cx<'_>) -> Result<Datum, SqlError> {
    let security = cx.catalog.security();
    let (object, role) = match args {
        [object, _] => (object, cx.views.role()),
        [Datum::Oid(role), object, _] => (object, *role),
        [name, object, _] => {
            let name = name.as_str().unwrap_or_default();
            let role = match security.role_named(name) {
                _ if name == "public" => acl::PUBLIC,
                Some(role) => role.oid,
                None => return error(SqlState::UNDEFINED_OBJECT, format!("role \"{name}\" does not exist")),
            };
            (object, role)
        }
        _ => return Err(SqlError::internal("arguments of has_largeobject_privilege")),
    };
    let mut wanted = 0;
    for one in args.last().and_then(Datum::as_str).unwrap_or_default().split(',') {
        let upper = one.trim().to_ascii_uppercase();
        let (name, option) = match upper.strip_suffix(" WITH GRANT OPTION") {
            Some(name) => (name, true),
            None => (&*upper, false),
        };
        let bit = acl::privilege_named(name).filter(|p| p & Class::LargeObject.all() != 0);
        let Some(bit) = bit else {
            let message = format!("unrecognized privilege type: \"{}\"", one.trim());
            return error(SqlState::INVALID_PARAMETER_VALUE, message);
        };
        wanted |= if option { acl::options_for(bit) } else { bit };
    }
    let Some(tree) = tree(cx) else { return Ok(Datum::Null) };
    let sight = cx.txn.sight()?;
    let oid = object.as_oid().unwrap_or(0);
    let found = cx.txn.within(Some(&sight), |t| large::find(t, tree, oid))?;
    Ok(found.map_or(Datum::Null, |access| Datum::Bool(large::mask(security, role, &access, wanted) != 0)))
}

/// Whether the rows of a system view are made here.
pub(super) fn has_rows_of(view: u32) -> bool {
    matches!(view, large::CLASS_OID | large::METADATA_OID)
}

/// The next rows of `pg_largeobject` or of `pg_largeobject_metadata`, behind one; none: there are no more.
pub(super) fn next_rows(view: u32, last: Option<&Row>, cx: &mut Cx<'_>) -> Result<Vec<Row>, SqlError> {
    let Some(tree) = tree(cx) else { return Ok(Vec::new()) };
    let after = last.and_then(|row| row.first()).and_then(Datum::as_oid);
    if view == large::CLASS_OID {
        let page = last.and_then(|row| row.get(1)).and_then(Datum::as_i64).unwrap_or(0) as u32;
        let pages = large::pages_after(cx.txn, tree, after.map(|oid| (oid, page)), ROWS_AT_ONCE)?;
        let row = |(oid, page, data): (u32, u32, Vec<u8>)| {
            Row::from([Datum::Oid(oid), Datum::Int4(page as i32), Datum::Bytes(data.into())])
        };
        return Ok(pages.into_iter().map(row).collect());
    }
    let objects = large::objects_after(cx.txn, tree, after, ROWS_AT_ONCE)?;
    let row = |access: Access| {
        let texts = |a: &acl::Acl| a.texts(cx.catalog.security()).into_iter().map(Datum::text).collect();
        let list = access.acl.as_ref().map_or(Datum::Null, |a| Datum::array(Type::Text, texts(a)));
        Row::from([Datum::Oid(access.oid), Datum::Oid(access.owner), list])
    };
    Ok(objects.into_iter().map(row).collect())
}
