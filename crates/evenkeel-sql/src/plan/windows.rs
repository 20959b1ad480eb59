//! Nodes for windows: in which order they follow one another, and what is sorted for them.
//!
//! Windows are taken as PostgreSQL takes them, so that rows come in its order: those that begin alike stand together, the one with the longer
//! order first, so that one sort serves several.
//!
//! Must not know: names, SQL syntax, the executor.

use super::bound::{Distinct, OrderItem, OrderKey};
use super::build::sorted_in_groups;
use super::expr::Expr;
use super::window::{
    Exclude, Frame, FrameBound, FrameMode, PlannedCall, RunCondition, Window, WindowAgg, WindowCall,
    WindowFn, Windows,
};
use super::{Node, Op, SetCall, SortKey};
use evenkeel_types::Datum;
use std::cmp::Ordering;

/// The windows of a level in the order in which they are computed.
pub struct WindowSteps {
    steps: Vec<Step>,
    /// Over the row with the calls' values, if there is but one step.
    run: Vec<RunCondition>,
    /// Place of the first call's value.
    first: usize,
    /// Width of the row with all that they add.
    pub width: usize,
}

struct Step {
    window: Window,
    calls: Vec<(usize, WindowCall)>,
}

/// What follows the windows of a level.
pub struct Above<'a> {
    /// The select list.
    pub outs: &'a mut [Expr],
    /// Its set-returning functions.
    pub set_calls: &'a mut [SetCall],
    /// ORDER BY.
    pub order: &'a mut [OrderKey],
    /// DISTINCT.
    pub distinct: &'a mut Distinct,
}

impl Above<'_> {
    fn each(&mut self, f: &mut dyn FnMut(&mut Expr)) {
        self.outs.iter_mut().for_each(&mut *f);
        self.set_calls.iter_mut().flat_map(|c| c.function.exprs_mut()).for_each(&mut *f);
        for key in self.order.iter_mut() {
            if let OrderItem::Expr(e) = &mut key.item {
                f(e);
            }
        }
        if let Distinct::On(list) = self.distinct {
            list.iter_mut().for_each(f);
        }
    }
}

impl Above<'_> {
    /// Rebuilds all expressions, but for the arguments of these calls.
    pub fn map(&mut self, f: &mut dyn FnMut(Expr) -> Expr, but: &[(usize, usize)]) {
        let calls = self.set_calls.iter_mut().enumerate();
        let args = calls.filter(|(n, _)| !but.iter().any(|b| b.0 == *n));
        for e in args.flat_map(|(_, c)| c.function.exprs_mut()) {
            *e = f(std::mem::replace(e, Expr::null()));
        }
        let by = self.order.iter_mut().filter_map(|k| match &mut k.item {
            OrderItem::Expr(e) => Some(e),
            OrderItem::Output(_) => None,
        });
        let on: &mut [Expr] = if let Distinct::On(list) = self.distinct { list } else { &mut [] };
        for e in self.outs.iter_mut().chain(by).chain(on) {
            *e = f(std::mem::replace(e, Expr::null()));
        }
    }
}

impl WindowSteps {
    /// Decides; `width` is that of the row below. What is above reads columns from now on. `keys`: what it is grouped by.
    pub fn new(windows: Windows, width: usize, keys: &[Expr], above: &mut Above<'_>) -> WindowSteps {
        let mut used = vec![false; windows.calls.len()];
        above.each(&mut |e| {
            e.walk(&mut |e| {
                if let Expr::Window(n) = e {
                    used[*n] = true;
                }
            })
        });
        let refs = references(&windows, keys, above);
        let all = width + windows.calls.len();
        let mut run = windows.run;
        run.retain(|r| used[r.call]);
        let mut steps: Vec<Step> =
            windows.list.into_iter().map(|window| Step { window, calls: Vec::new() }).collect();
        for (n, call) in windows.calls.into_iter().enumerate().filter(|(n, _)| used[*n]) {
            steps[call.window].calls.push((width + n, call));
        }
        let mut merged: Vec<Step> = Vec::new();
        for mut step in steps.into_iter().filter(|s| !s.calls.is_empty()) {
            if step.calls.iter().all(|(_, c)| c.f.ignores_frame()) {
                step.window.frame = rows_so_far();
            }
            let is_same = |s: &Step| {
                let (a, b) = (&s.window, &step.window);
                a.partition == b.partition && a.order == b.order && a.frame == b.frame
            };
            match merged.iter().position(is_same) {
                Some(at) => merged[at].calls.append(&mut step.calls),
                None => merged.push(step),
            }
        }
        merged.sort_by(|a, b| by_common_prefix(&a.window, &b.window, &refs));
        name_all(&mut merged);
        above.each(&mut |e| {
            *e = std::mem::replace(e, Expr::null()).map(&mut |e| match e {
                Expr::Window(n) => Expr::Column(width + n),
                other => other,
            })
        });
        // What another window computes of a row depends on rows that this one leaves out.
        if merged.len() > 1 {
            run.clear();
        }
        WindowSteps { steps: merged, run, first: width, width: all }
    }

    /// The one step, if it is computed while rows come and none behind the last one that is wanted need be there.
    fn as_they_come(&self) -> Option<&Step> {
        let [step] = &self.steps[..] else { return None };
        step.calls.iter().all(|(_, c)| c.looks_back(&step.window)).then_some(step)
    }

    /// How many rows are wanted at most, if all are of one partition, and whether not one more is.
    pub fn most_rows(&self) -> Option<(&Expr, bool)> {
        let step = self.as_they_come()?;
        let is_number = |r: &&RunCondition| {
            let call = step.calls.iter().find(|(to, _)| *to == self.first + r.call);
            call.is_some_and(|(_, c)| matches!(c.f, WindowFn::RowNumber))
        };
        let run = self.run.iter().find(is_number).or(self.run.first())?;
        step.window.partition.is_empty().then_some((&run.most, is_number(&run)))
    }

    /// Whether rows come out in an order, each as soon as its own are there.
    pub fn streams_by(&self, order: &[SortKey]) -> bool {
        self.as_they_come().is_some_and(|_| self.first_order().starts_with(order))
    }

    /// The order that the first one wants.
    pub fn first_order(&self) -> Vec<SortKey> {
        self.steps.first().map(|s| s.window.sort_keys()).unwrap_or_default()
    }

    /// The nodes over an input, and the order in which rows then come. `comes_by`: by how many of the keys of the first window's order they come sorted.
    pub fn build(
        self,
        mut node: Node,
        comes_by: usize,
        below: usize,
        above: &mut Above<'_>,
    ) -> (Node, Vec<SortKey>) {
        let mut live = Vec::new();
        above.each(&mut |e| e.columns(&mut live));
        for step in &self.steps {
            step.window.exprs(&mut |e| e.columns(&mut live));
            step.calls
                .iter()
                .flat_map(|(_, c)| c.args.iter().chain(&c.filter))
                .for_each(|e| e.columns(&mut live));
        }
        live.sort_unstable();
        live.dedup();
        let mut there: Vec<usize> = live.iter().copied().filter(|p| *p < below).collect();
        let first = self.first_order();
        let (mut order, mut presorted) =
            if comes_by >= first.len() { (first, 0) } else { (Vec::new(), comes_by) };
        let rows = |e: &Expr| if let Expr::Const(d) = e { d.as_i64().filter(|n| *n >= 0) } else { None };
        let most = self.most_rows().and_then(|(e, is_exact)| Some((rows(e)?, is_exact)));
        let read =
            |r: &RunCondition| Expr::Cmp(r.op, Box::new((Expr::Column(self.first + r.call), r.most.clone())));
        let mut run: Vec<Expr> = self.run.iter().map(read).collect();
        for step in self.steps {
            let wanted = step.window.sort_keys();
            if !order.starts_with(&wanted) {
                let exact = most.filter(|(_, is_exact)| *is_exact);
                let top = exact.map(|(n, _)| (Some(Expr::Const(Datum::Int8(n))), None));
                let input = (node, std::mem::take(&mut presorted));
                let live = Some(there.clone().into());
                node = sorted_in_groups(input, self.width, wanted.clone(), live, top.as_ref());
                order = wanted;
            }
            let results: Vec<usize> = step.calls.iter().map(|(to, _)| *to).collect();
            node = window_agg(node, self.width, step, &there, std::mem::take(&mut run));
            if let Some((n, _)) = most {
                node.rows = node.rows.min(n as f64);
            }
            there.extend(results);
        }
        (node, order)
    }
}

/// The frame of functions to which it makes no difference.
fn rows_so_far() -> Frame {
    Frame {
        mode: FrameMode::Rows,
        start: FrameBound::Start,
        end: FrameBound::Current,
        exclude: Exclude::NoOthers,
        is_written: true,
        has_between: false,
    }
}

/// What is ordered or grouped by, in the order in which PostgreSQL numbers it: ORDER BY, GROUP BY, then the windows.
fn references(windows: &Windows, keys: &[Expr], above: &mut Above<'_>) -> Vec<Expr> {
    let mut refs: Vec<Expr> = above.order.iter().map(|k| k.expr(above.outs).clone()).collect();
    refs.extend((0..keys.len()).map(Expr::Column));
    match &*above.distinct {
        Distinct::No => {}
        Distinct::All(_) => refs.extend(above.outs.iter().cloned()),
        Distinct::On(list) => refs.extend(list.iter().cloned()),
    }
    for w in &windows.list {
        refs.extend(w.order.iter().map(|k| k.expr.clone()).chain(w.partition.iter().cloned()));
    }
    refs
}

fn by_common_prefix(a: &Window, b: &Window, refs: &[Expr]) -> Ordering {
    let (a, b) = (a.sort_keys(), b.sort_keys());
    let number = |k: &SortKey| refs.iter().position(|e| *e == k.expr);
    for (x, y) in a.iter().zip(&b) {
        let by = number(y).cmp(&number(x)).then(y.desc.cmp(&x.desc)).then(y.nulls_first.cmp(&x.nulls_first));
        if by.is_ne() {
            return by;
        }
    }
    b.len().cmp(&a.len())
}

/// Windows without a name get one, as in PostgreSQL's EXPLAIN.
fn name_all(steps: &mut [Step]) {
    let mut next = 1;
    for at in 0..steps.len() {
        if steps[at].window.name.is_some() {
            continue;
        }
        let name = loop {
            let name = format!("w{next}");
            next += 1;
            if !steps.iter().any(|s| s.window.name.as_ref() == Some(&name)) {
                break name;
            }
        };
        steps[at].window.name = Some(name);
    }
}

/// The place of an expression in a record.
fn kept(record: &mut Vec<Expr>, e: &Expr) -> usize {
    record.iter().position(|r| r == e && !e.calls_volatile()).unwrap_or_else(|| {
        record.push(e.clone());
        record.len() - 1
    })
}

fn window_agg(input: Node, width: usize, step: Step, there: &[usize], run: Vec<Expr>) -> Node {
    let mut record: Vec<Expr> = there.iter().map(|p| Expr::Column(*p)).collect();
    let live = there.iter().enumerate().map(|(n, p)| (n, *p)).collect();
    let order_at = step.window.order.iter().map(|k| kept(&mut record, &k.expr)).collect();
    let mut calls = Vec::with_capacity(step.calls.len());
    for (to, call) in step.calls {
        calls.push(PlannedCall {
            f: call.f,
            args: call.args.iter().map(|e| kept(&mut record, e)).collect(),
            arg_types: call.arg_types,
            filter: call.filter.map(|e| kept(&mut record, &e)),
            to,
        });
    }
    let (rows, cost) = (input.rows, input.cost + input.rows * 0.0075 * calls.len() as f64);
    let name = step.window.name.clone().unwrap_or_default();
    let node = WindowAgg {
        input,
        width,
        window: step.window,
        name,
        record: record.into(),
        live,
        order_at,
        calls: calls.into(),
        run: run.into(),
    };
    Node::new(Op::Window(Box::new(node)), rows, cost)
}
