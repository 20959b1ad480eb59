//! Where in PostgreSQL's source an error like this comes from: drivers look at it (asyncpg at the routine of a plan whose result has changed).
//!
//! It must not know how errors come about.

use evenkeel_sql::{SqlError, SqlState};

/// File, line and routine of PostgreSQL 18, for errors that it raises in one place.
pub(crate) fn of(e: &SqlError) -> Option<(&'static str, &'static str, &'static str)> {
    Some(match e.code {
        SqlState::FEATURE_NOT_SUPPORTED if e.message == "cached plan must not change result type" => {
            ("plancache.c", "860", "RevalidateCachedQuery")
        }
        SqlState::SYNTAX_ERROR if e.message.starts_with("syntax error") => {
            ("scan.l", "1240", "scanner_yyerror")
        }
        SqlState::UNDEFINED_TABLE => ("parse_relation.c", "1469", "parserOpenTable"),
        SqlState::UNDEFINED_COLUMN => ("parse_relation.c", "3827", "errorMissingColumn"),
        SqlState::UNDEFINED_FUNCTION => ("parse_func.c", "636", "ParseFuncOrColumn"),
        SqlState::UNIQUE_VIOLATION => ("nbtinsert.c", "673", "_bt_check_unique"),
        SqlState::FOREIGN_KEY_VIOLATION => ("ri_triggers.c", "2783", "ri_ReportViolation"),
        SqlState::NOT_NULL_VIOLATION => ("execMain.c", "2219", "ReportNotNullViolationError"),
        SqlState::CHECK_VIOLATION => ("execMain.c", "2081", "ExecConstraints"),
        SqlState::IN_FAILED_SQL_TRANSACTION => ("postgres.c", "1140", "exec_simple_query"),
        SqlState::QUERY_CANCELED => ("postgres.c", "3446", "ProcessInterrupts"),
        SqlState::DEADLOCK_DETECTED => ("deadlock.c", "1147", "DeadLockReport"),
        _ => return None,
    })
}
