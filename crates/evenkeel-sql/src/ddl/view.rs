//! Views and materialized views: CREATE, ALTER and DROP; who reads what is dropped.
//!
//! The lock on a view's name is the view's: whoever makes something that reads it holds it shared, whoever changes or drops it alone.
//!
//! Must not know: how queries are bound and kept.

use super::{depends, exists, several_depended_on};
use crate::bind::{BindContext, Binder};
use crate::catalog::locks::TableLockMode;
use crate::catalog::store::CATALOG_TREE;
use crate::catalog::{
    Catalog, Change, Heap, Index, Kind, Materialized, Object, Relation, StoredQuery, Table, View, ViewColumn,
    codec,
};
use crate::parse::{AlterAction, CreateViewStmt, DropStmt, Name, Parameters, parse_expression};
use crate::plan::Column;
use crate::session::Session;
use evenkeel_types::collation::{C_OID, DEFAULT_OID, is_collatable};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{CastContext, Type};
use std::sync::Arc;

/// How often definitions may change while a view's are locked.
const MAX_TRIES: usize = 20;

/// Options of a view, as they are kept.
fn view_options(list: &Parameters, options: &mut Vec<String>) -> Result<(), SqlError> {
    super::parameters::each_once(list.iter().map(|(name, _)| name.as_str()))?;
    for (name, value) in list {
        let value = value.clone().unwrap_or_else(|| "true".into());
        let fits = match name.as_str() {
            "security_barrier" | "security_invoker" => {
                ["true", "false", "on", "off", "yes", "no", "1", "0"].contains(&value.as_str())
            }
            "check_option" => {
                if !["local", "cascaded"].contains(&value.as_str()) {
                    let why = format!("invalid value for enum option \"check_option\": {value}");
                    return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why)
                        .with_detail("Valid values are \"local\" and \"cascaded\"."));
                }
                true
            }
            _ => {
                let why = format!("unrecognized parameter \"{name}\"");
                return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why));
            }
        };
        if !fits {
            let why = format!("invalid value for boolean option \"{name}\": {value}");
            return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why));
        }
        options.retain(|o| !o.starts_with(&format!("{name}=")));
        options.push(format!("{name}={value}"));
    }
    Ok(())
}

impl Session {
    /// Binds a query that is to be kept, with locks on all that it reads.
    fn query_to_keep(&mut self, c: &CreateViewStmt) -> Result<(StoredQuery, Vec<Column>), SqlError> {
        for _ in 0..MAX_TRIES {
            self.refresh_catalog();
            let version = self.catalog.version;
            let (kept, columns, locks) = {
                let eval = self.eval_ctx();
                let cx = BindContext { source: &c.query, ..self.definition_context(&eval) };
                let mut b = Binder::new(&cx, &[]);
                let (kept, columns) = b.query_to_keep(&c.query).map_err(|mut e| {
                    e.position = e.position.zip(c.offset).map(|(p, offset)| p + offset);
                    e
                })?;
                if b.has_changes() {
                    let what = match c.materialized {
                        true => "materialized views must not use",
                        false => "views must not contain",
                    };
                    return Err(SqlError::unsupported(format!("{what} data-modifying statements in WITH")));
                }
                (kept, columns, b.locks)
            };
            self.ensure_txn()?;
            for need in locks {
                self.lock_object(&need.table.shared.lock, need.mode, &need.table.name, false)?;
            }
            for read in &kept.reads {
                if let Some(v) = self.catalog.view(read.oid).cloned() {
                    let lock = self.name_lock(v.schema, &v.name);
                    self.lock_object(&lock, TableLockMode::AccessShare, &v.name, false)?;
                }
            }
            self.refresh_catalog();
            if self.catalog.version == version {
                return Ok((kept, columns));
            }
        }
        Err(SqlError::new(SqlState::SERIALIZATION_FAILURE, "definitions go on changing"))
    }

    pub(crate) fn create_view(&mut self, c: &CreateViewStmt) -> Result<String, SqlError> {
        if c.materialized {
            return self.create_materialized_view(c);
        }
        let (query, columns) = self.query_to_keep(c)?;
        let domains: Vec<_> = columns.iter().map(|c| self.domain_behind(c)).collect();
        for (column, domain) in columns.iter().zip(&domains) {
            self.check_type_usage(column.ty, *domain)?;
        }
        let columns = view_columns(c, &columns, &domains, "VIEW")?;
        let (schema, name) = match c.temporary || self.reads_temporary(&query) {
            true => {
                if !c.temporary {
                    let message = format!("view \"{}\" will be a temporary view", c.name.name);
                    self.notice("NOTICE", SqlState::SUCCESSFUL_COMPLETION, message);
                }
                self.new_temp_name(&c.name)?
            }
            false => self.new_name(&c.name)?,
        };
        self.lock_name(schema, &name)?;
        let mut options = Vec::new();
        view_options(&c.options, &mut options)?;
        if let Some(check) = c.check {
            view_options(&vec![("check_option".into(), Some(check.into()))], &mut options)?;
        }
        let view = match self.catalog.relation_in(schema, &name) {
            None => {
                self.check_no_type(schema, &name)?;
                self.begin_definition()?;
                View {
                    oid: self.instance.store.new_oid()?,
                    schema,
                    name,
                    columns,
                    query: Arc::new(query),
                    options,
                }
            }
            Some(Relation::View(old)) if c.or_replace => {
                self.check_owns_relation(&Relation::View(old.clone()))?;
                let mut columns = columns;
                fits_in_place_of(&old, &mut columns, &self.catalog)?;
                self.begin_definition()?;
                View { columns, query: Arc::new(query), options, ..(*old).clone() }
            }
            Some(_) if c.or_replace => {
                let why = format!("\"{name}\" is not a view");
                return Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, why));
            }
            Some(_) => return Err(exists(&name)),
        };
        check_updatable_for_option(&view)?;
        self.put_view(view)?;
        Ok("CREATE VIEW".into())
    }

    fn reads_temporary(&self, query: &StoredQuery) -> bool {
        let is_temporary =
            |oid: u32| self.catalog.relation(oid).is_some_and(|r| self.catalog.is_temporary(r.schema()));
        query.reads.iter().any(|r| is_temporary(r.oid))
    }

    fn put_view(&mut self, view: View) -> Result<(), SqlError> {
        self.record(Change::Put(Object::View(Arc::new(view))))
    }

    fn create_materialized_view(&mut self, c: &CreateViewStmt) -> Result<String, SqlError> {
        let (query, columns) = self.query_to_keep(c)?;
        let domains: Vec<_> = columns.iter().map(|c| self.domain_behind(c)).collect();
        let columns = view_columns(c, &columns, &domains, "MATERIALIZED VIEW")?;
        if self.reads_temporary(&query) {
            let why = "materialized views must not use temporary tables or views";
            return Err(SqlError::unsupported(why));
        }
        let (schema, name) = self.new_name(&c.name)?;
        if !self.lock_new_relation(schema, &name, c.if_not_exists)? {
            return Ok("CREATE MATERIALIZED VIEW".into());
        }
        self.check_no_type(schema, &name)?;
        self.begin_definition()?;
        let oid = self.instance.store.new_oid()?;
        let heap = Heap::new(self.engine()?.create_tree()?);
        let mut options = Vec::new();
        super::parameters::each_once(c.options.iter().map(|(name, _)| name.as_str()))?;
        for (name, value) in &c.options {
            let value = value.as_deref().unwrap_or("true");
            super::parameters::check(name, value)?;
            options.push(format!("{name}={value}"));
        }
        let mut table = Table::new(oid, schema, name, heap);
        for c in columns {
            table.add_plain_column(c.name, c.ty, c.typmod);
            if let Some(made) = table.columns.last_mut() {
                made.settings.collation = c.collation;
                made.domain = c.domain;
            }
        }
        table.options = options;
        table.materialized = Some(Materialized { query: Arc::new(query), is_populated: c.with_data });
        self.lock_object(&table.shared.lock, TableLockMode::AccessExclusive, &table.name, false)?;
        let table = self.put_table(table)?;
        if !c.with_data {
            return Ok("CREATE MATERIALIZED VIEW".into());
        }
        let rows = self.fill_materialized(&table, None)?;
        Ok(format!("SELECT {rows}"))
    }

    /// What ALTER VIEW does to a view, besides what it does to any relation.
    pub(super) fn alter_view(&mut self, view: &Arc<View>, action: &AlterAction) -> Result<(), SqlError> {
        let lock = self.name_lock(view.schema, &view.name);
        self.ensure_txn()?;
        self.lock_object(&lock, TableLockMode::AccessExclusive, &view.name, false)?;
        self.refresh_catalog();
        let gone =
            || SqlError::new(SqlState::UNDEFINED_TABLE, format!("relation \"{}\" does not exist", view.name));
        let mut changed = (**self.catalog.view(view.oid).ok_or_else(gone)?).clone();
        let column = |v: &View, name: &str| {
            v.column(name).ok_or_else(|| {
                let why = format!("column \"{name}\" of relation \"{}\" does not exist", v.name);
                SqlError::new(SqlState::UNDEFINED_COLUMN, why)
            })
        };
        match action {
            AlterAction::RenameColumn(from, to) => {
                let Some(n) = changed.column(from) else {
                    let why = format!("column \"{from}\" does not exist");
                    return Err(SqlError::new(SqlState::UNDEFINED_COLUMN, why));
                };
                if changed.column(to).is_some() {
                    let why = format!("column \"{to}\" of relation \"{}\" already exists", view.name);
                    return Err(SqlError::new(SqlState::DUPLICATE_COLUMN, why));
                }
                changed.columns[n].name.clone_from(to);
            }
            AlterAction::Default(name, text) => {
                let n = column(&changed, name)?;
                let ty = changed.columns[n].ty;
                let kept = text.as_deref().map(|text| self.kept_view_default(text, ty)).transpose()?;
                changed.columns[n].default = kept;
            }
            AlterAction::Set(list) => {
                view_options(list, &mut changed.options)?;
                check_updatable_for_option(&changed)?;
            }
            AlterAction::Reset(names) => {
                changed.options.retain(|o| !names.iter().any(|n| o.starts_with(&format!("{n}="))));
            }
            _ => return Err(SqlError::internal("ALTER VIEW")),
        }
        self.begin_definition()?;
        self.put_view(changed)
    }

    /// A default of a view's column as it is kept.
    fn kept_view_default(&mut self, text: &str, ty: Type) -> Result<String, SqlError> {
        let e = parse_expression(text)?;
        let text = self.stored_default(&e)?;
        let e = parse_expression(&text)?;
        let eval = self.eval_ctx();
        // Places in it are none of the statement's.
        let cx = BindContext { source: "", ..self.definition_context(&eval) };
        let mut b = Binder::new(&cx, &[]);
        b.begin_capture();
        let value = b.value(&e, ty, CastContext::Assignment)?;
        if value.any(|e| matches!(e, crate::plan::expr::Expr::Subquery(..))) {
            return Err(SqlError::unsupported("cannot use subquery in DEFAULT expression"));
        }
        Ok(b.kept(&text))
    }

    /// ALTER MATERIALIZED VIEW: names of columns, and parameters.
    pub(super) fn alter_materialized(&mut self, name: &Name, action: &AlterAction) -> Result<(), SqlError> {
        let table = self.lock_table(name, TableLockMode::AccessExclusive)?;
        let mut changed = (*table).clone();
        match action {
            AlterAction::RenameColumn(from, to) => {
                let n = changed.column(from).ok_or_else(|| {
                    SqlError::new(SqlState::UNDEFINED_COLUMN, format!("column \"{from}\" does not exist"))
                })?;
                if changed.column(to).is_some() {
                    let why = format!("column \"{to}\" of relation \"{}\" already exists", changed.name);
                    return Err(SqlError::new(SqlState::DUPLICATE_COLUMN, why));
                }
                self.rename_in_expressions(&mut changed, n, to)?;
                changed.columns[n].name.clone_from(to);
            }
            AlterAction::Set(list) => {
                super::parameters::each_once(list.iter().map(|(name, _)| name.as_str()))?;
                for (name, value) in list {
                    let value = value.as_deref().unwrap_or("true");
                    super::parameters::check(name, value)?;
                    changed.options.retain(|o| !o.starts_with(&format!("{name}=")));
                    changed.options.push(format!("{name}={value}"));
                }
            }
            AlterAction::Reset(names) => {
                changed.options.retain(|o| !names.iter().any(|n| o.starts_with(&format!("{n}="))));
            }
            _ => return Err(SqlError::unsupported("ALTER MATERIALIZED VIEW of this kind is not supported")),
        }
        self.begin_definition()?;
        self.put_table(changed).map(|_| ())
    }

    /// A view gets another name or schema.
    pub(super) fn move_view(&mut self, view: &View, schema: u32, name: &str) -> Result<(), SqlError> {
        let lock = self.name_lock(view.schema, &view.name);
        self.lock_object(&lock, TableLockMode::AccessExclusive, &view.name, false)?;
        self.refresh_catalog();
        let Some(now) = self.catalog.view(view.oid).cloned() else {
            let why = format!("relation \"{}\" does not exist", view.name);
            return Err(SqlError::new(SqlState::UNDEFINED_TABLE, why));
        };
        self.begin_definition()?;
        self.put_view(View { schema, name: name.to_owned(), ..(*now).clone() })
    }

    /// DROP VIEW and DROP MATERIALIZED VIEW.
    pub(super) fn drop_views(&mut self, d: &DropStmt, materialized: bool) -> Result<(), SqlError> {
        let kind = if materialized { "materialized view" } else { "view" };
        let mut views: Vec<Relation> = Vec::new();
        for name in &d.names {
            let Some(relation) = self.drop_target(name, kind, d.if_exists)? else { continue };
            let fits = match &relation {
                Relation::View(_) => !materialized,
                Relation::Table(t) => materialized && t.materialized.is_some(),
                Relation::Virtual(v) if v.is_view && !materialized => {
                    let why = format!("permission denied: \"{}\" is a system catalog", v.name);
                    return Err(SqlError::new(SqlState::INSUFFICIENT_PRIVILEGE, why));
                }
                _ => false,
            };
            if !fits {
                let why = format!("\"{}\" is not a {kind}", relation.name());
                return Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, why)
                    .with_hint(super::drop::drop_hint(&relation)));
            }
            self.check_owns_or_schema(&relation)?;
            if self.is_another_by_now(name, &relation)? {
                return self.drop_views(d, materialized);
            }
            if !views.iter().any(|v| v.oid() == relation.oid()) {
                views.push(relation);
            }
        }
        self.drop_view_list(&views, d.cascade)
    }

    /// Locks a view, materialized view, index or sequence as whoever changes or drops one does; whether its name stands for something else, or nothing, by then.
    pub(super) fn is_another_by_now(&mut self, name: &Name, relation: &Relation) -> Result<bool, SqlError> {
        let (lock, mode) = match relation {
            Relation::View(v) => (self.name_lock(v.schema, &v.name), TableLockMode::AccessExclusive),
            Relation::Table(t) => (t.shared.lock.clone(), TableLockMode::AccessExclusive),
            Relation::Index(t, _) => (t.shared.lock.clone(), TableLockMode::ShareUpdateExclusive),
            Relation::Sequence(s) => (s.lock.clone(), TableLockMode::AccessExclusive),
            Relation::Virtual(_) => return Ok(false),
        };
        self.ensure_txn()?;
        self.lock_object(&lock, mode, relation.name(), false)?;
        self.refresh_catalog();
        Ok(!self.find_relation(name).is_ok_and(|now| now.oid() == relation.oid()))
    }

    pub(super) fn drop_view_list(&mut self, views: &[Relation], cascade: bool) -> Result<(), SqlError> {
        if views.is_empty() {
            return Ok(());
        }
        let mut cascaded = Vec::new();
        self.drop_readers(views, cascade, &mut cascaded)?;
        for v in views {
            self.remove_view(v)?;
        }
        self.tell_cascades(&cascaded);
        Ok(())
    }

    /// Takes a view or a materialized view away, which nobody reads.
    fn remove_view(&mut self, relation: &Relation) -> Result<(), SqlError> {
        self.ensure_txn()?;
        match relation {
            Relation::View(v) => {
                let lock = self.name_lock(v.schema, &v.name);
                self.lock_object(&lock, TableLockMode::AccessExclusive, &v.name, false)?;
                self.refresh_catalog();
                if self.catalog.view(v.oid).is_none() {
                    return Ok(());
                }
                self.begin_definition()?;
                self.record(Change::Remove(Kind::View, v.oid))
            }
            Relation::Table(t) => {
                self.lock_object(&t.shared.lock, TableLockMode::AccessExclusive, &t.name, false)?;
                self.refresh_catalog();
                let Some(t) = self.catalog.table(t.oid).cloned() else { return Ok(()) };
                self.begin_definition()?;
                let database = self.catalog.database;
                let engine = self.engine()?;
                for i in &t.indexes {
                    engine.drop_tree(i.tree)?;
                }
                engine.drop_tree(t.heap.tree)?;
                engine.remove(CATALOG_TREE, &codec::key_in(database, Kind::Statistics, t.oid))?;
                self.record(Change::Remove(Kind::Table, t.oid))
            }
            _ => Err(SqlError::internal("no view")),
        }
    }

    /// Views and materialized views that read some relations, and those that read them, each behind what it reads.
    fn readers_of(&self, dropped: &[Relation]) -> Vec<(Relation, Relation)> {
        fn visit(s: &Session, of: &Relation, dropped: &[Relation], found: &mut Vec<(Relation, Relation)>) {
            let mut direct: Vec<Relation> = s
                .catalog
                .stored_queries()
                .filter(|(_, q)| q.reads_relation(of.oid()))
                .map(|(r, _)| r)
                .collect();
            direct.sort_by_key(Relation::oid);
            for r in direct {
                let is_known = dropped.iter().chain(found.iter().map(|f| &f.0)).any(|k| k.oid() == r.oid());
                if !is_known {
                    found.push((r.clone(), of.clone()));
                    visit(s, &r, dropped, found);
                }
            }
        }
        let mut found = Vec::new();
        for of in dropped {
            visit(self, of, dropped, &mut found);
        }
        found
    }

    /// Drops what reads relations that are to be dropped, or fails; what went is noted.
    pub(super) fn drop_readers(
        &mut self,
        dropped: &[Relation],
        cascade: bool,
        cascaded: &mut Vec<String>,
    ) -> Result<(), SqlError> {
        let readers = self.readers_of(dropped);
        if readers.is_empty() {
            return Ok(());
        }
        if !cascade {
            let lines: Vec<String> = readers
                .iter()
                .map(|(r, of)| format!("{} depends on {}", self.told(r), self.told(of)))
                .collect();
            let what = match dropped {
                [one] => self.told(one),
                _ => String::new(),
            };
            let (kind, name) = what.rsplit_once(' ').unwrap_or_default();
            let mut e = if dropped.len() == 1 { depends(kind, name, &[]) } else { several_depended_on() };
            e.detail = Some(lines.join("\n"));
            return Err(e);
        }
        cascaded.extend(readers.iter().map(|(r, _)| self.told(r)));
        for (r, _) in readers.iter().rev() {
            self.remove_view(r)?;
        }
        Ok(())
    }

    /// The views that use a column: they go with it, or it stays.
    pub(super) fn drop_readers_of_column(
        &mut self,
        table: &Table,
        column: usize,
        cascade: bool,
        cascaded: &mut Vec<String>,
    ) -> Result<(), SqlError> {
        let direct = self.readers_of_column(table.oid, column);
        let of = self.told(&Relation::Table(Arc::new(table.clone())));
        let name = format!("{} of {of}", table.columns[column].name);
        self.drop_those(&direct, ("column", &name), cascade, cascaded)
    }

    /// The same of those that rely on a key.
    pub(super) fn drop_readers_of_key(
        &mut self,
        table: &Table,
        index: &Index,
        cascade: bool,
    ) -> Result<(), SqlError> {
        let relies = |q: &StoredQuery| index.constraint.is_some_and(|oid| q.keys.contains(&oid));
        let queries = self.catalog.stored_queries();
        let mut direct: Vec<Relation> = queries.filter(|(_, q)| relies(q)).map(|(r, _)| r).collect();
        direct.sort_by_key(Relation::oid);
        let of = self.told(&Relation::Table(Arc::new(table.clone())));
        let name = format!("{} on {of}", index.name);
        let mut cascaded = Vec::new();
        self.drop_those(&direct, ("constraint", &name), cascade, &mut cascaded)?;
        self.tell_cascades(&cascaded);
        Ok(())
    }

    /// Drops queries that cannot be without something, with what reads them, or fails for them.
    fn drop_those(
        &mut self,
        direct: &[Relation],
        (kind, name): (&str, &str),
        cascade: bool,
        cascaded: &mut Vec<String>,
    ) -> Result<(), SqlError> {
        if direct.is_empty() {
            return Ok(());
        }
        if !cascade {
            let mut lines: Vec<String> =
                direct.iter().map(|r| format!("{} depends on {kind} {name}", self.told(r))).collect();
            let further = self.readers_of(direct);
            lines.extend(
                further.iter().map(|(r, of)| format!("{} depends on {}", self.told(r), self.told(of))),
            );
            let mut e = depends(kind, name, &[]);
            e.detail = Some(lines.join("\n"));
            return Err(e);
        }
        let mut further = Vec::new();
        self.drop_readers(direct, true, &mut further)?;
        for r in direct {
            cascaded.push(self.told(r));
            self.remove_view(r)?;
        }
        cascaded.extend(further);
        Ok(())
    }

    pub(super) fn readers_of_column(&self, table: u32, column: usize) -> Vec<Relation> {
        let mut direct: Vec<Relation> = self
            .catalog
            .stored_queries()
            .filter(|(_, q)| q.uses_column(table, column))
            .map(|(r, _)| r)
            .collect();
        direct.sort_by_key(Relation::oid);
        direct
    }

    /// `drop cascades to …`
    pub(super) fn tell_cascades(&mut self, cascaded: &[String]) {
        match cascaded {
            [] => {}
            [one] => {
                let message = format!("drop cascades to {one}");
                self.notice("NOTICE", SqlState::SUCCESSFUL_COMPLETION, message);
            }
            many => {
                let lines: Vec<String> = many.iter().map(|c| format!("drop cascades to {c}")).collect();
                let message = format!("drop cascades to {} other objects", many.len());
                self.notice_with_detail(message, lines.join("\n"));
            }
        }
    }
}

/// The columns that a view gets.
/// The collation of a result column as a column that is kept has it: 0 for the database's; None: it is not known.
pub(super) fn kept_collation(c: &Column) -> Option<u32> {
    match c.collation.oid {
        _ if !is_collatable(c.ty) => Some(0),
        0 => None,
        C_OID if c.ty == Type::Name => Some(0),
        DEFAULT_OID if c.ty != Type::Name => Some(0),
        oid => Some(oid),
    }
}

fn view_columns(
    c: &CreateViewStmt,
    columns: &[Column],
    domains: &[Option<u32>],
    what: &str,
) -> Result<Vec<ViewColumn>, SqlError> {
    if c.columns.len() > columns.len() {
        let why = match what {
            "VIEW" => "CREATE VIEW specifies more column names than columns",
            _ => "too many column names were specified",
        };
        return Err(SqlError::new(SqlState::SYNTAX_ERROR, why));
    }
    let mut made: Vec<ViewColumn> = Vec::with_capacity(columns.len());
    for (n, column) in columns.iter().enumerate() {
        let name = c.columns.get(n).unwrap_or(&column.name).clone();
        if made.iter().any(|m| m.name == name) {
            let why = format!("column \"{name}\" specified more than once");
            return Err(SqlError::new(SqlState::DUPLICATE_COLUMN, why));
        }
        if column.ty.is_pseudo() && column.ty != Type::Void {
            let why = format!("column \"{name}\" has pseudo-type {}", column.ty.sql_name());
            return Err(SqlError::new(SqlState::INVALID_TABLE_DEFINITION, why));
        }
        let domain = domains.get(n).copied().flatten();
        let collation = kept_collation(column).ok_or_else(|| {
            let why = match what {
                "VIEW" => format!("could not determine which collation to use for view column \"{name}\""),
                _ => format!(
                    "no collation was derived for column \"{name}\" with collatable type {}",
                    column.ty.sql_name()
                ),
            };
            SqlError::new(SqlState::INDETERMINATE_COLLATION, why)
                .with_hint("Use the COLLATE clause to set the collation explicitly.")
        })?;
        let (ty, typmod) = (column.ty, column.typmod);
        made.push(ViewColumn { collation, name, ty, typmod, default: None, domain });
    }
    Ok(made)
}

/// Whether columns may take the place of a view's.
fn fits_in_place_of(old: &View, columns: &mut [ViewColumn], catalog: &Catalog) -> Result<(), SqlError> {
    let refused = |why: String| SqlError::new(SqlState::INVALID_TABLE_DEFINITION, why);
    if columns.len() < old.columns.len() {
        return Err(refused("cannot drop columns from view".into()));
    }
    for (new, old) in columns.iter_mut().zip(&old.columns) {
        if new.name != old.name {
            let why = format!("cannot change name of view column \"{}\" to \"{}\"", old.name, new.name);
            return Err(refused(why)
                .with_hint("Use ALTER VIEW ... RENAME COLUMN ... to change name of view column instead."));
        }
        if new.ty != old.ty || new.typmod != old.typmod {
            let shown = evenkeel_types::format_type;
            return Err(refused(format!(
                "cannot change data type of view column \"{}\" from {} to {}",
                old.name,
                shown(old.ty, old.typmod),
                shown(new.ty, new.typmod)
            )));
        }
        if new.collation != old.collation {
            let shown = |oid: u32| match oid {
                0 if new.ty == Type::Name => catalog.collation_name(C_OID),
                0 => catalog.collation_name(DEFAULT_OID),
                oid => catalog.collation_name(oid),
            };
            let (from, to) = (shown(old.collation), shown(new.collation));
            let name = &old.name;
            return Err(refused(format!(
                "cannot change collation of view column \"{name}\" from \"{from}\" to \"{to}\""
            )));
        }
        new.default.clone_from(&old.default);
    }
    Ok(())
}

/// A check option makes sense for a view that rows may be written through.
fn check_updatable_for_option(view: &View) -> Result<(), SqlError> {
    if view.check_option().is_none() {
        return Ok(());
    }
    match crate::bind::updatable::refuses_check_option(view) {
        Some(why) => {
            let what = "WITH CHECK OPTION is supported only on automatically updatable views";
            Err(SqlError::unsupported(what).with_hint(why))
        }
        None => Ok(()),
    }
}
