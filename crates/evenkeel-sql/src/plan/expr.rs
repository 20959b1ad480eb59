//! Bound expressions: names, types and functions are resolved; what is left is to compute.
//!
//! An expression reads the row of its query level (`Column`), the statement's parameters (`Param`) and values that an enclosing level
//! has put aside for it (`Outer`: correlated columns, and the outer side of a nested loop).
//!
//! Must not know: how rows are found.

use super::json_query::JsonQuery;
use evenkeel_types::tagged::write_tagged;
use evenkeel_types::{Collation, Datum, ScalarFn, Type, unspelled};
use std::cmp::Ordering;
use std::sync::Arc;

/// A comparison of two values of one type (or of two integer types).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum CmpOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl CmpOp {
    /// By its SQL name.
    pub fn from_name(name: &str) -> Option<CmpOp> {
        Some(match name {
            "=" => CmpOp::Eq,
            "<>" | "!=" => CmpOp::Ne,
            "<" => CmpOp::Lt,
            "<=" => CmpOp::Le,
            ">" => CmpOp::Gt,
            ">=" => CmpOp::Ge,
            _ => return None,
        })
    }

    /// Its SQL name.
    pub fn name(self) -> &'static str {
        match self {
            CmpOp::Eq => "=",
            CmpOp::Ne => "<>",
            CmpOp::Lt => "<",
            CmpOp::Le => "<=",
            CmpOp::Gt => ">",
            CmpOp::Ge => ">=",
        }
    }

    /// With the sides exchanged.
    pub fn flipped(self) -> CmpOp {
        match self {
            CmpOp::Lt => CmpOp::Gt,
            CmpOp::Le => CmpOp::Ge,
            CmpOp::Gt => CmpOp::Lt,
            CmpOp::Ge => CmpOp::Le,
            same => same,
        }
    }

    /// What holds where this does not.
    pub fn negated(self) -> CmpOp {
        match self {
            CmpOp::Eq => CmpOp::Ne,
            CmpOp::Ne => CmpOp::Eq,
            CmpOp::Lt => CmpOp::Ge,
            CmpOp::Le => CmpOp::Gt,
            CmpOp::Gt => CmpOp::Le,
            CmpOp::Ge => CmpOp::Lt,
        }
    }

    /// Whether an ordering satisfies it.
    pub fn holds(self, o: Ordering) -> bool {
        match self {
            CmpOp::Eq => o.is_eq(),
            CmpOp::Ne => o.is_ne(),
            CmpOp::Lt => o.is_lt(),
            CmpOp::Le => o.is_le(),
            CmpOp::Gt => o.is_gt(),
            CmpOp::Ge => o.is_ge(),
        }
    }
}

/// How a subquery is used.
#[derive(Clone, Debug)]
pub enum SubqueryUse {
    /// The one value, or NULL.
    Scalar,
    /// Whether there is a row.
    Exists,
    /// All values as an array of the element type.
    Array(Type),
    /// `left op ANY (subquery)`; IN is `= ANY`.
    Any(CmpOp, Box<[Expr]>),
    /// `left op ALL (subquery)`; NOT IN is `<> ALL`.
    All(CmpOp, Box<[Expr]>),
    /// `left op (subquery)` of several columns, whose one row it is compared with; without a row, NULL.
    Row(CmpOp, Box<[Expr]>),
}

/// A bound expression.
#[derive(Clone, Debug)]
pub enum Expr {
    /// A constant.
    Const(Datum),
    /// A parameter of the statement, from 0.
    Param(usize),
    /// A value of the level's row.
    Column(usize),
    /// A value put aside by an enclosing level.
    Outer(usize),
    /// A function of values.
    Call(&'static ScalarFn, Box<[Expr]>),
    /// A comparison.
    Cmp(CmpOp, Box<(Expr, Expr)>),
    /// All of them.
    And(Box<[Expr]>),
    /// Any of them.
    Or(Box<[Expr]>),
    /// Negation.
    Not(Box<Expr>),
    /// IS \[NOT\] NULL
    IsNull(Box<Expr>, bool),
    /// IS \[NOT\] TRUE/FALSE: which value, negated.
    IsBool(Box<Expr>, bool, bool),
    /// IS \[NOT\] DISTINCT FROM; negated means NOT DISTINCT.
    Distinct(Box<(Expr, Expr)>, bool),
    /// A cast with its types, modifier and whether it is an explicit one.
    Cast(Box<Cast>),
    /// A value that becomes one of a domain.
    Domain(Box<DomainValue>),
    /// COLLATE: the value as it is, whose collation is chosen.
    Collate(Box<Expr>, Collation),
    /// What stands for a text where order is asked for in a collation that is not bytewise: its sort key. What is compared is such on both sides. That of a constant is made once.
    CollationKey(Box<Expr>, Collation, Option<Datum>),
    /// A call whose function follows a collation that is not bytewise: `lower`, `upper`, `initcap`, `array_sort`.
    ByCollation(Box<Expr>, Collation),
    /// CASE: operand (compared for equality), branches, ELSE.
    Case(Box<Case>),
    /// Within the conditions of a CASE: its operand, of this type. It is that of the innermost.
    Operand(Type),
    /// The first that is not NULL.
    Coalesce(Box<[Expr]>),
    /// NULLIF, and the types of the cast under which its value is compared, if it is not as it is.
    NullIf(Box<(Expr, Expr)>, Option<(Type, Type)>),
    /// JSON_VALUE and its like.
    JsonQuery(Box<JsonQuery>),
    /// GREATEST (true) or LEAST.
    Extreme(bool, Box<[Expr]>),
    /// `x IN (list)`, negated: NOT IN. All of one type.
    InList(Box<Expr>, Arc<[Expr]>, bool),
    /// `x op ANY (array)` (true) or ALL; element comparisons.
    AnyArray(CmpOp, Box<(Expr, Expr)>, bool),
    /// The same with any operator.
    AnyCall(&'static ScalarFn, Box<(Expr, Expr)>, bool),
    /// `ARRAY[…]` of an element type.
    Array(Type, Box<[Expr]>),
    /// `array[i]…`
    Subscript(Box<Expr>, Box<[Expr]>),
    /// `array[low:high]…`
    Slice(Box<Expr>, Box<[(Option<Expr>, Option<Expr>)]>),
    /// ROW(…) with the types of its fields.
    Row(Arc<[Type]>, Box<[Expr]>),
    /// A field of a row.
    Field(Box<Field>),
    /// A subquery: its number in the statement, how it is used, and what it reads of this level: (slot, value).
    Subquery(usize, Box<SubqueryUse>, Box<[(usize, Expr)]>),
    /// The value of an aggregate while the aggregate's level is being bound; replaced by a column before planning ends.
    Aggregate(usize),
    /// The value of a window function, likewise; the planner replaces it by a column.
    Window(usize),
    /// A value of a call of a set-returning function in a select list, by its number; the planner replaces it by a column.
    Set(usize),
}

/// A field of a row.
#[derive(Clone, Debug)]
pub struct Field {
    /// The row.
    pub of: Expr,
    /// Which, from 0.
    pub at: usize,
    /// What it is called, for people.
    pub name: Arc<str>,
}

/// A cast.
#[derive(Clone, Debug)]
pub struct Cast {
    /// Of what.
    pub expr: Expr,
    /// From which type.
    pub from: Type,
    /// To which type.
    pub to: Type,
    /// Its modifier.
    pub typmod: i32,
    /// Explicit casts truncate where assignments complain.
    pub context: evenkeel_types::CastContext,
}

impl Cast {
    /// It leaves every value as it is: nothing is to be done.
    pub fn is_relabeling(&self) -> bool {
        self.typmod < 0
            && matches!((self.from, self.to), (Type::Varchar, Type::Text) | (Type::Text, Type::Varchar))
    }
}

fn is_enum(ty: Type) -> bool {
    matches!(ty.element().unwrap_or(ty), Type::Enum(_))
}

/// Amounts, whose text and whose cents are the locale's: PostgreSQL takes no conversion of theirs for settled.
pub fn is_money(ty: Type) -> bool {
    matches!(ty, Type::Money | Type::MoneyArray)
}

impl Cast {
    /// Its value depends on the time zone, the date style or the time, so that it must not be settled in a plan that outlives that.
    pub fn depends_on_settings(&self) -> bool {
        let is_read = self.from.category() == b'S'
            && matches!(self.to, Type::Date | Type::Timestamp | Type::Timestamptz | Type::Interval);
        is_read
            || matches!(self.from, Type::Timestamptz)
            || self.from != self.to && (is_money(self.from) || is_money(self.to))
            // Labels of an enum may be renamed.
            || self.from != self.to && (is_enum(self.from) || is_enum(self.to))
            || matches!(self.to, Type::Timestamptz | Type::Regclass | Type::Regtype | Type::Regproc)
    }
}

/// A value that becomes one of a domain.
#[derive(Clone, Debug)]
pub struct DomainValue {
    /// The value.
    pub expr: Expr,
    /// What it must satisfy.
    pub checks: Arc<DomainChecks>,
}

/// What values of a domain must satisfy.
#[derive(Clone, Debug)]
pub struct DomainChecks {
    /// The domain as messages call it.
    pub name: String,
    /// Its schema, and its name there.
    pub place: (String, String),
    /// NOT NULL.
    pub not_null: bool,
    /// CHECK constraints, in order: names and conditions over the value, which is a row of one column.
    pub checks: Vec<(String, Expr)>,
    /// What its parts must satisfy; they come first.
    pub within: PartChecks,
    /// The collation that it gives its values.
    pub collation: Option<Collation>,
}

/// What parts of a value must satisfy.
#[derive(Clone, Debug)]
pub enum PartChecks {
    /// Nothing.
    None,
    /// Of an array: its elements.
    Elements(Arc<DomainChecks>),
    /// Of a row: its fields, by their numbers.
    Fields(Vec<(usize, Arc<DomainChecks>)>),
}

/// CASE.
#[derive(Clone, Debug)]
pub struct Case {
    /// What all conditions compare, where it is computed once for them: they read it as [`Expr::Operand`]. One that costs nothing is in each of them.
    pub operand: Option<Expr>,
    /// (condition, result); with an operand the condition is the comparison already.
    pub branches: Vec<(Expr, Expr)>,
    /// ELSE.
    pub otherwise: Expr,
}

impl Case {
    /// The type of the operand, by the conditions that read it.
    pub fn operand_type(&self) -> Option<Type> {
        let mut found = None;
        for (condition, _) in &self.branches {
            condition.walk(&mut |e| {
                if let Expr::Operand(ty) = e {
                    found = Some(*ty);
                }
            });
        }
        found
    }

    /// The operand as a condition reads it, and what it compares it with.
    pub fn compared<'e>(&self, condition: &'e Expr) -> Option<(&'e Expr, &'e Expr)> {
        fn is_operand(e: &Expr) -> bool {
            match e {
                Expr::Cast(c) => is_operand(&c.expr),
                Expr::Collate(e, _) | Expr::CollationKey(e, ..) => is_operand(e),
                e => matches!(e, Expr::Operand(_)),
            }
        }
        match condition {
            Expr::Cmp(CmpOp::Eq, pair) if is_operand(&pair.0) => Some((&pair.0, &pair.1)),
            Expr::Call(f, args) if f.name == "=" && is_operand(args.first()?) => {
                Some((&args[0], args.get(1)?))
            }
            Expr::ByCollation(e, _) => self.compared(e),
            _ => None,
        }
    }
}

impl Expr {
    /// NULL.
    pub fn null() -> Expr {
        Expr::Const(Datum::Null)
    }

    /// Visits this expression and all below it (not into subqueries, but into what they are given).
    pub fn walk(&self, f: &mut dyn FnMut(&Expr)) {
        f(self);
        self.each_child(&mut |e| e.walk(f));
    }

    /// Visits those directly below.
    pub fn each_child(&self, f: &mut dyn FnMut(&Expr)) {
        match self {
            Expr::Const(_)
            | Expr::Param(_)
            | Expr::Column(_)
            | Expr::Outer(_)
            | Expr::Operand(_)
            | Expr::Aggregate(_)
            | Expr::Window(_)
            | Expr::Set(_) => {}
            Expr::Call(_, list)
            | Expr::And(list)
            | Expr::Or(list)
            | Expr::Coalesce(list)
            | Expr::Extreme(_, list)
            | Expr::Array(_, list)
            | Expr::Row(_, list) => list.iter().for_each(&mut *f),
            Expr::Cmp(_, b)
            | Expr::Distinct(b, _)
            | Expr::NullIf(b, _)
            | Expr::AnyArray(_, b, _)
            | Expr::AnyCall(_, b, _) => {
                f(&b.0);
                f(&b.1);
            }
            Expr::Not(e)
            | Expr::IsNull(e, _)
            | Expr::IsBool(e, _, _)
            | Expr::Collate(e, _)
            | Expr::CollationKey(e, ..)
            | Expr::ByCollation(e, _) => f(e),
            Expr::Field(field) => f(&field.of),
            Expr::Domain(d) => f(&d.expr),
            Expr::Cast(c) => f(&c.expr),
            Expr::Case(c) => {
                c.operand.iter().for_each(&mut *f);
                for (a, b) in &c.branches {
                    f(a);
                    f(b);
                }
                f(&c.otherwise);
            }
            Expr::JsonQuery(q) => q.each(f),
            Expr::InList(e, list, _) => {
                f(e);
                list.iter().for_each(&mut *f);
            }
            Expr::Subscript(e, list) => {
                f(e);
                list.iter().for_each(&mut *f);
            }
            Expr::Slice(e, b) => {
                f(e);
                b.iter().flat_map(|(low, high)| low.iter().chain(high)).for_each(&mut *f);
            }
            Expr::Subquery(_, usage, args) => {
                if let SubqueryUse::Any(_, left) | SubqueryUse::All(_, left) | SubqueryUse::Row(_, left) =
                    &**usage
                {
                    left.iter().for_each(&mut *f);
                }
                args.iter().for_each(|(_, e)| f(e));
            }
        }
    }

    /// Rebuilds the expression bottom-up.
    pub fn map(self, f: &mut dyn FnMut(Expr) -> Expr) -> Expr {
        let rebuilt = self.try_map_children(&mut |e| Ok::<Expr, std::convert::Infallible>(e.map(f)));
        match rebuilt {
            Ok(e) => f(e),
        }
    }

    /// Rebuilds the expression with other children.
    pub fn try_map_children<E>(self, f: &mut dyn FnMut(Expr) -> Result<Expr, E>) -> Result<Expr, E> {
        fn list<E>(l: Box<[Expr]>, f: &mut dyn FnMut(Expr) -> Result<Expr, E>) -> Result<Box<[Expr]>, E> {
            l.into_vec().into_iter().map(f).collect()
        }
        fn pair<E>(
            b: (Expr, Expr),
            f: &mut dyn FnMut(Expr) -> Result<Expr, E>,
        ) -> Result<Box<(Expr, Expr)>, E> {
            let (x, y) = b;
            Ok(Box::new((f(x)?, f(y)?)))
        }
        Ok(match self {
            Expr::Const(_)
            | Expr::Param(_)
            | Expr::Column(_)
            | Expr::Outer(_)
            | Expr::Operand(_)
            | Expr::Aggregate(_)
            | Expr::Window(_)
            | Expr::Set(_) => self,
            Expr::Call(c, l) => Expr::Call(c, list(l, f)?),
            Expr::Cmp(op, b) => Expr::Cmp(op, pair(*b, f)?),
            Expr::And(l) => Expr::And(list(l, f)?),
            Expr::Or(l) => Expr::Or(list(l, f)?),
            Expr::Not(e) => Expr::Not(Box::new(f(*e)?)),
            Expr::IsNull(e, n) => Expr::IsNull(Box::new(f(*e)?), n),
            Expr::IsBool(e, v, n) => Expr::IsBool(Box::new(f(*e)?), v, n),
            Expr::Distinct(b, n) => Expr::Distinct(pair(*b, f)?, n),
            Expr::Cast(c) => {
                let c = *c;
                Expr::Cast(Box::new(Cast { expr: f(c.expr)?, ..c }))
            }
            Expr::Collate(e, c) => Expr::Collate(Box::new(f(*e)?), c),
            Expr::CollationKey(e, c, _) => f(*e)?.in_order_of(c),
            Expr::ByCollation(e, c) => Expr::ByCollation(Box::new(f(*e)?), c),
            Expr::Domain(d) => {
                let d = *d;
                Expr::Domain(Box::new(DomainValue { expr: f(d.expr)?, ..d }))
            }
            Expr::Case(c) => {
                let c = *c;
                let operand = c.operand.map(&mut *f).transpose()?;
                let mut branches = Vec::with_capacity(c.branches.len());
                for (a, b) in c.branches {
                    branches.push((f(a)?, f(b)?));
                }
                Expr::Case(Box::new(Case { operand, branches, otherwise: f(c.otherwise)? }))
            }
            Expr::Coalesce(l) => Expr::Coalesce(list(l, f)?),
            Expr::NullIf(b, cast) => Expr::NullIf(pair(*b, f)?, cast),
            Expr::Extreme(g, l) => Expr::Extreme(g, list(l, f)?),
            Expr::JsonQuery(q) => Expr::JsonQuery(Box::new(q.try_map(f)?)),
            Expr::InList(e, l, n) => {
                let e = Box::new(f(*e)?);
                Expr::InList(e, l.iter().cloned().map(f).collect::<Result<_, E>>()?, n)
            }
            Expr::AnyArray(op, b, any) => Expr::AnyArray(op, pair(*b, f)?, any),
            Expr::AnyCall(c, b, any) => Expr::AnyCall(c, pair(*b, f)?, any),
            Expr::Array(t, l) => Expr::Array(t, list(l, f)?),
            Expr::Subscript(e, l) => Expr::Subscript(Box::new(f(*e)?), list(l, f)?),
            Expr::Slice(e, b) => {
                let e = Box::new(f(*e)?);
                let mut bounds = Vec::with_capacity(b.len());
                for (low, high) in b.into_vec() {
                    bounds.push((low.map(&mut *f).transpose()?, high.map(&mut *f).transpose()?));
                }
                Expr::Slice(e, bounds.into())
            }
            Expr::Row(t, l) => Expr::Row(t, list(l, f)?),
            Expr::Field(field) => {
                let Field { of, at, name } = *field;
                Expr::Field(Box::new(Field { of: f(of)?, at, name }))
            }
            Expr::Subquery(n, usage, args) => {
                let usage = match *usage {
                    SubqueryUse::Any(op, left) => SubqueryUse::Any(op, list(left, f)?),
                    SubqueryUse::All(op, left) => SubqueryUse::All(op, list(left, f)?),
                    SubqueryUse::Row(op, left) => SubqueryUse::Row(op, list(left, f)?),
                    same => same,
                };
                let mut rebuilt = Vec::with_capacity(args.len());
                for (slot, e) in args.into_vec() {
                    rebuilt.push((slot, f(e)?));
                }
                Expr::Subquery(n, Box::new(usage), rebuilt.into())
            }
        })
    }

    /// Whether any part satisfies a condition.
    pub fn any(&self, condition: impl Fn(&Expr) -> bool) -> bool {
        let mut found = false;
        self.walk(&mut |e| found |= condition(e));
        found
    }

    /// Whether it neither fails nor calls anything: PostgreSQL's leakproof.
    pub fn is_leakproof(&self) -> bool {
        !self.any(|e| {
            !matches!(
                e,
                Expr::Const(_)
                    | Expr::Param(_)
                    | Expr::Column(_)
                    | Expr::Outer(_)
                    | Expr::Cmp(..)
                    | Expr::And(_)
                    | Expr::Or(_)
                    | Expr::Not(_)
                    | Expr::IsNull(..)
                    | Expr::IsBool(..)
                    | Expr::Distinct(..)
                    | Expr::InList(..)
                    | Expr::Collate(..)
                    | Expr::CollationKey(..)
            )
        })
    }

    /// Whether it reads a value that an enclosing level puts aside.
    pub fn reads_outer(&self) -> bool {
        self.any(|e| matches!(e, Expr::Outer(_)))
    }

    /// Whether it may give something else each time, apart from what subqueries in it do.
    pub fn calls_volatile(&self) -> bool {
        self.any(|e| matches!(e, Expr::Call(f, _) if f.volatile == evenkeel_types::Volatility::Volatile))
    }

    /// Columns of the level that it reads.
    pub fn columns(&self, into: &mut Vec<usize>) {
        self.walk(&mut |e| {
            if let Expr::Column(c) = e {
                into.push(*c);
            }
        });
    }

    /// The same value whenever it is computed within one execution: no row, no volatile function.
    pub fn is_row_independent(&self) -> bool {
        !self.any(|e| match e {
            Expr::Column(_) | Expr::Aggregate(_) | Expr::Window(_) | Expr::Set(_) | Expr::Subquery(..) => {
                true
            }
            Expr::Call(f, _) => f.volatile == evenkeel_types::Volatility::Volatile,
            _ => false,
        })
    }

    /// Without COLLATE around it.
    pub fn bare(&self) -> &Expr {
        match self {
            Expr::Collate(e, _) => e.bare(),
            e => e,
        }
    }

    /// What stands for it where order is asked for.
    pub fn in_order_of(self, collation: Collation) -> Expr {
        match self {
            e if collation.is_bytewise() => e,
            e => {
                let key = match e.bare() {
                    Expr::Const(d) => Some(collation.sort_key(d.clone())),
                    _ => None,
                };
                Expr::CollationKey(Box::new(e), collation, key)
            }
        }
    }

    /// Splits a condition into what must all hold.
    pub fn split_and(self, into: &mut Vec<Expr>) {
        match self {
            Expr::And(list) => list.into_vec().into_iter().for_each(|e| e.split_and(into)),
            other => into.push(other),
        }
    }

    /// The conjunction of conditions.
    pub fn all(mut list: Vec<Expr>) -> Option<Expr> {
        match list.len() {
            0 => None,
            1 => list.pop(),
            _ => Some(Expr::And(list.into())),
        }
    }
}

fn same_use(a: &SubqueryUse, b: &SubqueryUse) -> bool {
    use SubqueryUse::{All, Any, Array, Exists, Row, Scalar};
    match (a, b) {
        (Scalar, Scalar) | (Exists, Exists) => true,
        (Array(a), Array(b)) => a == b,
        (Any(o, a), Any(p, b)) | (All(o, a), All(p, b)) | (Row(o, a), Row(p, b)) => o == p && a == b,
        _ => false,
    }
}

/// Structural equality, for GROUP BY and ORDER BY matching.
impl Expr {
    /// A field of a row, from 0.
    pub fn field(of: Expr, at: usize, name: &str) -> Expr {
        Expr::Field(Box::new(Field { of, at, name: name.into() }))
    }
}

/// Whether two values are one, and not only equal.
fn is_identical(a: &Datum, b: &Datum) -> bool {
    match (a, b) {
        (Datum::Int4(a), Datum::Int4(b)) => a == b,
        (Datum::Int8(a), Datum::Int8(b)) => a == b,
        (Datum::Bool(a), Datum::Bool(b)) => a == b,
        (Datum::Text(a), Datum::Text(b)) => a == b,
        _ => {
            let bytes = |d: &Datum| {
                let mut bytes = Vec::new();
                write_tagged(d, &mut bytes);
                bytes
            };
            evenkeel_types::equal(a, b) && bytes(a) == bytes(b)
        }
    }
}

impl PartialEq for Expr {
    fn eq(&self, other: &Expr) -> bool {
        match (self, other) {
            (Expr::Const(a), Expr::Const(b)) => match (a, b) {
                (Datum::Null, Datum::Null) => true,
                (Datum::Null, _) | (_, Datum::Null) => false,
                // What is equal need not be the same: 1.0 and 1.00, a month and thirty days.
                _ => std::mem::discriminant(a) == std::mem::discriminant(b) && is_identical(a, b),
            },
            (Expr::Param(a), Expr::Param(b))
            | (Expr::Column(a), Expr::Column(b))
            | (Expr::Outer(a), Expr::Outer(b))
            | (Expr::Aggregate(a), Expr::Aggregate(b))
            | (Expr::Window(a), Expr::Window(b))
            | (Expr::Set(a), Expr::Set(b)) => a == b,
            (Expr::Call(f, a), Expr::Call(g, b)) => {
                let is_same = || std::ptr::eq(unspelled(f), unspelled(g));
                (std::ptr::eq(*f, *g) || f.name == g.name && is_same()) && a == b
            }
            (Expr::Cmp(o, a), Expr::Cmp(p, b)) => o == p && a == b,
            (Expr::And(a), Expr::And(b))
            | (Expr::Or(a), Expr::Or(b))
            | (Expr::Coalesce(a), Expr::Coalesce(b)) => a == b,
            (Expr::Not(a), Expr::Not(b)) => a == b,
            (Expr::IsNull(a, n), Expr::IsNull(b, m)) => n == m && a == b,
            (Expr::IsBool(a, v, n), Expr::IsBool(b, w, m)) => v == w && n == m && a == b,
            (Expr::Distinct(a, n), Expr::Distinct(b, m)) => n == m && a == b,
            (Expr::NullIf(a, c), Expr::NullIf(b, d)) => a == b && c == d,
            (Expr::Cast(a), Expr::Cast(b)) => a.to == b.to && a.typmod == b.typmod && a.expr == b.expr,
            (Expr::Collate(a, c), Expr::Collate(b, d))
            | (Expr::CollationKey(a, c, _), Expr::CollationKey(b, d, _))
            | (Expr::ByCollation(a, c), Expr::ByCollation(b, d)) => c == d && a == b,
            (Expr::Domain(a), Expr::Domain(b)) => Arc::ptr_eq(&a.checks, &b.checks) && a.expr == b.expr,
            (Expr::Case(a), Expr::Case(b)) => {
                a.operand == b.operand && a.branches == b.branches && a.otherwise == b.otherwise
            }
            (Expr::Operand(a), Expr::Operand(b)) => a == b,
            (Expr::Extreme(g, a), Expr::Extreme(h, b)) => g == h && a == b,
            (Expr::JsonQuery(a), Expr::JsonQuery(b)) => a == b,
            (Expr::InList(a, l, n), Expr::InList(b, m, o)) => n == o && a == b && l == m,
            (Expr::AnyArray(o, a, n), Expr::AnyArray(p, b, m)) => o == p && n == m && a == b,
            (Expr::AnyCall(f, a, n), Expr::AnyCall(g, b, m)) => std::ptr::eq(*f, *g) && n == m && a == b,
            (Expr::Array(t, a), Expr::Array(u, b)) => t == u && a == b,
            (Expr::Subscript(a, l), Expr::Subscript(b, m)) => a == b && l == m,
            (Expr::Slice(a, l), Expr::Slice(b, m)) => a == b && l == m,
            (Expr::Row(_, a), Expr::Row(_, b)) => a == b,
            (Expr::Subquery(a, u, x), Expr::Subquery(b, v, y)) => a == b && x == y && same_use(u, v),
            (Expr::Field(a), Expr::Field(b)) => a.at == b.at && a.of == b.of,
            _ => false,
        }
    }
}
