//! Owners: ALTER … OWNER TO, REASSIGN OWNED, DROP OWNED; who owns what is new; what depends on a role.
//!
//! Must not know: how objects are made or dropped.

use crate::catalog::locks::TableLockMode;
use crate::catalog::security::acl::{self, Class, not_owner};
use crate::catalog::security::roles::BOOTSTRAP_OID;
use crate::catalog::security::{Access, DefaultAcl, Stored};
use crate::catalog::{Change, FIRST_USER_OID, Kind, Object, Relation, Table};
use crate::parse::authority::{OwnedKind, RoleSpec};
use crate::parse::{DropStmt, Name, ObjectKind};
use crate::session::Session;
use crate::session::privileges::{no_role, noun_of};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::quote_ident;
use std::sync::Arc;

impl Session {
    /// What goes into the catalog with a change: owner and privileges of what is new; of what is dropped they go.
    pub(super) fn with_change(&mut self, change: &Change) -> Result<Option<Change>, SqlError> {
        let (oid, class, schema) = match change {
            Change::Put(Object::Table(t)) => match self.catalog.table(t.oid) {
                Some(_) => return Ok(self.without_dropped_columns(t)),
                None => (t.oid, Class::Table, t.schema),
            },
            Change::Put(Object::Sequence(s)) if self.catalog.sequence(s.oid).is_none() => {
                (s.oid, Class::Sequence, s.schema)
            }
            Change::Put(Object::View(v)) if self.catalog.view(v.oid).is_none() => {
                (v.oid, Class::Table, v.schema)
            }
            Change::Put(Object::Extension(e)) if self.catalog.extension_named(&e.name).is_none() => {
                (e.oid, Class::Language, 0)
            }
            Change::Put(Object::Type(t)) if self.catalog.user_type(t.oid).is_none() => {
                (t.oid, Class::Type, t.schema)
            }
            Change::Put(Object::Collation(c)) if self.catalog.user_collation(c.oid).is_none() => {
                (c.oid, Class::Language, c.schema)
            }
            Change::Put(Object::Schema(s)) if self.catalog.schema(s.oid).is_none() => {
                (s.oid, Class::Schema, 0)
            }
            Change::Remove(kind, oid) => {
                let is_security = *kind as u8 >= Kind::Role as u8;
                let has_access = !is_security && self.security().access(*oid).is_some();
                return Ok(has_access.then_some(Change::Remove(Kind::Access, *oid)));
            }
            _ => return Ok(None),
        };
        let owner = self.current_role();
        let acl = self.security().new_acl(owner, schema, class);
        if owner == BOOTSTRAP_OID && acl.is_none() {
            return Ok(None);
        }
        for role in
            acl.iter().flat_map(|a| a.roles()).chain([owner]).collect::<std::collections::BTreeSet<_>>()
        {
            if role >= FIRST_USER_OID && self.lock_role(role, TableLockMode::AccessShare)?.is_none() {
                return Err(no_role(&role.to_string()));
            }
        }
        let access = Access { oid, owner, acl, columns: Default::default() };
        Ok(Some(Change::Put(Object::Security(Stored::Access(Arc::new(access))))))
    }

    /// Privileges on a column go with it.
    fn without_dropped_columns(&self, t: &crate::catalog::Table) -> Option<Change> {
        let access = self.security().access(t.oid)?;
        let dropped = |c: &i16| t.columns.get(*c as usize - 1).is_none_or(|c| c.dropped);
        if !access.columns.keys().any(dropped) {
            return None;
        }
        let mut access = (**access).clone();
        access.columns.retain(|c, _| !dropped(c));
        Some(Change::Put(Object::Security(Stored::Access(Arc::new(access)))))
    }

    pub(super) fn alter_owner(
        &mut self,
        kind: OwnedKind,
        name: &Name,
        if_exists: bool,
        to: &RoleSpec,
    ) -> Result<&'static str, SqlError> {
        let missing =
            |code, noun: &str| Err(SqlError::new(code, format!("{noun} \"{name}\" does not exist")));
        let (oid, noun, tag) = match kind {
            OwnedKind::Table
            | OwnedKind::View
            | OwnedKind::MaterializedView
            | OwnedKind::Sequence
            | OwnedKind::Index => {
                return self.alter_relation_owner(kind, name, if_exists, to);
            }
            OwnedKind::LargeObject => return self.alter_large_object_owner(name, to),
            OwnedKind::Schema => (self.schema_oid(&name.name)?, "schema", "ALTER SCHEMA"),
            OwnedKind::Database => (self.database_oid(&name.name)?, "database", "ALTER DATABASE"),
            OwnedKind::Type | OwnedKind::Domain => {
                if let Some(e) = self.missing_schema(name) {
                    return Err(e);
                } else if let Ok(t) = self.find_type(name) {
                    (t.oid, "type", if t.domain.is_some() { "ALTER DOMAIN" } else { "ALTER TYPE" })
                } else {
                    let Some(ty) = evenkeel_types::Type::from_name(&name.name) else {
                        return missing(SqlState::UNDEFINED_OBJECT, "type");
                    };
                    self.check_owns(ty.oid(), "type", &ty.sql_name())?;
                    return Err(SqlError::unsupported("the owner of a system type is not changed"));
                }
            }
            OwnedKind::Collation => (self.find_collation(name)?, "collation", "ALTER COLLATION"),
            OwnedKind::Other("function" | "procedure" | "routine" | "aggregate") => {
                let OwnedKind::Other(word) = kind else {
                    return missing(SqlState::UNDEFINED_FUNCTION, "function");
                };
                let message = format!("{word} {name} does not exist");
                return Err(SqlError::new(SqlState::UNDEFINED_FUNCTION, message));
            }
            OwnedKind::Other("statistics") => {
                let (table, s) = self.find_statistics(name)?;
                self.check_owns(table.oid, "statistics object", &s.name)?;
                let role = self.find_role(to)?;
                if self.security().owner(table.oid) != role {
                    let why = "a statistics object of another owner than its table is not supported";
                    return Err(SqlError::unsupported(why));
                }
                return Ok("ALTER STATISTICS");
            }
            OwnedKind::Other(word) => {
                let what = word.to_uppercase();
                return Err(SqlError::unsupported(format!("ALTER {what} OWNER TO is not supported")));
            }
        };
        let role = self.find_role(to)?;
        if self.security().owner(oid) == role {
            return Ok(tag);
        }
        self.check_owns(oid, noun, &name.name)?;
        self.check_may_give_to(role)?;
        if kind == OwnedKind::Schema {
            self.check_may_in_database(acl::CREATE)?;
        } else if !self.authority.is_superuser && !self.attribute_create_db() {
            let message = "permission denied to change owner of database";
            return Err(SqlError::new(SqlState::INSUFFICIENT_PRIVILEGE, message));
        }
        self.give_to(oid, role)?;
        Ok(tag)
    }

    fn attribute_create_db(&self) -> bool {
        self.security().role(self.current_role()).is_some_and(|r| r.create_db)
    }

    fn alter_relation_owner(
        &mut self,
        kind: OwnedKind,
        name: &Name,
        if_exists: bool,
        to: &RoleSpec,
    ) -> Result<&'static str, SqlError> {
        let (tag, noun) = match kind {
            OwnedKind::View => ("ALTER VIEW", "view"),
            OwnedKind::MaterializedView => ("ALTER MATERIALIZED VIEW", "materialized view"),
            OwnedKind::Sequence => ("ALTER SEQUENCE", "sequence"),
            OwnedKind::Index => ("ALTER INDEX", "index"),
            _ => ("ALTER TABLE", "relation"),
        };
        let relation = match self.find_relation(name) {
            Err(e)
                if if_exists
                    && matches!(e.code, SqlState::UNDEFINED_TABLE | SqlState::INVALID_SCHEMA_NAME) =>
            {
                self.skipped(&format!("relation \"{}\" does not exist", name.name));
                return Ok(tag);
            }
            other => other?,
        };
        let right = match kind {
            OwnedKind::Sequence => matches!(relation, Relation::Sequence(_)),
            OwnedKind::View => noun_of(&relation) == "view",
            OwnedKind::MaterializedView => noun_of(&relation) == "materialized view",
            _ => true,
        };
        if !right {
            let article = format!("\"{}\" is not a {noun}", relation.name());
            return Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, article));
        }
        // Whoever may not change it does not wait for it, in front of all who may read it.
        if !matches!(relation, Relation::Virtual(_)) {
            self.check_owns_relation(&relation)?;
        }
        let mut owned = Vec::new();
        match &relation {
            Relation::View(v) => {
                let lock = self.name_lock(v.schema, &v.name);
                self.ensure_txn()?;
                self.lock_object(&lock, TableLockMode::AccessExclusive, &v.name, false)?;
                self.refresh_catalog();
            }
            Relation::Table(t) => {
                self.ensure_txn()?;
                self.lock_object(&t.shared.lock, TableLockMode::AccessExclusive, &t.name, false)?;
                self.refresh_catalog();
                owned.extend(
                    self.catalog
                        .sequences()
                        .filter(|s| s.owned_by.is_some_and(|o| o.0 == t.oid))
                        .map(|s| s.oid),
                );
            }
            Relation::Index(t, i) => {
                // Old dumps have it.
                if self.security().owner(t.oid) != self.find_role(to)? {
                    let message = format!("cannot change owner of index \"{}\"", i.name);
                    self.notice("WARNING", SqlState::WRONG_OBJECT_TYPE, message);
                }
                return Ok(tag);
            }
            Relation::Sequence(s) => {
                // Dumps name whose it is already.
                if let Some((table, ..)) = s.owned_by
                    && self.security().owner(s.oid) != self.find_role(to)?
                {
                    let table = self.catalog.table(table).map_or("?", |t| &t.name);
                    return Err(SqlError::unsupported(format!(
                        "cannot change owner of sequence \"{}\"",
                        s.name
                    ))
                    .with_detail(format!("Sequence \"{}\" is linked to table \"{table}\".", s.name)));
                }
                self.ensure_txn()?;
                self.lock_object(&s.lock, TableLockMode::AccessExclusive, &s.name, false)?;
                self.refresh_catalog();
            }
            Relation::Virtual(v) => {
                return Err(SqlError::new(
                    SqlState::INSUFFICIENT_PRIVILEGE,
                    format!("permission denied: \"{}\" is a system catalog", v.name),
                ));
            }
        }
        // The name may stand for another by now, or for nothing.
        if !self.find_relation(name).is_ok_and(|now| now.oid() == relation.oid()) {
            return self.alter_relation_owner(kind, name, if_exists, to);
        }
        let role = self.find_role(to)?;
        self.check_owns_relation(&relation)?;
        if let Relation::Table(t) = &relation {
            self.refuse_in_use(t, "ALTER TABLE")?;
        }
        if self.security().owner(relation.oid()) == role {
            return Ok(tag);
        }
        self.check_may_give_to(role)?;
        let schema = relation.schema();
        if !self.authority.is_superuser && self.security().mask(role, schema, Class::Schema, acl::CREATE) == 0
        {
            let name = self.catalog.schema(schema).map_or(String::new(), |s| s.name.clone());
            return Err(acl::denied("schema", &name));
        }
        self.give_to(relation.oid(), role)?;
        for sequence in owned {
            self.give_to(sequence, role)?;
        }
        Ok(tag)
    }

    /// OWNER TO as one change of several of a table.
    pub(super) fn give_table_to(
        &mut self,
        table: &Table,
        to: &sqlparser::ast::Owner,
    ) -> Result<(), SqlError> {
        use sqlparser::ast::Owner;
        let to = match to {
            Owner::Ident(i) => RoleSpec::Name(crate::bind::ident(i)),
            Owner::CurrentRole => RoleSpec::Current("CURRENT_ROLE"),
            Owner::CurrentUser => RoleSpec::Current("CURRENT_USER"),
            Owner::SessionUser => RoleSpec::Session,
        };
        let schema = self.catalog.schema(table.schema).map(|s| s.name.clone());
        let name = Name { schema, name: table.name.clone() };
        self.alter_relation_owner(OwnedKind::Table, &name, false, &to).map(|_| ())
    }

    /// The role that CREATE SCHEMA … AUTHORIZATION names.
    pub(super) fn schema_owner(&self, name: &sqlparser::ast::Ident) -> Result<u32, SqlError> {
        let spec = match (&*name.value.to_ascii_lowercase(), name.quote_style) {
            ("current_user", None) => RoleSpec::Current("CURRENT_USER"),
            ("current_role", None) => RoleSpec::Current("CURRENT_ROLE"),
            ("session_user", None) => RoleSpec::Session,
            _ => RoleSpec::Name(crate::bind::ident(name)),
        };
        let role = self.find_role(&spec)?;
        self.check_may_give_to(role)?;
        Ok(role)
    }

    /// Refuses a new owner that the current role could not become.
    pub(super) fn check_may_give_to(&self, role: u32) -> Result<(), SqlError> {
        if self.authority.is_superuser || self.security().can_set(self.current_role(), role) {
            return Ok(());
        }
        let message = format!("must be able to SET ROLE \"{}\"", self.role_name(role));
        Err(SqlError::new(SqlState::INSUFFICIENT_PRIVILEGE, message))
    }

    /// Makes a role the owner of an object; what the old one granted is its now.
    pub(super) fn give_to(&mut self, oid: u32, role: u32) -> Result<(), SqlError> {
        if self.lock_role(role, TableLockMode::AccessShare)?.is_none() {
            return Err(no_role(&role.to_string()));
        }
        let mut access = self.lock_access(oid)?;
        let old = access.owner;
        if old == role {
            return Ok(());
        }
        access.owner = role;
        access.acl.iter_mut().for_each(|a| a.give_to(old, role));
        access.columns.values_mut().for_each(|a| a.give_to(old, role));
        self.begin_definition()?;
        self.put_security(Stored::Access(Arc::new(access)))
    }

    pub(super) fn reassign_owned(&mut self, from: &[RoleSpec], to: &RoleSpec) -> Result<(), SqlError> {
        let from = self.find_roles(from)?;
        for role in &from {
            if !self.has_role(*role) {
                return Err(crate::session::privileges::refused(
                    "reassign objects",
                    format!(
                        "Only roles with privileges of role \"{}\" may reassign objects owned by it.",
                        self.role_name(*role)
                    ),
                ));
            }
        }
        let to = self.find_role(to)?;
        if !self.has_role(to) {
            return Err(crate::session::privileges::refused(
                "reassign objects",
                format!(
                    "Only roles with privileges of role \"{}\" may reassign objects to it.",
                    self.role_name(to)
                ),
            ));
        }
        for role in from {
            self.refuse_bootstrap("reassign ownership of", role)?;
            let owned: Vec<u32> =
                self.security().accesses().filter(|a| a.owner == role).map(|a| a.oid).collect();
            for oid in owned {
                self.give_to(oid, to)?;
            }
            for (oid, owns) in self.own_large_objects_of_role(role)? {
                if owns {
                    self.give_large_object_to(oid, to)?;
                }
            }
        }
        Ok(())
    }

    fn refuse_bootstrap(&self, what: &str, role: u32) -> Result<(), SqlError> {
        if role >= FIRST_USER_OID {
            return Ok(());
        }
        let tail = "because they are required by the database system";
        let message = format!("cannot {what} objects owned by role {} {tail}", self.role_name(role));
        Err(SqlError::new(SqlState::DEPENDENT_OBJECTS_STILL_EXIST, message))
    }

    pub(super) fn drop_owned(&mut self, by: &[RoleSpec], cascade: bool) -> Result<(), SqlError> {
        let roles = self.find_roles(by)?;
        for role in &roles {
            if !self.has_role(*role) {
                return Err(crate::session::privileges::refused(
                    "drop objects",
                    format!(
                        "Only roles with privileges of role \"{}\" may drop objects owned by it.",
                        self.role_name(*role)
                    ),
                ));
            }
        }
        for role in roles {
            self.refuse_bootstrap("drop", role)?;
            self.revoke_all_of(role)?;
            self.revoke_large_objects_of(role)?;
            self.drop_all_of(role, cascade)?;
            self.drop_large_objects_of(role)?;
        }
        Ok(())
    }

    /// Takes a role out of all lists, and back what it has granted of other roles.
    fn revoke_all_of(&mut self, role: u32) -> Result<(), SqlError> {
        let granted: Vec<(u32, u32)> = self
            .security()
            .memberships()
            .filter(|m| m.grantor == role && role != BOOTSTRAP_OID)
            .map(|m| (m.oid, m.role))
            .collect();
        for (oid, of) in granted {
            // Somebody else may take it back meanwhile.
            if self.lock_role(of, TableLockMode::AccessExclusive)?.is_some()
                && self.security().memberships().any(|m| m.oid == oid)
            {
                self.begin_definition()?;
                self.record(Change::Remove(Kind::Membership, oid))?;
            }
        }
        self.begin_definition()?;
        let named: Vec<u32> = self
            .security()
            .accesses()
            .filter(|a| a.acl.iter().chain(a.columns.values()).any(|l| l.roles().any(|r| r == role)))
            .map(|a| a.oid)
            .collect();
        for oid in named {
            let mut access = self.lock_access(oid)?;
            let owner = access.owner;
            if owner == role {
                continue;
            }
            let s = self.security();
            if let Some(list) = &mut access.acl {
                list.forget(s, role, owner)?;
            }
            for list in access.columns.values_mut() {
                list.forget(s, role, owner)?;
            }
            access.columns.retain(|_, list| !list.0.is_empty());
            self.put_security(Stored::Access(Arc::new(access)))?;
        }
        let defaults: Vec<Arc<DefaultAcl>> = self.security().default_acls().cloned().collect();
        for d in defaults {
            if d.role == role {
                self.record(Change::Remove(Kind::DefaultAcl, d.oid))?;
            } else if d.acl.roles().any(|r| r == role) {
                let mut changed = (*d).clone();
                changed.acl.forget(self.security(), role, d.role)?;
                if changed.acl == changed.base() {
                    self.record(Change::Remove(Kind::DefaultAcl, d.oid))?;
                } else {
                    self.put_security(Stored::DefaultAcl(Arc::new(changed)))?;
                }
            }
        }
        Ok(())
    }

    /// Drops what a role owns: tables first, and schemas last.
    fn drop_all_of(&mut self, role: u32, cascade: bool) -> Result<(), SqlError> {
        let owned: Vec<u32> = self.security().accesses().filter(|a| a.owner == role).map(|a| a.oid).collect();
        let mut drops: Vec<(ObjectKind, Vec<Name>)> = Vec::new();
        let (mut tables, mut sequences, mut schemas) = (Vec::new(), Vec::new(), Vec::new());
        let (mut views, mut types, mut collations) = (Vec::new(), Vec::new(), Vec::new());
        for oid in owned {
            if let Some(s) = self.catalog.schema(oid) {
                schemas.push(Name { schema: None, name: s.name.clone() });
                continue;
            }
            if let Some(t) = self.catalog.user_type(oid) {
                let schema = self.catalog.schema(t.schema).map(|s| s.name.clone());
                types.push(Name { schema, name: t.name.clone() });
                continue;
            }
            if let Some(c) = self.catalog.user_collation(oid) {
                let schema = self.catalog.schema(c.schema).map(|s| s.name.clone());
                collations.push(Name { schema, name: c.name.clone() });
                continue;
            }
            let Some(relation) = self.catalog.relation(oid) else { continue };
            let schema = self.catalog.schema(relation.schema()).map(|s| s.name.clone());
            let name = Name { schema, name: relation.name().to_owned() };
            match relation {
                Relation::Table(ref t) if t.materialized.is_none() => tables.push(name),
                Relation::View(_) | Relation::Table(_) => views.push(relation),
                // Those of columns go with their tables.
                Relation::Sequence(s) if s.owned_by.is_none() => sequences.push(name),
                _ => {}
            }
        }
        self.drop_view_list(&views, cascade)?;
        drops.push((ObjectKind::Table, tables));
        drops.push((ObjectKind::Sequence, sequences));
        drops.push((ObjectKind::Type, types));
        drops.push((ObjectKind::Collation, collations));
        drops.push((ObjectKind::Schema, schemas));
        for (kind, names) in drops {
            if !names.is_empty() {
                self.drop_objects(&DropStmt { kind, concurrently: false, if_exists: false, names, cascade })?;
            }
        }
        Ok(())
    }

    /// What depends on a role, as the error of DROP ROLE tells it.
    pub(super) fn dependents_of_role(&mut self, role: u32) -> Result<Vec<String>, SqlError> {
        let large_objects = self.own_large_objects_of_role(role)?;
        let s = self.security();
        let mut all = Vec::new();
        for a in s.accesses() {
            let what = self.description(a.oid);
            if a.owner == role {
                all.push(format!("owner of {what}"));
            } else if a.acl.iter().flat_map(|l| l.roles()).any(|r| r == role) {
                all.push(format!("privileges for {what}"));
            }
            for (column, list) in &a.columns {
                if a.owner != role && list.roles().any(|r| r == role) {
                    let name = match self.catalog.relation(a.oid) {
                        Some(Relation::Table(t)) => t.columns[*column as usize - 1].name.clone(),
                        Some(Relation::View(v)) => v.columns[*column as usize - 1].name.clone(),
                        Some(Relation::Virtual(v)) => v.columns[*column as usize - 1].0.to_owned(),
                        _ => column.to_string(),
                    };
                    all.push(format!("privileges for column {name} of {what}"));
                }
            }
        }
        for d in s.default_acls() {
            let owner = if d.role == role { "owner of" } else { "privileges for" };
            if d.role == role || d.acl.roles().any(|r| r == role) {
                let kind = match d.class {
                    Class::Table => "relations",
                    Class::Sequence => "sequences",
                    Class::Function => "functions",
                    Class::Type => "types",
                    Class::Schema => "schemas",
                    _ => "large objects",
                };
                let place = match self.catalog.schema(d.schema) {
                    Some(schema) => format!(" in schema {}", quote_ident(&schema.name)),
                    None => String::new(),
                };
                let of = acl::quoted(s, d.role);
                all.push(format!("{owner} default privileges on new {kind} belonging to role {of}{place}"));
            }
        }
        for (oid, owns) in large_objects {
            all.push(format!("{} large object {oid}", if owns { "owner of" } else { "privileges for" }));
        }
        for m in s.memberships().filter(|m| m.grantor == role) {
            let (member, of) = (acl::quoted(s, m.member), acl::quoted(s, m.role));
            all.push(format!("privileges for membership of role {member} in role {of}"));
        }
        for part in self.instance.store.parts() {
            let other = part.current();
            if other.database == self.catalog.database {
                continue;
            }
            let s = other.security();
            let of_access = s.accesses().filter(|a| other.database_row(a.oid).is_none());
            let mut n = of_access
                .filter(|a| {
                    let mut lists = a.acl.iter().chain(a.columns.values());
                    a.owner == role || lists.any(|l| l.roles().any(|r| r == role))
                })
                .count();
            n += s.default_acls().filter(|d| d.role == role || d.acl.roles().any(|r| r == role)).count();
            n += self.large_objects_of_role(other.large_objects(), role)?.len();
            if n > 0 {
                let objects = if n == 1 { "1 object".to_owned() } else { format!("{n} objects") };
                all.push(format!("{objects} in database {}", quote_ident(other.database_name())));
            }
        }
        Ok(all)
    }

    /// `table x`, `schema y` and so on.
    fn description(&self, oid: u32) -> String {
        if let Some(schema) = self.catalog.schema(oid) {
            return format!("schema {}", quote_ident(&schema.name));
        }
        if let Some(d) = self.catalog.database_row(oid) {
            return format!("database {}", quote_ident(&d.name));
        }
        if self.catalog.user_collation(oid).is_some() {
            return format!("collation {}", self.catalog.shown_collation(oid, self.search_path()));
        }
        match self.catalog.relation(oid) {
            Some(r) => {
                format!("{} {}", noun_of(&r), self.catalog.qualified_name(&r, self.search_path()))
            }
            None if self.catalog.user_type(oid).is_some() => {
                let name = self.catalog.type_name(oid, self.search_path()).unwrap_or_default();
                format!("type {name}")
            }
            None => match evenkeel_types::Type::from_oid(oid) {
                Some(t) => format!("type {}", t.sql_name()),
                None => match crate::catalog::views::types::function_name(oid) {
                    Some(f) => format!("function {f}"),
                    None => format!("object {oid}"),
                },
            },
        }
    }

    /// Locks a table that the current role owns: whoever does not is refused before it waits.
    pub(super) fn lock_own_table(
        &mut self,
        name: &Name,
        mode: TableLockMode,
    ) -> Result<Arc<Table>, SqlError> {
        self.refresh_catalog();
        let relation = self.find_relation(name)?;
        if let Relation::Table(_) = relation {
            self.check_owns_relation(&relation)?;
        }
        let table = self.lock_table(name, mode)?;
        if self.owns(table.oid) { Ok(table) } else { Err(not_owner("table", &table.name)) }
    }

    /// Locks a table that the current role has a privilege on.
    pub(super) fn lock_table_for(
        &mut self,
        name: &Name,
        mode: TableLockMode,
        privilege: acl::Privileges,
    ) -> Result<Arc<Table>, SqlError> {
        let table = self.find_table(name)?;
        self.check_may(table.oid, Class::Table, &table.name, privilege)?;
        let table = self.lock_table(name, mode)?;
        self.check_may(table.oid, Class::Table, &table.name, privilege)?;
        Ok(table)
    }

    /// Refuses who may not refer to columns of a table by a foreign key.
    pub(super) fn check_may_refer(&self, table: &Table, columns: &[usize]) -> Result<(), SqlError> {
        if self.may(table.oid, Class::Table, acl::REFERENCES) {
            return Ok(());
        }
        let (s, role) = (self.security(), self.current_role());
        let lists = s.access(table.oid).map(|a| &a.columns);
        let has = |c: &usize| {
            lists
                .and_then(|l| l.get(&(*c as i16 + 1)))
                .is_some_and(|l| l.mask(s, role, s.owner(table.oid), acl::REFERENCES) != 0)
        };
        if columns.iter().all(has) { Ok(()) } else { Err(acl::denied("table", &table.name)) }
    }
}
