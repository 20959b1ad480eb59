//! Statements that a session has parsed, kept by their text: what comes again is not parsed and planned again.
//!
//! Three kinds of keys: a string of the simple protocol as it is; a text with the types declared in a Parse; and the shape of a string, which has
//! other literals each time.
//!
//! Invariants:
//! 1. What is found here is what parsing and planning it now would give: its plan is current, and its literals were read as they would be now.
//! 2. By its shape a statement is found only if its plan cannot be a better one for being made with the literals: it finds single rows by whole keys of
//!    unique indexes, or inserts what VALUES has. Errors come from the statement as it is spelled.
//!
//! Must not know: the wire protocol.

use super::{Prepared, Session};
use crate::parse::conforming::conforming;
use crate::parse::shape::{self, Kind, Literal, Shape};
use crate::parse::{Stmt, long_names, parse_script, precisions};
use crate::plan::{Access, InsertSource, Node, Op, Plan, PlanKind};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::row::representation_fits;
use evenkeel_types::{Datum, Type, input_text};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// Statements kept of each kind, and the longest text that is.
const STATEMENTS_MAX: usize = 256;
const TEXT_BYTES_MAX: usize = 16 << 10;
/// The most memory that a statement with its plan may take to be kept by its text or shape, in bytes.
const KEPT_BYTES_MAX: usize = 256 << 10;

/// What is known of a shape.
enum Known {
    /// A statement of it has come.
    Seen,
    /// It has no plan for all literals, as the catalog was in this version.
    Refused(u64),
    /// The statement with parameters.
    Made(Arc<Prepared>),
}

/// A shape with the kinds of its literals.
type ShapeKey = (String, Vec<Kind>);
/// A statement, and the types that its Parse declared.
type Declared = (Box<[u32]>, Arc<Prepared>);

/// The statements of a session.
#[derive(Default)]
pub(crate) struct Statements {
    scripts: HashMap<Arc<str>, Arc<Prepared>>,
    /// Of their texts: trees and plans are many times larger.
    scripts_bytes: usize,
    parsed: HashMap<Arc<str>, Declared>,
    shapes: HashMap<ShapeKey, Known>,
}

impl Statements {
    /// Forgets all.
    pub(super) fn clear(&mut self) {
        *self = Statements::default();
    }
}

/// Texts of simple queries that are kept with their plans, all together.
const SCRIPTS_BYTES_MAX: usize = 128 << 10;

/// Makes room for one more.
fn room<K, V>(map: &mut HashMap<K, V>) -> &mut HashMap<K, V> {
    if map.len() >= STATEMENTS_MAX {
        map.clear();
    }
    map
}

/// Whether a statement gets as many values as it has parameters; none, without types of any, it gets from a simple query.
fn check_count(given: usize, needed: usize, is_simple: bool) -> Result<(), SqlError> {
    if given == 0 && is_simple && needed > 0 {
        return Err(SqlError::new(SqlState::UNDEFINED_PARAMETER, "there is no parameter $1"));
    }
    if given != needed {
        return Err(SqlError::new(
            SqlState::PROTOCOL_VIOLATION,
            format!(
                "bind message supplies {given} parameters, but prepared statement \"\" requires {needed}"
            ),
        ));
    }
    Ok(())
}

/// Refuses parameters that are none of a statement's: too few, too many, or of other types.
pub(crate) fn check_given(given: &[Datum], types: &[Type], is_simple: bool) -> Result<(), SqlError> {
    check_count(given.len(), types.len(), is_simple)?;
    check_types(given, types)
}

/// Whoever embeds may give anything: what is represented otherwise would be stored as something else.
pub(super) fn check_types(given: &[Datum], types: &[Type]) -> Result<(), SqlError> {
    match given.iter().zip(types).enumerate().find(|(_, (d, ty))| !representation_fits(d, **ty)) {
        None => Ok(()),
        Some((i, (d, ty))) => Err(SqlError::new(
            SqlState::DATATYPE_MISMATCH,
            format!(
                "parameter ${} of type {} cannot be coerced to the expected type {}",
                i + 1,
                d.natural_type().sql_name(),
                ty.sql_name()
            ),
        )
        .with_hint("You will need to rewrite or cast the expression.")),
    }
}

impl Session {
    /// Parses a string of statements. None is planned yet: a later one may need what an earlier one makes.
    pub fn parse_script(&mut self, sql: &str) -> Result<Vec<Arc<Prepared>>, SqlError> {
        self.block.script_us = None;
        let sql = &*self.conforming(sql)?;
        let _entered = self.enter();
        self.tell_of_cut(sql);
        if let Some(hit) = self.statements.scripts.get(sql).cloned()
            && (matches!(*hit.body.stmt, Stmt::Txn(_)) || self.is_as_new(&hit))
        {
            return Ok(vec![hit]);
        }
        let is_kept = sql.len() <= TEXT_BYTES_MAX;
        if is_kept
            && let Some(shape) = shape::of(sql)
            && let Some(statement) = self.of_shape(shape, sql)
        {
            return Ok(vec![Arc::new(statement)]);
        }
        let source: Arc<str> = sql.into();
        let parsed = match parse_script(sql) {
            Ok(parsed) => parsed,
            Err(e) => {
                self.show_failed(&source);
                self.set_failed(&source, None);
                return Err(e);
            }
        };
        let statements: Vec<Arc<Prepared>> = parsed
            .into_iter()
            .map(|p| Arc::new(Prepared::new(p.stmt, p.text.into(), source.clone(), Vec::new())))
            .collect();
        self.block.script_us = (statements.len() > 1).then(evenkeel_types::datetime::wall_clock_us);
        if let [single] = &statements[..]
            && is_kept
            && matches!(*single.body.stmt, Stmt::Sql(_) | Stmt::Txn(_))
        {
            let s = &mut self.statements;
            s.scripts_bytes += source.len();
            if s.scripts_bytes > SCRIPTS_BYTES_MAX {
                s.scripts.clear();
                s.scripts_bytes = source.len();
            }
            room(&mut s.scripts).insert(source, single.clone());
        }
        Ok(statements)
    }

    /// Names that are cut, and precisions.
    pub(super) fn tell_of_cut(&mut self, sql: &str) {
        for message in long_names::notices(sql) {
            self.notice("NOTICE", SqlState::NAME_TOO_LONG, message);
        }
        for message in precisions::warnings(sql) {
            self.notice("WARNING", SqlState::INVALID_PARAMETER_VALUE, message);
        }
    }

    /// A text as it would be spelled with `standard_conforming_strings`.
    pub(super) fn conforming<'a>(&mut self, sql: &'a str) -> Result<Cow<'a, str>, SqlError> {
        if !self.defaults.has_escapes {
            return Ok(Cow::Borrowed(sql));
        }
        let _entered = self.enter();
        let Some((text, found)) = conforming(sql)? else { return Ok(Cow::Borrowed(sql)) };
        if self.settings.get("escape_string_warning") != Some("off") {
            for nonstandard in found {
                let (why, hint) = nonstandard.warning();
                self.warn(SqlState::NONSTANDARD_USE_OF_ESCAPE_CHARACTER, why.to_owned(), hint);
            }
        }
        Ok(Cow::Owned(text))
    }

    /// A statement of the protocol's Parse that has come before and means the same now.
    pub(super) fn parsed_before(&mut self, sql: &str, types: &[u32]) -> Option<Arc<Prepared>> {
        let (declared, statement) = self.statements.parsed.get(sql)?;
        if **declared != *types {
            return None;
        }
        let statement = statement.clone();
        let plan = self.current_plan(&statement).filter(|_| self.is_as_new(&statement))?;
        // A Bind that was refused has planned it anew: what it was described with is of old.
        let body = &statement.body;
        (plan.columns.as_deref() == body.columns.as_deref() && plan.param_types == body.param_types)
            .then_some(statement)
    }

    /// Keeps what Parse has made.
    pub(super) fn keep_parsed(&mut self, types: &[u32], statement: &Arc<Prepared>) {
        let body = &statement.body;
        let is_small = body.source.len() <= TEXT_BYTES_MAX && body.bytes <= KEPT_BYTES_MAX;
        if is_small && self.is_planned(&body.stmt) {
            let (key, kept) = (body.source.clone(), (types.into(), statement.clone()));
            room(&mut self.statements.parsed).insert(key, kept);
        }
    }

    /// The statement by its shape, with its literals as values. None: it is to be parsed as it is. (1, 2)
    fn of_shape(&mut self, shape: Shape<'_>, sql: &str) -> Option<Prepared> {
        // What is refused or planned now would not be for good.
        let is_failed = self.txn.as_ref().is_some_and(|t| t.failed);
        if is_failed || self.snapshot_version() < self.instance.store.version(&self.part) {
            return None;
        }
        let Shape { text, literals } = shape;
        let key = (text, literals.iter().map(|l| l.kind).collect());
        let made = match self.statements.shapes.get(&key) {
            None => {
                room(&mut self.statements.shapes).insert(key, Known::Seen);
                return None;
            }
            Some(Known::Refused(version)) if *version == self.instance.store.version(&self.part) => {
                return None;
            }
            Some(Known::Made(made)) => Some(made.clone()),
            Some(_) => None,
        };
        let made = match made {
            Some(made) if self.current_plan(&made).is_some() => made,
            _ => {
                let version = self.instance.store.version(&self.part);
                let made = self.make_of_shape(&key.0, &literals);
                let known = made.clone().map_or(Known::Refused(version), Known::Made);
                self.statements.shapes.insert(key, known);
                made?
            }
        };
        let values = literals.iter().zip(&made.body.param_types).map(|(l, ty)| self.value(*l, *ty));
        let values = values.collect::<Option<Vec<Datum>>>()?;
        let end = sql.trim_end_matches([' ', '\t', '\n', '\r', ';']);
        let text = end.trim_start_matches([' ', '\t', '\n', '\r']).into();
        Some(Prepared { text, values, body: made.body.clone() })
    }

    /// Plans a shape. None: it does not stand for all its statements. (2)
    fn make_of_shape(&mut self, text: &str, literals: &[Literal<'_>]) -> Option<Arc<Prepared>> {
        let declared = literals.iter().map(|l| l.kind.ty()).collect();
        let parsed = parse_script(text).ok()?.pop()?;
        let made = self.prepare_stmt(parsed.stmt, parsed.text.into(), text.into(), declared).ok()?;
        let plan = self.current_plan(&made)?;
        let is_small = made.body.bytes <= KEPT_BYTES_MAX;
        let fits = is_small && made.body.param_types.len() == literals.len() && stands_for_all(&plan);
        fits.then_some(made)
    }

    /// A literal as a value of the type that the shape gives it; None: it is none, or what it is depends on the time.
    fn value(&self, literal: Literal<'_>, ty: Type) -> Option<Datum> {
        let of_time = matches!(ty, Type::Date | Type::Timestamp | Type::Timestamptz);
        let is_number = literal.text.starts_with(|c: char| c.is_ascii_digit());
        match literal.kind {
            Kind::Int4 if ty == Type::Int4 => literal.text.parse().ok().map(Datum::Int4),
            Kind::String if of_time && !is_number => None,
            Kind::String if literal.text.contains('\'') => {
                input_text(&literal.text.replace("''", "'"), ty, -1, &self.format).ok()
            }
            _ => input_text(literal.text, ty, -1, &self.format).ok(),
        }
    }

    /// A statement that was found by its shape, parsed as it is: what its values were read for has changed.
    pub(super) fn as_spelled(&mut self, statement: &Prepared) -> Result<Arc<Prepared>, SqlError> {
        let parsed = parse_script(&statement.text)?.pop();
        let parsed = parsed.ok_or_else(|| SqlError::internal("no statement"))?;
        let source = statement.text.clone();
        Ok(Arc::new(Prepared::new(parsed.stmt, statement.text.clone(), source, Vec::new())))
    }
}

/// Whether literals in the place of parameters could not give a better plan. (2)
pub(super) fn stands_for_all(plan: &Plan) -> bool {
    if !plan.subplans.is_empty() || !plan.ctes.is_empty() {
        return false;
    }
    match &plan.kind {
        PlanKind::Query(q) => finds_by_key(&q.root),
        PlanKind::Insert(p) => matches!(p.source, InsertSource::Rows(_)),
        PlanKind::Update(p) => finds_by_key(&p.rows.input),
        PlanKind::Delete(p) => finds_by_key(&p.rows.input),
        PlanKind::Merge(_) => false,
    }
}

fn finds_by_key(node: &Node) -> bool {
    match &node.op {
        Op::Scan(s) => matches!(s.access, Access::Point { .. }),
        Op::Project { input, .. } | Op::Filter { input, .. } | Op::Limit { input, .. } => finds_by_key(input),
        _ => false,
    }
}
