//! Functions in FROM that give the rows of a system view, as pgAdmin calls them: they are read as the view is.
//!
//! Must not know: what the views have.

use super::{Binder, Hint};
use crate::parse::view::parse_query;
use crate::plan::bound::{FromTree, Source, SourceKind};
use evenkeel_types::error::SqlError;
use sqlparser::ast::TableAlias;

/// Each function, and the query that it stands for.
const QUERIES: [(&str, &str); 11] = [
    (
        "pg_available_extension_versions",
        "SELECT name, version, superuser, trusted, relocatable, schema, requires, comment FROM pg_catalog.pg_available_extension_versions",
    ),
    (
        "pg_available_extensions",
        "SELECT name, default_version, comment FROM pg_catalog.pg_available_extensions",
    ),
    ("pg_config", "SELECT * FROM pg_catalog.pg_config"),
    ("pg_cursor", "SELECT * FROM pg_catalog.pg_cursors"),
    ("pg_get_backend_memory_contexts", "SELECT * FROM pg_catalog.pg_backend_memory_contexts"),
    ("pg_get_wait_events", "SELECT * FROM pg_catalog.pg_wait_events"),
    ("pg_hba_file_rules", "SELECT * FROM pg_catalog.pg_hba_file_rules"),
    ("pg_lock_status", "SELECT * FROM pg_catalog.pg_locks"),
    ("pg_prepared_statement", "SELECT * FROM pg_catalog.pg_prepared_statements"),
    ("pg_show_all_file_settings", "SELECT * FROM pg_catalog.pg_file_settings"),
    ("pg_show_all_settings", "SELECT * FROM pg_catalog.pg_settings"),
];

/// The query that a function stands for, if it is one of them.
fn query_of(function: &str) -> Option<&'static str> {
    QUERIES.iter().find(|q| q.0 == function).map(|q| q.1)
}

impl Binder<'_> {
    /// Binds a function without arguments as the view whose rows it gives; None: it is another.
    pub(super) fn view_of_function(
        &mut self,
        function: &str,
        alias: Option<&TableAlias>,
        sources: &mut Vec<Source>,
    ) -> Result<Option<FromTree>, SqlError> {
        let Some(text) = query_of(function) else { return Ok(None) };
        self.names_alone(alias)?;
        let subquery = parse_query(text)?;
        let frame = self.frame()?;
        // It sees nothing of what stands beside it.
        let (rels, names) = (std::mem::take(&mut frame.rels), std::mem::take(&mut frame.names));
        let result = self.nested(|b| b.query(&subquery, Hint::None));
        let frame = self.frame()?;
        (frame.rels, frame.names) = (rels, names);
        let ((query, columns), set) = result?;
        let name = alias.map_or_else(|| function.to_owned(), |a| super::ident(&a.name));
        let width = query.visible;
        let kind = SourceKind::Query(Box::new(query), name.clone());
        self.add(name, columns, alias, width, Source::new(kind, set), sources).map(Some)
    }
}
