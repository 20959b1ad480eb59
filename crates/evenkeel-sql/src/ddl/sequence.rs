//! CREATE and ALTER SEQUENCE, and the sequences of serial and identity columns.
//!
//! Must not know: columns.

use crate::catalog::locks::TableLockMode;
use crate::catalog::{Change, Object, Sequence};
use crate::parse::{CreateSequenceStmt, Name, SequenceOptions};
use crate::session::Session;
use evenkeel_types::Type;
use evenkeel_types::error::{SqlError, SqlState};
use std::sync::Arc;

impl Session {
    pub(crate) fn create_sequence(&mut self, s: &CreateSequenceStmt) -> Result<(), SqlError> {
        self.refresh_catalog();
        let (schema, name) = match s.temporary {
            true => self.new_temp_name(&s.name)?,
            false => self.new_name(&s.name)?,
        };
        if !self.lock_new_relation(schema, &name, s.if_not_exists)? {
            return Ok(());
        }
        let ty = sequence_type(&s.options)?.unwrap_or(Type::Int8);
        let owned_by = match &s.options.owned_by {
            None => None,
            Some(None) => None,
            Some(Some((table, column))) => {
                Some(self.sequence_owner(self.current_role(), schema, table, column)?)
            }
        };
        self.begin_definition()?;
        self.new_sequence(schema, name, ty, &s.options, owned_by).map(|_| ())
    }

    /// Makes a sequence; returns its OID.
    pub(super) fn new_sequence(
        &mut self,
        schema: u32,
        name: String,
        ty: Type,
        o: &SequenceOptions,
        owned_by: Option<(u32, usize, bool)>,
    ) -> Result<u32, SqlError> {
        let counted = Counting::of(ty, o)?;
        let oid = self.instance.store.new_oid()?;
        let Counting { start, increment, min, max, cycle, cache } = counted;
        let sequence = Sequence {
            oid,
            schema,
            name,
            ty,
            start,
            increment,
            min,
            max,
            cycle,
            cache,
            owned_by,
            values: oid,
            shared: Arc::default(),
            lock: Arc::default(),
        };
        self.lock_object(&sequence.lock, TableLockMode::AccessExclusive, &sequence.name, false)?;
        self.record(Change::Put(Object::Sequence(Arc::new(sequence))))?;
        Ok(oid)
    }

    /// The column that a sequence is to belong to; its table is kept from being dropped or changed until the transaction ends.
    fn sequence_owner(
        &mut self,
        owner: u32,
        schema: u32,
        table: &Name,
        column: &str,
    ) -> Result<(u32, usize, bool), SqlError> {
        let t = self.lock_table(table, TableLockMode::AccessShare)?;
        if self.security().owner(t.oid) != owner {
            let why = "sequence must have same owner as table it is linked to";
            return Err(SqlError::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, why));
        }
        if t.schema != schema {
            let why = "sequence must be in same schema as table it is linked to";
            return Err(SqlError::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, why));
        }
        Ok((t.oid, t.find_column(column)?, false))
    }

    /// Locks a sequence against those who draw values from it or change it; as it is then.
    pub(super) fn lock_sequence(
        &mut self,
        s: &Sequence,
        mode: TableLockMode,
    ) -> Result<Arc<Sequence>, SqlError> {
        self.ensure_txn()?;
        self.lock_object(&s.lock, mode, &s.name, false)?;
        self.refresh_catalog();
        self.catalog.sequence(s.oid).cloned().ok_or_else(|| {
            SqlError::new(SqlState::UNDEFINED_TABLE, format!("relation \"{}\" does not exist", s.name))
        })
    }

    /// ALTER SEQUENCE with options.
    pub(super) fn alter_sequence(&mut self, s: &Sequence, o: &SequenceOptions) -> Result<(), SqlError> {
        let s = &*self.lock_sequence(s, TableLockMode::ShareRowExclusive)?;
        let mut changed = s.clone();
        if let Some(owner) = &o.owned_by {
            if s.owned_by.is_some_and(|(_, _, identity)| identity) {
                return Err(SqlError::unsupported("cannot change ownership of identity sequence")
                    .with_detail(self.owned_by_detail(s).unwrap_or_default()));
            }
            changed.owned_by = match owner {
                Some((table, column)) => {
                    Some(self.sequence_owner(self.security().owner(s.oid), s.schema, table, column)?)
                }
                None => None,
            };
        }
        let ty = sequence_type(o)?.unwrap_or(s.ty);
        let (start, increment, min, max) = (s.start, s.increment, s.min, s.max);
        let before = Counting { start, increment, min, max, cycle: s.cycle, cache: s.cache };
        let now = Counting::changed(ty, o, Some((s.ty, before)))?;
        (changed.ty, changed.start, changed.increment) = (ty, now.start, now.increment);
        (changed.min, changed.max, changed.cycle, changed.cache) = (now.min, now.max, now.cycle, now.cache);
        self.begin_definition()?;
        match o.restart {
            Some(value) => {
                let value = value.unwrap_or(now.start);
                within("RESTART", value, now.min, now.max)?;
                self.restart_sequence_at(&changed, Some(value).filter(|v| *v != now.start))
            }
            None => {
                let (last, is_called, _) = self.instance.store.sequence_state(s)?;
                within("RESTART", last, now.min, now.max)?;
                if now == before && ty == s.ty {
                    return self.record(Change::Put(Object::Sequence(Arc::new(changed))));
                }
                self.begin_values(&changed, Some((last, is_called)))
            }
        }
    }

    /// It begins again, for everybody once this transaction has committed.
    pub(super) fn restart_sequence(&mut self, s: &Sequence) -> Result<(), SqlError> {
        let s = self.lock_sequence(s, TableLockMode::AccessExclusive)?;
        self.restart_sequence_at(&s, None)
    }

    /// The same with another value than its first.
    fn restart_sequence_at(&mut self, s: &Sequence, value: Option<i64>) -> Result<(), SqlError> {
        self.begin_values(s, value.map(|v| (v, false)))
    }

    /// Values of its own for what a sequence has become, which go with this transaction if it is rolled back: from a last one on, and whether that was given, or from the first.
    fn begin_values(&mut self, s: &Sequence, from: Option<(i64, bool)>) -> Result<(), SqlError> {
        // The old row stays until the next start, which takes away new ones that were rolled back, too. Nobody else knows this one: it is written at once, as drawing
        // values does, so that this transaction may draw some.
        let values = self.instance.store.new_oid()?;
        let begun = Sequence { values, shared: Arc::default(), ..s.clone() };
        if let Some((last, is_called)) = from {
            self.instance.store.write_sequence(&begun, last, is_called)?;
        }
        self.record(Change::Put(Object::Sequence(Arc::new(begun))))
    }

    /// `Sequence "s" is linked to table "t".`
    pub(super) fn owned_by_detail(&self, s: &Sequence) -> Option<String> {
        let table = self.catalog.table(s.owned_by?.0)?;
        Some(format!("Sequence \"{}\" is linked to table \"{}\".", s.name, table.name))
    }
}

/// How a sequence counts.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Counting {
    start: i64,
    increment: i64,
    min: i64,
    max: i64,
    cycle: bool,
    cache: i64,
}

/// The values of an integer type.
fn bounds(ty: Type) -> (i64, i64) {
    match ty {
        Type::Int2 => (i64::from(i16::MIN), i64::from(i16::MAX)),
        Type::Int4 => (i64::from(i32::MIN), i64::from(i32::MAX)),
        _ => (i64::MIN, i64::MAX),
    }
}

fn invalid(message: String) -> SqlError {
    SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message)
}

/// `AS type`.
fn sequence_type(o: &SequenceOptions) -> Result<Option<Type>, SqlError> {
    let Some(name) = &o.data_type else { return Ok(None) };
    match Type::from_name(name) {
        Some(ty @ (Type::Int2 | Type::Int4 | Type::Int8)) => Ok(Some(ty)),
        _ => Err(invalid("sequence type must be smallint, integer, or bigint".into())),
    }
}

impl Counting {
    /// Of a new sequence.
    fn of(ty: Type, o: &SequenceOptions) -> Result<Counting, SqlError> {
        Self::changed(ty, o, None)
    }

    /// What options make of how a sequence counted, with the type that it had.
    fn changed(
        ty: Type,
        o: &SequenceOptions,
        before: Option<(Type, Counting)>,
    ) -> Result<Counting, SqlError> {
        if let Some(cache) = o.cache.filter(|c| *c < 1) {
            return Err(invalid(format!("CACHE ({cache}) must be greater than zero")));
        }
        let was = before.map(|b| b.1);
        let increment = o.increment.or(was.map(|b| b.increment)).unwrap_or(1);
        if increment == 0 {
            return Err(invalid("INCREMENT must not be zero".into()));
        }
        let (least, most) = bounds(ty);
        for (what, given) in [("MAXVALUE", o.max), ("MINVALUE", o.min)] {
            if let Some(v) = given.flatten().filter(|v| !(least..=most).contains(v)) {
                let why = format!("{what} ({v}) is out of range for sequence data type {}", ty.sql_name());
                return Err(invalid(why));
            }
        }
        // A bound that was the old type's becomes the new one's.
        let is_reset = |bound: fn((i64, i64)) -> i64, of: fn(Counting) -> i64| {
            before.is_some_and(|(old, c)| old != ty && of(c) == bound(bounds(old)))
        };
        let (resets_min, resets_max) = (is_reset(|b| b.0, |c| c.min), is_reset(|b| b.1, |c| c.max));
        let (min_was, max_was) = match before {
            Some((old, c)) => (
                Some(c.min).filter(|m| old == ty || *m != bounds(old).0),
                Some(c.max).filter(|m| old == ty || *m != bounds(old).1),
            ),
            None => (None, None),
        };
        let min = match o.min {
            Some(said) => said,
            None => min_was,
        };
        let max = match o.max {
            Some(said) => said,
            None => max_was,
        };
        let min = min.unwrap_or(if increment > 0 && !resets_min { 1 } else { least });
        let max = max.unwrap_or(if increment > 0 || resets_max { most } else { -1 });
        for (what, v) in [("MINVALUE", min), ("MAXVALUE", max)] {
            if !(least..=most).contains(&v) {
                let why = format!("{what} ({v}) is out of range for sequence data type {}", ty.sql_name());
                return Err(invalid(why));
            }
        }
        let start = o.start.or(was.map(|b| b.start)).unwrap_or(if increment > 0 { min } else { max });
        if min >= max {
            return Err(invalid(format!("MINVALUE ({min}) must be less than MAXVALUE ({max})")));
        }
        within("START", start, min, max)?;
        Ok(Counting {
            start,
            increment,
            min,
            max,
            cycle: o.cycle.or(was.map(|b| b.cycle)).unwrap_or(false),
            cache: o.cache.or(was.map(|b| b.cache)).unwrap_or(1),
        })
    }
}

/// A value that a sequence may have.
fn within(what: &str, value: i64, min: i64, max: i64) -> Result<(), SqlError> {
    if value < min {
        return Err(invalid(format!("{what} value ({value}) cannot be less than MINVALUE ({min})")));
    }
    if value > max {
        return Err(invalid(format!("{what} value ({value}) cannot be greater than MAXVALUE ({max})")));
    }
    Ok(())
}
