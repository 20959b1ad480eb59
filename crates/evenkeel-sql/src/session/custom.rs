//! Whether a statement with parameters is planned for their values, or once for all (`plan_cache_mode`).
//!
//! As PostgreSQL does: the first five executions are planned for their values; from then on the general plan is used, unless it is thought to cost more than those did, with the time that planning took.
//! What finds single rows by whole keys has no better plan for any value, and is never planned again.
//!
//! Must not know: how plans are made.

use super::statements::stands_for_all;
use super::{Prepared, Session};
use crate::plan::{Plan, PlanKind};
use evenkeel_types::Datum;
use evenkeel_types::error::SqlError;
use evenkeel_types::guard::stack::Deep;
use std::sync::Arc;

/// So many executions are planned for their values.
const TRIED: u64 = 5;
/// What making a plan costs, and what each of its tables adds, as plans' costs are counted.
const PLANNING_COST: f64 = 3.0;

/// `plan_cache_mode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum PlanCacheMode {
    /// As above.
    #[default]
    Auto,
    /// Always the general plan.
    Generic,
    /// Always a plan for the values.
    Custom,
}

impl PlanCacheMode {
    pub(super) fn of(name: &str) -> PlanCacheMode {
        match name {
            "force_generic_plan" => PlanCacheMode::Generic,
            "force_custom_plan" => PlanCacheMode::Custom,
            _ => PlanCacheMode::Auto,
        }
    }
}

/// What a statement's plans were until now.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Plans {
    /// Executions with the general plan.
    pub generic: u64,
    /// Those with a plan for their values.
    pub custom: u64,
    /// What the latter are thought to have cost.
    custom_cost: f64,
}

fn cost(plan: &Plan) -> f64 {
    let of_kind = match &plan.kind {
        PlanKind::Query(q) => q.root.cost,
        PlanKind::Insert(i) => match &i.source {
            crate::plan::InsertSource::Query(q, _) => q.root.cost,
            crate::plan::InsertSource::Rows(_) => 0.0,
        },
        PlanKind::Update(u) => u.rows.input.cost,
        PlanKind::Delete(d) => d.rows.input.cost,
        PlanKind::Merge(m) => m.rows.input.cost,
    };
    let parts = plan.subplans.iter().chain(plan.ctes.iter().flat_map(crate::plan::Cte::queries));
    of_kind + parts.map(|q| q.root.cost).sum::<f64>()
}

impl Session {
    /// The plan that an execution with these parameters uses.
    pub(super) fn plan_for(
        &mut self,
        stmt: &Prepared,
        params: &[Datum],
    ) -> Result<Arc<Deep<Plan>>, SqlError> {
        let plan = self.plan(stmt)?;
        let has_values = params.len() == plan.param_types.len() && stmt.values.is_empty();
        if params.is_empty() || !has_values {
            plan.check_runs()?;
            return Ok(plan);
        }
        let is_custom = match self.plan_cache_mode {
            PlanCacheMode::Generic => false,
            PlanCacheMode::Custom => true,
            PlanCacheMode::Auto if stands_for_all(&plan) => false,
            PlanCacheMode::Auto => {
                let plans = *stmt.body.plans.lock();
                plans.custom < TRIED || cost(&plan) >= plans.custom_cost / plans.custom as f64
            }
        };
        if !is_custom {
            plan.check_runs()?;
            stmt.body.plans.lock().generic += 1;
            return Ok(plan);
        }
        let (custom, _) = self.make_plan(stmt, Some(params))?;
        custom.check_runs()?;
        let mut plans = stmt.body.plans.lock();
        plans.custom += 1;
        plans.custom_cost += cost(&custom) + PLANNING_COST * (custom.locks.len() + 1) as f64;
        Ok(custom)
    }
}
