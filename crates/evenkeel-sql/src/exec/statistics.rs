//! Statistics that are given rather than found: `pg_restore_relation_stats` and its like, which dumps call. What ANALYZE keeps is taken; of what it does
//! not keep (elements of arrays, indexes, tables below others) the answer is that not all was.
//!
//! Invariants
//! 1. Nothing is changed here: what is to be is noted, and the session does it once the statement has given its rows.
//!
//! Must not know: where statistics are stored.

use super::Cx;
use crate::catalog::statistics::{ColumnStatistics, TableStatistics};
use crate::catalog::{Relation, Table};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::{Datum, ScalarFn, Type, input_text};
use std::sync::Arc;

/// What is to become of a table's statistics.
pub struct Given {
    /// The table.
    pub table: Arc<Table>,
    /// What is changed.
    pub what: Change,
}

/// A change of statistics.
pub enum Change {
    /// The number of rows; `None`: it is not known any more.
    Rows(Option<f64>),
    /// What is known of a column; `None`: nothing any more.
    Column(usize, Option<Box<Figures>>),
}

/// What is given of a column.
#[derive(Default)]
pub struct Figures {
    null_fraction: Option<f64>,
    width_bytes: Option<f64>,
    distinct: Option<f64>,
    common: Option<Vec<(Datum, f64)>>,
    histogram: Option<Vec<Datum>>,
    correlation: Option<f64>,
}

impl Change {
    /// Changes statistics so.
    pub fn apply(&self, to: &mut TableStatistics) {
        match self {
            Change::Rows(rows) => to.rows = rows.unwrap_or(TableStatistics::UNKNOWN_ROWS),
            Change::Column(n, figures) => {
                if to.columns.len() <= *n {
                    to.columns.resize(n + 1, None);
                }
                let Some(f) = figures else {
                    to.columns[*n] = None;
                    return;
                };
                let c = to.columns[*n].get_or_insert_with(|| ColumnStatistics {
                    null_fraction: 0.0,
                    width_bytes: 0.0,
                    distinct: 0.0,
                    common: Vec::new(),
                    histogram: Vec::new(),
                    correlation: 0.0,
                });
                let set = |to: &mut f64, given: Option<f64>| *to = given.unwrap_or(*to);
                set(&mut c.null_fraction, f.null_fraction);
                set(&mut c.width_bytes, f.width_bytes);
                set(&mut c.distinct, f.distinct);
                set(&mut c.correlation, f.correlation);
                if let Some(common) = &f.common {
                    c.common.clone_from(common);
                }
                if let Some(histogram) = &f.histogram {
                    c.histogram.clone_from(histogram);
                }
            }
        }
    }
}

/// Names of arguments and their types.
type Known = [(&'static str, Type)];

const OF_RELATION: &Known = &[
    ("schemaname", Type::Text),
    ("relname", Type::Text),
    ("relpages", Type::Int4),
    ("reltuples", Type::Float4),
    ("relallvisible", Type::Int4),
    ("relallfrozen", Type::Int4),
];

const OF_COLUMN: &Known = &[
    ("schemaname", Type::Text),
    ("relname", Type::Text),
    ("attname", Type::Text),
    ("attnum", Type::Int2),
    ("inherited", Type::Bool),
    ("null_frac", Type::Float4),
    ("avg_width", Type::Int4),
    ("n_distinct", Type::Float4),
    ("most_common_vals", Type::Text),
    ("most_common_freqs", Type::Float4Array),
    ("histogram_bounds", Type::Text),
    ("correlation", Type::Float4),
    ("most_common_elems", Type::Text),
    ("most_common_elem_freqs", Type::Float4Array),
    ("elem_count_histogram", Type::Float4Array),
    ("range_length_histogram", Type::Text),
    ("range_empty_frac", Type::Float4),
    ("range_bounds_histogram", Type::Text),
];

/// Answers a function; `args` are its arguments.
pub(super) fn ask(f: &ScalarFn, args: &[Datum], cx: &mut Cx<'_>) -> Result<Datum, SqlError> {
    cx.views.check_writable(&format!("{}()", f.name))?;
    if cx.eval.env.is_in_recovery() {
        let message = "recovery is in progress";
        return Err(SqlError::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, message)
            .with_hint("Statistics cannot be modified during recovery."));
    }
    match f.name {
        "pg_restore_relation_stats" => {
            let (mut pairs, is_all) = Pairs::read(args, OF_RELATION, cx)?;
            let Some(table) = pairs.table(cx)? else { return Ok(Datum::Bool(false)) };
            let rows = pairs.number("reltuples");
            if rows.is_some_and(|rows| rows < -1.0) {
                cx.views.warn("argument \"reltuples\" must not be less than -1.0".into());
                return Ok(Datum::Bool(false));
            }
            if let Some(rows) = rows {
                let what = Change::Rows((rows >= 0.0).then_some(rows));
                cx.run.given_statistics.push(Given { table, what });
            }
            Ok(Datum::Bool(is_all))
        }
        "pg_restore_attribute_stats" => {
            let (mut pairs, mut is_all) = Pairs::read(args, OF_COLUMN, cx)?;
            let Some(table) = pairs.table(cx)? else { return Ok(Datum::Bool(false)) };
            let n = pairs.column(&table)?;
            let inherited = pairs.take("inherited").ok_or_else(|| is_null("inherited"))?;
            if matches!(inherited, Datum::Bool(true)) {
                return Ok(Datum::Bool(false));
            }
            let (figures, is_taken) = pairs.figures(table.types[n], cx);
            is_all &= is_taken && pairs.0.is_empty();
            cx.run.given_statistics.push(Given { table, what: Change::Column(n, Some(figures.into())) });
            Ok(Datum::Bool(is_all))
        }
        "pg_clear_relation_stats" => {
            let names = ["schemaname", "relname"];
            if let Some(table) = Pairs::of(&names, args).table(cx)? {
                cx.run.given_statistics.push(Given { table, what: Change::Rows(None) });
            }
            Ok(Datum::Null)
        }
        _ => {
            let mut pairs = Pairs::of(&["schemaname", "relname", "attname", "inherited"], args);
            if let Some(table) = pairs.table(cx)? {
                let name = pairs.take("attname").ok_or_else(|| is_null("attname"))?;
                let n = column_named(&table, name.as_str().unwrap_or_default())?;
                let inherited = pairs.take("inherited").ok_or_else(|| is_null("inherited"))?;
                if matches!(inherited, Datum::Bool(false)) {
                    cx.run.given_statistics.push(Given { table, what: Change::Column(n, None) });
                }
            }
            Ok(Datum::Null)
        }
    }
}

fn wrong(why: impl Into<String>) -> SqlError {
    SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why)
}

fn is_null(name: &str) -> SqlError {
    wrong(format!("argument \"{name}\" must not be null"))
}

fn no_column(table: &Table, column: &str) -> SqlError {
    let why = format!("column {column} of relation \"{}\" does not exist", table.name);
    SqlError::new(SqlState::UNDEFINED_COLUMN, why)
}

fn column_named(table: &Table, name: &str) -> Result<usize, SqlError> {
    const OF_SYSTEM: [&str; 6] = ["tableoid", "cmax", "xmax", "cmin", "xmin", "ctid"];
    match table.column(name) {
        Some(n) => Ok(n),
        None if OF_SYSTEM.contains(&name) => {
            Err(SqlError::unsupported(format!("cannot modify statistics on system column \"{name}\"")))
        }
        None => Err(no_column(table, &format!("\"{name}\""))),
    }
}

/// Arguments by name, those that are NULL left out.
struct Pairs(Vec<(&'static str, Datum)>);

impl Pairs {
    /// Reads names and values; whether all are known and of their types.
    fn read(args: &[Datum], known: &Known, cx: &Cx<'_>) -> Result<(Pairs, bool), SqlError> {
        if !args.len().is_multiple_of(2) {
            return Err(SqlError::internal("variadic arguments must be name/value pairs")
                .with_hint("Provide an even number of variadic arguments that can be divided into pairs."));
        }
        let (mut pairs, mut is_all) = (Pairs(Vec::new()), true);
        for (n, pair) in args.chunks(2).enumerate() {
            let Some(name) = pair[0].as_str() else {
                return Err(SqlError::internal(format!("name at variadic position {} is null", n * 2 + 1)));
            };
            if pair[1].is_null() || name == "version" {
                continue;
            }
            let Some((name, ty)) = known.iter().find(|(known, _)| *known == name) else {
                cx.views.warn(format!("unrecognized argument name: \"{name}\""));
                is_all = false;
                continue;
            };
            let has = pair[1].natural_type();
            if has != *ty {
                let (has, ty) = (has.sql_name(), ty.sql_name());
                cx.views.warn(format!("argument \"{name}\" has type {has}, expected type {ty}"));
                is_all = false;
                continue;
            }
            pairs.0.push((name, pair[1].clone()));
        }
        Ok((pairs, is_all))
    }

    fn of(names: &[&'static str], args: &[Datum]) -> Pairs {
        let given = names.iter().zip(args).filter(|(_, value)| !value.is_null());
        Pairs(given.map(|(name, value)| (*name, value.clone())).collect())
    }

    fn take(&mut self, name: &str) -> Option<Datum> {
        let at = self.0.iter().position(|(known, _)| *known == name)?;
        Some(self.0.swap_remove(at).1)
    }

    fn number(&mut self, name: &str) -> Option<f64> {
        match self.take(name)? {
            Datum::Float4(v) => Some(f64::from(v)),
            value => value.as_i64().map(|n| n as f64),
        }
    }

    /// The table that is meant; `None`: an index, of which nothing is kept.
    fn table(&mut self, cx: &Cx<'_>) -> Result<Option<Arc<Table>>, SqlError> {
        let mut name = |what: &str| self.take(what).ok_or_else(|| is_null(what));
        let (schema, name) = (name("schemaname")?, name("relname")?);
        let (schema, name) = (schema.as_str().unwrap_or_default(), name.as_str().unwrap_or_default());
        let Some(found) = cx.catalog.schema_named(schema) else {
            let why = format!("schema \"{schema}\" does not exist");
            return Err(SqlError::new(SqlState::INVALID_SCHEMA_NAME, why));
        };
        let what = match cx.catalog.relation_in(found.oid, name) {
            Some(Relation::Table(table)) => return Ok(Some(table)),
            Some(Relation::Index(..)) => return Ok(None),
            None => {
                let why = format!("relation \"{schema}.{name}\" does not exist");
                return Err(SqlError::new(SqlState::UNDEFINED_TABLE, why));
            }
            Some(Relation::View(_)) => "views",
            Some(Relation::Sequence(_)) => "sequences",
            Some(Relation::Virtual(_)) => "system catalogs",
        };
        let why = format!("cannot modify statistics for relation \"{name}\"");
        Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, why)
            .with_detail(format!("This operation is not supported for {what}.")))
    }

    fn column(&mut self, table: &Table) -> Result<usize, SqlError> {
        match (self.take("attname"), self.take("attnum")) {
            (Some(_), Some(_)) => Err(wrong("cannot specify both \"attname\" and \"attnum\"")),
            (None, None) => Err(wrong("must specify either \"attname\" or \"attnum\"")),
            (Some(name), None) => column_named(table, name.as_str().unwrap_or_default()),
            (None, Some(number)) => {
                let number = number.as_i64().unwrap_or_default();
                let n = usize::try_from(number - 1).ok().filter(|n| *n < table.columns.len());
                n.filter(|n| !table.columns[*n].dropped).ok_or_else(|| no_column(table, &number.to_string()))
            }
        }
    }

    /// What is given of a column of this type; whether all of it could be taken.
    fn figures(&mut self, ty: Type, cx: &Cx<'_>) -> (Figures, bool) {
        let mut f = Figures {
            null_fraction: self.number("null_frac"),
            width_bytes: self.number("avg_width"),
            distinct: self.number("n_distinct"),
            correlation: self.number("correlation"),
            ..Figures::default()
        };
        let mut is_all = true;
        let mut take = |read: Result<(), SqlError>| {
            if let Err(e) = read {
                cx.views.warn(e.message.clone());
                is_all = false;
            }
        };
        let (values, shares) = (self.take("most_common_vals"), self.take("most_common_freqs"));
        take(common(values, shares, ty, cx).map(|common| f.common = common));
        if let Some(text) = self.take("histogram_bounds") {
            take(listed("histogram_bounds", &text, ty, cx).map(|bounds| f.histogram = Some(bounds)));
        }
        (f, is_all)
    }
}

fn common(
    values: Option<Datum>,
    shares: Option<Datum>,
    ty: Type,
    cx: &Cx<'_>,
) -> Result<Option<Vec<(Datum, f64)>>, SqlError> {
    const NAMES: (&str, &str) = ("most_common_vals", "most_common_freqs");
    let pair = |missing: &str, given: &str| {
        wrong(format!("argument \"{missing}\" must be specified when argument \"{given}\" is specified"))
    };
    let (values, shares) = match (values, shares) {
        (None, None) => return Ok(None),
        (Some(_), None) => return Err(pair(NAMES.1, NAMES.0)),
        (None, Some(_)) => return Err(pair(NAMES.0, NAMES.1)),
        (Some(values), Some(shares)) => (listed(NAMES.0, &values, ty, cx)?, shares),
    };
    let shares = shares.as_array().map(|a| a.values.to_vec()).unwrap_or_default();
    let shares: Vec<f64> = shares
        .iter()
        .filter_map(|d| if let Datum::Float4(v) = d { Some(f64::from(*v)) } else { None })
        .collect();
    if shares.len() != values.len() {
        let (values, shares) = NAMES;
        return Err(wrong(format!(
            "could not parse \"{values}\": incorrect number of elements (same as \"{shares}\" required)"
        )));
    }
    Ok(Some(values.into_iter().zip(shares).collect()))
}

/// Values of a type, written as an array.
fn listed(name: &str, text: &Datum, ty: Type, cx: &Cx<'_>) -> Result<Vec<Datum>, SqlError> {
    let format = cx.eval.format;
    let texts = input_text(text.as_str().unwrap_or_default(), Type::TextArray, -1, format)?;
    let texts = texts.as_array().map(|a| a.values.to_vec()).unwrap_or_default();
    let value = |d: &Datum| match d.as_str() {
        Some(text) => input_text(text, ty, -1, format),
        None => Err(wrong(format!("\"{name}\" array must not contain null values"))),
    };
    texts.iter().map(value).collect()
}
