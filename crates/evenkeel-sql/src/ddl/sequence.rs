//! CREATE SEQUENCE, and the sequences of serial and identity columns.
//!
//! Must not know: ALTER SEQUENCE, columns.

use super::exists;
use crate::catalog::{Change, Object, Sequence};
use crate::parse::{CreateSequenceStmt, SequenceOptions};
use crate::session::Session;
use evenkeel_types::Type;
use evenkeel_types::error::{SqlError, SqlState};
use std::sync::Arc;

impl Session {
    pub(crate) fn create_sequence(&mut self, s: &CreateSequenceStmt) -> Result<(), SqlError> {
        self.refresh_catalog();
        let (schema, name) = self.new_name(&s.name)?;
        self.lock_name(schema, &name)?;
        if self.catalog.relation_in(schema, &name).is_some() {
            if s.if_not_exists {
                self.already_exists(&name);
                return Ok(());
            }
            return Err(exists(&name));
        }
        let ty = match s.options.data_type.as_deref() {
            None => Type::Int8,
            Some(t) => match Type::from_name(t) {
                Some(ty @ (Type::Int2 | Type::Int4 | Type::Int8)) => ty,
                _ => {
                    return Err(SqlError::new(
                        SqlState::INVALID_PARAMETER_VALUE,
                        "sequence type must be smallint, integer, or bigint",
                    ));
                }
            },
        };
        let owned_by = match &s.options.owned_by {
            None => None,
            Some((table, column)) => {
                let t = self.find_table(table)?;
                let n = t.find_column(column)?;
                Some((t.oid, n, false))
            }
        };
        self.begin_statement()?;
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
        if let Some(cache) = o.cache.filter(|c| *c < 1) {
            return Err(SqlError::new(
                SqlState::INVALID_PARAMETER_VALUE,
                format!("CACHE ({cache}) must be greater than zero"),
            ));
        }
        let increment = o.increment.unwrap_or(1);
        if increment == 0 {
            return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, "INCREMENT must not be zero"));
        }
        let (least, most) = match ty {
            Type::Int2 => (i64::from(i16::MIN), i64::from(i16::MAX)),
            Type::Int4 => (i64::from(i32::MIN), i64::from(i32::MAX)),
            _ => (i64::MIN, i64::MAX),
        };
        for (what, given) in [("MAXVALUE", o.max), ("MINVALUE", o.min)] {
            if let Some(v) = given.filter(|v| !(least..=most).contains(v)) {
                return Err(SqlError::new(
                    SqlState::INVALID_PARAMETER_VALUE,
                    format!("{what} ({v}) is out of range for sequence data type {}", ty.sql_name()),
                ));
            }
        }
        let min = o.min.unwrap_or(if increment > 0 { 1 } else { least });
        let max = o.max.unwrap_or(if increment > 0 { most } else { -1 });
        let start = o.start.unwrap_or(if increment > 0 { min } else { max });
        if min >= max {
            return Err(SqlError::new(
                SqlState::INVALID_PARAMETER_VALUE,
                format!("MINVALUE ({min}) must be less than MAXVALUE ({max})"),
            ));
        }
        if !(min..=max).contains(&start) {
            let message = if start < min {
                format!("START value ({start}) cannot be less than MINVALUE ({min})")
            } else {
                format!("START value ({start}) cannot be greater than MAXVALUE ({max})")
            };
            return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message));
        }
        let oid = self.instance.store.new_oid()?;
        let cache = o.cache.unwrap_or(1);
        let sequence = Sequence {
            oid,
            schema,
            name,
            ty,
            start,
            increment,
            min,
            max,
            cycle: o.cycle,
            cache,
            owned_by,
            values: oid,
            shared: Arc::default(),
        };
        self.record(Change::Put(Object::Sequence(Arc::new(sequence))))?;
        Ok(oid)
    }

    /// It begins again, for everybody once this transaction has committed.
    pub(super) fn restart_sequence(&mut self, s: &Sequence) -> Result<(), SqlError> {
        // The old row stays until the next start: removing it here would lock it, and whoever takes a value of the old ones meanwhile would wait for us.
        let values = self.instance.store.new_oid()?;
        let restarted = Sequence { values, shared: Arc::default(), ..s.clone() };
        self.record(Change::Put(Object::Sequence(Arc::new(restarted))))
    }
}
