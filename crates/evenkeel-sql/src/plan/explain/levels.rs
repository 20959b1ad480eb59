//! The levels of a statement: how its subqueries are numbered, which of them are run once for a level, and what its relations are called.
//!
//! Invariants
//! 1. Numbers are PostgreSQL's: common table expressions of a level come first, then subqueries of its select list, then those of its conditions; what is within one
//!    has the lower number. What became a join has none.
//! 2. Names are told apart as in PostgreSQL (`t`, `t_1`): a level's relations come before those of subqueries in its FROM, and these before numbered ones.
//!
//! Must not know: how anything is shown.

use crate::plan::expr::{CmpOp, Expr, SubqueryUse};
use crate::plan::{InsertSource, Node, Op, Plan, PlanKind, Query, Returning, SetFunction};
use std::collections::{BTreeSet, HashMap};

use super::measured::{key_of, key_of_change};

/// What a level runs once, before or while it gives rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbered {
    /// A common table expression, by its number in the plan.
    Cte(usize),
    /// A subquery, by its number in the plan.
    Subquery(usize),
}

/// What is known of a statement's levels.
#[derive(Default)]
pub(super) struct Levels {
    /// Numbers of subqueries.
    numbers: HashMap<usize, usize>,
    /// What levels run once, by their keys.
    once: HashMap<usize, Vec<Numbered>>,
    /// What relations are called, by the keys of their nodes.
    aliases: HashMap<usize, String>,
    /// The same of what a change is made to, by the key of the change.
    targets: HashMap<usize, String>,
}

impl Levels {
    /// Those of a statement.
    pub fn of(plan: &Plan) -> Levels {
        let mut walk = Walk { plan, levels: Levels::default(), all: Vec::new(), taken: HashMap::new() };
        walk.statement();
        walk.names();
        walk.levels
    }

    /// The number of a subquery, if it is one still.
    pub fn number(&self, subquery: usize) -> Option<usize> {
        self.numbers.get(&subquery).copied()
    }

    /// What a level runs once.
    pub fn once(&self, level: usize) -> &[Numbered] {
        self.once.get(&level).map_or(&[], |l| l)
    }

    /// What a relation is called.
    pub fn alias(&self, node: &Node) -> Option<&String> {
        self.aliases.get(&key_of(node))
    }

    /// What a change is made to.
    pub fn target(&self, change: &PlanKind) -> Option<&String> {
        self.targets.get(&key_of_change(change))
    }
}

/// Whether a subquery reads nothing of its level, which then runs it once: PostgreSQL's InitPlan.
pub(super) fn is_once(usage: &SubqueryUse, args: &[(usize, Expr)]) -> bool {
    args.is_empty() && !matches!(usage, SubqueryUse::Any(..) | SubqueryUse::All(..))
}

/// Whether the rows of a subquery are kept in a hash table.
pub(super) fn is_hashed(plan: &Plan, number: usize, usage: &SubqueryUse, args: &[(usize, Expr)]) -> bool {
    let reads_nothing = args.is_empty() && plan.subplan_reads.get(number).is_none_or(|r| r.is_empty());
    reads_nothing && matches!(usage, SubqueryUse::Any(CmpOp::Eq, _) | SubqueryUse::All(CmpOp::Ne, _))
}

/// Whether there is anything left of a query: what became a join, or is read where it stands, is not there any more.
pub(super) fn is_there(q: &Query) -> bool {
    !matches!(q.root.op, Op::Nothing) || q.width > 0
}

/// The subqueries in an expression: their numbers, and whether they are run once.
pub(super) fn subqueries_in(e: &Expr, found: &mut Vec<(usize, bool)>) {
    e.walk(&mut |e| {
        if let Expr::Subquery(n, usage, args) = e {
            found.push((*n, is_once(usage, args)));
        }
    });
}

struct Walk<'a> {
    plan: &'a Plan,
    levels: Levels,
    /// All that has a number, in their order.
    all: Vec<Numbered>,
    /// Names that relations have, and the last number behind each.
    taken: HashMap<String, usize>,
}

/// The nodes of a level, and the queries that begin levels of their own in its FROM.
fn nodes_of<'a>(node: &'a Node, own: &mut Vec<&'a Node>, queries: &mut Vec<&'a Query>) {
    own.push(node);
    stacker::maybe_grow(64 << 10, 1 << 20, || match &node.op {
        Op::Subquery { query, .. } => queries.push(query),
        Op::SetOperation { left, right, .. } => queries.extend([&**left, &**right]),
        _ => node.children().into_iter().for_each(|n| nodes_of(n, own, queries)),
    });
}

/// The tree of what a change visits, or inserts.
fn visited(kind: &PlanKind) -> Option<&Node> {
    match kind {
        PlanKind::Query(q) => Some(&q.root),
        PlanKind::Insert(i) => match &i.source {
            InsertSource::Query(q, _) => Some(&q.root),
            InsertSource::Rows(_) => None,
        },
        PlanKind::Update(u) => Some(&u.rows.input),
        PlanKind::Delete(d) => Some(&d.rows.input),
        PlanKind::Merge(m) => Some(&m.rows.input),
    }
}

fn returned(r: &Option<Returning>) -> impl Iterator<Item = &Expr> {
    r.iter().flat_map(|r| r.exprs.iter())
}

/// What a change computes for the rows that it visits, by what is below it.
pub(super) fn computed(kind: &PlanKind) -> Vec<&Expr> {
    match kind {
        PlanKind::Insert(i) => match &i.source {
            InsertSource::Query(_, exprs) => exprs.iter().collect(),
            InsertSource::Rows(rows) => rows.iter().flat_map(|r| r.iter()).collect(),
        },
        PlanKind::Update(u) => u.set.iter().map(|(_, e)| e).collect(),
        PlanKind::Query(_) | PlanKind::Delete(_) | PlanKind::Merge(_) => Vec::new(),
    }
}

/// What it computes itself.
pub(super) fn changing(kind: &PlanKind) -> Vec<&Expr> {
    match kind {
        PlanKind::Query(_) => Vec::new(),
        PlanKind::Insert(i) => {
            let update = i.conflict.iter().filter_map(|c| c.update.as_ref());
            let of = update.flat_map(|u| u.set.iter().map(|(_, e)| e).chain(&u.condition));
            returned(&i.returning).chain(of).collect()
        }
        PlanKind::Update(u) => returned(&u.returning).collect(),
        PlanKind::Delete(d) => returned(&d.returning).collect(),
        PlanKind::Merge(m) => {
            let mut all: Vec<&Expr> = returned(&m.returning).collect();
            m.clauses.iter().for_each(|c| c.exprs(&mut |e| all.push(e)));
            all
        }
    }
}

impl<'a> Walk<'a> {
    fn statement(&mut self) {
        let plan = self.plan;
        let claimed = self.claimed();
        let is_left = |n: &usize| !claimed.contains(n);
        let left: Vec<usize> = (0..plan.ctes.len()).filter(is_left).collect();
        self.kind(&plan.kind, left);
    }

    /// The common table expressions that some query says to be its own.
    fn claimed(&self) -> BTreeSet<usize> {
        fn of_node(node: &Node, found: &mut BTreeSet<usize>) {
            let (mut own, mut queries) = (Vec::new(), Vec::new());
            nodes_of(node, &mut own, &mut queries);
            queries.into_iter().for_each(|q| of_query(q, found));
        }
        fn of_query(q: &Query, found: &mut BTreeSet<usize>) {
            found.extend(&q.with);
            stacker::maybe_grow(64 << 10, 1 << 20, || of_node(&q.root, found));
        }
        let plan = self.plan;
        let mut found = BTreeSet::new();
        plan.subplans.iter().for_each(|q| of_query(q, &mut found));
        plan.ctes.iter().flat_map(|c| c.queries()).for_each(|q| of_query(q, &mut found));
        let changes = plan.ctes.iter().filter_map(|c| c.change.as_deref());
        for kind in changes.chain([&plan.kind]) {
            match kind {
                PlanKind::Query(q) => of_query(q, &mut found),
                kind => {
                    if let PlanKind::Insert(i) = kind
                        && let InsertSource::Query(q, _) = &i.source
                    {
                        found.extend(&q.with);
                    }
                    visited(kind).into_iter().for_each(|n| of_node(n, &mut found));
                }
            }
        }
        found
    }

    /// A change or a query, which has these common table expressions besides those that it says to be its own.
    fn kind(&mut self, kind: &'a PlanKind, ctes: Vec<usize>) {
        if let PlanKind::Query(q) = kind {
            return self.query(q, ctes);
        }
        let key = key_of_change(kind);
        let own = match kind {
            PlanKind::Insert(i) => match &i.source {
                InsertSource::Query(q, _) => &q.with[..],
                InsertSource::Rows(_) => &[],
            },
            _ => &[],
        };
        let ctes: BTreeSet<usize> = ctes.into_iter().chain(own.iter().copied()).collect();
        self.begin(key, ctes);
        computed(kind).into_iter().for_each(|e| self.expr(key, e));
        if let Some(node) = visited(kind) {
            self.nodes(key, node);
        }
        changing(kind).into_iter().for_each(|e| self.expr(key, e));
    }

    fn query(&mut self, q: &'a Query, more: Vec<usize>) {
        let key = key_of(&q.root);
        if self.levels.once.contains_key(&key) {
            return;
        }
        let ctes: BTreeSet<usize> = more.into_iter().chain(q.with.iter().copied()).collect();
        self.begin(key, ctes);
        stacker::maybe_grow(64 << 10, 1 << 20, || self.nodes(key, &q.root));
    }

    fn begin(&mut self, key: usize, ctes: impl IntoIterator<Item = usize>) {
        self.levels.once.insert(key, Vec::new());
        for n in ctes {
            let Some(c) = self.plan.ctes.get(n) else { continue };
            match &c.change {
                Some(change) => self.kind(change, Vec::new()),
                None if is_there(&c.query) => c.queries().for_each(|q| self.query(q, Vec::new())),
                None => continue,
            }
            self.number(key, Numbered::Cte(n), true);
        }
    }

    fn number(&mut self, key: usize, what: Numbered, once: bool) {
        self.all.push(what);
        if let Numbered::Subquery(n) = what {
            self.levels.numbers.insert(n, self.all.len());
        }
        if once {
            self.levels.once.entry(key).or_default().push(what);
        }
    }

    /// An expression of a level.
    fn expr(&mut self, key: usize, e: &Expr) {
        let mut found = Vec::new();
        subqueries_in(e, &mut found);
        for (n, once) in found {
            let Some(q) = self.plan.subplans.get(n) else { continue };
            if self.levels.numbers.contains_key(&n) {
                continue;
            }
            self.query(q, Vec::new());
            self.number(key, Numbered::Subquery(n), once);
            if let Some(other) = self.plan.hashed(n) {
                self.query(&self.plan.subplans[other.subplan], Vec::new());
                self.number(key, Numbered::Subquery(other.subplan), false);
            }
        }
    }

    /// The nodes of a level (invariant 1).
    fn nodes(&mut self, key: usize, root: &'a Node) {
        let (mut own, mut queries) = (Vec::new(), Vec::new());
        nodes_of(root, &mut own, &mut queries);
        let turn = |n: &Node| match &n.op {
            Op::Project { .. } | Op::Aggregate(_) | Op::Window(_) => 0,
            Op::Sort(_) | Op::Distinct(_) => 1,
            // What is judged again is the same as what was judged.
            Op::Lock(_) => 4,
            Op::Limit { .. } => 3,
            _ => 2,
        };
        for n in 0..4 {
            for node in own.iter().filter(|node| turn(node) == n) {
                let mut exprs = Vec::new();
                node.own_exprs(&mut |e| exprs.push(e));
                exprs.into_iter().for_each(|e| self.expr(key, e));
            }
        }
        queries.into_iter().for_each(|q| self.query(q, Vec::new()));
    }
}

/// What a relation is called by the statement, and its place in the row; None: the node is no relation.
pub(super) fn relation(node: &Node) -> Option<(usize, &str)> {
    let called = |name| node.called.as_ref().map_or(name, |(_, c)| &*c.alias);
    match &node.op {
        Op::Scan(s) => Some((s.at, &s.alias)),
        Op::Virtual { table, at } => Some((*at, called(table.name))),
        Op::Function { function, at, .. } => Some((*at, called(function_name(function)))),
        Op::Subquery { at, name, .. } => Some((*at, name)),
        Op::Cte { at, name, .. } => Some((*at, called(name))),
        Op::Values { at, .. } => Some((*at, VALUES)),
        _ => None,
    }
}

/// What VALUES is called.
pub(super) const VALUES: &str = "*VALUES*";

/// What a function is called.
pub(super) fn function_name(function: &SetFunction) -> &str {
    match function {
        SetFunction::Spread(of, _) | SetFunction::Defined { of, .. } => function_name(of),
        SetFunction::Series { .. } | SetFunction::TimeSeries { .. } => "generate_series",
        SetFunction::Unnest(_) => "unnest",
        SetFunction::Rows { f, .. } => f.name,
        SetFunction::Ancestors(_) => "pg_partition_ancestors",
        SetFunction::Scalar(Expr::Call(f, _)) => f.name,
        SetFunction::Records { name, .. } => name,
        SetFunction::Together(..) => "rows",
        SetFunction::JsonTable(_) => "json_table",
        SetFunction::Scalar(_) => "expression",
    }
}

impl Walk<'_> {
    /// Names all relations (invariant 2).
    fn names(&mut self) {
        let plan = self.plan;
        self.names_of_kind(&plan.kind);
        for what in std::mem::take(&mut self.all) {
            match what {
                Numbered::Subquery(n) => self.names_of(&plan.subplans[n].root),
                Numbered::Cte(n) => match &plan.ctes[n].change {
                    Some(change) => self.names_of_kind(change),
                    None => plan.ctes[n].queries().for_each(|q| self.names_of(&q.root)),
                },
            }
        }
    }

    fn names_of_kind(&mut self, kind: &PlanKind) {
        let target = match kind {
            PlanKind::Query(_) => None,
            PlanKind::Insert(i) => Some(i.target),
            PlanKind::Update(u) => Some(u.target),
            PlanKind::Delete(d) => Some(d.target),
            PlanKind::Merge(m) => Some(m.target),
        };
        let table = target.and_then(|n| self.plan.targets.get(n)).map(|t| &t.table);
        if let (PlanKind::Insert(_), Some(table)) = (kind, table) {
            let name = self.take(&table.name);
            self.levels.targets.insert(key_of_change(kind), name);
        }
        let Some(node) = visited(kind) else { return };
        self.names_of(node);
        if let (PlanKind::Update(_) | PlanKind::Delete(_) | PlanKind::Merge(_), Some(table)) = (kind, table) {
            let (mut own, mut queries) = (Vec::new(), Vec::new());
            nodes_of(node, &mut own, &mut queries);
            // It is the first of the relations.
            let is_target =
                |n: &&&Node| matches!(&n.op, Op::Scan(s) if s.at == 0 && s.table.oid == table.oid);
            if let Some(name) = own.iter().find(is_target).and_then(|n| self.levels.alias(n)).cloned() {
                self.levels.targets.insert(key_of_change(kind), name);
            }
        }
    }

    fn names_of(&mut self, root: &Node) {
        let (mut own, mut queries) = (Vec::new(), Vec::new());
        nodes_of(root, &mut own, &mut queries);
        let mut all: Vec<(usize, &str, usize)> =
            own.iter().filter_map(|n| relation(n).map(|(at, name)| (at, name, key_of(n)))).collect();
        all.sort_by_key(|(at, ..)| *at);
        for (_, name, key) in all {
            let name = self.take(name);
            self.levels.aliases.insert(key, name);
        }
        stacker::maybe_grow(64 << 10, 1 << 20, || queries.into_iter().for_each(|q| self.names_of(&q.root)));
    }

    /// A name that no other relation has.
    fn take(&mut self, name: &str) -> String {
        let mut free = name.to_owned();
        while self.taken.contains_key(&free) {
            let last = self.taken.entry(name.to_owned()).or_default();
            *last += 1;
            free = format!("{name}_{last}");
        }
        self.taken.insert(free.clone(), 0);
        free
    }
}
