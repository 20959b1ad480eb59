//! The stored form of roles, memberships, owners and privileges: as `catalog::codec` has it for other objects.
//!
//! Must not know: how rows are written or found.

use super::acl::{Acl, AclItem, Class};
use super::roles::{Membership, Role, RoleSettings};
use super::{Access, DefaultAcl, Stored};
use crate::catalog::codec::{Reader, Writer, corrupt};
use crate::catalog::{DATABASE_OID, Kind};
use evenkeel_types::error::SqlError;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Classes by the numbers that they are stored as.
const CLASSES: [Class; 13] = [
    Class::Table,
    Class::Sequence,
    Class::Column,
    Class::Schema,
    Class::Database,
    Class::Function,
    Class::Type,
    Class::Language,
    Class::Tablespace,
    Class::ForeignWrapper,
    Class::ForeignServer,
    Class::LargeObject,
    Class::Parameter,
];

/// Writes the fields of what is stored.
pub(in crate::catalog) fn encode(w: &mut Writer, stored: &Stored) {
    match stored {
        Stored::Role(r) => {
            w.str(&r.name);
            let flags = [
                r.superuser,
                r.inherit,
                r.create_role,
                r.create_db,
                r.can_login,
                r.replication,
                r.bypass_rls,
            ];
            flags.into_iter().for_each(|f| w.bool(f));
            w.u32(r.connection_limit as u32);
            w.opt_str(r.password.as_deref());
            w.bool(r.valid_until.is_some());
            w.i64(r.valid_until.unwrap_or(0));
        }
        Stored::Membership(m) => {
            [m.role, m.member, m.grantor].into_iter().for_each(|v| w.u32(v));
            [m.admin, m.inherit, m.set].into_iter().for_each(|v| w.bool(v));
        }
        Stored::Settings(s) => {
            let nothing = Vec::new();
            let write = |w: &mut Writer, list: &[(String, String)]| {
                w.len(list.len());
                for (name, value) in list {
                    w.str(name);
                    w.str(value);
                }
            };
            write(w, &s.everywhere);
            write(w, s.within.get(&DATABASE_OID).unwrap_or(&nothing));
            for (database, list) in s.within.iter().filter(|(d, _)| **d != DATABASE_OID) {
                w.u32(*database);
                write(w, list);
            }
        }
        Stored::Access(a) => {
            w.u32(a.owner);
            w.bool(a.acl.is_some());
            encode_acl(w, a.acl.as_ref().unwrap_or(&Acl::default()));
            w.len(a.columns.len());
            for (column, acl) in &a.columns {
                w.u32(*column as u32);
                encode_acl(w, acl);
            }
        }
        Stored::DefaultAcl(d) => {
            w.u32(d.role);
            w.u32(d.schema);
            w.u32(CLASSES.iter().position(|c| *c == d.class).unwrap_or(0) as u32);
            encode_acl(w, &d.acl);
        }
    }
}

fn encode_acl(w: &mut Writer, acl: &Acl) {
    w.len(acl.0.len());
    for i in &acl.0 {
        [i.grantee, i.grantor, i.privileges].into_iter().for_each(|v| w.u32(v));
    }
}

fn decode_acl(r: &mut Reader<'_>) -> Result<Acl, SqlError> {
    let items = r.list(|r| Ok(AclItem { grantee: r.u32()?, grantor: r.u32()?, privileges: r.u32()? }))?;
    Ok(Acl(items))
}

/// Reads what is stored under a key.
pub(in crate::catalog) fn decode(r: &mut Reader<'_>, kind: Kind, oid: u32) -> Result<Stored, SqlError> {
    Ok(match kind {
        Kind::Role => {
            let mut role = Role {
                name: r.str()?,
                superuser: r.bool()?,
                inherit: r.bool()?,
                create_role: r.bool()?,
                create_db: r.bool()?,
                can_login: r.bool()?,
                replication: r.bool()?,
                bypass_rls: r.bool()?,
                connection_limit: r.u32()? as i32,
                password: r.opt_str()?,
                ..Role::new(oid, "")
            };
            let (has_end, end) = (r.bool()?, r.i64()?);
            role.valid_until = has_end.then_some(end);
            Stored::Role(Arc::new(role))
        }
        Kind::Membership => Stored::Membership(Arc::new(Membership {
            oid,
            role: r.u32()?,
            member: r.u32()?,
            grantor: r.u32()?,
            admin: r.bool()?,
            inherit: r.bool()?,
            set: r.bool()?,
        })),
        Kind::RoleSettings => {
            let list = |r: &mut Reader<'_>| r.list(|r| Ok((r.str()?, r.str()?)));
            let everywhere = list(r)?;
            let mut within = BTreeMap::from([(DATABASE_OID, list(r)?)]);
            while !r.0.is_empty() {
                let database = r.u32()?;
                within.insert(database, list(r)?);
            }
            within.retain(|_, list| !list.is_empty());
            Stored::Settings(Arc::new(RoleSettings { role: oid, everywhere, within }))
        }
        Kind::Access => {
            let owner = r.u32()?;
            let (has_acl, acl) = (r.bool()?, decode_acl(r)?);
            let columns = r.list(|r| Ok((r.u32()? as i16, decode_acl(r)?)))?.into_iter().collect();
            Stored::Access(Arc::new(Access { oid, owner, acl: has_acl.then_some(acl), columns }))
        }
        Kind::DefaultAcl => Stored::DefaultAcl(Arc::new(DefaultAcl {
            oid,
            role: r.u32()?,
            schema: r.u32()?,
            class: CLASSES.get(r.u32()? as usize).copied().ok_or_else(corrupt)?,
            acl: decode_acl(r)?,
        })),
        _ => return Err(corrupt()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_read_again() {
        let acl = Acl(vec![AclItem { grantee: 0, grantor: 10, privileges: 7 }]);
        let all = [
            Stored::Role(Arc::new(Role {
                password: Some("p".into()),
                valid_until: Some(5),
                connection_limit: 3,
                ..Role::new_superuser(9, "r")
            })),
            Stored::Membership(Arc::new(Membership {
                oid: 9,
                role: 1,
                member: 2,
                grantor: 3,
                admin: true,
                inherit: false,
                set: true,
            })),
            Stored::Settings(Arc::new(RoleSettings {
                role: 9,
                everywhere: vec![("a".into(), "b".into())],
                within: [(77, vec![("c".into(), "d".into())])].into(),
            })),
            Stored::Access(Arc::new(Access {
                oid: 9,
                owner: 11,
                acl: Some(acl.clone()),
                columns: [(2, acl.clone())].into(),
            })),
            Stored::DefaultAcl(Arc::new(DefaultAcl { oid: 9, role: 1, schema: 2, class: Class::Type, acl })),
        ];
        for stored in all {
            let mut w = Writer(Vec::new());
            encode(&mut w, &stored);
            let (kind, oid) = stored.key();
            let read = decode(&mut Reader(&w.0), kind, oid).unwrap();
            assert_eq!(format!("{stored:?}"), format!("{read:?}"));
            assert!(decode(&mut Reader(&w.0[..w.0.len() - 1]), kind, oid).is_err());
        }
    }
}
