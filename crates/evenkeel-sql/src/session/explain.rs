//! EXPLAIN.
//!
//! Must not know: how plans are printed (`plan::explain`).

use super::explain_markup::{xml, yaml};
use super::{CommandTag, Portal, Prepared, Progress, RowSink, Session};
use crate::bind::bind_statement;
use crate::exec::node::{self, State, buffer};
use crate::exec::{RunState, change};
use crate::parse::{Explain, ExplainFormat, Stmt};
use crate::plan::explain::{CHANGE, Measured, Shown, Used, json, lines};
use crate::plan::{Column, Plan, PlanKind};
use evenkeel::Usage;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::guard;
use evenkeel_types::guard::stack::Deep;
use evenkeel_types::{Datum, FormatOptions, Type, output_binary, output_text};
use serde_json::{Map, Value, json};
use sqlparser::ast;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Rows as a client gets them, for SERIALIZE: they are written and counted.
struct Written {
    binary: bool,
    columns: Option<Arc<[Column]>>,
    format: FormatOptions,
    line: Vec<u8>,
    bytes: u64,
    time: Duration,
}

impl Written {
    fn new(binary: bool, plan: &Plan, format: FormatOptions) -> Written {
        let columns = plan.columns.clone();
        Written { binary, columns, format, line: Vec::new(), bytes: 0, time: Duration::ZERO }
    }

    fn row(&mut self, row: &[Datum]) -> Result<(), SqlError> {
        /// What a message says besides its values.
        const HEADER_BYTES: usize = 7;
        let began = Instant::now();
        for (value, column) in row.iter().zip(self.columns.iter().flat_map(|c| c.iter())) {
            self.line.extend([0; 4]);
            match (value, self.binary) {
                (Datum::Null, _) => {}
                (value, true) => {
                    output_binary(value, column.ty, column.typmod, &self.format, &mut self.line);
                }
                (value, false) => {
                    output_text(value, column.ty, column.typmod, &self.format, &mut self.line)?;
                }
            }
        }
        self.bytes += (HEADER_BYTES + self.line.len()) as u64;
        self.line.clear();
        self.time += began.elapsed();
        Ok(())
    }

    fn kb(&self) -> u64 {
        self.bytes.div_ceil(1024)
    }

    fn kind(&self) -> &'static str {
        if self.binary { "binary" } else { "text" }
    }
}

impl Session {
    pub(super) fn explain(
        &mut self,
        e: &Explain,
        portal: &Portal,
        sink: &mut dyn RowSink,
    ) -> Result<Progress, SqlError> {
        let body = &portal.stmt.body;
        let (plan, params, planning, planning_kb) = loop {
            self.refresh_catalog();
            let (started, before) = (Instant::now(), Usage::now());
            let held_before = guard::own_bytes();
            let (plan, params) = match &e.stmt {
                Stmt::Execute(name, args) => self.explained_execute(name, args)?,
                Stmt::Sql(_) if !portal.params.is_empty() => {
                    let types = body.param_types.iter().copied().map(Some).collect();
                    let query = self.explained(e, &portal.stmt, types)?;
                    (self.plan_for(&query, &portal.params)?, portal.params.clone())
                }
                Stmt::Sql(tree) => {
                    let eval = self.eval_ctx();
                    let cx = self.bind_context(&eval, &body.source);
                    let plan = bind_statement(&cx, tree, &[])?;
                    if !plan.param_types.is_empty() && !e.generic_plan {
                        let why = "there is no parameter $1";
                        return Err(SqlError::new(SqlState::UNDEFINED_PARAMETER, why));
                    }
                    (Arc::new(Deep::new(plan.depth, plan)), Vec::new())
                }
                _ => return Err(SqlError::internal("EXPLAIN of a statement without a plan")),
            };
            let planning = (started.elapsed(), Usage::now() - before);
            let planning_kb = guard::own_bytes().saturating_sub(held_before).div_ceil(1024);
            self.check_needs(&plan)?;
            if self.start_plan(&plan)? {
                break (plan, params, planning, planning_kb);
            }
        };
        if let Some(created) = &e.creates
            && self.explained_is_there(created)?
        {
            return Ok(Progress::Done(CommandTag::of("EXPLAIN")));
        }
        let (mut measured, mut execution) = (None, None);
        let mut written = e.serialize.map(|binary| Written::new(binary, &plan, self.format.clone()));
        if e.analyze {
            plan.check_ready()?;
            let started = Instant::now();
            if plan.writes && self.txn.as_ref().is_some_and(|t| t.read_only) {
                return Err(super::planned::read_only("EXPLAIN ANALYZE"));
            }
            let mut run = RunState::new(&plan, &self.budget);
            run.measured = Some(Box::default());
            self.with_cx(&plan, &params, &mut run, |cx| match &plan.kind {
                PlanKind::Query(q) if !plan.writes => {
                    let (mut state, mut row) = (State::new(&q.root), buffer(q));
                    while node::next(&q.root, &mut state, &mut row, cx)? {
                        written.as_mut().map_or(Ok(()), |w| w.row(&row))?;
                    }
                    Ok(())
                }
                _ => {
                    let (began, before, mut rows) = (Instant::now(), node::used(cx), 0);
                    change::run(cx, &mut |row| {
                        rows += 1;
                        written.as_mut().map_or(Ok(()), |w| w.row(row))
                    })?;
                    let (used, nanos) = (node::used(cx) - before, began.elapsed().as_nanos() as u64);
                    if let Some(all) =
                        cx.run.measured.as_mut().filter(|_| !matches!(plan.kind, PlanKind::Query(_)))
                    {
                        let m = all.of(CHANGE);
                        *m = Measured { rows, loops: 1, nanos, used, did: m.did, ..Measured::default() };
                    }
                    Ok(())
                }
            })?;
            execution = Some(started.elapsed());
            measured = run.measured;
        }
        let buffers = e.buffers.unwrap_or(e.analyze);
        let catalog = self.catalog.clone();
        let shown = Shown {
            costs: e.costs,
            measured: measured.as_deref(),
            timing: e.timing,
            buffers,
            wal: e.wal,
            verbose: e.verbose.then_some(&*catalog),
        };
        let ms = |d: Duration| d.as_secs_f64() * 1000.0;
        let summary = e.summary.unwrap_or(e.analyze);
        let changed = if e.settings { self.planner_settings() } else { Vec::new() };
        let (planning, for_planning) = (planning.0, Used { engine: planning.1, ..Used::default() });
        if e.format != ExplainFormat::Text {
            let mut whole = Map::new();
            whole.insert("Plan".into(), json(&plan, &shown, &self.format));
            if e.settings {
                let settings = changed.into_iter().map(|(name, value)| (name, Value::String(value)));
                whole.insert("Settings".into(), Value::Object(settings.collect()));
            }
            if buffers || e.memory {
                let mut planning = Map::new();
                if buffers {
                    for_planning.put(true, false, &mut planning);
                }
                if e.memory {
                    planning.insert("Memory Used".into(), json!(planning_kb));
                    planning.insert("Memory Allocated".into(), json!(planning_kb));
                }
                whole.insert("Planning".into(), Value::Object(planning));
            }
            if summary {
                whole.insert("Planning Time".into(), json!(ms(planning)));
            }
            if e.analyze {
                whole.insert("Triggers".into(), json!([]));
            }
            if let Some(w) = &written {
                let mut part = Map::new();
                if e.timing {
                    part.insert("Time".into(), json!(ms(w.time)));
                }
                part.insert("Output Volume".into(), json!(w.kb()));
                part.insert("Format".into(), json!(w.kind()));
                whole.insert("Serialization".into(), Value::Object(part));
            }
            if let Some(execution) = execution.filter(|_| summary) {
                whole.insert("Execution Time".into(), json!(ms(execution)));
            }
            let all = json!([whole]);
            let text = match e.format {
                ExplainFormat::Yaml => yaml(&all),
                ExplainFormat::Xml => xml(&all),
                _ => serde_json::to_string_pretty(&all)
                    .map_err(|e| SqlError::internal(format!("EXPLAIN: {e}")))?,
            };
            sink.row(&[Datum::text(text)])?;
            return Ok(Progress::Done(CommandTag::of("EXPLAIN")));
        }
        let mut out = lines(&plan, &shown, &self.format);
        if !changed.is_empty() {
            let list: Vec<String> =
                changed.iter().map(|(name, value)| format!("{name} = '{value}'")).collect();
            out.push(format!("Settings: {}", list.join(", ")));
        }
        let has_buffers = buffers && !for_planning.buffers().is_empty();
        if has_buffers || e.memory {
            out.push("Planning:".into());
        }
        if has_buffers {
            out.push(format!("  Buffers: {}", for_planning.buffers()));
        }
        if e.memory {
            out.push(format!("  Memory: used={planning_kb}kB  allocated={planning_kb}kB"));
        }
        if summary {
            out.push(format!("Planning Time: {:.3} ms", ms(planning)));
        }
        if let Some(w) = &written {
            let time = if e.timing { format!("time={:.3} ms  ", ms(w.time)) } else { String::new() };
            out.push(format!("Serialization: {time}output={}kB  format={}", w.kb(), w.kind()));
        }
        if let Some(execution) = execution.filter(|_| summary) {
            out.push(format!("Execution Time: {:.3} ms", ms(execution)));
        }
        for line in out {
            sink.row(&[Datum::text(line)])?;
        }
        Ok(Progress::Done(CommandTag::of("EXPLAIN")))
    }

    /// Types of the parameters of an EXPLAIN: those of what it explains.
    pub(super) fn explained_types(&mut self, of: &Prepared) -> Result<Option<Vec<Type>>, SqlError> {
        match &*of.body.stmt {
            Stmt::Explain(e) if matches!(e.stmt, Stmt::Sql(_)) && !e.generic_plan => {
                let query = self.explained(e, of, of.body.declared.clone())?;
                Ok(Some(query.param_types().to_vec()))
            }
            _ => Ok(None),
        }
    }

    /// What an EXPLAIN explains, prepared.
    fn explained(
        &mut self,
        e: &Explain,
        of: &Prepared,
        declared: Vec<Option<Type>>,
    ) -> Result<Arc<Prepared>, SqlError> {
        let depth = of.body.stmt.depth();
        self.prepare_stmt(Deep::new(depth, e.stmt.clone()), of.text.clone(), of.body.source.clone(), declared)
    }

    /// The plan of a prepared statement, and its parameters.
    fn explained_execute(
        &mut self,
        name: &str,
        args: &[ast::Expr],
    ) -> Result<(Arc<Deep<Plan>>, Vec<Datum>), SqlError> {
        let (stmt, params) = self.execution(name, args)?;
        if !self.is_planned(&stmt.body.stmt) {
            return Err(SqlError::unsupported("EXPLAIN EXECUTE of a statement without a plan"));
        }
        Ok((self.plan_for(&stmt, &params)?, params))
    }

    /// Settings that plans and their execution depend on, and that are not at their defaults.
    pub(super) fn planner_settings(&self) -> Vec<(String, String)> {
        let names = ["hash_mem_multiplier", "search_path", "work_mem"];
        let all =
            self.settings.rows().into_iter().filter(|s| names.contains(&&*s.name) && s.value != s.default);
        all.map(|s| (s.name, s.value)).collect()
    }
}
