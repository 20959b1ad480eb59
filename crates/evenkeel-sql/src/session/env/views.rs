//! What system views ask of a session.
//!
//! Must not know: the views.

use super::{SessionEnv, locks};
use crate::bind::updatable;
use crate::catalog::large_objects::Descriptors;
use crate::catalog::security::roles::READ_ALL_STATS_OID;
use crate::catalog::views::constraints;
use crate::catalog::views::stat_statements::CountedRow;
use crate::catalog::views::{
    ActivityRow, CursorRow, LockRow, PreparedRow, SharedRows, ViewContext, VirtualTable,
};
use crate::catalog::{Catalog, Changed, Index, Table, View};
use crate::counted::Entry;
use crate::instance::SessionInfo;
use crate::of_database::Totals;
use crate::of_engine::EngineTotals;
use crate::progress::WorkShown;
use evenkeel::settings::Shown;
use evenkeel::{Level, Moment, TreeId};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{Env, FormatOptions};
use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::Arc;

/// Settings that are shown to who names them.
const NOT_LISTED: [&str; 4] = ["default_with_oids", "is_superuser", "role", "session_authorization"];

impl ViewContext for SessionEnv {
    fn cursors(&self) -> Vec<CursorRow> {
        self.cursors.borrow().clone()
    }

    fn current_row(&self, cursor: &str, table: &Table) -> Result<Option<u64>, SqlError> {
        let cursors = self.cursors.borrow();
        let Some(c) = cursors.iter().find(|c| c.name == cursor) else {
            return Err(crate::session::cursor::missing(cursor));
        };
        let refused = |why: String| {
            let why = format!("cursor \"{cursor}\" {why}");
            Err(SqlError::new(SqlState::INVALID_CURSOR_STATE, why))
        };
        if c.stands.is_held {
            return refused("is held from a previous transaction".into());
        }
        let tables = c.stands.tables.as_deref().unwrap_or_default();
        let mut places = (0..tables.len()).filter(|n| tables[*n] == table.oid);
        let (place, again) = (places.next(), places.next());
        let Some(place) = place else {
            return refused(match c.stands.are_locked {
                true => format!("does not have a FOR UPDATE/SHARE reference to table \"{}\"", table.name),
                false => format!("is not a simply updatable scan of table \"{}\"", table.name),
            });
        };
        if again.is_some() {
            return refused(format!("has multiple FOR UPDATE/SHARE references to table \"{}\"", table.name));
        }
        match &c.stands.ids {
            Some(ids) => Ok(ids.get(place).copied().flatten()),
            None => refused("is not positioned on a row".into()),
        }
    }

    fn note_transaction(&self, id: Option<u64>) {
        self.txn_id.set(id);
    }

    fn check_writable(&self, what: &str) -> Result<(), SqlError> {
        SessionEnv::check_writable(self, what)
    }

    fn new_oid(&self) -> Result<u32, SqlError> {
        self.instance.store.new_oid()
    }

    fn keep_role(&self, role: u32) -> Result<(), SqlError> {
        self.hold_role(role)
    }

    fn export_snapshot(&self, moment: Moment, version: u64) -> Result<String, SqlError> {
        self.export(moment, version)
    }

    fn large_objects(&self) -> &RefCell<Descriptors> {
        &self.large_objects.open
    }

    fn large_object_tree(&self) -> Option<TreeId> {
        self.part.current().large_objects()
    }

    fn make_large_objects(&self) -> Result<TreeId, SqlError> {
        self.instance.store.large_objects(&self.part)
    }

    fn warn(&self, message: String) {
        SessionEnv::warn(self, message);
    }

    fn note_unlinked(&self, oid: u32) {
        if self.catalog.comments_on(oid).is_some() {
            let mut all = self.large_objects.unlinked.take();
            all.push(oid);
            self.large_objects.unlinked.set(all);
        }
    }

    fn shown_view(&self, oid: u32) -> String {
        self.view_written(oid, false).unwrap_or_default()
    }

    fn view_origins(&self, oid: u32) -> Vec<(String, u32, i16)> {
        self.origins_of_view(oid).unwrap_or_default()
    }

    fn shown_check(&self, catalog: &Catalog, oid: u32) -> String {
        let text = self.check_of(oid).or_else(|| constraints::definition(catalog, oid, &self.path));
        let text = text.unwrap_or_default();
        // Without the word, and what is said behind it.
        let inner = text.strip_prefix("CHECK (").and_then(|t| t.rsplit_once(')'));
        inner.map_or_else(String::new, |(inner, _)| inner.to_owned())
    }

    fn shown_index<'i>(&self, table: &Arc<Table>, index: &'i Index) -> Cow<'i, Index> {
        self.index_written(table, index)
    }

    fn shown_value(&self, stored: &str, table: u32) -> String {
        self.value_written(stored, table)
    }

    fn is_updatable(&self, catalog: &Catalog, view: &View) -> (bool, bool) {
        updatable::insertable_and_updatable(catalog, view.oid)
    }

    fn is_column_updatable(&self, catalog: &Catalog, view: &View, column: usize) -> bool {
        updatable::is_column_updatable(catalog, view.oid, column)
    }

    fn database_name(&self) -> String {
        self.catalog.database_name().to_owned()
    }

    fn search_path(&self) -> &[u32] {
        &self.path
    }

    fn kept_rows(&self, catalog: &Catalog, table: &VirtualTable) -> Result<Option<SharedRows>, SqlError> {
        if !table.is_of_definitions() || !std::ptr::eq(catalog, &*self.catalog) {
            return Ok(None);
        }
        self.instance.kept_rows.of(&self.catalog, table.oid, || (table.rows)(catalog, self)).map(Some)
    }

    fn role(&self) -> u32 {
        self.roles.1
    }

    fn format(&self) -> FormatOptions {
        FormatOptions { reg_names: Some(self.names.clone()), ..FormatOptions::default() }
    }

    fn settings(&self) -> Vec<Shown> {
        self.looks_at_setting(|_| true);
        let mut rows = self.rows.borrow().clone();
        for r in &mut rows {
            if let Some(value) = self.transaction_setting(&r.name) {
                r.setting.clone_from(&value);
                r.value = value;
            }
        }
        rows.extend(self.instance.outer_settings());
        rows.retain(|r| self.may_examine(&r.name) && !NOT_LISTED.contains(&&*r.name));
        if !self.may_examine("config_file") {
            rows.iter_mut().for_each(|r| r.line = None);
        }
        rows.sort_by_key(|r| r.name.to_ascii_lowercase());
        rows
    }

    fn may_tell_definitions(&self) -> bool {
        let database = self.instance.database();
        let basis = self.catalog.basis.max(database.reading_floor());
        database.is_told(basis, Level::Durable).unwrap_or(false)
    }

    fn activity(&self) -> Vec<ActivityRow> {
        let (s, own) = (self.catalog.security(), self.roles.1);
        let sees_all = s.has_privileges_of(own, READ_ALL_STATS_OID);
        let may_tell = self.may_tell_definitions();
        let mut rows = self.instance.activity();
        for row in &mut rows {
            if may_tell {
                if row.role == 0 {
                    row.role = s.role_named(&row.user).map_or(0, |r| r.oid);
                }
                row.user = s.role(row.role).map_or_else(String::new, |r| r.name.clone());
            }
            if !(sees_all || row.role != 0 && s.has_privileges_of(own, row.role)) {
                *row = ActivityRow {
                    pid: row.pid,
                    user: std::mem::take(&mut row.user),
                    role: row.role,
                    database: std::mem::take(&mut row.database),
                    database_oid: row.database_oid,
                    query: "<insufficient privilege>".into(),
                    ..ActivityRow::default()
                };
            }
        }
        rows
    }

    fn database_totals(&self, database: u32) -> (Totals, Option<i64>) {
        self.instance.database_totals(database)
    }

    fn changed_in_transaction(&self, table: u32) -> Changed {
        let all = self.changed.borrow();
        all.iter().find(|(oid, _)| *oid == table).map_or_else(Changed::default, |(_, changed)| *changed)
    }

    fn engine_totals(&self) -> EngineTotals {
        self.instance.of_engine.totals(self.instance.database())
    }

    fn progress(&self) -> Vec<WorkShown> {
        let (s, own) = (self.catalog.security(), self.roles.1);
        let sees_all = s.has_privileges_of(own, READ_ALL_STATS_OID);
        let of_session = |info: &Arc<SessionInfo>| {
            let works = info.works.all();
            let is_own = || info.role() != 0 && s.has_privileges_of(own, info.role());
            let is_visible = !works.is_empty() && (sees_all || is_own());
            let (pid, database, database_name) = (info.pid, info.database_oid, info.database.clone());
            let shown = move |work| WorkShown {
                pid,
                database,
                database_name: database_name.clone(),
                is_visible,
                work,
            };
            works.into_iter().map(shown).collect::<Vec<_>>()
        };
        self.instance.each_session(of_session).into_iter().flatten().collect()
    }

    fn locks(&self) -> Vec<LockRow> {
        let mut rows = locks::of_objects(&self.instance, &self.catalog);
        locks::of_rows(&self.instance, &mut rows);
        rows
    }

    fn database(&self) -> &evenkeel::Database {
        self.instance.database()
    }

    fn start_time_us(&self) -> i64 {
        self.instance.started_us
    }

    fn sequence_state(&self, oid: u32) -> Result<(i64, bool), SqlError> {
        Env::sequence_state(self, oid)
    }

    fn replay(&self) -> Option<crate::status::ReplayState> {
        self.instance.replay()
    }

    fn wal_receiver(&self) -> Option<crate::status::WalReceiver> {
        self.instance.receiver()
    }

    fn counted(&self) -> Vec<CountedRow> {
        let (s, own) = (self.catalog.security(), self.roles.1);
        let sees_all = s.has_privileges_of(own, READ_ALL_STATS_OID);
        let row = |e: Arc<Entry>| {
            let is_shown = sees_all || e.key.role == own;
            CountedRow {
                role: e.key.role,
                database: e.key.database,
                statement: is_shown.then(|| (e.key.statement, e.text.clone())),
                counts: e.counts(),
            }
        };
        self.instance.counts.all().into_iter().map(row).collect()
    }

    fn counted_info(&self) -> (u64, i64) {
        self.instance.counts.info()
    }

    fn sees_all_stats(&self) -> bool {
        self.catalog.security().has_privileges_of(self.roles.1, READ_ALL_STATS_OID)
    }

    fn may_tell_sequence(&self, oid: u32) -> bool {
        Env::may_tell_sequence(self, oid, true)
    }

    fn wal_senders(&self) -> Vec<crate::status::WalSender> {
        self.instance.wal_senders()
    }

    fn connections(&self) -> Vec<crate::status::ConnectionShown> {
        let (s, own, sees_all) = (self.catalog.security(), self.roles.1, self.sees_all_stats());
        let is_own = |pid| self.instance.role_of(pid).is_some_and(|r| r != 0 && s.has_privileges_of(own, r));
        let mut all = self.instance.ask_server(|s| (s.connections)());
        all.retain(|c| sees_all || is_own(c.pid));
        all
    }

    fn file_settings(&self) -> Vec<crate::status::FileSettingShown> {
        self.instance.file_settings()
    }

    fn hba_rules(&self) -> Vec<crate::status::HbaShown> {
        self.instance.ask_server(|s| (s.hba_rules)())
    }

    fn ident_mappings(&self) -> Vec<crate::status::IdentShown> {
        self.instance.ask_server(|s| (s.ident_mappings)())
    }

    fn prepared_statements(&self) -> Vec<PreparedRow> {
        self.named.rows()
    }
}
