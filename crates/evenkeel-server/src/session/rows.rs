//! Result rows and COPY data, from the executor to the output buffer.
//!
//! Duty: encode each row by its columns' types and formats, and send while the statement still runs when much has gathered.
//!
//! It must not know statements.

use evenkeel_sql::{RowSink, SqlError, SqlState};
use evenkeel_types::encoding::Encoding;
use evenkeel_types::guard::build::make_room;
use evenkeel_types::{Datum, FormatOptions, Type, output_binary, output_text};

use super::link::Link;
use crate::errors::{End, Failure, error};
use crate::service::Service;
use crate::wire::output::{OutputBuffer, OutputColumn, OutputShape, ResultFormats};

/// Output is sent while a statement runs once this much has gathered, bytes.
pub(super) const SEND_BYTES: usize = 64 << 10;
/// The same where what is sent in the midst of a statement would wait, and what is sent at its end does not.
const SEND_WHOLE_BYTES: usize = 4 << 20;

/// Where a statement's rows go.
pub(crate) struct RowWriter<'w, S: Service> {
    out: &'w mut OutputBuffer,
    link: &'w mut Link<S>,
    shape: Option<&'w OutputShape>,
    formats: &'w ResultFormats,
    options: FormatOptions,
    /// The one value is the result of a function call.
    of_function: bool,
    copying_out: bool,
    send_bytes: usize,
    /// Why sending failed; the statement got an error in its place.
    end: Option<End>,
}

impl<'w, S: Service> RowWriter<'w, S> {
    pub fn new(
        out: &'w mut OutputBuffer,
        link: &'w mut Link<S>,
        shape: Option<&'w OutputShape>,
        formats: &'w ResultFormats,
        options: FormatOptions,
    ) -> RowWriter<'w, S> {
        let (of_function, copying_out, send_bytes, end) = (false, false, SEND_BYTES, None);
        RowWriter { out, link, shape, formats, options, of_function, copying_out, send_bytes, end }
    }

    /// The same for an answer that had better leave as a whole.
    pub fn whole(self, is_whole: bool) -> RowWriter<'w, S> {
        let send_bytes = if is_whole { SEND_WHOLE_BYTES } else { self.send_bytes };
        RowWriter { send_bytes, ..self }
    }

    /// The same for the one value that a function call gives.
    pub fn of_function(self) -> RowWriter<'w, S> {
        RowWriter { of_function: true, ..self }
    }

    /// Closes a COPY's data when `result` is good; the connection's failure goes before the statement's.
    pub fn finish<T>(self, result: Result<T, SqlError>) -> Result<T, Failure> {
        if let Some(end) = self.end {
            return Err(Failure::Session(end));
        }
        let done = result?;
        if self.copying_out {
            self.out.copy_done();
        }
        Ok(done)
    }
}

impl<S: Service> RowWriter<'_, S> {
    /// Puts down the values of a row.
    fn values(&mut self, row: &[Datum], columns: &[OutputColumn]) -> Result<(), SqlError> {
        let encoding = self.out.encoding;
        let buf = &mut self.out.bytes;
        if !self.of_function {
            buf.extend_from_slice(&(row.len() as u16).to_be_bytes());
        }
        for (i, (value, column)) in row.iter().zip(columns).enumerate() {
            if matches!(value, Datum::Null) {
                buf.extend_from_slice(&(-1i32).to_be_bytes());
                continue;
            }
            let value_at = buf.len();
            buf.extend_from_slice(&[0; 4]);
            if self.formats.is_binary(i) {
                make_room(buf, value.memory_bytes())?;
                output_binary(value, column.ty, column.typmod, &self.options, buf);
            } else {
                output_text(value, column.ty, column.typmod, &self.options, buf)?;
            }
            if !encoding.is_passed_on() {
                recode(buf, value_at + 4, self.formats.is_binary(i).then_some(column.ty), encoding)?;
            }
            let length = (buf.len() - value_at - 4) as u32;
            buf[value_at..value_at + 4].copy_from_slice(&length.to_be_bytes());
        }
        Ok(())
    }

    /// Sends once enough has gathered.
    fn send_if_much(&mut self) -> Result<(), SqlError> {
        if self.out.bytes.len() < self.send_bytes {
            return Ok(());
        }
        match self.link.send_midway(self.out) {
            Ok(true) => Ok(()),
            Ok(false) => Err(evenkeel::Error::Canceled.into()),
            Err(end) => {
                self.end = Some(end);
                Err(error(SqlState::CONNECTION_FAILURE, "connection to client lost"))
            }
        }
    }
}

/// Converts what stands from there on; of a type: its binary format.
fn recode(buf: &mut Vec<u8>, from: usize, ty: Option<Type>, encoding: Encoding) -> Result<(), SqlError> {
    let value = &buf[from..];
    let converted = match (ty, str::from_utf8(value)) {
        (Some(ty), _) => encoding.encode_binary(value, ty)?.into_owned(),
        (None, Ok(text)) => encoding.encode(text)?.into_owned(),
        (None, Err(_)) => return Err(SqlError::internal("a value in text that is no UTF-8")),
    };
    buf.truncate(from);
    buf.extend_from_slice(&converted);
    Ok(())
}

impl<S: Service> RowSink for RowWriter<'_, S> {
    fn row(&mut self, row: &[Datum]) -> Result<(), SqlError> {
        let shape = self.shape;
        let columns = shape.map_or(&[][..], |s| &s.columns);
        if row.len() != columns.len() {
            return Err(SqlError::internal(format!(
                "a row of {} values for {} columns",
                row.len(),
                columns.len()
            )));
        }
        let at = self.out.begin(if self.of_function { b'V' } else { b'D' });
        if let Err(e) = self.values(row, columns) {
            self.out.bytes.truncate(at);
            return Err(e);
        }
        self.out.end_data(at)?;
        self.send_if_much()
    }

    fn copy_out_begin(&mut self, columns: usize, binary: bool) -> Result<(), SqlError> {
        self.copying_out = true;
        self.out.copy_out_response(columns, binary);
        Ok(())
    }

    fn copy_data(&mut self, bytes: &[u8]) -> Result<(), SqlError> {
        self.out.copy_data(bytes)?;
        self.send_if_much()
    }
}
