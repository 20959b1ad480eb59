//! COPY: from and to the client.
//!
//! Must not know: file formats (`exec::copy`), the wire.

use super::{CommandTag, Progress, RowSink, Session};
use crate::bind::{Binder, bind_statement};
use crate::catalog::Relation;
use crate::exec::RunState;
use crate::exec::change::Writer;
use crate::exec::copy::{Fields, LineReader, check_complete, split_line, write_header, write_line};
use crate::exec::eval::eval;
use crate::exec::fill::Filler;
use crate::parse::{CopyRelation, CopyStmt, Name};
use crate::plan::expr::Expr;
use crate::plan::{Plan, PlanKind};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::guard::stack::Deep;
use evenkeel_types::{Datum, Type, input_text};
use sqlparser::ast;

/// Output is handed to the sink in pieces of about this size.
const OUT_BYTES: usize = 64 << 10;

/// A COPY FROM STDIN that waits for data.
pub struct CopyIn {
    plan: Deep<Plan>,
    target: usize,
    columns: Vec<usize>,
    defaults: Vec<Expr>,
    reader: LineReader,
    stmt: CopyStmt,
    run: RunState,
    writer: Writer,
    filler: Option<Filler>,
    row: Vec<Datum>,
    fields: Fields,
    header: bool,
    count: u64,
}

impl CopyIn {
    /// How many columns a line has, for the reply that asks for data.
    pub fn columns(&self) -> usize {
        self.columns.len()
    }
}

impl Session {
    pub(super) fn copy(&mut self, stmt: &CopyStmt, sink: &mut dyn RowSink) -> Result<Progress, SqlError> {
        if stmt.to { self.copy_to(stmt, sink) } else { self.copy_from(stmt).map(Progress::CopyIn) }
    }

    /// Makes a plan with what the binder was asked for.
    fn bare_plan<T>(
        &mut self,
        f: impl FnOnce(&mut Binder<'_>) -> Result<T, SqlError>,
    ) -> Result<(T, Plan), SqlError> {
        self.refresh_catalog();
        let eval = self.eval_ctx();
        let cx = self.bind_context(&eval, "");
        let mut binder = Binder::new(&cx, &[]);
        let result = f(&mut binder)?;
        Ok((result, binder.into_plan(None, None)?))
    }

    fn copy_from(&mut self, stmt: &CopyStmt) -> Result<CopyIn, SqlError> {
        let CopyRelation::Table(name, names) = &stmt.relation else {
            return Err(SqlError::internal("COPY FROM a query"));
        };
        if self.txn.as_ref().is_some_and(|t| t.read_only) {
            return Err(super::planned::read_only("COPY FROM"));
        }
        loop {
            self.refresh_catalog();
            let table = self.find_table(name)?;
            let columns = self.copy_columns(&table, names)?;
            let ((target, defaults), plan) = self.bare_plan(|b| {
                b.inserts(table.oid, columns.iter());
                b.copy_target(&table)
            })?;
            self.start_plan(&plan)?;
            if self.instance.store.version() != plan.version
                && self.txn.as_ref().is_none_or(|t| t.changes.is_empty())
            {
                continue; // the definition changed while the lock was waited for
            }
            let mut run = RunState::new(&plan, &self.budget);
            let mut filler = None;
            if stmt.options.freeze {
                if !self.is_new_in_subtransaction(&table) {
                    return Err(SqlError::new(
                        SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
                        "cannot perform COPY FREEZE because the table was not created or truncated in the current subtransaction",
                    ));
                }
                let target = &plan.targets[target];
                filler = self.with_cx(&plan, &[], &mut run, |cx| Filler::new(target, cx))?;
            }
            return Ok(CopyIn {
                target,
                columns,
                defaults,
                reader: LineReader::new(stmt.options.clone(), self.statement_memory_bytes),
                header: stmt.options.header,
                stmt: stmt.clone(),
                run,
                writer: Writer::default(),
                filler,
                row: vec![Datum::Null; table.columns.len() + 1],
                fields: Fields::default(),
                plan: Deep::new(plan.depth, plan),
                count: 0,
            });
        }
    }

    fn copy_columns(&self, table: &crate::catalog::Table, names: &[String]) -> Result<Vec<usize>, SqlError> {
        if names.is_empty() {
            return Ok(table.live_columns().map(|(n, _)| n).collect());
        }
        let mut columns = Vec::new();
        for n in names {
            let c = table.find_column(n)?;
            if columns.contains(&c) {
                return Err(SqlError::new(
                    SqlState::DUPLICATE_COLUMN,
                    format!("column \"{n}\" specified more than once"),
                ));
            }
            columns.push(c);
        }
        Ok(columns)
    }

    /// Takes in data of a COPY FROM STDIN.
    pub fn copy_in_data(&mut self, c: &mut CopyIn, data: &[u8]) -> Result<(), SqlError> {
        let _entered = self.enter();
        let result = self.copy_lines(c, |reader, line| reader.feed(data, line));
        self.observe(true);
        result
    }

    /// The data is complete.
    pub fn copy_in_finish(&mut self, mut c: CopyIn) -> Result<CommandTag, SqlError> {
        let _entered = self.enter();
        let mut result = self.copy_lines(&mut c, |reader, line| reader.finish(line));
        if result.is_ok() {
            let CopyIn { plan, run, writer, filler, target, .. } = &mut c;
            let filler = filler.take();
            result = self.with_cx(plan, &[], run, |cx| {
                filler.map_or(Ok(()), |f| f.finish(cx))?;
                writer.finish(&plan.targets[*target], cx)
            });
        }
        self.observe(true);
        result?;
        c.plan.targets[c.target].table.shared.changes.add(c.count, 0, 0);
        Ok(CommandTag(format!("COPY {}", c.count)))
    }

    fn copy_lines(
        &mut self,
        c: &mut CopyIn,
        read: impl FnOnce(
            &mut LineReader,
            &mut dyn FnMut(u64, &[u8]) -> Result<(), SqlError>,
        ) -> Result<(), SqlError>,
    ) -> Result<(), SqlError> {
        let CopyIn {
            plan,
            target,
            columns,
            defaults,
            reader,
            stmt,
            run,
            writer,
            filler,
            row,
            fields,
            header,
            count,
        } = c;
        let target = &plan.targets[*target];
        let table = &*target.table;
        let names: Vec<&str> = columns.iter().map(|n| table.columns[*n].name.as_str()).collect();
        let left_out = defaults.iter().enumerate().filter(|(n, _)| !columns.contains(n));
        let left_out: Vec<(usize, &Expr)> = left_out.collect();
        self.with_cx(plan, &[], run, |cx| {
            read(reader, &mut |number, line| {
                cx.check_interrupt()?;
                if std::mem::take(header) {
                    return Ok(());
                }
                let (mut at_column, mut reading) = (None, true);
                let mut one = || -> Result<(), SqlError> {
                    split_line(&stmt.options, line, &names, fields)?;
                    for (f, n) in columns.iter().enumerate().take(fields.count()) {
                        row[*n] = match fields.get(f) {
                            None => Datum::Null,
                            Some(text) => {
                                let column = &table.columns[*n];
                                at_column = Some(*n);
                                input_text(text, column.ty, column.typmod, cx.eval.format)?
                            }
                        };
                    }
                    at_column = None;
                    check_complete(&names, fields)?;
                    for (n, d) in &left_out {
                        row[*n] = eval(d, &[], cx)?;
                    }
                    reading = false;
                    match filler {
                        Some(filler) => filler.push(target, writer, row, cx)?,
                        None => writer.insert(target, row, cx)?,
                    }
                    *count += 1;
                    Ok(())
                };
                let result = one();
                result.map_err(|e| {
                    let shown: String = String::from_utf8_lossy(line).chars().take(100).collect();
                    let context = match at_column {
                        Some(n) => {
                            let place = columns.iter().position(|c| *c == n).unwrap_or(0);
                            let value = fields.get(place).unwrap_or_default();
                            let value: String = value.chars().take(100).collect();
                            format!(
                                "COPY {}, line {number}, column {}: \"{value}\"",
                                table.name, table.columns[n].name
                            )
                        }
                        // What PostgreSQL finds before it gathers rows for insertion.
                        None if reading
                            || matches!(e.code, SqlState::NOT_NULL_VIOLATION | SqlState::CHECK_VIOLATION) =>
                        {
                            format!("COPY {}, line {number}: \"{shown}\"", table.name)
                        }
                        None => format!("COPY {}, line {number}", table.name),
                    };
                    e.with_context(context)
                })
            })
        })
    }

    fn copy_to(&mut self, stmt: &CopyStmt, sink: &mut dyn RowSink) -> Result<Progress, SqlError> {
        let tree = match &stmt.relation {
            CopyRelation::Query(q) => (**q).clone(),
            CopyRelation::Table(name, columns) => self.copy_query(name, columns)?,
        };
        self.refresh_catalog();
        let plan = {
            let eval = self.eval_ctx();
            let cx = self.bind_context(&eval, "");
            bind_statement(&cx, &tree, &[])?
        };
        self.start_plan(&plan)?;
        let Some(columns) = &plan.columns else {
            return Err(SqlError::unsupported("COPY query must have a RETURNING clause"));
        };
        let columns: Vec<(String, Type, i32)> =
            columns.iter().map(|c| (c.name.clone(), c.ty, c.typmod)).collect();
        sink.copy_out_begin(columns.len())?;
        let mut out = Vec::with_capacity(OUT_BYTES + 1024);
        if stmt.options.header {
            write_header(&stmt.options, &columns, &mut out);
        }
        let format = self.format.clone();
        let mut emit = |row: &[Datum]| -> Result<(), SqlError> {
            write_line(&stmt.options, row, &columns, &format, &mut out)?;
            if out.len() >= OUT_BYTES {
                sink.copy_data(&out)?;
                out.clear();
            }
            Ok(())
        };
        let count = match &plan.kind {
            PlanKind::Query(q) => self.run_query(&plan, q, &mut emit)?,
            _ => {
                let mut run = RunState::new(&plan, &self.budget);
                self.with_cx(&plan, &[], &mut run, |cx| crate::exec::change::run(cx, &mut emit))?
            }
        };
        if !out.is_empty() {
            sink.copy_data(&out)?;
        }
        Ok(Progress::Done(CommandTag(format!("COPY {count}"))))
    }

    /// `SELECT columns FROM table`
    fn copy_query(&mut self, name: &Name, columns: &[String]) -> Result<ast::Statement, SqlError> {
        self.refresh_catalog();
        let relation = self.find_relation(name)?;
        let names: Vec<String> = match &relation {
            Relation::Table(t) if columns.is_empty() => {
                t.live_columns().map(|(_, c)| c.name.clone()).collect()
            }
            Relation::Virtual(v) if columns.is_empty() => v.columns.iter().map(|c| c.0.to_owned()).collect(),
            Relation::Table(_) | Relation::Virtual(_) => columns.to_vec(),
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
