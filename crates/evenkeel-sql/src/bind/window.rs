//! Windows: OVER, the WINDOW clause, frames, and the calls over them.
//!
//! Must not know: in which order rows are sorted for them.

use super::compare::{must_be_equal_or_not, must_be_ordered};
use super::func::{gives_records, plain_args};
use super::query::direction;
use super::within_group::needs_within_group;
use super::{Binder, Typed, first_location, ident};
use crate::plan::SortKey;
use crate::plan::expr::Expr;
use crate::plan::window::{Exclude, Frame, FrameBound, FrameMode, Window, WindowCall, WindowFn};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{
    CastContext, Type, can_cast_in, common_type, function_error, lookup_aggregates, resolve_aggregate,
    undetermined,
};
use sqlparser::ast::{
    self, DuplicateTreatment, Expr as Ast, FunctionArg, FunctionArgExpr, FunctionArguments, NamedWindowExpr,
    WindowFrameBound, WindowFrameUnits, WindowSpec, WindowType,
};

fn windowing(message: impl Into<String>) -> SqlError {
    SqlError::new(SqlState::WINDOWING_ERROR, message)
}

impl Binder<'_> {
    /// The WINDOW clause.
    pub(super) fn named_windows(&mut self, list: &[ast::NamedWindowDefinition]) -> Result<(), SqlError> {
        for ast::NamedWindowDefinition(name, what) in list {
            let (name, place) = (ident(name), name.span.start);
            if self.window_named(&name)?.is_some() {
                let e = windowing(format!("window \"{name}\" is already defined"));
                return Err(self.at_window(e, place));
            }
            let mut window = match what {
                NamedWindowExpr::WindowSpec(spec) => {
                    self.window(spec).map_err(|e| self.at_window(e, place))?
                }
                NamedWindowExpr::NamedWindow(_) => {
                    return Err(SqlError::new(SqlState::SYNTAX_ERROR, "syntax error in WINDOW clause"));
                }
            };
            window.name = Some(name);
            self.frame()?.windows.list.push(window);
        }
        Ok(())
    }

    fn window_named(&mut self, name: &str) -> Result<Option<usize>, SqlError> {
        Ok(self.frame()?.windows.list.iter().position(|w| w.name.as_deref() == Some(name)))
    }

    /// The window of an OVER clause: its number in the level.
    fn over(&mut self, over: &WindowType) -> Result<usize, SqlError> {
        match over {
            WindowType::NamedWindow(name) => {
                let said = ident(name);
                let known = self.window_named(&said)?;
                known.ok_or_else(|| self.at(no_window(&said), name.span.start))
            }
            WindowType::WindowSpec(spec) => {
                let window = self.window(spec)?;
                let list = &mut self.frame()?.windows.list;
                Ok(list.iter().position(|w| *w == window).unwrap_or_else(|| {
                    list.push(window);
                    list.len() - 1
                }))
            }
        }
    }

    fn window(&mut self, spec: &WindowSpec) -> Result<Window, SqlError> {
        let frame = self.frame()?;
        let before = (frame.place, frame.windows_allowed, frame.sets_allowed);
        (frame.place, frame.windows_allowed, frame.sets_allowed) = ("window definitions", false, false);
        let window = self.window_parts(spec);
        let frame = self.frame()?;
        (frame.place, frame.windows_allowed, frame.sets_allowed) = before;
        window
    }

    fn window_parts(&mut self, spec: &WindowSpec) -> Result<Window, SqlError> {
        let written = spec.window_name.as_ref().map(ident);
        let (exclude, base) = match &written {
            None => (None, None),
            Some(name) => excluded(name),
        };
        let mut window = Window {
            name: None,
            partition: Vec::new(),
            order: Vec::new(),
            order_types: Vec::new(),
            frame: Frame::usual(),
        };
        let mut has_order = false;
        if let Some(base) = base {
            let Some(at) = self.window_named(base)? else { return Err(no_window(base)) };
            let found = self.frame()?.windows.list[at].clone();
            let refused =
                |what: &str| Err(windowing(format!("cannot override {what} clause of window \"{base}\"")));
            if !spec.partition_by.is_empty() {
                return refused("PARTITION BY");
            }
            if !spec.order_by.is_empty() && !found.order.is_empty() {
                return refused("ORDER BY");
            }
            if found.frame.is_written {
                let e = windowing(format!("cannot copy window \"{base}\" because it has a frame clause"));
                let is_bare = spec.order_by.is_empty() && spec.window_frame.is_none();
                return Err(if is_bare {
                    e.with_hint("Omit the parentheses in this OVER clause.")
                } else {
                    e
                });
            }
            has_order = !found.order.is_empty();
            (window.partition, window.order) = (found.partition, found.order);
            window.order_types = found.order_types;
        }
        // As those of GROUP BY and ORDER BY; but not what frames begin and end with.
        self.frame()?.sets_allowed = true;
        for k in &spec.order_by {
            let (desc, nulls_first) = direction(k)?;
            let (expr, ty) = self.window_key(&k.expr)?;
            must_be_ordered(ty).map_err(|e| self.at_start(e, &k.expr))?;
            if !window.order.iter().any(|k| k.expr == expr) {
                window.order_types.push(ty);
                let collation = self.ordering_collation(&expr, ty)?;
                window.order.push(SortKey { expr, desc, nulls_first, collation });
            }
            has_order = true;
        }
        for e in &spec.partition_by {
            let (key, ty) = self.window_key(e)?;
            must_be_equal_or_not(ty)?;
            self.check_grouped(&key, ty)?;
            let key = self.told_apart(key, ty)?;
            if !window.partition.contains(&key) {
                window.partition.push(key);
            }
        }
        self.frame()?.sets_allowed = false;
        if exclude.is_some() && spec.window_frame.is_none() {
            return Err(SqlError::new(SqlState::SYNTAX_ERROR, "syntax error at or near \"exclude\""));
        }
        if let Some(f) = &spec.window_frame {
            window.frame = self.window_frame(f, exclude.unwrap_or(Exclude::NoOthers), &window, has_order)?;
        }
        Ok(window)
    }

    fn window_key(&mut self, e: &Ast) -> Result<(Expr, Type), SqlError> {
        let t = self.expr(e)?;
        let ty = if t.ty == Type::Unknown { Type::Text } else { t.ty };
        Ok((self.coerce(t, ty, -1, CastContext::Implicit)?, ty))
    }

    fn window_frame(
        &mut self,
        f: &ast::WindowFrame,
        exclude: Exclude,
        window: &Window,
        has_order: bool,
    ) -> Result<Frame, SqlError> {
        use WindowFrameBound::{CurrentRow, Following, Preceding};
        let end = f.end_bound.as_ref().unwrap_or(&CurrentRow);
        match (&f.start_bound, end) {
            (Following(None), _) => return Err(windowing("frame start cannot be UNBOUNDED FOLLOWING")),
            (_, Preceding(None)) => return Err(windowing("frame end cannot be UNBOUNDED PRECEDING")),
            (CurrentRow, Preceding(Some(_))) => {
                return Err(windowing("frame starting from current row cannot have preceding rows"));
            }
            (Following(Some(_)), CurrentRow) if f.end_bound.is_none() => {
                return Err(windowing("frame starting from following row cannot end with current row"));
            }
            (Following(Some(_)), CurrentRow | Preceding(_)) => {
                return Err(windowing("frame starting from following row cannot have preceding rows"));
            }
            _ => {}
        }
        let (mode, name) = match f.units {
            WindowFrameUnits::Rows => (FrameMode::Rows, "ROWS"),
            WindowFrameUnits::Range => (FrameMode::Range, "RANGE"),
            WindowFrameUnits::Groups => (FrameMode::Groups, "GROUPS"),
        };
        if mode == FrameMode::Groups && !has_order {
            return Err(windowing("GROUPS mode requires an ORDER BY clause"));
        }
        let has_offset =
            [&f.start_bound, end].iter().any(|b| matches!(b, Preceding(Some(_)) | Following(Some(_))));
        if mode == FrameMode::Range && has_offset && window.order.len() != 1 {
            return Err(windowing(
                "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column",
            ));
        }
        let mut bound = |b: &WindowFrameBound| -> Result<FrameBound, SqlError> {
            Ok(match b {
                CurrentRow => FrameBound::Current,
                Preceding(None) => FrameBound::Start,
                Following(None) => FrameBound::End,
                Preceding(Some(e)) => FrameBound::Before(self.frame_offset(e, mode, name, window)?),
                Following(Some(e)) => FrameBound::After(self.frame_offset(e, mode, name, window)?),
            })
        };
        let (start, end) = (bound(&f.start_bound)?, bound(end)?);
        Ok(Frame { mode, start, end, exclude, is_written: true, has_between: f.end_bound.is_some() })
    }

    fn frame_offset(
        &mut self,
        offset: &Ast,
        mode: FrameMode,
        name: &'static str,
        window: &Window,
    ) -> Result<Expr, SqlError> {
        let key = window.order_types.first().copied().filter(|_| mode == FrameMode::Range);
        let frame = self.frame()?;
        let before = (frame.place, frame.aggs_allowed);
        frame.place = match mode {
            FrameMode::Rows => "window ROWS",
            FrameMode::Range => "window RANGE",
            FrameMode::Groups => "window GROUPS",
        };
        frame.aggs_allowed = false;
        let bound = self.expr(offset);
        let frame = self.frame()?;
        (frame.place, frame.aggs_allowed) = before;
        let bound = bound?;
        if bound.expr.any(|e| matches!(e, Expr::Column(_))) {
            let why = format!("argument of {name} must not contain variables");
            return Err(self.at_start(SqlError::new(SqlState::INVALID_COLUMN_REFERENCE, why), offset));
        }
        let Some(key) = key else {
            if bound.ty != Type::Unknown && !can_cast_in(bound.ty, Type::Int8, CastContext::Assignment) {
                let shown = bound.ty.sql_name();
                let message = format!("argument of {name} must be type bigint, not type {shown}");
                return Err(SqlError::new(SqlState::DATATYPE_MISMATCH, message));
            }
            return self.coerce(bound, Type::Int8, -1, CastContext::Assignment);
        };
        let wanted = match key {
            Type::Int2 | Type::Int4 | Type::Int8 => Type::Int8,
            Type::Float4 | Type::Float8 => Type::Float8,
            Type::Numeric => Type::Numeric,
            Type::Date | Type::Timestamp | Type::Timestamptz | Type::Interval => Type::Interval,
            Type::Time | Type::Timetz => Type::Interval,
            _ => {
                let message = "RANGE with offset PRECEDING/FOLLOWING is not supported for column type";
                let e = SqlError::unsupported(format!("{message} {}", key.sql_name()));
                return Err(self.at_start(e, offset));
            }
        };
        let bound = match bound.ty {
            // It is of the key's type, if it may.
            Type::Unknown if matches!(key, Type::Int2 | Type::Int4) => {
                Typed::new(self.coerce(bound, key, -1, CastContext::Implicit)?, key)
            }
            _ => bound,
        };
        if bound.ty != Type::Unknown && !can_cast_in(bound.ty, wanted, CastContext::Implicit) {
            let message = "RANGE with offset PRECEDING/FOLLOWING is not supported for column type";
            let (key, given) = (key.sql_name(), bound.ty.sql_name());
            let e = SqlError::unsupported(format!("{message} {key} and offset type {given}"))
                .with_hint("Cast the offset value to an appropriate type.");
            return Err(self.at_start(e, offset));
        }
        self.coerce(bound, wanted, -1, CastContext::Implicit)
    }

    /// A call with OVER.
    pub(super) fn window_call(
        &mut self,
        name: &str,
        f: &ast::Function,
        over: &WindowType,
    ) -> Result<Typed, SqlError> {
        let empty =
            ast::FunctionArgumentList { duplicate_treatment: None, args: Vec::new(), clauses: Vec::new() };
        let list = match &f.args {
            FunctionArguments::List(list) => list,
            _ => &empty,
        };
        if !f.within_group.is_empty() {
            return self.within_group(name, f);
        }
        if self.lacks_within_group(name, f)? {
            return Err(needs_within_group(name));
        }
        let own = WindowFn::from_name(name);
        let is_aggregate = own.is_none() && !lookup_aggregates(name).is_empty();
        if own.is_none() && !is_aggregate {
            let args =
                plain_args(&list.args)?.into_iter().map(|a| self.expr(a)).collect::<Result<Vec<_>, _>>()?;
            self.call(name, args)?; // it may not exist
            return Err(SqlError::new(
                SqlState::WRONG_OBJECT_TYPE,
                format!("OVER specified, but {name} is not a window function nor an aggregate function"),
            ));
        }
        self.may_have_window()?;
        if list.duplicate_treatment == Some(DuplicateTreatment::Distinct) {
            return Err(SqlError::unsupported("DISTINCT is not implemented for window functions"));
        }
        if !list.clauses.is_empty() {
            return Err(SqlError::unsupported("aggregate ORDER BY is not implemented for window functions"));
        }
        if f.filter.is_some() && !is_aggregate {
            return Err(SqlError::unsupported(
                "FILTER is not implemented for non-aggregate window functions",
            ));
        }
        let is_star = matches!(&list.args[..], [FunctionArg::Unnamed(FunctionArgExpr::Wildcard)]);
        self.frame()?.in_window = true;
        let args = if is_star {
            Ok(Vec::new())
        } else {
            plain_args(&list.args)
                .and_then(|args| args.into_iter().map(|a| self.expr(a)).collect::<Result<Vec<_>, _>>())
        };
        let filter = match (&args, &f.filter) {
            (Ok(_), Some(e)) => self.filter_condition(e).map(Some),
            _ => Ok(None),
        };
        self.frame()?.in_window = false;
        let (args, filter) = (args?, filter?);
        let window = self.over(over).map_err(|e| self.at_window(e, first_location(&f.name)))?;
        let first = args.first().filter(|_| !gives_records(name)).map(|a| (a.ty, a.typmod));
        let (f, args, arg_types, ty) = match own {
            Some(f) => self.own_arguments(f, name, args)?,
            None => self.aggregate_arguments(name, is_star, args)?,
        };
        let call = WindowCall { f, args, arg_types, filter, window };
        let is_volatile = call.args.iter().chain(&call.filter).any(Expr::calls_volatile);
        let calls = &mut self.frame()?.windows.calls;
        let same = if is_volatile { None } else { calls.iter().position(|c| *c == call) };
        let number = same.unwrap_or_else(|| {
            calls.push(call);
            calls.len() - 1
        });
        let typmod = first.map_or(-1, |first| self.kept_record(first, ty));
        Ok(Typed { expr: Expr::Window(number), ty, typmod })
    }

    /// FILTER, in which no window stands.
    pub(super) fn filter_condition(&mut self, e: &Ast) -> Result<Expr, SqlError> {
        let frame = self.frame()?;
        let before = (frame.place, frame.windows_allowed, frame.in_window, frame.sets_allowed);
        (frame.place, frame.windows_allowed, frame.in_window, frame.sets_allowed) =
            ("FILTER", false, false, false);
        let condition = self.condition(e, "FILTER");
        let frame = self.frame()?;
        (frame.place, frame.windows_allowed, frame.in_window, frame.sets_allowed) = before;
        condition
    }

    /// Fails where no window function may stand.
    fn may_have_window(&mut self) -> Result<(), SqlError> {
        let frame = self.frame()?;
        if frame.in_agg && frame.place == "FILTER" {
            return Err(windowing("window functions are not allowed in FILTER".to_owned()));
        }
        if frame.in_agg {
            return Err(SqlError::new(
                SqlState::GROUPING_ERROR,
                "aggregate function calls cannot contain window function calls",
            ));
        }
        if frame.in_window {
            return Err(windowing("window function calls cannot be nested"));
        }
        if !frame.windows_allowed {
            let place = if frame.place.starts_with("window ") { "window definitions" } else { frame.place };
            return Err(windowing(format!("window functions are not allowed in {place}")));
        }
        Ok(())
    }

    /// The arguments of a window function that is no aggregate, if there is one with these.
    #[allow(clippy::type_complexity)]
    pub(super) fn own_arguments(
        &mut self,
        f: WindowFn,
        name: &str,
        args: Vec<Typed>,
    ) -> Result<(WindowFn, Box<[Expr]>, Vec<Type>, Type), SqlError> {
        let types: Vec<Type> = args.iter().map(|a| a.ty).collect();
        let missing = || function_error(name, &types, evenkeel_types::ResolveError::NotFound);
        let takes_int = |n: usize| {
            types
                .get(n)
                .is_none_or(|t| *t == Type::Unknown || can_cast_in(*t, Type::Int4, CastContext::Implicit))
        };
        let value = types.first().map(|t| if *t == Type::Unknown { Type::Text } else { *t });
        // Those that work on values of one type have to be told which; three arguments may agree on one.
        let is_of_one_type = match f {
            WindowFn::FirstValue | WindowFn::LastValue => args.len() == 1,
            WindowFn::NthValue => args.len() == 2 && takes_int(1),
            WindowFn::Neighbour(_) => args.len() == 1 || args.len() == 2 && takes_int(1),
            _ => false,
        };
        if is_of_one_type && types[0] == Type::Unknown {
            return Err(undetermined());
        }
        let (wanted, ret) = match (f, value, args.len()) {
            (WindowFn::RowNumber | WindowFn::Rank | WindowFn::DenseRank, _, 0) => (vec![], Type::Int8),
            (WindowFn::PercentRank | WindowFn::CumeDist, _, 0) => (vec![], Type::Float8),
            (WindowFn::Ntile, _, 1) if takes_int(0) => (vec![Type::Int4], Type::Int4),
            (WindowFn::FirstValue | WindowFn::LastValue, Some(t), 1) => (vec![t], t),
            (WindowFn::NthValue, Some(t), 2) if takes_int(1) => (vec![t, Type::Int4], t),
            (WindowFn::Neighbour(_), Some(t), 1) => (vec![t], t),
            (WindowFn::Neighbour(_), Some(t), 2) if takes_int(1) => (vec![t, Type::Int4], t),
            (WindowFn::Neighbour(_), Some(_), 3) if takes_int(1) => {
                let t = common_type(&[types[0], types[2]]).map_err(|_| missing())?;
                let t = if t == Type::Unknown { Type::Text } else { t };
                (vec![t, Type::Int4, t], t)
            }
            _ => return Err(missing()),
        };
        let mut exprs = Vec::with_capacity(args.len());
        for (arg, ty) in args.into_iter().zip(&wanted) {
            exprs.push(self.coerce(arg, *ty, -1, CastContext::Implicit)?);
        }
        Ok((f, exprs.into(), wanted, ret))
    }

    #[allow(clippy::type_complexity)]
    fn aggregate_arguments(
        &mut self,
        name: &str,
        is_star: bool,
        args: Vec<Typed>,
    ) -> Result<(WindowFn, Box<[Expr]>, Vec<Type>, Type), SqlError> {
        if !is_star && args.is_empty() && name == "count" {
            return Err(SqlError::new(
                SqlState::WRONG_OBJECT_TYPE,
                "count(*) must be used to call a parameterless aggregate function",
            ));
        }
        if is_star && name != "count" {
            return Err(function_error(name, &[], evenkeel_types::ResolveError::NotFound));
        }
        let types: Vec<Type> = args.iter().map(|a| a.ty).collect();
        let resolved = resolve_aggregate(lookup_aggregates(name), &types)
            .map_err(|e| function_error(name, &types, e))?;
        let (mut exprs, mut arg_types) = (Vec::new(), Vec::new());
        for (n, (arg, ty)) in args.into_iter().zip(&resolved.args).enumerate() {
            let is_any = resolved.f.args.get(n) == Some(&Type::Any) && self.takes_any(&arg);
            let ty = match ty {
                Type::Any if arg.ty == Type::Unknown => Type::Text,
                Type::Any => arg.ty,
                ty => *ty,
            };
            let e = if is_any { arg.expr } else { self.coerce(arg, ty, -1, CastContext::Explicit)? };
            self.aggregated(name, e, ty, &mut exprs)?;
            arg_types.push(ty);
        }
        Ok((WindowFn::Aggregate(resolved.f), exprs.into(), arg_types, resolved.ret))
    }
}

fn no_window(name: &str) -> SqlError {
    SqlError::new(SqlState::UNDEFINED_OBJECT, format!("window \"{name}\" does not exist"))
}

/// EXCLUDE and the window's real name (see `parse/rules.rs`).
fn excluded(name: &str) -> (Option<Exclude>, Option<&str>) {
    let marks = [
        ("<EXCLUDE CURRENT ROW>", Exclude::CurrentRow),
        ("<EXCLUDE GROUP>", Exclude::Group),
        ("<EXCLUDE TIES>", Exclude::Ties),
        ("<EXCLUDE NO OTHERS>", Exclude::NoOthers),
    ];
    for (mark, exclude) in marks {
        if let Some(rest) = name.strip_prefix(mark) {
            return (Some(exclude), Some(rest).filter(|r| !r.is_empty()));
        }
    }
    (None, Some(name))
}
