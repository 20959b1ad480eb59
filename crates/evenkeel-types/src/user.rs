//! Types that users make: whom messages ask for their names, and what their values are called.
//!
//! A type knows its OID alone. What it is called is in a catalog; the session that a thread works for has said which (`name_types_by`), for messages, which are made where
//! no catalog is at hand. Text and binary forms of values ask the format options, which know the session's too.
//!
//! Must not know: catalogs.

use super::format::RegNames;
use super::ty::Type;
use crate::error::{SqlError, SqlState};
use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::{Arc, Weak};

/// An attribute of a composite type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// What it is called.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its modifier, -1 for none.
    pub typmod: i32,
    /// The domain that its values are of; `ty` is what that is over.
    pub domain: Option<u32>,
}

/// The attributes of a composite type, in their order.
pub type Attributes = Arc<[Attribute]>;

thread_local! {
    static NAMES: RefCell<Option<Weak<dyn RegNames>>> = const { RefCell::new(None) };
}

/// From now on messages of this thread name types as they are called here.
pub fn name_types_by(names: &Arc<dyn RegNames>) {
    NAMES.with(|n| *n.borrow_mut() = Some(Arc::downgrade(names)));
}

/// Whether the database that the thread works in is called so; where no catalog is at hand any may be.
pub fn is_database(name: &str) -> bool {
    let names = NAMES.with(|n| n.borrow().as_ref().and_then(Weak::upgrade));
    names.is_none_or(|n| n.is_database(name))
}

/// How messages call a type that users made.
pub(crate) fn name(oid: u32) -> Cow<'static, str> {
    let names = NAMES.with(|n| n.borrow().as_ref().and_then(Weak::upgrade));
    match names.and_then(|n| n.name(Type::Regtype, oid)) {
        Some(name) => name.into(),
        None => format!("type {oid}").into(),
    }
}

/// The same of a type that an extension has; a name for where no catalog is at hand.
pub(crate) fn name_of_extension(oid: u32, bare: &'static str) -> Cow<'static, str> {
    let names = NAMES.with(|n| n.borrow().as_ref().and_then(Weak::upgrade));
    names.and_then(|n| n.name(Type::Regtype, oid)).map_or(bare.into(), Cow::from)
}

/// The value of an enum that has a label.
pub(crate) fn enum_value(label: &str, oid: u32, names: Option<&Arc<dyn RegNames>>) -> Result<u64, SqlError> {
    let value = names.and_then(|n| n.enum_value(oid, label)).ok_or_else(|| {
        let why = format!("invalid input value for enum {}: \"{label}\"", name(oid));
        SqlError::new(SqlState::INVALID_TEXT_REPRESENTATION, why)
    })?;
    check_committed(value, oid, names)?;
    Ok(value)
}

/// Refuses a value that this transaction gave an enum: what used it would be left without a label if that were undone.
pub(crate) fn check_committed(
    value: u64,
    oid: u32,
    names: Option<&Arc<dyn RegNames>>,
) -> Result<(), SqlError> {
    if !names.is_some_and(|n| n.is_new_value(oid, value)) {
        return Ok(());
    }
    let label = enum_label(value, oid, names)?;
    let why = format!("unsafe use of new value \"{label}\" of enum type {}", name(oid));
    Err(SqlError::new(SqlState::UNSAFE_NEW_ENUM_VALUE_USAGE, why)
        .with_hint("New enum values must be committed before they can be used."))
}

/// The label of a value of an enum.
pub(crate) fn enum_label(
    value: u64,
    oid: u32,
    names: Option<&Arc<dyn RegNames>>,
) -> Result<String, SqlError> {
    names
        .and_then(|n| n.enum_label(oid, value))
        .ok_or_else(|| SqlError::internal(format!("value {value} of enum {oid} has no label")))
}

/// The attributes of a composite type.
pub(crate) fn attributes(oid: u32, names: Option<&Arc<dyn RegNames>>) -> Result<Attributes, SqlError> {
    names.and_then(|n| n.attributes(oid)).ok_or_else(|| {
        SqlError::new(SqlState::UNDEFINED_OBJECT, format!("type with OID {oid} does not exist"))
    })
}
