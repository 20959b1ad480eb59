//! Statements without a plan: dispatch, settings, maintenance.
//!
//! Must not know: definition statements' details.

use super::modes::is_of_transactions;
use super::planned::{Keeping, done, give, read_only};
use super::privileges::refused;
use super::set_one::{SEED, SEED_SHOWN};
use super::transaction::{Analyzed, Learned};
use super::{CommandTag, Portal, PortalState, Progress, RowSink, Session};
use crate::bind::{Binder, Typed};
use crate::catalog::codec;
use crate::catalog::locks::TableLockMode;
use crate::catalog::security::acl::{Class, MAINTAIN};
use crate::catalog::security::roles::CHECKPOINT_OID;
use crate::catalog::statistics::TableStatistics;
use crate::catalog::store::CATALOG_TREE;
use crate::catalog::{Kind, NamedType, Relation, Table};
use crate::exec::eval::eval;
use crate::exec::statistics::Given;
use crate::exec::{RunState, analyze};
use crate::parse::{
    AlterSystemStmt, CollationAction, DomainAction, ExplainFormat, Name, ObjectKind, SetStmt, StatisticsStmt,
    Stmt, TypeAction, VacuumStmt,
};
use crate::plan::{Column, Plan};
use crate::progress::{self, Work};
use evenkeel::settings::Mistake;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{CastContext, Datum, Type};
use sqlparser::ast;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

fn tag(s: &'static str) -> Result<Progress, SqlError> {
    Ok(Progress::Done(CommandTag::of(s)))
}

fn text_column(name: &str) -> Column {
    Column::of(name.to_owned(), Type::Text, -1)
}

/// When a table is analyzed by itself.
#[derive(Clone, Copy, Debug)]
pub struct AnalyzeLimits {
    /// So many rows have to have changed,
    pub rows: u64,
    /// and in addition that share of all.
    pub share: f64,
}

impl AnalyzeLimits {
    /// Whether enough of a table has changed.
    pub(crate) fn are_passed(&self, table: &Table) -> bool {
        let rows = table.shared.live_rows().unwrap_or(0.0);
        table.shared.changes.since_analyze.load(Ordering::Relaxed) as f64
            > self.rows as f64 + self.share * rows
    }
}

/// Refuses to reset what is the transaction's.
impl Session {
    /// Result columns of a statement without a plan.
    pub(super) fn utility_columns(&mut self, stmt: &Stmt) -> Result<Option<Vec<Column>>, SqlError> {
        Ok(match stmt {
            Stmt::Show(name) if name == "all" => {
                Some(vec![text_column("name"), text_column("setting"), text_column("description")])
            }
            Stmt::Show(name) => Some(vec![text_column(&self.setting_label(name))]),
            Stmt::Explain(e) => {
                let ty = if e.format == ExplainFormat::Json { Type::Json } else { Type::Text };
                Some(vec![Column { ty, ..text_column("QUERY PLAN") }])
            }
            Stmt::WaitFor(_) => Some(vec![text_column("status")]),
            // That it is not there is said when it runs.
            Stmt::Execute(name, _) => {
                self.named.find(name).ok().and_then(|stmt| stmt.columns().map(<[Column]>::to_vec))
            }
            Stmt::Fetch(f) if !f.moves => self.cursor_shape(&f.name).map(|(columns, _)| columns),
            _ => None,
        })
    }

    fn setting_label(&self, name: &str) -> String {
        self.settings
            .rows()
            .into_iter()
            .find(|r| r.name.eq_ignore_ascii_case(name))
            .map_or(name.to_owned(), |r| r.name)
    }

    pub(super) fn run_utility(
        &mut self,
        portal: &mut Portal,
        max_rows: u64,
        sink: &mut dyn RowSink,
    ) -> Result<Progress, SqlError> {
        match &mut portal.state {
            PortalState::Done => return Ok(done("SELECT", 0)),
            PortalState::Kept(rows, tag) => return give(rows, tag, max_rows, sink),
            _ => {}
        }
        // EXECUTE runs a plan, which stops by itself.
        let is_kept = max_rows > 0
            && portal.columns.is_some()
            && matches!(portal.state, PortalState::New)
            && !matches!(*portal.stmt.body.stmt, Stmt::Execute(..));
        if is_kept {
            let mut kept = Keeping::new(self.statement_memory_bytes);
            let ran = self.run_utility_once(portal, 0, &mut kept)?;
            let Progress::Done(tag) = ran else { return Ok(ran) };
            let given = give(&mut kept.rows, &tag, max_rows, sink)?;
            portal.state = PortalState::Kept(kept.rows, tag);
            return Ok(given);
        }
        let result = self.run_utility_once(portal, max_rows, sink);
        if let (PortalState::New, Ok(Progress::Done(tag))) = (&portal.state, &result) {
            portal.state = match portal.columns {
                Some(_) => PortalState::Kept(VecDeque::new(), tag.clone()),
                None => PortalState::Done,
            };
        }
        result
    }

    fn run_utility_once(
        &mut self,
        portal: &mut Portal,
        max_rows: u64,
        sink: &mut dyn RowSink,
    ) -> Result<Progress, SqlError> {
        let stmt = portal.stmt.clone();
        self.source = stmt.body.source.clone();
        if !matches!(*stmt.body.stmt, Stmt::Empty | Stmt::Txn(_)) {
            self.refresh_catalog();
        }
        match &*stmt.body.stmt {
            Stmt::Empty => Ok(Progress::Empty),
            Stmt::Txn(t) => tag(self.transaction_statement(t)?),
            Stmt::Set(s) => self.set(s),
            Stmt::SetConstraints(s) => {
                self.set_constraints(s)?;
                tag("SET CONSTRAINTS")
            }
            Stmt::Show(name) => self.show(name, sink),
            Stmt::Reset(name) => {
                match name {
                    Some(n) => self.set_one(n, None, false)?,
                    None => self.settings.reset_all(),
                }
                self.settings_changed();
                tag("RESET")
            }
            Stmt::AlterSystem(change) => {
                self.refuse_in_block("ALTER SYSTEM")?;
                let name = match change {
                    AlterSystemStmt::Set(name, _) | AlterSystemStmt::Reset(name) => Some(name),
                    AlterSystemStmt::ResetAll => None,
                };
                self.check_superuser(&match name {
                    Some(name) => format!("set parameter \"{name}\""),
                    None => "perform ALTER SYSTEM RESET ALL".into(),
                })?;
                name.map_or(Ok(()), |name| self.check_is_for_all(name))?;
                self.instance.alter_system(change)?;
                tag("ALTER SYSTEM")
            }
            Stmt::Explain(e) => self.explain(e, portal, sink),
            Stmt::Vacuum(v) => self.vacuum(v),
            Stmt::WaitFor(w) => self.wait_for(w, sink),
            Stmt::Checkpoint => {
                if !self.has_role(CHECKPOINT_OID) {
                    return Err(refused(
                        "execute CHECKPOINT command",
                        "Only roles with privileges of the \"pg_checkpoint\" role may execute this command.",
                    ));
                }
                self.instance.checkpoint(&self.interrupt)?;
                tag("CHECKPOINT")
            }
            Stmt::Database(d) => tag(self.database_statement(d)?),
            Stmt::Reindex(r) => {
                self.refuse_in_recovery("REINDEX")?;
                self.check_writable("REINDEX")?;
                self.reindex(r)?;
                tag("REINDEX")
            }
            Stmt::Cluster(c) => {
                self.refuse_in_recovery("CLUSTER")?;
                self.check_writable("CLUSTER")?;
                self.cluster(c)?;
                tag("CLUSTER")
            }
            Stmt::Copy(c) => self.copy(c, sink),
            Stmt::Truncate(t) => {
                self.check_writable("TRUNCATE TABLE")?;
                self.truncate(t)?;
                tag("TRUNCATE TABLE")
            }
            Stmt::Drop(d) => {
                let what = match d.kind {
                    ObjectKind::Table => "DROP TABLE",
                    ObjectKind::Index => "DROP INDEX",
                    ObjectKind::Sequence => "DROP SEQUENCE",
                    ObjectKind::Schema => "DROP SCHEMA",
                    ObjectKind::View => "DROP VIEW",
                    ObjectKind::Type => "DROP TYPE",
                    ObjectKind::Domain => "DROP DOMAIN",
                    ObjectKind::Collation => "DROP COLLATION",
                    ObjectKind::Extension => "DROP EXTENSION",
                    ObjectKind::MaterializedView => "DROP MATERIALIZED VIEW",
                };
                self.check_writable(what)?;
                self.drop_objects(d)?;
                tag(what)
            }
            Stmt::DropOther(d) => {
                self.check_writable(&d.tag)?;
                self.drop_other(d)?;
                Ok(Progress::Done(d.tag.clone().into()))
            }
            Stmt::Lock(l) => {
                if TableLockMode::from_name(&l.mode).is_none_or(|m| m > TableLockMode::RowExclusive) {
                    self.refuse_in_recovery("LOCK TABLE")?;
                }
                if !self.is_in_block() {
                    return Err(SqlError::new(
                        SqlState::NO_ACTIVE_SQL_TRANSACTION,
                        "LOCK TABLE can only be used in transaction blocks",
                    ));
                }
                self.lock_tables(l)?;
                tag("LOCK TABLE")
            }
            Stmt::Prepare(p) => self.prepare_named(p, &stmt),
            Stmt::Execute(name, args) => self.execute_named(name, args, portal, max_rows, sink),
            Stmt::Deallocate(Some(name)) => {
                self.named.find(name)?;
                self.named.remove(name);
                tag("DEALLOCATE")
            }
            Stmt::Deallocate(None) => {
                self.named.clear();
                tag("DEALLOCATE ALL")
            }
            Stmt::Discard(what) => self.discard(what),
            Stmt::Declare(d) => {
                let params = std::mem::take(&mut portal.params);
                self.declare_cursor(d, &stmt, params)
            }
            Stmt::Fetch(f) => self.fetch(f, sink),
            Stmt::Listen(l) => self.listen(l),
            Stmt::Close(name) => self.close_cursor(name.as_deref()),
            Stmt::Comment(c) => {
                self.check_writable("COMMENT")?;
                self.comment(c)?;
                tag("COMMENT")
            }
            Stmt::AlterTable(a) => {
                self.check_writable("ALTER TABLE")?;
                self.alter_table(a)?;
                tag("ALTER TABLE")
            }
            Stmt::Statistics(s) => {
                let what = match **s {
                    StatisticsStmt::Create(_) => "CREATE STATISTICS",
                    StatisticsStmt::Alter { .. } => "ALTER STATISTICS",
                };
                self.check_writable(what)?;
                self.statistics_statement(s)?;
                tag(what)
            }
            Stmt::AlterIndex(a) => {
                self.check_writable("ALTER INDEX")?;
                self.alter_index(a)?;
                tag("ALTER INDEX")
            }
            Stmt::Alter(a) => {
                let what = match a.kind {
                    ObjectKind::Sequence => "ALTER SEQUENCE",
                    ObjectKind::Schema => "ALTER SCHEMA",
                    ObjectKind::Index => "ALTER INDEX",
                    ObjectKind::View => "ALTER VIEW",
                    ObjectKind::Type => "ALTER TYPE",
                    ObjectKind::Domain => "ALTER DOMAIN",
                    ObjectKind::Collation => "ALTER COLLATION",
                    ObjectKind::Extension => "ALTER EXTENSION",
                    ObjectKind::MaterializedView => "ALTER MATERIALIZED VIEW",
                    ObjectKind::Table => "ALTER TABLE",
                };
                self.check_writable(what)?;
                self.alter_object(a)?;
                tag(what)
            }
            Stmt::CreateView(c) => {
                self.check_writable(if c.materialized { "CREATE MATERIALIZED VIEW" } else { "CREATE VIEW" })?;
                let done = self.create_view(c)?;
                Ok(Progress::Done(done.into()))
            }
            Stmt::CreateSchema(c) => {
                self.check_writable("CREATE SCHEMA")?;
                self.create_schema_with(c)?;
                tag("CREATE SCHEMA")
            }
            Stmt::AlterExtension(e) => {
                self.check_writable("ALTER EXTENSION")?;
                self.alter_extension(e)?;
                tag("ALTER EXTENSION")
            }
            Stmt::CreateExtension(e) => {
                self.check_writable("CREATE EXTENSION")?;
                self.create_extension(e)?;
                tag("CREATE EXTENSION")
            }
            Stmt::Type(t) => {
                self.check_writable(match t.action {
                    TypeAction::CreateEnum(_) => "CREATE TYPE",
                    _ => "ALTER TYPE",
                })?;
                let done = self.type_statement(t)?;
                tag(done)
            }
            Stmt::Domain(d) => {
                self.check_writable(match d.action {
                    DomainAction::Create(_) => "CREATE DOMAIN",
                    _ => "ALTER DOMAIN",
                })?;
                let done = self.domain_statement(d)?;
                tag(done)
            }
            Stmt::Collation(c) => {
                let what = match c.action {
                    CollationAction::Create { .. } | CollationAction::Copy { .. } => "CREATE COLLATION",
                    _ => "ALTER COLLATION",
                };
                self.check_writable(what)?;
                self.collation_statement(c)?;
                tag(what)
            }
            Stmt::RefreshView(r) => {
                self.check_writable("REFRESH MATERIALIZED VIEW")?;
                self.refresh_view(r)?;
                tag("REFRESH MATERIALIZED VIEW")
            }
            Stmt::CreateSequence(s) => {
                self.check_writable("CREATE SEQUENCE")?;
                self.create_sequence(s)?;
                tag("CREATE SEQUENCE")
            }
            Stmt::Authority(a) => {
                let done = self.authority_statement(a)?;
                tag(done)
            }
            Stmt::Unsupported(what) => Err(SqlError::unsupported(format!("{what} is not supported"))),
            Stmt::Sql(s) => {
                let done = self.definition(s, (stmt.param_types(), &portal.params))?;
                Ok(Progress::Done(done.into()))
            }
        }
    }

    pub(crate) fn check_writable(&self, what: &str) -> Result<(), SqlError> {
        let on = match &self.txn {
            Some(t) => t.read_only,
            None => self.instance.is_standby() || self.settings.is_on("default_transaction_read_only"),
        };
        if on { Err(read_only(what)) } else { Ok(()) }
    }

    /// Refuses what a standby cannot do in any transaction.
    fn refuse_in_recovery(&self, what: &str) -> Result<(), SqlError> {
        if !self.instance.is_standby() {
            return Ok(());
        }
        let why = format!("cannot execute {what} during recovery");
        Err(SqlError::new(SqlState::READ_ONLY_SQL_TRANSACTION, why))
    }

    /// Finds a relation by name.
    pub(crate) fn find_relation(&self, name: &Name) -> Result<Relation, SqlError> {
        self.check_schema_of(name)?;
        let found = self.catalog.resolve(name.schema.as_deref(), &name.name, self.search_path())?;
        found.ok_or_else(|| {
            self.missing_schema(name).unwrap_or_else(|| {
                SqlError::new(SqlState::UNDEFINED_TABLE, format!("relation \"{name}\" does not exist"))
            })
        })
    }

    /// Finds a table by name.
    pub(crate) fn find_table(&mut self, name: &Name) -> Result<Arc<Table>, SqlError> {
        self.refresh_catalog();
        self.find_relation(name)?.into_table()
    }

    fn set(&mut self, s: &SetStmt) -> Result<Progress, SqlError> {
        if s.local && !self.is_in_block() {
            self.notice(
                "WARNING",
                SqlState::NO_ACTIVE_SQL_TRANSACTION,
                "SET LOCAL can only be used in transaction blocks",
            );
        }
        if is_of_transactions(&s.name) {
            self.ensure_txn()?; // it is of those to come
        }
        self.set_one(&s.name, s.value.as_deref(), s.local)?;
        self.settings_changed();
        tag("SET")
    }

    fn show(&mut self, name: &str, sink: &mut dyn RowSink) -> Result<Progress, SqlError> {
        use crate::catalog::views::ViewContext;
        if name == "all" {
            for r in self.env.settings() {
                sink.row(&[Datum::text(r.name), Datum::text(r.value), Datum::text(r.description)])?;
            }
            return tag("SHOW");
        }
        self.env.check_may_examine(name)?;
        self.env.looks_at_setting(|row| row.eq_ignore_ascii_case(name));
        let on_or_off = |on: bool| if on { "on" } else { "off" }.to_owned();
        let value = match (name, &self.txn) {
            ("transaction_isolation", Some(t)) => t.isolation.name().to_owned(),
            ("transaction_read_only", Some(t)) => on_or_off(t.read_only),
            ("transaction_deferrable", Some(t)) => on_or_off(t.deferrable),
            ("transaction_isolation", None) => {
                self.settings.isolation("default_transaction_isolation").name().to_owned()
            }
            ("transaction_read_only", None) => {
                on_or_off(self.defaults.read_only || self.instance.is_standby())
            }
            ("transaction_deferrable", None) => on_or_off(self.defaults.deferrable),
            (SEED, _) => SEED_SHOWN.to_owned(),
            _ => match self.settings.get(name) {
                Some(v) => v.to_owned(),
                None => {
                    let found = self.instance.outer_settings().into_iter().find(|s| s.name == name);
                    found.ok_or_else(|| Mistake::Unknown { name: name.into() })?.value
                }
            },
        };
        sink.row(&[Datum::text(value)])?;
        tag("SHOW")
    }

    fn discard(&mut self, what: &str) -> Result<Progress, SqlError> {
        match what {
            "all" => {
                self.refuse_in_block("DISCARD ALL")?;
                self.settings.reset_all();
                self.settings.set("session_authorization", None, false)?;
                self.settings.set("role", None, false)?;
                self.named.clear();
                self.clear_cache();
                self.env.forget_sequences();
                evenkeel_types::Env::advisory_unlock_all(&self.env);
                self.close_cursor(None)?;
                self.ensure_txn()?;
                self.env.act(super::notifier::ListenAction::UnlistenAll);
                self.settings_changed();
                self.discard_temporary()?;
            }
            "plans" => self.clear_cache(),
            "sequences" => self.env.forget_sequences(),
            _ => self.discard_temporary()?,
        }
        let done =
            format!("DISCARD {}", if what == "temporary" { "TEMP".into() } else { what.to_uppercase() });
        Ok(Progress::Done(done.into()))
    }

    /// Evaluates an expression without columns, as a value of a type, which may be a domain.
    pub(super) fn constant(&mut self, e: &ast::Expr, of: NamedType) -> Result<Datum, SqlError> {
        self.refresh_catalog();
        let (expr, plan) = loop {
            let (expr, plan) = {
                let ctx = self.eval_ctx();
                let cx = self.bind_context(&ctx, "");
                let mut b = Binder::new(&cx, &[]);
                let expr = b.execute_parameter(e, of.ty)?;
                let typed = Typed::new(expr, of.ty);
                let expr = b.coerce(typed, of.ty, of.typmod, CastContext::Assignment)?;
                let expr = b.named_value(expr, of.domain)?;
                (expr, b.into_plan(None, None)?)
            };
            if self.start_plan(&plan)? {
                break (expr, plan);
            }
        };
        let mut run = RunState::new(&plan, &self.budget);
        self.with_cx(&plan, &[], &mut run, |cx| eval(&expr, &[], cx))
    }

    fn vacuum(&mut self, v: &VacuumStmt) -> Result<Progress, SqlError> {
        let what = if v.vacuum { "VACUUM" } else { "ANALYZE" };
        self.refuse_in_recovery(what)?;
        if v.vacuum {
            self.refuse_in_block("VACUUM")?;
            self.commit_implicit()?;
        }
        self.refresh_catalog();
        let tables: Vec<(Arc<Table>, &[String])> = if v.tables.is_empty() {
            self.catalog.tables().map(|t| (t.clone(), &[][..])).collect()
        } else {
            let mut found = Vec::new();
            for (name, columns) in &v.tables {
                match self.find_relation(name)? {
                    Relation::Table(t) => found.push((t, &columns[..])),
                    other => {
                        let (oid, name) = (other.oid(), other.name().to_owned());
                        // Tables of the system's are made when they are read.
                        let is_table = matches!(&other, Relation::Virtual(v) if !v.is_view);
                        if self.may_maintain(oid, &name, what) && !is_table {
                            let verb = what.to_ascii_lowercase();
                            let why = format!("cannot {verb} non-tables or special system tables");
                            let message = format!("skipping \"{name}\" --- {why}");
                            self.notice("WARNING", SqlState::WARNING, message);
                        }
                    }
                }
            }
            found
        };
        for (table, columns) in tables {
            if !self.may_maintain(table.oid, &table.name, what) {
                continue;
            }
            let mode = TableLockMode::ShareUpdateExclusive;
            match self.lock_object(&table.shared.lock, mode, &table.name, v.skip_locked) {
                Err(e) if v.skip_locked && e.code == SqlState::LOCK_NOT_AVAILABLE => {
                    let verb = what.to_ascii_lowercase();
                    let message = format!("skipping {verb} of \"{}\" --- lock not available", table.name);
                    self.notice("WARNING", SqlState::LOCK_NOT_AVAILABLE, message);
                    continue;
                }
                locked => locked?,
            }
            self.refresh_catalog();
            // It may have gone, or have other indexes, by the time it is locked.
            let Some(table) = self.catalog.table(table.oid).cloned() else { continue };
            for (n, column) in columns.iter().enumerate() {
                table.find_column(column)?;
                if columns[..n].contains(column) {
                    let why =
                        format!("column \"{column}\" of relation \"{}\" appears more than once", table.name);
                    return Err(SqlError::new(SqlState::DUPLICATE_COLUMN, why));
                }
            }
            if v.vacuum {
                let told = v.verbose.then(|| self.begin_upkeep(true, &table));
                let began = Instant::now();
                let indexes = table.indexes.iter().map(|i| (Some(i.name.clone()), i.tree));
                let mut done = Vec::new();
                for (index, tree) in [(None, table.heap.tree)].into_iter().chain(indexes) {
                    let stats = self.instance.database().vacuum_unless(tree, &self.interrupt)?;
                    done.push((index, tree, stats));
                }
                if let Some(told) = &told {
                    self.end_vacuum(told, &done)?;
                }
                let took = began.elapsed().as_micros() as u64;
                table.shared.kept.vacuumed.note(evenkeel_types::datetime::wall_clock_us(), took);
                table.shared.changes.inserted_since_vacuum.store(0, Ordering::Relaxed);
            }
            if v.analyze {
                let told = v.verbose.then(|| self.begin_upkeep(false, &table));
                let rows = self.analyze(&table)?;
                if let Some(told) = &told {
                    self.end_analyze(told, rows);
                }
            }
            if v.vacuum {
                self.commit_implicit()?;
                if self.txn.is_none() {
                    self.held.lock().release_all();
                }
            }
        }
        tag(what)
    }

    /// Analyzes the tables that have changed enough, but those that are locked, each in a transaction of its own; returns how many. Blocks for the disk.
    pub fn analyze_changed(&mut self, limits: AnalyzeLimits) -> Result<usize, SqlError> {
        let _entered = self.enter();
        self.refresh_catalog();
        let tables: Vec<Arc<Table>> = self
            .catalog
            .tables()
            .filter(|t| limits.are_passed(t) && !self.is_of_another_session(t))
            .cloned()
            .collect();
        let mut analyzed = 0;
        for table in tables {
            let mode = TableLockMode::ShareUpdateExclusive;
            self.ensure_txn()?;
            if self.lock_object(&table.shared.lock, mode, &table.name, true).is_ok() {
                self.refresh_catalog();
                // It may be gone by now, or another.
                if let Some(table) = self.catalog.table(table.oid).cloned() {
                    let schema = self.catalog.schema(table.schema).map_or("", |s| &s.name);
                    let shown = format!("autovacuum: ANALYZE {schema}.{}", table.name);
                    self.begin_activity(&shown.into(), None);
                    self.analyze(&table)?;
                    analyzed += 1;
                }
            }
            self.commit_implicit()?;
            self.held.lock().release_all();
        }
        Ok(analyzed)
    }

    /// Finds out what values a table has, for the planner, `pg_stats` and `pg_class.reltuples`; gives how many rows it has.
    fn analyze(&mut self, table: &Table) -> Result<f64, SqlError> {
        let began = Instant::now();
        self.begin_definition()?;
        let target = self.settings.number("default_statistics_target") as usize;
        let plan = Plan::nothing(self.catalog.version);
        let mut run = RunState::new(&plan, &self.budget);
        let work = Work::new(progress::Kind::Analyze, "ANALYZE", table.oid, 0);
        let shown = progress::Shown::new(&self.info.works, work);
        let statistics =
            self.with_cx(&plan, &[], &mut run, |cx| analyze::analyze(table, target, &shown.work, cx))?;
        shown.work.enter(3, 0);
        let rows = statistics.rows;
        if !self.txn.as_ref().is_some_and(|t| t.read_only) {
            let key = codec::key_in(self.catalog.database, Kind::Statistics, table.oid);
            let stored = statistics.encode(&table.types);
            self.engine()?.put(CATALOG_TREE, &key, &stored)?;
        }
        if let Some(txn) = &mut self.txn {
            let us = began.elapsed().as_micros() as u64;
            txn.analyzed
                .push(Analyzed { shared: table.shared.clone(), what: Learned::Found(statistics, us) });
        }
        Ok(rows)
    }

    /// Takes statistics that a statement was given.
    pub(super) fn take_statistics(&mut self, given: Vec<Given>) -> Result<(), SqlError> {
        for Given { table, what } in given {
            self.check_may(table.oid, Class::Table, &table.name, MAINTAIN)?;
            let mode = TableLockMode::ShareUpdateExclusive;
            self.lock_object(&table.shared.lock, mode, &table.name, false)?;
            self.refresh_catalog();
            let Some(table) = self.catalog.table(table.oid).cloned() else { continue };
            let key = codec::key_in(self.catalog.database, Kind::Statistics, table.oid);
            let engine = self.engine()?;
            let mut statistics = match engine.get(CATALOG_TREE, &key)? {
                Some(stored) => TableStatistics::decode(&stored, &table.types)?,
                None => TableStatistics::unknown(),
            };
            what.apply(&mut statistics);
            engine.put(CATALOG_TREE, &key, &statistics.encode(&table.types))?;
            if let Some(txn) = &mut self.txn {
                txn.analyzed.push(Analyzed { shared: table.shared.clone(), what: Learned::Given(what) });
            }
        }
        Ok(())
    }
}
