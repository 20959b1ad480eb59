//! COPY's text and csv formats: rows to lines.
//!
//! Must not know: where lines go.

use crate::parse::{CopyFormat, CopyOptions};
use evenkeel_types::error::SqlError;
use evenkeel_types::guard::build::make_room;
use evenkeel_types::{Datum, FormatOptions, Type, output_text};

/// Writes a row as one line.
pub fn write_line(
    options: &CopyOptions,
    row: &[Datum],
    columns: &[(String, Type, i32)],
    format: &FormatOptions,
    out: &mut Vec<u8>,
) -> Result<(), SqlError> {
    let mut text = Vec::new();
    for (n, (d, (name, ty, typmod))) in row.iter().zip(columns).enumerate() {
        if n > 0 {
            out.push(options.delimiter);
        }
        if d.is_null() {
            out.extend_from_slice(options.null.as_bytes());
            continue;
        }
        text.clear();
        output_text(d, *ty, *typmod, format, &mut text)?;
        let force = options.force_quote.has(name);
        // With a byte before each, at most.
        make_room(out, 2 * text.len() + 2)?;
        write_field(options, &text, force, row.len() == 1, out);
    }
    out.push(b'\n');
    Ok(())
}

/// Writes the header line.
pub fn write_header(options: &CopyOptions, columns: &[(String, Type, i32)], out: &mut Vec<u8>) {
    for (n, (name, _, _)) in columns.iter().enumerate() {
        if n > 0 {
            out.push(options.delimiter);
        }
        write_field(options, name.as_bytes(), false, columns.len() == 1, out);
    }
    out.push(b'\n');
}

fn write_field(options: &CopyOptions, text: &[u8], force: bool, single: bool, out: &mut Vec<u8>) {
    match options.format {
        CopyFormat::Text | CopyFormat::Binary => {
            for b in text {
                match b {
                    b'\\' => out.extend(b"\\\\"),
                    b'\n' => out.extend(b"\\n"),
                    b'\r' => out.extend(b"\\r"),
                    b'\t' => out.extend(b"\\t"),
                    8 => out.extend(b"\\b"),
                    12 => out.extend(b"\\f"),
                    11 => out.extend(b"\\v"),
                    b if *b == options.delimiter => out.extend([b'\\', *b]),
                    b => out.push(*b),
                }
            }
        }
        CopyFormat::Csv => {
            let special =
                |b: &u8| *b == options.delimiter || *b == options.quote || matches!(b, b'\n' | b'\r');
            let quote = force
                || text == options.null.as_bytes()
                || text.iter().any(special)
                || (single && text == b"\\.");
            if !quote {
                out.extend_from_slice(text);
                return;
            }
            out.push(options.quote);
            for b in text {
                if *b == options.quote || *b == options.escape {
                    out.push(options.escape);
                }
                out.push(*b);
            }
            out.push(options.quote);
        }
    }
}
