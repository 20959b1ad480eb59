//! GRANT and REVOKE on objects, and ALTER DEFAULT PRIVILEGES.
//!
//! Must not know: memberships of roles.

use crate::catalog::locks::TableLockMode;
use crate::catalog::security::acl::{
    self, Acl, AclItem, Class, Mode, PUBLIC, Privileges, denied, options_for,
};
use crate::catalog::security::{Access, DefaultAcl, Stored};
use crate::catalog::{Change, Kind, Relation, large_objects, views};
use crate::parse::Name;
use crate::parse::authority::{Grant, GrantOn, RoleSpec};
use crate::session::Session;
use crate::session::privileges::no_role;
use evenkeel_types::Type;
use evenkeel_types::error::{SqlError, SqlState};
use std::sync::Arc;

/// What GRANT or REVOKE changes.
struct Target {
    oid: u32,
    class: Class,
    name: String,
    relation: Option<Relation>,
}

impl Target {
    fn new(oid: u32, class: Class, name: &str) -> Target {
        Target { oid, class, name: name.to_owned(), relation: None }
    }
}

/// System columns, by their numbers from -1 down.
const SYSTEM_COLUMNS: [&str; 6] = ["ctid", "xmin", "cmin", "xmax", "cmax", "tableoid"];

/// The columns of a sequence.
const SEQUENCE_COLUMNS: [&str; 3] = ["last_value", "log_cnt", "is_called"];

/// How it changes a list.
struct ListChange<'a> {
    grant: &'a Grant,
    grantees: &'a [u32],
    grantor: u32,
    owner: u32,
}

fn bad_grant(message: impl Into<String>) -> SqlError {
    SqlError::new(SqlState::INVALID_GRANT_OPERATION, message)
}

fn undefined(message: impl Into<String>) -> SqlError {
    SqlError::new(SqlState::UNDEFINED_OBJECT, message)
}

impl Session {
    pub(super) fn grant(&mut self, g: &Grant) -> Result<(), SqlError> {
        if let Some(grantor) = &g.grantor
            && self.find_role(grantor)? != self.current_role()
        {
            return Err(SqlError::unsupported("grantor must be current user"));
        }
        let grantees = self.grantees(g)?;
        let (whole, of_columns) = privileges_of(g)?;
        let targets = self.grant_targets(&g.on)?;
        for target in targets {
            self.grant_on(g, &grantees, &target, whole, &of_columns)?;
        }
        Ok(())
    }

    /// To or from whom; PUBLIC is 0.
    fn grantees(&mut self, g: &Grant) -> Result<Vec<u32>, SqlError> {
        let mut all = Vec::new();
        for spec in &g.grantees {
            if *spec == RoleSpec::Public {
                all.push(PUBLIC);
                continue;
            }
            let role = self.find_role(spec)?;
            if self.lock_role(role, TableLockMode::AccessShare)?.is_none() {
                return Err(no_role(&role.to_string()));
            }
            all.push(role);
        }
        Ok(all)
    }

    fn grant_targets(&mut self, on: &GrantOn) -> Result<Vec<Target>, SqlError> {
        let mut targets = Vec::new();
        for (n, name) in on.names.iter().enumerate() {
            if on.all_in {
                targets.extend(self.all_in_schema(on, &name.name)?);
                continue;
            }
            targets.push(match on.class {
                Class::Table | Class::Sequence => self.grant_relation(on.class, name)?,
                Class::Schema => Target::new(self.schema_oid(&name.name)?, Class::Schema, &name.name),
                Class::Database => {
                    Target::new(self.database_oid(&name.name)?, Class::Database, &name.name)
                }
                Class::Type => self.grant_type(name)?,
                Class::Function => {
                    let arguments = on.arguments.get(n).and_then(Option::as_ref);
                    let Some(oid) = views::types::function_oid(&name.name) else {
                        let known = |a: &String| Type::from_name(a).map_or_else(|| a.clone(), |t| t.sql_name().into_owned());
                        let shown = arguments
                            .map(|a| format!("({})", a.iter().map(known).collect::<Vec<_>>().join(", ")));
                        return Err(match shown {
                            Some(a) => SqlError::new(
                                SqlState::UNDEFINED_FUNCTION,
                                format!("{} {name}{a} does not exist", on.word.to_lowercase()),
                            ),
                            None => SqlError::new(
                                SqlState::UNDEFINED_FUNCTION,
                                format!("could not find a {} named \"{name}\"", on.word.to_lowercase()),
                            ),
                        });
                    };
                    Target::new(oid, Class::Function, &name.name)
                }
                Class::Language => {
                    let known = [("internal", 12), ("c", 13), ("sql", 14)];
                    let Some((_, oid)) = known.iter().find(|(n, _)| *n == name.name) else {
                        return Err(undefined(format!("language \"{name}\" does not exist")));
                    };
                    if *oid != 14 {
                        let message = format!("language \"{name}\" is not trusted");
                        return Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, message).with_detail(
                            "GRANT and REVOKE are not allowed on untrusted languages, because only superusers can use untrusted languages.",
                        ));
                    }
                    Target::new(*oid, Class::Language, &name.name)
                }
                Class::Tablespace => {
                    let known = [("pg_default", 1663), ("pg_global", 1664)];
                    let found = known.iter().find(|(n, _)| *n == name.name);
                    let oid = found.ok_or_else(|| undefined(format!("tablespace \"{name}\" does not exist")))?.1;
                    Target::new(oid, Class::Tablespace, &name.name)
                }
                Class::ForeignWrapper => {
                    return Err(undefined(format!("foreign-data wrapper \"{name}\" does not exist")));
                }
                Class::ForeignServer => return Err(undefined(format!("server \"{name}\" does not exist"))),
                Class::LargeObject => {
                    let oid = self.large_object_named(name)?;
                    Target::new(oid, Class::LargeObject, &format!("large object {oid}"))
                }
                Class::Parameter | Class::Column => {
                    return Err(SqlError::unsupported(format!("GRANT ON {} is not supported", on.word)));
                }
            });
        }
        Ok(targets)
    }

    pub(super) fn schema_oid(&self, name: &str) -> Result<u32, SqlError> {
        self.catalog.schema_named(name).map(|s| s.oid).ok_or_else(|| {
            SqlError::new(SqlState::INVALID_SCHEMA_NAME, format!("schema \"{name}\" does not exist"))
        })
    }

    fn grant_relation(&mut self, class: Class, name: &Name) -> Result<Target, SqlError> {
        let relation = self.find_relation(name)?;
        let own = match &relation {
            Relation::Index(_, i) => {
                let message = format!("\"{}\" is an index", i.name);
                return Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, message));
            }
            Relation::Sequence(_) => Class::Sequence,
            _ if class == Class::Sequence => {
                let message = format!("\"{}\" is not a sequence", relation.name());
                return Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, message));
            }
            _ => Class::Table,
        };
        let (oid, name) = (relation.oid(), relation.name().to_owned());
        Ok(Target { oid, class: own, name, relation: Some(relation) })
    }

    fn grant_type(&self, name: &Name) -> Result<Target, SqlError> {
        if let Some(e) = self.missing_schema(name) {
            return Err(e);
        }
        if let Ok(t) = self.find_type(name) {
            return Ok(Target::new(t.oid, Class::Type, &t.name));
        }
        let Some(ty) = Type::from_name(&name.name) else {
            return Err(undefined(format!("type \"{name}\" does not exist")));
        };
        if ty.is_array() {
            return Err(bad_grant("cannot set privileges of array types")
                .with_hint("Set the privileges of the element type instead."));
        }
        Ok(Target::new(ty.oid(), Class::Type, &ty.pg_name()))
    }

    fn all_in_schema(&self, on: &GrantOn, schema: &str) -> Result<Vec<Target>, SqlError> {
        let schema = self.schema_oid(schema)?;
        let target = |class, relation: Relation| Target {
            oid: relation.oid(),
            class,
            name: relation.name().to_owned(),
            relation: Some(relation),
        };
        Ok(match on.class {
            Class::Table => {
                let own = self.catalog.tables().filter(|t| t.schema == schema).cloned().map(Relation::Table);
                let system = views::all().iter().filter(|v| v.schema == schema).map(|v| Relation::Virtual(v));
                let views = self.catalog.views().filter(|v| v.schema == schema).cloned().map(Relation::View);
                own.chain(views).chain(system).map(|r| target(Class::Table, r)).collect()
            }
            Class::Sequence => {
                let own = self.catalog.sequences().filter(|s| s.schema == schema).cloned();
                own.map(|s| target(Class::Sequence, Relation::Sequence(s))).collect()
            }
            // There are those of pg_catalog alone.
            _ => Vec::new(),
        })
    }

    /// Owner and lists of an object, to be changed; nobody else changes them until the end of the transaction.
    pub(super) fn lock_access(&mut self, oid: u32) -> Result<Access, SqlError> {
        self.lock_name(super::role::ACCESSES, &oid.to_string())?;
        let s = self.security();
        Ok(match s.access(oid) {
            Some(a) => (**a).clone(),
            None => Access { oid, owner: s.owner(oid), acl: s.shown_acl(oid), columns: Default::default() },
        })
    }

    fn grant_on(
        &mut self,
        g: &Grant,
        grantees: &[u32],
        target: &Target,
        whole: Privileges,
        of_columns: &[(Privileges, Vec<String>)],
    ) -> Result<(), SqlError> {
        let is_large_object = target.class == Class::LargeObject;
        let mut access = match is_large_object {
            true => self.lock_large_object(target.oid)?,
            false => self.lock_access(target.oid)?,
        };
        let mut whole = whole;
        let all = g.privileges.is_none();
        if all {
            whole = target.class.all();
        } else if target.class == Class::Sequence && g.on.class == Class::Table {
            if whole & !Class::Sequence.all() != 0 {
                let message = format!(
                    "sequence \"{}\" only supports USAGE, SELECT, and UPDATE privileges",
                    target.name
                );
                self.notice("WARNING", SqlState::INVALID_GRANT_OPERATION, message);
                whole &= Class::Sequence.all();
            }
        } else if target.class == Class::Table && whole & !Class::Table.all() != 0 {
            let message = "invalid privilege type USAGE for table";
            return Err(bad_grant(message));
        }
        let owner = access.owner;
        let mut old = access.acl.clone().unwrap_or_else(|| target.class.default_acl(owner));
        let of_table = old.clone();
        let mut columns = self.columns_of_grant(g, target, whole, of_columns)?;
        if whole != 0 {
            let (grantor, options) = old.best_grantor(self.security(), self.current_role(), whole, owner);
            let restricted = self.restrict(g, target, None, (whole, all), (grantor, options), &access)?;
            let how = ListChange { grant: g, grantees, grantor, owner };
            self.merge(&mut old, &how, restricted)?;
            access.acl = Some(old);
        }
        columns.sort_by_key(|c| c.0);
        for (number, privileges) in columns {
            let mut acl = access.columns.get(&number).cloned().unwrap_or_default();
            let mut both = of_table.clone();
            both.0.extend(acl.0.iter().copied());
            let (grantor, options) =
                both.best_grantor(self.security(), self.current_role(), privileges, owner);
            let every = privileges == acl::ALL_COLUMN;
            let restricted =
                self.restrict(g, target, Some(number), (privileges, every), (grantor, options), &access)?;
            let how = ListChange { grant: g, grantees, grantor, owner };
            self.merge(&mut acl, &how, restricted)?;
            if acl.0.is_empty() {
                access.columns.remove(&number);
            } else {
                access.columns.insert(number, acl);
            }
        }
        self.begin_definition()?;
        if is_large_object {
            return self.put_large_object(&access);
        }
        self.put_security(Stored::Access(Arc::new(access)))
    }

    /// Columns by number, with what is granted on each, or taken from them with the table's.
    fn columns_of_grant(
        &self,
        g: &Grant,
        target: &Target,
        whole: Privileges,
        of_columns: &[(Privileges, Vec<String>)],
    ) -> Result<Vec<(i16, Privileges)>, SqlError> {
        let mut columns: Vec<(i16, Privileges)> = Vec::new();
        if !g.is_grant && whole & acl::ALL_COLUMN != 0 && target.relation.is_some() {
            // Of all columns, as PostgreSQL does: so whoever may revoke nothing is told of each.
            let own: Vec<i16> = match &target.relation {
                Some(Relation::Table(t)) => t.live_columns().map(|(n, _)| n as i16 + 1).collect(),
                Some(Relation::View(v)) => (1..=v.columns.len() as i16).collect(),
                Some(Relation::Virtual(v)) => (1..=v.columns.len() as i16).collect(),
                _ => (1..=SEQUENCE_COLUMNS.len() as i16).collect(),
            };
            let system = match &target.relation {
                Some(Relation::Virtual(v)) if v.is_view => 0..0,
                _ => -(SYSTEM_COLUMNS.len() as i16)..0,
            };
            columns.extend(system.chain(own).map(|c| (c, whole & acl::ALL_COLUMN)));
        }
        for (privileges, names) in of_columns {
            for name in names {
                let number = match &target.relation {
                    Some(Relation::Table(t)) => t.find_column(name)?,
                    Some(Relation::View(v)) => v.column(name).ok_or_else(|| {
                        let message = format!("column \"{name}\" of relation \"{}\" does not exist", v.name);
                        SqlError::new(SqlState::UNDEFINED_COLUMN, message)
                    })?,
                    Some(Relation::Virtual(v)) => {
                        v.columns.iter().position(|c| c.0 == name).ok_or_else(|| {
                            let message =
                                format!("column \"{name}\" of relation \"{}\" does not exist", v.name);
                            SqlError::new(SqlState::UNDEFINED_COLUMN, message)
                        })?
                    }
                    _ => return Err(bad_grant("column privileges are only valid for relations")),
                };
                let number = number as i16 + 1;
                match columns.iter_mut().find(|c| c.0 == number) {
                    Some(slot) => slot.1 |= privileges,
                    None => columns.push((number, *privileges)),
                }
            }
        }
        Ok(columns)
    }

    /// What of the privileges the grantor may grant or revoke; warns of what it may not.
    fn restrict(
        &mut self,
        g: &Grant,
        target: &Target,
        column: Option<i16>,
        (privileges, all): (Privileges, bool),
        (grantor, options): (u32, Privileges),
        access: &Access,
    ) -> Result<Privileges, SqlError> {
        let column_name = column.map(|c| column_name(target, c));
        if options == 0 {
            let s = self.security();
            let class = if column.is_some() { Class::Column } else { target.class };
            let wanted = class.all() | options_for(class.all());
            let mut has = match target.class {
                Class::LargeObject => large_objects::mask(s, grantor, access, wanted),
                class => s.mask(grantor, target.oid, class, wanted),
            };
            if let Some(acl) = column.and_then(|c| access.columns.get(&c)) {
                has |= acl.mask(s, grantor, access.owner, wanted);
            }
            if has == 0 {
                let noun = target.relation.as_ref().map_or(class.noun(), crate::session::privileges::noun_of);
                return Err(match column_name {
                    Some(c) => SqlError::new(
                        SqlState::INSUFFICIENT_PRIVILEGE,
                        format!("permission denied for column \"{c}\" of relation \"{}\"", target.name),
                    ),
                    None => denied(noun, &target.name),
                });
            }
        }
        let allowed = privileges & acl::of_options(options);
        let place = match column_name {
            Some(c) => format!("column \"{c}\" of relation \"{}\"", target.name),
            None => format!("\"{}\"", target.name),
        };
        let (done, code) = if g.is_grant {
            ("were granted", SqlState::WARNING_PRIVILEGE_NOT_GRANTED)
        } else {
            ("could be revoked", SqlState::WARNING_PRIVILEGE_NOT_REVOKED)
        };
        if allowed == 0 {
            self.notice("WARNING", code, format!("no privileges {done} for {place}"));
        } else if !all && allowed != privileges {
            self.notice("WARNING", code, format!("not all privileges {done} for {place}"));
        }
        Ok(allowed)
    }

    /// Changes a list as the statement says.
    fn merge(&self, acl: &mut Acl, how: &ListChange<'_>, privileges: Privileges) -> Result<(), SqlError> {
        let g = how.grant;
        let mode = match (g.is_grant, g.cascade) {
            (true, _) => Mode::Add,
            (false, true) => Mode::Cascade,
            (false, false) => Mode::Restrict,
        };
        for grantee in how.grantees {
            if g.is_grant && g.option && *grantee == PUBLIC {
                return Err(bad_grant("grant options can only be granted to roles"));
            }
            let plain = if g.is_grant || !g.option { privileges } else { 0 };
            let options = if !g.is_grant || g.option { options_for(privileges) } else { 0 };
            let item = AclItem { grantee: *grantee, grantor: how.grantor, privileges: plain | options };
            acl.change(self.security(), item, mode, how.owner)?;
        }
        Ok(())
    }

    pub(super) fn default_privileges(
        &mut self,
        roles: &[RoleSpec],
        schemas: &[String],
        g: &Grant,
    ) -> Result<(), SqlError> {
        let class = g.on.class;
        if !schemas.is_empty() && matches!(class, Class::Schema | Class::LargeObject) {
            let kind = if class == Class::Schema { "SCHEMAS" } else { "LARGE OBJECTS" };
            return Err(bad_grant(format!("cannot use IN SCHEMA clause when using GRANT/REVOKE ON {kind}")));
        }
        let grantees = self.grantees(g)?;
        let (privileges, of_columns) = privileges_of(g)?;
        if !of_columns.is_empty() {
            return Err(bad_grant("default privileges cannot be set for columns"));
        }
        let mut owners = self.find_roles(roles)?;
        if owners.is_empty() {
            owners.push(self.current_role());
        }
        let mut places = Vec::new();
        for schema in schemas {
            places.push(self.schema_oid(schema)?);
        }
        if places.is_empty() {
            places.push(0);
        }
        for owner in owners {
            if !self.has_role(owner) {
                let message = "permission denied to change default privileges";
                return Err(SqlError::new(SqlState::INSUFFICIENT_PRIVILEGE, message));
            }
            if self.lock_role(owner, TableLockMode::AccessExclusive)?.is_none() {
                return Err(no_role(&owner.to_string()));
            }
            for schema in &places {
                self.change_default(g, &grantees, owner, *schema, privileges)?;
            }
        }
        Ok(())
    }

    fn change_default(
        &mut self,
        g: &Grant,
        grantees: &[u32],
        role: u32,
        schema: u32,
        privileges: Privileges,
    ) -> Result<(), SqlError> {
        let class = g.on.class;
        let base = DefaultAcl { oid: 0, role, schema, class, acl: Acl::default() }.base();
        let found = self
            .security()
            .default_acls()
            .find(|d| d.role == role && d.schema == schema && d.class == class)
            .cloned();
        let mut acl = found.as_ref().map_or_else(|| base.clone(), |d| d.acl.clone());
        let privileges = if g.privileges.is_none() { class.all() } else { privileges };
        let how = ListChange { grant: g, grantees, grantor: role, owner: role };
        self.merge(&mut acl, &how, privileges)?;
        acl.sort();
        self.begin_definition()?;
        let is_base = acl == base;
        match (found, is_base) {
            (None, true) => Ok(()),
            (Some(d), true) => self.record(Change::Remove(Kind::DefaultAcl, d.oid)),
            (found, false) => {
                let oid = match found {
                    Some(d) => d.oid,
                    None => self.instance.store.new_oid()?,
                };
                let changed = DefaultAcl { oid, role, schema, class, acl };
                self.put_security(Stored::DefaultAcl(Arc::new(changed)))
            }
        }
    }
}

fn column_name(target: &Target, number: i16) -> String {
    if number < 0 {
        let system = SYSTEM_COLUMNS.get((-number - 1) as usize);
        return system.map_or_else(|| number.to_string(), |c| (*c).to_owned());
    }
    let at = number as usize - 1;
    match &target.relation {
        Some(Relation::Table(t)) => t.columns[at].name.clone(),
        Some(Relation::View(v)) => v.columns[at].name.clone(),
        Some(Relation::Virtual(v)) => v.columns[at].0.to_owned(),
        _ => SEQUENCE_COLUMNS.get(at).map_or_else(|| number.to_string(), |c| (*c).to_owned()),
    }
}

/// The privileges that a statement names: on the whole, and on columns.
#[allow(clippy::type_complexity)]
fn privileges_of(g: &Grant) -> Result<(Privileges, Vec<(Privileges, Vec<String>)>), SqlError> {
    let (mut whole, mut of_columns) = (0, Vec::new());
    for (name, columns) in g.privileges.iter().flatten() {
        if name == "ALL" {
            if g.on.class != Class::Table {
                return Err(bad_grant("column privileges are only valid for relations"));
            }
            of_columns.push((acl::ALL_COLUMN, columns.clone()));
            continue;
        }
        let Some(privilege) = acl::privilege_named(name) else {
            let message = format!("unrecognized privilege type \"{}\"", name.to_lowercase());
            return Err(SqlError::new(SqlState::SYNTAX_ERROR, message));
        };
        let invalid = |noun: &str| bad_grant(format!("invalid privilege type {name} for {noun}"));
        if !columns.is_empty() {
            if g.on.class != Class::Table {
                return Err(bad_grant("column privileges are only valid for relations"));
            }
            if privilege & acl::ALL_COLUMN == 0 {
                return Err(invalid("column"));
            }
            of_columns.push((privilege, columns.clone()));
            continue;
        }
        // A sequence may be called a table.
        let known = match g.on.class {
            Class::Table => Class::Table.all() | Class::Sequence.all(),
            class => class.all(),
        };
        if privilege & known == 0 {
            let noun = match (g.on.class, &*g.on.word) {
                (Class::Table, _) => "relation",
                (Class::Function, "PROCEDURE") => "procedure",
                (Class::Function, "ROUTINE") => "routine",
                (Class::Type, "DOMAIN") => "domain",
                (class, _) => class.noun(),
            };
            return Err(invalid(noun));
        }
        whole |= privilege;
    }
    Ok((whole, of_columns))
}
