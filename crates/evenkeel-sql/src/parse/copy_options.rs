//! COPY's options: which there may be together, and what they are when they are not given.
//!
//! Must not know: how they are spelled.

use super::stmt::{CopyFormat, CopyHeader, CopyOptions, CopyVerbosity, Forced};
use evenkeel_types::encoding::Encoding;
use evenkeel_types::error::{SqlError, SqlState};

/// Options as they were given.
#[derive(Default)]
pub(super) struct Raw {
    pub format: Option<CopyFormat>,
    pub freeze: Option<bool>,
    pub delimiter: Option<String>,
    pub null: Option<String>,
    pub default: Option<String>,
    pub header: Option<CopyHeader>,
    pub quote: Option<String>,
    pub escape: Option<String>,
    pub encoding: Option<Encoding>,
    pub force_quote: Option<Forced>,
    pub force_not_null: Option<Forced>,
    pub force_null: Option<Forced>,
    /// True: IGNORE.
    pub on_error: Option<bool>,
    pub verbosity: Option<CopyVerbosity>,
    pub reject_limit: Option<u64>,
}

fn error(code: SqlState, message: impl Into<String>) -> SqlError {
    SqlError::new(code, message)
}

fn bad(message: impl Into<String>) -> SqlError {
    error(SqlState::INVALID_PARAMETER_VALUE, message)
}

impl Raw {
    /// Sets what may be given once.
    pub fn set<T>(
        &mut self,
        _name: &str,
        place: impl FnOnce(&mut Raw) -> &mut Option<T>,
        value: T,
    ) -> Result<(), SqlError> {
        match place(self).replace(value) {
            None => Ok(()),
            Some(_) => Err(error(SqlState::SYNTAX_ERROR, "conflicting or redundant options")),
        }
    }

    pub fn set_format(&mut self, name: &str) -> Result<(), SqlError> {
        let format = match name {
            "text" => CopyFormat::Text,
            "csv" => CopyFormat::Csv,
            "binary" => CopyFormat::Binary,
            _ => return Err(bad(format!("COPY format \"{name}\" not recognized"))),
        };
        self.set("format", |r| &mut r.format, format)
    }

    pub fn set_header(&mut self, value: Option<&str>) -> Result<(), SqlError> {
        let header = match value.map(str::to_ascii_lowercase).as_deref() {
            None | Some("true" | "on" | "1") => CopyHeader::Yes,
            Some("false" | "off" | "0") => CopyHeader::No,
            Some("match") => CopyHeader::Match,
            _ => return Err(error(SqlState::SYNTAX_ERROR, "header requires a Boolean value or \"match\"")),
        };
        self.set("header", |r| &mut r.header, header)
    }

    pub fn set_encoding(&mut self, name: String) -> Result<(), SqlError> {
        let unknown = || bad("argument to option \"encoding\" must be a valid encoding name");
        let encoding = Encoding::named(&name).ok_or_else(unknown)?;
        if !encoding.is_converted() {
            return Err(encoding.not_converted());
        }
        self.set("encoding", |r| &mut r.encoding, encoding)
    }

    pub fn set_on_error(&mut self, value: Option<String>, to: bool) -> Result<(), SqlError> {
        if to {
            return Err(bad("COPY ON_ERROR cannot be used with COPY TO"));
        }
        let ignore = match value.as_deref() {
            None => false,
            Some(v) if v.eq_ignore_ascii_case("stop") => false,
            Some(v) if v.eq_ignore_ascii_case("ignore") => true,
            Some(v) => return Err(bad(format!("COPY ON_ERROR \"{v}\" not recognized"))),
        };
        self.set("on_error", |r| &mut r.on_error, ignore)
    }

    pub fn set_verbosity(&mut self, value: Option<String>) -> Result<(), SqlError> {
        let verbosity = match value.map(|v| (v.to_ascii_lowercase(), v)) {
            None => CopyVerbosity::Default,
            Some((v, _)) if v == "silent" => CopyVerbosity::Silent,
            Some((v, _)) if v == "default" => CopyVerbosity::Default,
            Some((v, _)) if v == "verbose" => CopyVerbosity::Verbose,
            Some((_, v)) => return Err(bad(format!("COPY LOG_VERBOSITY \"{v}\" not recognized"))),
        };
        self.set("log_verbosity", |r| &mut r.verbosity, verbosity)
    }

    pub fn set_reject_limit(&mut self, value: &str) -> Result<(), SqlError> {
        let limit: i64 = value.parse().map_err(|_| {
            error(
                SqlState::INVALID_TEXT_REPRESENTATION,
                format!("invalid input syntax for type bigint: \"{value}\""),
            )
        })?;
        if limit <= 0 {
            return Err(bad(format!("REJECT_LIMIT ({limit}) must be greater than zero")));
        }
        self.set("reject_limit", |r| &mut r.reject_limit, limit as u64)
    }
}

fn one_byte(what: &str, text: Option<&str>, default: u8) -> Result<u8, SqlError> {
    match text.map(str::as_bytes) {
        None => Ok(default),
        Some([b]) if *b < 128 => Ok(*b),
        Some(_) => Err(SqlError::unsupported(format!("COPY {what} must be a single one-byte character"))),
    }
}

/// The options, if they go together; in the order in which PostgreSQL looks at them.
pub(super) fn check(raw: Raw, to: bool) -> Result<CopyOptions, SqlError> {
    let unfit = |what: String| Err(error(SqlState::FEATURE_NOT_SUPPORTED, what));
    let format = raw.format.unwrap_or(CopyFormat::Text);
    let (csv, binary) = (format == CopyFormat::Csv, format == CopyFormat::Binary);
    if to && raw.header == Some(CopyHeader::Match) {
        return unfit("cannot use \"match\" with HEADER in COPY TO".into());
    }
    for (given, name) in [
        (raw.delimiter.is_some(), "DELIMITER"),
        (raw.null.is_some(), "NULL"),
        (raw.default.is_some(), "DEFAULT"),
    ] {
        if binary && given {
            return Err(error(SqlState::SYNTAX_ERROR, format!("cannot specify {name} in BINARY mode")));
        }
    }
    let delimiter = one_byte("delimiter", raw.delimiter.as_deref(), if csv { b',' } else { b'\t' })?;
    if matches!(delimiter, b'\n' | b'\r') {
        return Err(bad("COPY delimiter cannot be newline or carriage return"));
    }
    let null = raw.null.unwrap_or_else(|| if csv { String::new() } else { "\\N".into() });
    if null.contains(['\n', '\r']) {
        return Err(bad("COPY null representation cannot use newline or carriage return"));
    }
    if raw.default.as_ref().is_some_and(|d| d.contains(['\n', '\r'])) {
        return Err(bad("COPY default representation cannot use newline or carriage return"));
    }
    if !csv
        && (delimiter.is_ascii_lowercase() || delimiter.is_ascii_digit() || matches!(delimiter, b'\\' | b'.'))
    {
        return Err(bad(format!("COPY delimiter cannot be \"{}\"", delimiter as char)));
    }
    let header = raw.header.unwrap_or(CopyHeader::No);
    if binary && header != CopyHeader::No {
        return unfit("cannot specify HEADER in BINARY mode".into());
    }
    if !csv && raw.quote.is_some() {
        return unfit("COPY QUOTE requires CSV mode".into());
    }
    let quote = one_byte("quote", raw.quote.as_deref(), b'"')?;
    if csv && quote == delimiter {
        return Err(bad("COPY delimiter and quote must be different"));
    }
    if !csv && raw.escape.is_some() {
        return unfit("COPY ESCAPE requires CSV mode".into());
    }
    let escape = one_byte("escape", raw.escape.as_deref(), quote)?;
    for (given, name, only_to) in [
        (raw.force_quote.is_some(), "FORCE_QUOTE", true),
        (raw.force_not_null.is_some(), "FORCE_NOT_NULL", false),
        (raw.force_null.is_some(), "FORCE_NULL", false),
    ] {
        if given && !csv {
            return unfit(format!("COPY {name} requires CSV mode"));
        }
        if given && to != only_to {
            let code =
                if only_to { SqlState::FEATURE_NOT_SUPPORTED } else { SqlState::INVALID_PARAMETER_VALUE };
            let other = if to { "COPY TO" } else { "COPY FROM" };
            return Err(error(code, format!("COPY {name} cannot be used with {other}")));
        }
    }
    let has = |text: &str, byte: u8| text.as_bytes().contains(&byte);
    if !binary && has(&null, delimiter) {
        return Err(bad("COPY delimiter character must not appear in the NULL specification"));
    }
    if csv && has(&null, quote) {
        return Err(bad("CSV quote character must not appear in the NULL specification"));
    }
    if to && raw.freeze == Some(true) {
        return Err(bad("COPY FREEZE cannot be used with COPY TO"));
    }
    if let Some(default) = &raw.default {
        if to {
            return unfit("COPY DEFAULT cannot be used with COPY TO".into());
        }
        if has(default, delimiter) {
            return unfit("COPY delimiter character must not appear in the DEFAULT specification".into());
        }
        if csv && has(default, quote) {
            return unfit("CSV quote character must not appear in the DEFAULT specification".into());
        }
        if *default == null {
            return unfit("NULL specification and DEFAULT specification cannot be the same".into());
        }
    }
    let ignore = raw.on_error == Some(true);
    if binary && ignore {
        return Err(error(SqlState::SYNTAX_ERROR, "only ON_ERROR STOP is allowed in BINARY mode"));
    }
    if raw.reject_limit.is_some() && !ignore {
        return Err(bad("COPY REJECT_LIMIT requires ON_ERROR to be set to IGNORE"));
    }
    Ok(CopyOptions {
        freeze: raw.freeze == Some(true),
        format,
        delimiter,
        null,
        default: raw.default,
        header,
        quote,
        escape,
        encoding: raw.encoding,
        force_quote: raw.force_quote.unwrap_or_default(),
        force_not_null: raw.force_not_null.unwrap_or_default(),
        force_null: raw.force_null.unwrap_or_default(),
        ignore_errors: ignore,
        reject_limit: raw.reject_limit,
        verbosity: raw.verbosity.unwrap_or(CopyVerbosity::Default),
    })
}
