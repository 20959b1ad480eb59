//! EXPLAIN.
//!
//! Must not know: how plans are printed (`plan::explain`).

use super::{CommandTag, Progress, RowSink, Session};
use crate::bind::bind_statement;
use crate::exec::{RunState, change};
use crate::parse::{Explain, Stmt};
use crate::plan::PlanKind;
use crate::plan::explain::lines;
use evenkeel_types::Datum;
use evenkeel_types::error::SqlError;
use std::time::Instant;

impl Session {
    pub(super) fn explain(
        &mut self,
        e: &Explain,
        source: &str,
        sink: &mut dyn RowSink,
    ) -> Result<Progress, SqlError> {
        self.refresh_catalog();
        let tree = match &e.stmt {
            Stmt::Sql(s) => (**s).clone(),
            _ => return Err(SqlError::unsupported("EXPLAIN EXECUTE is not supported")),
        };
        let started = Instant::now();
        let plan = {
            let eval = self.eval_ctx();
            let cx = self.bind_context(&eval, source);
            bind_statement(&cx, &tree, &[])?
        };
        let planning = started.elapsed();
        let mut out = lines(&plan, e.costs, &self.format);
        if e.analyze {
            self.start_plan(&plan)?;
            let started = Instant::now();
            let rows = match &plan.kind {
                PlanKind::Query(q) => self.run_query(&plan, q, &mut |_| Ok(()))?,
                _ => {
                    if self.txn.as_ref().is_some_and(|t| t.read_only) {
                        return Err(super::planned::read_only("EXPLAIN ANALYZE"));
                    }
                    let mut run = RunState::new(&plan, &self.budget);
                    self.with_cx(&plan, &[], &mut run, |cx| change::run(cx, &mut |_| Ok(())))?
                }
            };
            let ms = |d: std::time::Duration| d.as_secs_f64() * 1000.0;
            if let Some(first) = out.first_mut() {
                first.push_str(&format!(" (actual rows={rows}.00 loops=1)"));
            }
            out.push(format!("Planning Time: {:.3} ms", ms(planning)));
            out.push(format!("Execution Time: {:.3} ms", ms(started.elapsed())));
        }
        for line in out {
            sink.row(&[Datum::text(line)])?;
        }
        Ok(Progress::Done(CommandTag("EXPLAIN".into())))
    }
}
