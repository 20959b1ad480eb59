//! COPY TO: rows to the client.
//!
//! Invariants:
//! 1. Each row is handed on by itself: the protocol has one in a message, and clients rely on it.
//!
//! Must not know: file formats (`exec::copy_out`, `exec::copy_binary`), the wire.

use super::{CommandTag, Progress, RowSink, Session};
use crate::bind::bind_statement;
use crate::catalog::Relation;
use crate::exec::copy_binary::{write_end, write_head, write_row};
use crate::exec::copy_out::{write_header, write_line};
use crate::exec::{RunState, change};
use crate::parse::{CopyFormat, CopyHeader, CopyOptions, CopyRelation, CopyStmt, Forced, Name};
use crate::plan::PlanKind;
use crate::progress::{BATCH, Kind, Shown, Work};
use evenkeel_types::encoding::Encoding;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{Datum, Type};
use sqlparser::ast;
use std::sync::atomic::Ordering;

/// Tells a sink of lines that are written as UTF-8.
fn line(sink: &mut dyn RowSink, encoding: Encoding, line: &[u8]) -> Result<(), SqlError> {
    match std::str::from_utf8(line) {
        Ok(text) if !encoding.is_passed_on() => sink.copy_data(&encoding.encode(text)?),
        _ => sink.copy_data(line),
    }
}

fn check_force_quote(options: &CopyOptions, columns: &[(String, Type, i32)]) -> Result<(), SqlError> {
    let Forced::Columns(names) = &options.force_quote else { return Ok(()) };
    for name in names {
        if !columns.iter().any(|c| c.0 == *name) {
            return Err(SqlError::new(
                SqlState::UNDEFINED_COLUMN,
                format!("column \"{name}\" does not exist"),
            ));
        }
    }
    Ok(())
}

impl Session {
    pub(super) fn copy_to(&mut self, stmt: &CopyStmt, sink: &mut dyn RowSink) -> Result<Progress, SqlError> {
        let options = &stmt.options;
        let (plan, columns) = loop {
            let tree = match &stmt.relation {
                CopyRelation::Query(q) => (**q).clone(),
                CopyRelation::Table(name, columns) => {
                    if let Forced::Columns(forced) = &options.force_quote {
                        self.check_quoted(name, columns, forced)?;
                    }
                    self.copy_query(name, columns)?
                }
            };
            self.refresh_catalog();
            let plan = {
                let eval = self.eval_ctx();
                let cx = self.bind_context(&eval, &self.source);
                bind_statement(&cx, &tree, &[])?
            };
            let Some(columns) = &plan.columns else {
                return Err(SqlError::unsupported("COPY query must have a RETURNING clause"));
            };
            let columns: Vec<(String, Type, i32)> =
                columns.iter().map(|c| (c.name.clone(), c.ty, c.typmod)).collect();
            check_force_quote(options, &columns)?;
            if plan.writes {
                self.check_writable(plan.verb())?;
            }
            if self.start_plan(&plan)? {
                break (plan, columns);
            }
        };
        plan.check_ready().map_err(|e| match &stmt.relation {
            CopyRelation::Query(_) => e,
            CopyRelation::Table(name, _) => {
                let why = format!("cannot copy from unpopulated materialized view \"{}\"", name.name);
                SqlError::unsupported(why).with_hint("Use the REFRESH MATERIALIZED VIEW command.")
            }
        })?;
        let copied = match &stmt.relation {
            CopyRelation::Query(_) => 0,
            CopyRelation::Table(name, _) => self.find_relation(name)?.oid(),
        };
        let shown = Shown::new(&self.info.works, Work::new(Kind::Copy, "COPY TO", copied, 0));
        let (mut rows, mut bytes) = (0, 0);
        let binary = options.format == CopyFormat::Binary;
        let (encoding, client) = (self.copy_encoding(options), self.client_encoding());
        sink.copy_out_begin(columns.len(), binary)?;
        let mut out = Vec::new();
        if options.header != CopyHeader::No {
            write_header(options, &columns, &mut out);
            line(sink, encoding, &out)?;
            out.clear();
        }
        if binary {
            // It goes with the first row, as PostgreSQL sends it.
            write_head(&mut out);
        }
        let format = self.format.clone();
        let mut emit = |row: &[Datum]| -> Result<(), SqlError> {
            if binary {
                write_row(row, &columns, client, &format, &mut out)?;
                sink.copy_data(&out)?;
            } else {
                write_line(options, row, &columns, &format, &mut out)?;
                line(sink, encoding, &out)?;
            }
            rows += 1;
            bytes += out.len() as u64;
            if rows & BATCH == 0 {
                shown.work.done(rows);
                shown.work.bytes.store(bytes, Ordering::Relaxed);
            }
            out.clear();
            Ok(())
        };
        let count = match &plan.kind {
            PlanKind::Query(q) if !plan.writes => self.run_query(&plan, q, &mut emit)?,
            _ => {
                let mut run = RunState::new(&plan, &self.budget);
                self.with_cx(&plan, &[], &mut run, |cx| change::run(cx, &mut emit))?
            }
        };
        if binary {
            write_end(&mut out);
            sink.copy_data(&out)?;
        }
        Ok(Progress::Done(CommandTag::counted("COPY", count)))
    }

    /// Columns that FORCE_QUOTE names have to be among those that are copied.
    fn check_quoted(&mut self, name: &Name, columns: &[String], forced: &[String]) -> Result<(), SqlError> {
        self.refresh_catalog();
        let Relation::Table(table) = self.find_relation(name)? else { return Ok(()) };
        for column in forced {
            table.find_column(column)?;
            if !columns.is_empty() && !columns.contains(column) {
                return Err(SqlError::new(
                    SqlState::INVALID_COLUMN_REFERENCE,
                    format!("FORCE_QUOTE column \"{column}\" not referenced by COPY"),
                ));
            }
        }
        Ok(())
    }

    /// `SELECT columns FROM table`
    fn copy_query(&mut self, name: &Name, columns: &[String]) -> Result<ast::Statement, SqlError> {
        self.refresh_catalog();
        let relation = self.find_relation(name)?;
        let names: Vec<String> = match &relation {
            Relation::Table(t) if columns.is_empty() => {
                t.live_columns().filter(|(_, c)| c.generated.is_none()).map(|(_, c)| c.name.clone()).collect()
            }
            Relation::Virtual(v) if columns.is_empty() => v.columns.iter().map(|c| c.0.to_owned()).collect(),
            Relation::Table(t) => {
                self.copy_columns(t, columns)?;
                columns.to_vec()
            }
            Relation::Virtual(_) => columns.to_vec(),
            Relation::View(v) => {
                return Err(SqlError::new(
                    SqlState::WRONG_OBJECT_TYPE,
                    format!("cannot copy from view \"{}\"", v.name),
                )
                .with_hint("Try the COPY (SELECT ...) TO variant."));
            }
            other => {
                return Err(SqlError::new(
                    SqlState::WRONG_OBJECT_TYPE,
                    format!("cannot copy from non-table relation \"{}\"", other.name()),
                ));
            }
        };
        let quoted = |s: &str| format!("\"{}\"", s.replace('"', "\"\""));
        let list: Vec<String> = names.iter().map(|n| quoted(n)).collect();
        let from = match &name.schema {
            Some(s) => format!("{}.{}", quoted(s), quoted(&name.name)),
            None => quoted(&name.name),
        };
        let sql = format!("SELECT {} FROM {from}", list.join(", "));
        match crate::parse::parse_script(&sql)?.pop().map(|p| p.stmt.into_inner()) {
            Some(crate::parse::Stmt::Sql(s)) => Ok(*s),
            _ => Err(SqlError::internal("COPY query")),
        }
    }
}
