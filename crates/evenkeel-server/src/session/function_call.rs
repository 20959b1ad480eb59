//! The call of one function by its OID ("fastpath"), with its arguments in text or binary: what libpq and drivers read and write large objects by.
//!
//! It must not know sockets.

use super::ClientSession;
use super::extended::parameters;
use super::rows::RowWriter;
use crate::errors::{Failure, protocol_violation};
use crate::service::{Service, SqlSession};
use crate::wire::frontend::FunctionCall;
use crate::wire::output::{OutputShape, ResultFormats};
use evenkeel_sql::{SqlError, SqlState};

impl<S: Service> ClientSession<S> {
    /// Calls it, as a statement of its own, and answers with what it gives.
    pub(super) fn function_call(&mut self, m: &FunctionCall<'_>) -> Result<(), Failure> {
        let statement = self.sql.function_call(m.oid)?;
        let types = <S::Session as SqlSession>::parameter_types(&statement);
        if types.len() != m.argument_count() {
            return Err(protocol_violation(format!(
                "function call message contains {} arguments but function requires {}",
                m.argument_count(),
                types.len()
            ))
            .into());
        }
        self.sql.refresh();
        let nth = |n| format!("function argument {n}");
        let params = parameters(m.arguments(), types, &self.sql, self.out.encoding, nth).map_err(told)?;
        let mut portal = self.sql.bind(&statement, params)?;
        let shape = OutputShape::of(<S::Session as SqlSession>::portal_columns(&portal), None);
        let formats = if m.result_is_binary { ResultFormats::Binary } else { ResultFormats::Text };
        let options = self.sql.format_options();
        let before = self.out.bytes.len();
        self.sql.set_may_wait_outside(false);
        let mut rows =
            RowWriter::new(&mut self.out, &mut self.link, shape.as_deref(), &formats, options).of_function();
        let result = self.sql.run(&mut portal, 0, &mut rows);
        rows.finish(result)?;
        // What it has done is committed before anybody is told of it.
        if let Err(e) = self.sql.sync() {
            self.out.bytes.truncate(before);
            return Err(e.into());
        }
        Ok(self.ready()?)
    }
}

/// Which argument is wrong is said in the message, not beside it.
fn told(mut e: SqlError) -> SqlError {
    if let Some(place) = e.context.take()
        && e.code == SqlState::INVALID_BINARY_REPRESENTATION
    {
        e.message = format!("{} in {place}", e.message);
    }
    e
}
