//! Windows: what their functions compute, over which rows.
//!
//! Must not know: how rows come to be in order.

use super::SortKey;
use super::expr::{CmpOp, Expr};
use evenkeel_types::{AggFn, Collation, Type};

/// A window: what divides rows into partitions, their order, and which of a partition's rows a function sees from a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// Its name in the statement, if it has one.
    pub name: Option<String>,
    /// PARTITION BY.
    pub partition: Vec<Expr>,
    /// ORDER BY.
    pub order: Vec<SortKey>,
    /// The types of what is ordered by.
    pub order_types: Vec<Type>,
    /// The frame.
    pub frame: Frame,
}

impl Window {
    /// Visits its expressions.
    pub fn exprs<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        self.partition.iter().for_each(&mut *f);
        self.order.iter().for_each(|k| f(&k.expr));
        self.frame.exprs(f);
    }

    /// The order in which it needs rows: partitions first.
    pub fn sort_keys(&self) -> Vec<SortKey> {
        let of_partition = self.partition.iter().map(|e| SortKey {
            expr: e.clone(),
            desc: false,
            nulls_first: false,
            collation: Collation::default(),
        });
        let mut keys: Vec<SortKey> = Vec::new();
        for key in of_partition.chain(self.order.iter().cloned()) {
            if !keys.iter().any(|k| k.expr == key.expr) {
                keys.push(key);
            }
        }
        keys
    }
}

/// In what a frame is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameMode {
    /// Rows.
    Rows,
    /// Values of the one ORDER BY key.
    Range,
    /// Groups of rows that ORDER BY does not tell apart.
    Groups,
}

/// Where a frame begins or ends.
#[derive(Clone, Debug, PartialEq)]
pub enum FrameBound {
    /// UNBOUNDED PRECEDING.
    Start,
    /// So much PRECEDING.
    Before(Expr),
    /// CURRENT ROW.
    Current,
    /// So much FOLLOWING.
    After(Expr),
    /// UNBOUNDED FOLLOWING.
    End,
}

impl FrameBound {
    /// The offset.
    pub fn offset(&self) -> Option<&Expr> {
        match self {
            FrameBound::Before(e) | FrameBound::After(e) => Some(e),
            _ => None,
        }
    }
}

/// Which rows a frame leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exclude {
    /// None.
    NoOthers,
    /// The current row.
    CurrentRow,
    /// It and its peers.
    Group,
    /// Its peers.
    Ties,
}

/// A frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// In what it is counted.
    pub mode: FrameMode,
    /// Where it begins.
    pub start: FrameBound,
    /// Where it ends.
    pub end: FrameBound,
    /// What it leaves out.
    pub exclude: Exclude,
    /// It was written: EXPLAIN shows it.
    pub is_written: bool,
    /// With BETWEEN.
    pub has_between: bool,
}

impl Frame {
    /// The one that is meant if none is written: from the partition's start to the current row and its peers.
    pub fn usual() -> Frame {
        Frame {
            mode: FrameMode::Range,
            start: FrameBound::Start,
            end: FrameBound::Current,
            exclude: Exclude::NoOthers,
            is_written: false,
            has_between: false,
        }
    }

    /// Visits its expressions.
    pub fn exprs<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        self.start.offset().into_iter().chain(self.end.offset()).for_each(f);
    }
}

/// A function that needs a window.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)] // Named as in SQL.
pub enum WindowFn {
    Aggregate(&'static AggFn),
    RowNumber,
    Rank,
    DenseRank,
    PercentRank,
    CumeDist,
    Ntile,
    /// `lag` or `lead`: how many rows to go for an offset of 1.
    Neighbour(i8),
    FirstValue,
    LastValue,
    NthValue,
}

impl PartialEq for WindowFn {
    fn eq(&self, other: &WindowFn) -> bool {
        match (self, other) {
            (WindowFn::Aggregate(a), WindowFn::Aggregate(b)) => std::ptr::eq(*a, *b),
            (WindowFn::Aggregate(_), _) | (_, WindowFn::Aggregate(_)) => false,
            _ => self.name() == other.name(),
        }
    }
}

/// Names of the functions that are no aggregates.
const NAMES: [(&str, WindowFn); 11] = [
    ("row_number", WindowFn::RowNumber),
    ("rank", WindowFn::Rank),
    ("dense_rank", WindowFn::DenseRank),
    ("percent_rank", WindowFn::PercentRank),
    ("cume_dist", WindowFn::CumeDist),
    ("ntile", WindowFn::Ntile),
    ("lag", WindowFn::Neighbour(-1)),
    ("lead", WindowFn::Neighbour(1)),
    ("first_value", WindowFn::FirstValue),
    ("last_value", WindowFn::LastValue),
    ("nth_value", WindowFn::NthValue),
];

impl WindowFn {
    /// The function of a name, if it is no aggregate.
    pub fn from_name(name: &str) -> Option<WindowFn> {
        NAMES.iter().find(|(n, _)| *n == name).map(|(_, f)| *f)
    }

    /// Its SQL name.
    pub fn name(self) -> &'static str {
        match self {
            WindowFn::Aggregate(f) => f.name,
            WindowFn::RowNumber => "row_number",
            WindowFn::Rank => "rank",
            WindowFn::DenseRank => "dense_rank",
            WindowFn::PercentRank => "percent_rank",
            WindowFn::CumeDist => "cume_dist",
            WindowFn::Ntile => "ntile",
            WindowFn::Neighbour(n) if n < 0 => "lag",
            WindowFn::Neighbour(_) => "lead",
            WindowFn::FirstValue => "first_value",
            WindowFn::LastValue => "last_value",
            WindowFn::NthValue => "nth_value",
        }
    }

    /// It gives the same in any frame.
    pub fn ignores_frame(self) -> bool {
        matches!(
            self,
            WindowFn::RowNumber
                | WindowFn::Rank
                | WindowFn::DenseRank
                | WindowFn::PercentRank
                | WindowFn::CumeDist
                | WindowFn::Ntile
        )
    }
}

impl WindowCall {
    /// Whether its value never falls from a row to the next, over its window.
    pub fn only_grows(&self, window: &Window) -> bool {
        let counts = |f: &AggFn| {
            let frame = &window.frame;
            f.name == "count" && frame.start == FrameBound::Start && frame.exclude == Exclude::NoOthers
        };
        match self.f {
            WindowFn::RowNumber | WindowFn::Rank | WindowFn::DenseRank => true,
            WindowFn::Aggregate(f) => counts(f),
            _ => false,
        }
    }

    /// Whether no row behind the current one is looked at, be it its peer.
    pub fn looks_back(&self, window: &Window) -> bool {
        match self.f {
            WindowFn::RowNumber | WindowFn::Rank | WindowFn::DenseRank => true,
            WindowFn::Neighbour(n) => n < 0 && self.args.len() == 1,
            WindowFn::PercentRank | WindowFn::CumeDist | WindowFn::Ntile => false,
            _ => {
                let ends_here = matches!(window.frame.end, FrameBound::Current | FrameBound::Before(_));
                ends_here && window.frame.mode == FrameMode::Rows && window.frame.exclude == Exclude::NoOthers
            }
        }
    }
}

/// One call of such a function.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowCall {
    /// The function.
    pub f: WindowFn,
    /// Its arguments.
    pub args: Box<[Expr]>,
    /// Their types.
    pub arg_types: Vec<Type>,
    /// FILTER.
    pub filter: Option<Expr>,
    /// Its window: a number among those of its level.
    pub window: usize,
}

/// The windows of a level, and the calls over them.
#[derive(Clone, Debug, Default)]
pub struct Windows {
    /// The windows.
    pub list: Vec<Window>,
    /// The calls; `Expr::Window` is a number among them.
    pub calls: Vec<WindowCall>,
    /// Of what no row is wanted in which one does not hold.
    pub run: Vec<RunCondition>,
}

/// What a call's value must satisfy for a row to be wanted, where it only grows within a partition: from the first row on in which that does not hold, the partition has
/// none. PostgreSQL's run conditions.
#[derive(Clone, Debug, PartialEq)]
pub struct RunCondition {
    /// The call.
    pub call: usize,
    /// `<` or `<=`.
    pub op: CmpOp,
    /// The same for all rows.
    pub most: Expr,
}

impl Windows {
    /// Visits all expressions.
    pub fn exprs<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        self.list.iter().for_each(|w| w.exprs(f));
        for call in &self.calls {
            call.args.iter().chain(&call.filter).for_each(&mut *f);
        }
        self.run.iter().for_each(|r| f(&r.most));
    }

    /// What rows are divided and ordered by, to be changed.
    pub fn keys_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        self.list
            .iter_mut()
            .flat_map(|w| w.partition.iter_mut().chain(w.order.iter_mut().map(|k| &mut k.expr)))
    }

    /// Rebuilds all expressions.
    pub fn map(&mut self, f: &mut dyn FnMut(Expr) -> Expr) {
        match self.try_map::<std::convert::Infallible>(&mut |e| Ok(f(e))) {
            Ok(()) => {}
            Err(never) => match never {},
        }
    }

    /// The same, where that may fail.
    pub fn try_map<E>(&mut self, f: &mut dyn FnMut(Expr) -> Result<Expr, E>) -> Result<(), E> {
        let mut put = |e: &mut Expr| -> Result<(), E> {
            *e = f(std::mem::replace(e, Expr::null()))?;
            Ok(())
        };
        for w in &mut self.list {
            w.partition.iter_mut().try_for_each(&mut put)?;
            w.order.iter_mut().try_for_each(|k| put(&mut k.expr))?;
            for bound in [&mut w.frame.start, &mut w.frame.end] {
                if let FrameBound::Before(e) | FrameBound::After(e) = bound {
                    put(e)?;
                }
            }
        }
        for call in &mut self.calls {
            call.args.iter_mut().chain(&mut call.filter).try_for_each(&mut put)?;
        }
        self.run.iter_mut().try_for_each(|r| put(&mut r.most))
    }
}

/// A node that computes the functions of one window; its input comes in the window's order.
#[derive(Debug)]
pub struct WindowAgg {
    /// The rows.
    pub input: super::Node,
    /// Width of the buffer that its input writes: wide enough for what this node adds.
    pub width: usize,
    /// The window.
    pub window: Window,
    /// What it is called.
    pub name: String,
    /// What is kept of each row of a partition.
    pub record: Box<[Expr]>,
    /// Places of the row that are wanted above: (place in the record, place in the row).
    pub live: Box<[(usize, usize)]>,
    /// Places of the ORDER BY keys in the record.
    pub order_at: Box<[usize]>,
    /// The calls.
    pub calls: Box<[PlannedCall]>,
    /// Over the row with the calls' values: where one does not hold, no further row of the partition is wanted.
    pub run: Box<[Expr]>,
}

/// One call in a [`WindowAgg`].
#[derive(Debug)]
pub struct PlannedCall {
    /// The function.
    pub f: WindowFn,
    /// Types of its arguments.
    pub arg_types: Vec<Type>,
    /// Places of its arguments in the record.
    pub args: Box<[usize]>,
    /// Place of its FILTER.
    pub filter: Option<usize>,
    /// Where its value goes in the row.
    pub to: usize,
}

impl WindowAgg {
    /// Visits its expressions.
    pub fn exprs<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        self.record.iter().for_each(&mut *f);
        self.window.exprs(f);
        self.run.iter().for_each(f);
    }
}
