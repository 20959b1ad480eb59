//! Set-returning functions of a select list: where in a plan they are computed.
//!
//! Those whose arguments have no other such calls come first, side by side, one row of each with one row of the others; then those over them, and
//! so on, as in PostgreSQL. What is grouped by, or windows are divided and ordered by, is computed below the groups and windows, everything else above them, and behind the sort if
//! nothing is sorted by it.
//!
//! Invariants
//! 1. Behind a stage no expression has its calls any more: they are columns.
//!
//! Must not know: names, SQL syntax, the executor.

use super::expr::Expr;
use super::{Node, Op, SetCall};

/// The calls of a level, and which of them are columns already.
pub struct SetCalls {
    calls: Vec<SetCall>,
    /// By number: the places of those that were computed.
    places: Vec<Option<usize>>,
}

impl SetCalls {
    /// None is computed yet.
    pub fn new(calls: Vec<SetCall>) -> SetCalls {
        SetCalls { places: vec![None; calls.len()], calls }
    }

    /// Whether there are any.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Visits the arguments of those that some expressions need.
    pub fn arguments<'a>(&self, of: impl IntoIterator<Item = &'a Expr>, f: &mut dyn FnMut(&Expr)) {
        for n in self.needed(of) {
            self.calls[n].function.exprs().into_iter().for_each(&mut *f);
        }
    }

    /// All calls.
    pub fn calls(&self) -> &[SetCall] {
        &self.calls
    }

    /// All calls, to be changed.
    pub fn calls_mut(&mut self) -> &mut [SetCall] {
        &mut self.calls
    }

    /// Those that an expression needs and that are not computed, their arguments' too.
    pub fn needed<'a>(&self, exprs: impl IntoIterator<Item = &'a Expr>) -> Vec<usize> {
        let mut found = vec![false; self.calls.len()];
        for e in exprs {
            self.mark(e, &mut found);
        }
        (0..found.len()).filter(|n| found[*n]).collect()
    }

    fn mark(&self, e: &Expr, found: &mut [bool]) {
        e.walk(&mut |e| {
            if let Expr::Set(n) = e
                && self.places[*n].is_none()
                && !std::mem::replace(&mut found[*n], true)
            {
                self.calls[*n].function.exprs().into_iter().for_each(|e| self.mark(e, found));
            }
        });
    }

    /// How many calls stand within one another, from 1: by number.
    fn depths(&self) -> Vec<usize> {
        let mut depths: Vec<usize> = Vec::with_capacity(self.calls.len());
        for call in &self.calls {
            let mut below = 0;
            for e in call.function.exprs() {
                e.walk(&mut |e| {
                    if let Expr::Set(n) = e
                        && self.places[*n].is_none()
                    {
                        below = below.max(depths[*n]);
                    }
                });
            }
            depths.push(below + 1);
        }
        depths
    }

    /// An expression over a row in which calls are columns.
    pub fn read(&self, e: Expr) -> Expr {
        e.map(&mut |e| match e {
            Expr::Set(n) => self.places[n].map_or(Expr::Set(n), Expr::Column),
            e => e,
        })
    }

    /// Calls that are to be evaluated over such a row.
    fn call(&self, n: usize) -> SetCall {
        let mut call = self.calls[n].clone();
        for e in call.function.exprs_mut() {
            *e = self.read(std::mem::replace(e, Expr::null()));
        }
        call
    }

    /// Computes what some expressions need, behind the row's own columns; `live` says which of these are read above. The new width.
    pub fn computed<'a>(
        &mut self,
        node: Node,
        width: usize,
        exprs: impl IntoIterator<Item = &'a Expr>,
        live: &dyn Fn(usize) -> bool,
    ) -> (Node, usize) {
        let needed = self.needed(exprs);
        self.staged(node, width, needed, live)
    }

    /// Where calls will be columns once they are computed over a row of this width.
    pub fn places(&self, needed: &[usize], width: usize) -> Vec<(usize, usize)> {
        let depths = self.depths();
        let mut order = needed.to_vec();
        // As `staged` takes them: by depth, then by number.
        order.sort_by_key(|n| (depths[*n], *n));
        order.into_iter().enumerate().map(|(at, n)| (n, width + at)).collect()
    }

    /// Computes calls whose places are known already: whoever reads them reads these columns.
    pub fn compute(&mut self, node: Node, width: usize, calls: &[usize]) -> (Node, usize) {
        self.staged(node, width, calls.to_vec(), &|_| true)
    }

    fn staged(
        &mut self,
        mut node: Node,
        mut width: usize,
        needed: Vec<usize>,
        live: &dyn Fn(usize) -> bool,
    ) -> (Node, usize) {
        let (depths, below) = (self.depths(), width);
        let deepest = needed.iter().map(|n| depths[*n]).max().unwrap_or(0);
        for depth in 1..=deepest {
            let stage: Vec<usize> = needed.iter().copied().filter(|n| depths[*n] == depth).collect();
            // What calls of later stages are given has to be passed on, too.
            let mut given = Vec::new();
            for n in needed.iter().filter(|n| depths[**n] > depth) {
                self.calls[*n].function.exprs().into_iter().for_each(|e| e.columns(&mut given));
            }
            let passed = |c: usize| c >= below || live(c) || given.contains(&c);
            let mut exprs: Vec<Expr> =
                (0..width).map(|c| if passed(c) { Expr::Column(c) } else { Expr::null() }).collect();
            let mut sets = Vec::new();
            for n in &stage {
                sets.push((exprs.len(), self.call(*n)));
                exprs.push(Expr::null());
            }
            node = project_set(node, width, exprs, sets);
            for n in stage {
                self.places[n] = Some(width);
                width += 1;
            }
        }
        (node, width)
    }

    /// A select list's row from each row and each row of its calls.
    pub fn project(mut self, node: Node, width: usize, exprs: Vec<Expr>) -> Node {
        let needed = self.needed(&exprs);
        let depths = self.depths();
        let last = needed.iter().map(|n| depths[*n]).max().unwrap_or(0);
        // The last stage computes the select list too, if each of its calls is one of the list's values.
        let mut seen = vec![false; self.calls.len()];
        let is_value = |e: &Expr, seen: &mut [bool]| match e {
            Expr::Set(n) => depths[*n] < last || !std::mem::replace(&mut seen[*n], true),
            e => !e.any(|e| matches!(e, Expr::Set(n) if self.places[*n].is_none() && depths[*n] == last)),
        };
        let are_values = exprs.iter().all(|e| is_value(e, &mut seen));
        let before: Vec<usize> =
            needed.iter().copied().filter(|n| !are_values || depths[*n] < last).collect();
        let mut read = Vec::new();
        exprs.iter().for_each(|e| e.columns(&mut read));
        for n in &needed {
            self.calls[*n].function.exprs().into_iter().for_each(|e| e.columns(&mut read));
        }
        let (node, width) = self.staged(node, width, before, &|c| read.contains(&c));
        let (mut values, mut sets) = (Vec::with_capacity(exprs.len()), Vec::new());
        for (at, e) in exprs.into_iter().enumerate() {
            match e {
                Expr::Set(n) if self.places[n].is_none() => {
                    sets.push((at, self.call(n)));
                    values.push(Expr::null());
                }
                e => values.push(self.read(e)),
            }
        }
        match sets.is_empty() {
            true => super::build::project(node, width, values.into()),
            false => project_set(node, width, values, sets),
        }
    }
}

fn project_set(input: Node, width: usize, exprs: Vec<Expr>, sets: Vec<(usize, SetCall)>) -> Node {
    let (rows, cost) = (input.rows * 100.0, input.cost + input.rows * 0.0025);
    let op = Op::Project { input: Box::new(input), width, exprs: exprs.into(), sets: sets.into() };
    Node::new(op, rows, cost)
}
