//! The stored form of types that users make: a schema, a name, the labels of an enum, and then what the type is else, by a byte.
//!
//! Must not know: how rows are written or found.

use super::*;
use evenkeel_types::user::{Attribute, Attributes};

/// Stands behind the labels of a domain, and before what it is.
const IS_DOMAIN: u8 = 1;
/// The same of a composite type: its attributes follow.
const IS_COMPOSITE: u8 = 2;
/// The same where attributes are of domains: each is followed by its domain's OID, or 0.
const IS_COMPOSITE_OF_DOMAINS: u8 = 3;

pub(super) fn encode(w: &mut Writer, t: &UserType) {
    w.u32(t.schema);
    w.str(&t.name);
    w.len(t.labels.len());
    for (value, label) in &t.labels {
        w.i64(*value as i64);
        w.str(label);
    }
    if let Some(d) = &t.domain {
        w.u8(IS_DOMAIN);
        encode_domain(w, d);
    }
    if let Some(attributes) = &t.attributes {
        let has_domains = attributes.iter().any(|a| a.domain.is_some());
        w.u8(if has_domains { IS_COMPOSITE_OF_DOMAINS } else { IS_COMPOSITE });
        w.len(attributes.len());
        for a in attributes.iter() {
            w.str(&a.name);
            w.u32(a.ty.oid());
            w.u32(a.typmod as u32);
            if has_domains {
                w.u32(a.domain.unwrap_or(0));
            }
        }
    }
}

pub(super) fn decode(oid: u32, r: &mut Reader<'_>) -> Result<UserType, SqlError> {
    let (schema, name) = (r.u32()?, r.str()?);
    let labels = r.list(|r| Ok((r.i64()? as u64, r.str()?)))?;
    let (mut domain, mut attributes) = (None, None);
    // Rows of older versions end here, and those of enums.
    if !r.0.is_empty() {
        match r.u8()? {
            IS_DOMAIN => domain = Some(decode_domain(r)?),
            IS_COMPOSITE => attributes = Some(decode_attributes(r, false)?),
            IS_COMPOSITE_OF_DOMAINS => attributes = Some(decode_attributes(r, true)?),
            _ => return Err(unknown()),
        }
    }
    Ok(UserType { oid, schema, name, labels, domain, attributes })
}

fn decode_attributes(r: &mut Reader<'_>, has_domains: bool) -> Result<Attributes, SqlError> {
    let list = r.list(|r| {
        let (name, ty, typmod) = (r.str()?, r.ty()?, r.i32()?);
        let domain = if has_domains { r.u32()? } else { 0 };
        Ok(Attribute { name, ty, typmod, domain: (domain != 0).then_some(domain) })
    })?;
    Ok(list.into())
}

fn encode_domain(w: &mut Writer, d: &Domain) {
    w.u32(d.ty.oid());
    w.u32(d.typmod as u32);
    w.u32(d.over.unwrap_or(0));
    w.bool(d.not_null.is_some());
    if let Some((oid, name)) = &d.not_null {
        w.u32(*oid);
        w.str(name);
    }
    w.opt_str(d.default.as_deref());
    w.len(d.checks.len());
    for c in &d.checks {
        w.u32(c.oid);
        w.str(&c.name);
        w.str(&c.expr);
        w.bool(c.validated);
    }
    if d.collation != 0 {
        w.u32(d.collation);
    }
}

fn decode_domain(r: &mut Reader<'_>) -> Result<Box<Domain>, SqlError> {
    let (ty, typmod, over) = (r.ty()?, r.i32()?, r.u32()?);
    let not_null = if r.bool()? { Some((r.u32()?, r.str()?)) } else { None };
    let default = r.opt_str()?;
    let checks =
        r.list(|r| Ok(DomainCheck { oid: r.u32()?, name: r.str()?, expr: r.str()?, validated: r.bool()? }))?;
    let over = (over != 0).then_some(over);
    let collation = if r.0.is_empty() { 0 } else { r.u32()? };
    Ok(Box::new(Domain { ty, typmod, over, not_null, default, checks, collation }))
}
