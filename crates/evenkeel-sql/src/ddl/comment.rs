//! COMMENT ON: kept beside the object until it is dropped.
//!
//! Must not know: how comments are shown.

use super::role::COMMENTS;
use crate::catalog::large_objects::CLASS_OID;
use crate::catalog::locks::TableLockMode;
use crate::catalog::views::class_oid;
use crate::catalog::views::extensions::PLPGSQL_OID;
use crate::catalog::{Catalog, Change, Comments, Kind, Object, Relation, Table, UserType};
use crate::parse::authority::RoleSpec;
use crate::parse::{CommentStmt, Commented, Name, ObjectKind};
use crate::session::Session;
use evenkeel_types::error::{SqlError, SqlState};
use std::collections::HashSet;
use std::sync::Arc;

/// What a comment is on: catalog table, OID and column.
pub(crate) type Place = (u32, u32, i32);

impl Session {
    pub(crate) fn comment(&mut self, c: &CommentStmt) -> Result<(), SqlError> {
        self.refresh_catalog();
        // What is said of an object and of its parts is kept together: two who say something take turns, and each adds to what it finds then.
        let place = loop {
            let place = self.commented(&c.on)?;
            self.lock_commented(&c.on, place)?;
            let now = self.commented(&c.on)?;
            if now == place {
                break place;
            }
        };
        self.begin_definition()?;
        self.set_comment(place, c.text.as_deref())
    }

    /// Locks what a comment is on, as far as it has a lock, and what is said of it.
    fn lock_commented(&mut self, on: &Commented, (class, oid, _): Place) -> Result<(), SqlError> {
        const MODE: TableLockMode = TableLockMode::ShareUpdateExclusive;
        let table = match on {
            Commented::Constraint(name, _) => Some((self.find_table(name)?, TableLockMode::AccessShare)),
            _ if class == class_oid::RELATION => self.catalog.table(oid).cloned().map(|t| (t, MODE)),
            _ => None,
        };
        if let Some((table, mode)) = table {
            self.ensure_txn()?;
            self.lock_object(&table.shared.lock, mode, &table.name, false)?;
        } else if let Some(t) = self.catalog.user_type(oid).cloned() {
            self.lock_type_name(t.schema, &t.name, MODE)?;
        }
        self.lock_name(COMMENTS, &oid.to_string())
    }

    /// What a comment is on, which the current role may say something of.
    fn commented(&mut self, on: &Commented) -> Result<Place, SqlError> {
        let (class, oid, part) = match on {
            Commented::Object(name, kind) => self.commented_object(name, *kind)?,
            Commented::Column(name, column) => {
                if let Ok(Relation::View(v)) = self.find_relation(name) {
                    self.check_owns(v.oid, "relation", &v.name)?;
                    let n = v.columns.iter().position(|c| c.name == *column).ok_or_else(|| {
                        let why = format!("column \"{column}\" of relation \"{}\" does not exist", v.name);
                        SqlError::new(SqlState::UNDEFINED_COLUMN, why)
                    })?;
                    (class_oid::RELATION, v.oid, n as i32 + 1)
                } else if let (Err(_), Ok(t)) = (self.find_relation(name), self.find_type(name))
                    && let Some(attributes) = &t.attributes
                {
                    self.check_owns(t.oid, "relation", &t.name)?;
                    let n = attributes.iter().position(|a| a.name == *column).ok_or_else(|| {
                        let why = format!("column \"{column}\" of relation \"{}\" does not exist", t.name);
                        SqlError::new(SqlState::UNDEFINED_COLUMN, why)
                    })?;
                    (class_oid::RELATION, t.oid, n as i32 + 1)
                } else {
                    let table = self.find_table(name)?;
                    self.check_owns(table.oid, "relation", &table.name)?;
                    (class_oid::RELATION, table.oid, table.find_column(column)? as i32 + 1)
                }
            }
            Commented::Constraint(table, constraint) => {
                let table = self.find_table(table)?;
                self.check_owns(table.oid, "relation", &table.name)?;
                (class_oid::CONSTRAINT, constraint_oid(&table, constraint)?, 0)
            }
            Commented::DomainConstraint(name, constraint) => {
                let t = self.find_type(name)?;
                self.check_owns(t.oid, "type", &t.name)?;
                let own = t.domain.iter().flat_map(|d| &d.checks).map(|c| (c.oid, &c.name));
                let not_null = t.domain.iter().flat_map(|d| &d.not_null).map(|n| (n.0, &n.1));
                let Some((oid, _)) = own.chain(not_null).find(|c| c.1 == constraint) else {
                    let why = format!("constraint \"{constraint}\" for domain {} does not exist", t.name);
                    return Err(SqlError::new(SqlState::UNDEFINED_OBJECT, why));
                };
                (class_oid::CONSTRAINT, oid, 0)
            }
            Commented::Database(name) => {
                let oid = self.database_oid(name)?;
                self.check_owns(oid, "database", name)?;
                (class_oid::DATABASE, oid, 0)
            }
            Commented::Role(name) => {
                let role = self.find_role(&RoleSpec::Name(name.clone()))?;
                if !self.authority.is_superuser && !self.security().is_admin(self.current_role(), role) {
                    let why = format!("must have admin option on role \"{name}\"");
                    return Err(SqlError::new(SqlState::INSUFFICIENT_PRIVILEGE, why));
                }
                (class_oid::ROLE, role, 0)
            }
            Commented::Statistics(name) => {
                let (table, s) = self.find_statistics(name)?;
                self.check_owns(table.oid, "statistics object", &s.name)?;
                (class_oid::STATISTICS, s.oid, 0)
            }
            Commented::LargeObject(name) => {
                let oid = self.large_object_named(name)?;
                self.check_owns_large_object(oid)?;
                (CLASS_OID, oid, 0)
            }
        };
        Ok((class, oid, part))
    }

    /// Says something of an object, or nothing any more.
    pub(crate) fn set_comment(
        &mut self,
        (class, oid, part): Place,
        text: Option<&str>,
    ) -> Result<(), SqlError> {
        let mut comments = self
            .catalog
            .comments_on(oid)
            .map_or_else(|| Comments { oid, ..Default::default() }, |c| (**c).clone());
        match text {
            Some(text) => comments.texts.insert((class, part), text.to_owned()),
            None => comments.texts.remove(&(class, part)),
        };
        self.record(kept(comments))
    }

    /// Says of one object what is said of another: of its part of one number what is said of the part of the other.
    pub(super) fn copy_comment(
        &mut self,
        from: u32,
        to: u32,
        class: u32,
        parts: (i32, i32),
    ) -> Result<(), SqlError> {
        let text = self.catalog.comments_on(from).and_then(|c| c.texts.get(&(class, parts.0)).cloned());
        match text {
            Some(text) => self.set_comment((class, to, parts.1), Some(&text)),
            None => Ok(()),
        }
    }

    fn commented_object(&self, name: &Name, kind: ObjectKind) -> Result<Place, SqlError> {
        if kind == ObjectKind::Schema {
            let schema = self.catalog.schema_named(&name.name).ok_or_else(|| {
                let why = format!("schema \"{}\" does not exist", name.name);
                SqlError::new(SqlState::INVALID_SCHEMA_NAME, why)
            })?;
            self.check_owns(schema.oid, "schema", &schema.name)?;
            return Ok((class_oid::NAMESPACE, schema.oid, 0));
        }
        if kind == ObjectKind::Extension {
            let oid = match self.find_extension(&name.name)? {
                Some(e) => e.oid,
                None => PLPGSQL_OID,
            };
            self.check_owns(oid, "extension", &name.name)?;
            return Ok((class_oid::EXTENSION, oid, 0));
        }
        if matches!(kind, ObjectKind::Type | ObjectKind::Domain) {
            let t = self.find_type(name)?;
            if kind == ObjectKind::Domain && t.domain.is_none() {
                let why = format!("\"{}\" is not a domain", t.name);
                return Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, why));
            }
            self.check_owns(t.oid, "type", &t.name)?;
            return Ok((class_oid::TYPE, t.oid, 0));
        }
        if kind == ObjectKind::Collation {
            let oid = self.find_collation(name)?;
            self.check_owns(oid, "collation", &name.name)?;
            return Ok((class_oid::COLLATION, oid, 0));
        }
        let relation = self.find_relation(name)?;
        let (fits, what) = match kind {
            ObjectKind::Table => {
                (matches!(&relation, Relation::Table(t) if t.materialized.is_none()), "a table")
            }
            ObjectKind::View => (matches!(relation, Relation::View(_)), "a view"),
            ObjectKind::MaterializedView => {
                (matches!(&relation, Relation::Table(t) if t.materialized.is_some()), "a materialized view")
            }
            ObjectKind::Index => (matches!(relation, Relation::Index(..)), "an index"),
            ObjectKind::Sequence => (matches!(relation, Relation::Sequence(_)), "a sequence"),
            _ => (false, "a view"),
        };
        if !fits {
            let why = format!("\"{}\" is not {what}", relation.name());
            return Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, why));
        }
        if let Relation::Virtual(_) = relation {
            relation.into_table()?;
            return Err(SqlError::internal("a system view that is a table"));
        }
        self.check_owns_relation(&relation)?;
        Ok((class_oid::RELATION, relation.oid(), 0))
    }

    /// What becomes of comments by a change that is about to be recorded: those of what it takes away go.
    pub(super) fn comments_after(&self, change: &Change) -> Vec<Change> {
        let (before, after) = match change {
            Change::Put(Object::Table(t)) => (self.catalog.table(t.oid), Some(t)),
            Change::Remove(Kind::Table, oid) => (self.catalog.table(*oid), None),
            Change::Put(Object::Type(t)) => return self.comments_of_type(t.oid, Some(t)),
            Change::Remove(Kind::Type, oid) => return self.comments_of_type(*oid, None),
            Change::Remove(Kind::Comments, _) | Change::Put(_) => return Vec::new(),
            Change::Remove(_, oid) => return of(&self.catalog, *oid).into_iter().collect(),
        };
        let Some(before) = before else { return Vec::new() };
        let left: HashSet<u32> = after.map(|t| parts(t).collect()).unwrap_or_default();
        let mut changes: Vec<Change> = parts(before)
            .filter(|oid| !left.contains(oid))
            .filter_map(|oid| of(&self.catalog, oid))
            .collect();
        // Columns that are dropped now.
        if let (Some(after), Some(comments)) = (after, self.catalog.comments_on(before.oid)) {
            let is_dropped =
                |part: i32| part > 0 && after.columns.get(part as usize - 1).is_none_or(|c| c.dropped);
            if comments.texts.keys().any(|(_, part)| is_dropped(*part)) {
                let mut left = (**comments).clone();
                left.texts.retain(|(_, part), _| !is_dropped(*part));
                changes.push(kept(left));
            }
        }
        changes
    }

    /// The same of a type: of a domain's constraints, and of attributes, which are numbered anew.
    fn comments_of_type(&self, oid: u32, after: Option<&UserType>) -> Vec<Change> {
        let Some(before) = self.catalog.user_type(oid) else { return Vec::new() };
        let left: HashSet<u32> = after.map(|t| constraints(t).collect()).unwrap_or_default();
        let gone = constraints(before).filter(|oid| !left.contains(oid));
        let mut changes: Vec<Change> = gone.filter_map(|oid| of(&self.catalog, oid)).collect();
        let Some(after) = after else {
            changes.extend(of(&self.catalog, oid));
            return changes;
        };
        let (Some(old), Some(new), Some(comments)) =
            (&before.attributes, &after.attributes, self.catalog.comments_on(oid))
        else {
            return changes;
        };
        let now = |part: i32| {
            let at = usize::try_from(part).ok().and_then(|n| n.checked_sub(1));
            let Some((at, name)) = at.and_then(|at| Some((at, &old.get(at)?.name))) else {
                return Some(part);
            };
            let renamed =
                || (old.len() == new.len() && old.iter().all(|a| a.name != new[at].name)).then_some(at);
            let place = new.iter().position(|a| a.name == *name).or_else(renamed)?;
            i32::try_from(place + 1).ok()
        };
        let texts = comments.texts.iter();
        let moved = texts.filter_map(|((class, part), text)| Some(((*class, now(*part)?), text.clone())));
        let moved = Comments { texts: moved.collect(), ..(**comments).clone() };
        if moved != **comments {
            changes.push(kept(moved));
        }
        changes
    }
}

/// The OIDs of a domain's constraints.
fn constraints(t: &UserType) -> impl Iterator<Item = u32> + '_ {
    let domain = t.domain.iter();
    domain.flat_map(|d| d.checks.iter().map(|c| c.oid).chain(d.not_null.iter().map(|n| n.0)))
}

/// The change that keeps what is left of the comments on an OID.
fn kept(comments: Comments) -> Change {
    if comments.texts.is_empty() {
        Change::Remove(Kind::Comments, comments.oid)
    } else {
        Change::Put(Object::Comments(Arc::new(comments)))
    }
}

/// Takes away the comments on an OID, if there are some, but for that on a large object: its number is its own.
fn of(catalog: &Catalog, oid: u32) -> Option<Change> {
    let mut left = (**catalog.comments_on(oid)?).clone();
    left.texts.retain(|(class, _), _| *class == CLASS_OID);
    Some(kept(left))
}

/// The OIDs of a table and of what is part of it.
fn parts(t: &Table) -> impl Iterator<Item = u32> {
    let indexes = t.indexes.iter().flat_map(|i| [Some(i.oid), i.constraint]).flatten();
    let checks = t.checks.iter().map(|c| c.oid);
    let not_nulls = t.not_nulls.iter().map(|n| n.oid);
    let keys = t.foreign_keys.iter().map(|f| f.oid);
    let statistics = t.statistics.iter().map(|s| s.oid);
    [t.oid].into_iter().chain(indexes).chain(checks).chain(keys).chain(not_nulls).chain(statistics)
}

fn constraint_oid(t: &Table, name: &str) -> Result<u32, SqlError> {
    let checks = t.checks.iter().find(|c| c.name == name).map(|c| c.oid);
    let foreign = || t.foreign_keys.iter().find(|f| f.name == name).map(|f| f.oid);
    let keys = || t.indexes.iter().find(|i| i.name == name).and_then(|i| i.constraint);
    let not_nulls = || t.not_nulls.iter().find(|n| n.name == name).map(|n| n.oid);
    checks.or_else(foreign).or_else(keys).or_else(not_nulls).ok_or_else(|| {
        SqlError::new(
            SqlState::UNDEFINED_OBJECT,
            format!("constraint \"{name}\" for table \"{}\" does not exist", t.name),
        )
    })
}
