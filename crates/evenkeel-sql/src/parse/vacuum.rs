//! VACUUM and ANALYZE.
//!
//! What only says how PostgreSQL's storage is to be worked on is looked at and has no effect: there is nothing here that it could mean. What is wrong is refused
//! as there.
//!
//! Must not know: what they do.

use super::cursor::{Cursor, position_of};
use super::stmt::{Stmt, VacuumStmt};
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::tokenizer::Token;

/// Options of both.
const OF_BOTH: [&str; 3] = ["verbose", "skip_locked", "buffer_usage_limit"];
/// Those of VACUUM that are on or off.
const OF_VACUUM: [&str; 10] = [
    "analyze",
    "analyse",
    "freeze",
    "full",
    "disable_page_skipping",
    "process_main",
    "process_toast",
    "truncate",
    "skip_database_stats",
    "only_database_stats",
];
const PARALLEL_MAX: i64 = 1024;
const LIMIT_KB: std::ops::RangeInclusive<u64> = 128..=16_777_216;

/// What was said of VACUUM.
#[derive(Default)]
struct Said {
    on: Vec<String>,
    off: Vec<String>,
    parallel: bool,
}

impl Said {
    fn is_on(&self, option: &str) -> bool {
        self.on.iter().any(|o| o == option)
    }
}

pub(super) fn vacuum(c: &mut Cursor<'_>, is_vacuum: bool) -> Result<Stmt, SqlError> {
    c.skip(1);
    let mut said = Said::default();
    if c.take_token(&Token::LParen) {
        loop {
            option(c, is_vacuum, &mut said)?;
            if !c.take_token(&Token::Comma) {
                break;
            }
        }
        c.expect_token(&Token::RParen)?;
    } else {
        let words: &[&str] =
            if is_vacuum { &["full", "freeze", "verbose", "analyze", "analyse"] } else { &["verbose"] };
        // In this order, each at most once, as in PostgreSQL.
        said.on.extend(words.iter().filter(|word| c.take(&[**word])).map(|w| (*w).to_owned()));
    }
    let analyze = !is_vacuum || said.is_on("analyze") || said.is_on("analyse");
    let mut tables = Vec::new();
    while !c.at_end() {
        c.take(&["only"]);
        let name = c.name()?;
        c.take_token(&Token::Mul);
        tables.push((name, c.optional_columns()?));
        if !c.take_token(&Token::Comma) {
            break;
        }
    }
    check(&said, analyze, &tables)?;
    Ok(Stmt::Vacuum(VacuumStmt {
        vacuum: is_vacuum,
        analyze,
        skip_locked: said.is_on("skip_locked"),
        verbose: said.is_on("verbose"),
        tables,
    }))
}

/// What does not go together.
fn check(said: &Said, analyze: bool, tables: &[(super::Name, Vec<String>)]) -> Result<(), SqlError> {
    let full = said.is_on("full");
    let alone = said.is_on("only_database_stats");
    let why = if full && said.parallel {
        "VACUUM FULL cannot be performed in parallel"
    } else if !analyze && tables.iter().any(|(_, columns)| !columns.is_empty()) {
        "ANALYZE option must be specified when a column list is provided"
    } else if full && said.is_on("disable_page_skipping") {
        "VACUUM option DISABLE_PAGE_SKIPPING cannot be used with FULL"
    } else if full && said.off.iter().any(|o| o == "process_toast") {
        "PROCESS_TOAST required with VACUUM FULL"
    } else if alone && !tables.is_empty() {
        "ONLY_DATABASE_STATS cannot be specified with a list of tables"
    } else if alone && said.on.iter().any(|o| !["only_database_stats", "verbose"].contains(&o.as_str())) {
        "ONLY_DATABASE_STATS cannot be specified with other VACUUM options"
    } else {
        return Ok(());
    };
    Err(SqlError::new(SqlState::FEATURE_NOT_SUPPORTED, why))
}

fn option(c: &mut Cursor<'_>, is_vacuum: bool, said: &mut Said) -> Result<(), SqlError> {
    let at = c.rest().first().and_then(|t| position_of(c.source(), t.span.start));
    let name = c.ident()?;
    let value = value(c)?;
    let wrong = |why: String| {
        let error = SqlError::new(SqlState::SYNTAX_ERROR, why);
        at.map_or(error.clone(), |at| error.with_position(at))
    };
    match name.as_str() {
        "buffer_usage_limit" => return check_limit(value.as_deref()),
        "parallel" if is_vacuum => {
            let Some(value) = value else {
                let why = format!("parallel option requires a value between 0 and {PARALLEL_MAX}");
                return Err(wrong(why));
            };
            let workers: i64 =
                value.parse().map_err(|_| wrong("parallel requires an integer value".into()))?;
            if !(0..=PARALLEL_MAX).contains(&workers) {
                let why = format!("parallel workers for vacuum must be between 0 and {PARALLEL_MAX}");
                return Err(wrong(why));
            }
            said.parallel |= workers > 0;
        }
        "index_cleanup" if is_vacuum => {
            if value.as_ref().is_some_and(|v| v != "auto") {
                boolean(&name, value.as_deref())?;
            }
        }
        known if OF_BOTH.contains(&known) || is_vacuum && OF_VACUUM.contains(&known) => {
            let on = boolean(&name, value.as_deref())?;
            said.on.retain(|o| *o != name);
            said.off.retain(|o| *o != name);
            if on { &mut said.on } else { &mut said.off }.push(name);
        }
        _ => {
            let what = if is_vacuum { "VACUUM" } else { "ANALYZE" };
            return Err(wrong(format!("unrecognized {what} option \"{name}\"")));
        }
    }
    Ok(())
}

/// An option's value, in small letters, if there is one.
fn value(c: &mut Cursor<'_>) -> Result<Option<String>, SqlError> {
    Ok(match c.peek() {
        None | Some(Token::Comma | Token::RParen) => None,
        Some(Token::Number(..) | Token::Minus | Token::Plus) => {
            c.take_token(&Token::Plus);
            let sign = if c.take_token(&Token::Minus) { "-" } else { "" };
            match c.next() {
                Some(Token::Number(n, _)) => Some(format!("{sign}{n}")),
                _ => return Err(c.syntax_error_at_previous()),
            }
        }
        Some(Token::SingleQuotedString(_)) => Some(c.string()?.to_ascii_lowercase()),
        _ => Some(c.ident()?.to_ascii_lowercase()),
    })
}

fn boolean(name: &str, value: Option<&str>) -> Result<bool, SqlError> {
    match value {
        None | Some("true" | "on" | "1") => Ok(true),
        Some("false" | "off" | "0") => Ok(false),
        _ => Err(SqlError::new(SqlState::SYNTAX_ERROR, format!("{name} requires a Boolean value"))),
    }
}

fn check_limit(value: Option<&str>) -> Result<(), SqlError> {
    let Some(value) = value else {
        return Err(SqlError::new(SqlState::SYNTAX_ERROR, "buffer_usage_limit requires a parameter"));
    };
    let kb = match value.parse::<u64>() {
        Ok(kb) => Some(kb),
        Err(_) => {
            evenkeel::settings::bytes(&value.replace("kb", "kB").replace("mb", "MB").replace("gb", "GB"))
                .ok()
                .map(|bytes| bytes / 1024)
        }
    };
    if kb.is_some_and(|kb| kb == 0 || LIMIT_KB.contains(&kb)) {
        return Ok(());
    }
    let (least, most) = (LIMIT_KB.start(), LIMIT_KB.end());
    let why = format!("BUFFER_USAGE_LIMIT option must be 0 or between {least} kB and {most} kB");
    Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why))
}
