//! The one error type of the SQL layer: SQLSTATE, message, and the optional fields a client may be told.
//!
//! Invariants:
//! 1. `SqlState` is always five ASCII characters of `[0-9A-Z]`: the wire format depends on it.
//! 2. `SqlError` is one pointer wide, so that `Result<Datum, SqlError>` costs no more than a `Datum` on the paths that run per row.
//!
//! Must not know: the wire protocol, sessions, the catalog.

use evenkeel::settings::Mistake;
use std::fmt;
use std::ops::{Deref, DerefMut};

/// A five-character SQLSTATE.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SqlState(&'static str);

impl SqlState {
    /// The five characters, as sent to the client.
    pub const fn as_str(self) -> &'static str {
        self.0
    }

    /// Whether such an error concerns whoever runs the server, not only its client: resources that ran out, what should not happen, damage.
    pub fn is_for_the_log(self) -> bool {
        self.class() == "53" || self == SqlState::INTERNAL_ERROR || self == SqlState::DATA_CORRUPTED
    }

    /// The class: the first two characters.
    pub fn class(self) -> &'static str {
        &self.0[..2]
    }

    const fn make(code: &'static str) -> SqlState {
        assert!(code.len() == 5, "invariant 1");
        SqlState(code)
    }
}

impl fmt::Debug for SqlState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Display for SqlState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl PartialEq<str> for SqlState {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for SqlState {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

macro_rules! states {
    ($($name:ident = $code:literal;)*) => {
        #[allow(missing_docs)] // The names are those of PostgreSQL's errcodes table, the code stands beside each.
        impl SqlState {
            $(pub const $name: SqlState = SqlState::make($code);)*
        }
    };
}

states! {
    SUCCESSFUL_COMPLETION = "00000";
    WARNING = "01000";
    WARNING_PRIVILEGE_NOT_REVOKED = "01006";
    WARNING_PRIVILEGE_NOT_GRANTED = "01007";
    NO_DATA = "02000";
    CONNECTION_EXCEPTION = "08000";
    CONNECTION_FAILURE = "08006";
    PROTOCOL_VIOLATION = "08P01";
    FEATURE_NOT_SUPPORTED = "0A000";
    INVALID_GRANTOR = "0L000";
    INVALID_GRANT_OPERATION = "0LP01";
    INVALID_ROLE_SPECIFICATION = "0P000";
    CARDINALITY_VIOLATION = "21000";
    DATA_EXCEPTION = "22000";
    STRING_DATA_RIGHT_TRUNCATION = "22001";
    STRING_DATA_LENGTH_MISMATCH = "22026";
    NUMERIC_VALUE_OUT_OF_RANGE = "22003";
    NULL_VALUE_NOT_ALLOWED = "22004";
    INVALID_DATETIME_FORMAT = "22007";
    DATETIME_FIELD_OVERFLOW = "22008";
    INVALID_TIME_ZONE_DISPLACEMENT_VALUE = "22009";
    SUBSTRING_ERROR = "22011";
    DIVISION_BY_ZERO = "22012";
    INVALID_PRECEDING_OR_FOLLOWING_SIZE = "22013";
    INVALID_ARGUMENT_FOR_NTILE = "22014";
    INVALID_ARGUMENT_FOR_NTH_VALUE = "22016";
    INTERVAL_FIELD_OVERFLOW = "22015";
    INVALID_ARGUMENT_FOR_LOG = "2201E";
    INVALID_ARGUMENT_FOR_POWER_FUNCTION = "2201F";
    INVALID_ARGUMENT_FOR_WIDTH_BUCKET = "2201G";
    INVALID_ROW_COUNT_IN_LIMIT = "2201W";
    INVALID_ROW_COUNT_IN_OFFSET = "2201X";
    INVALID_REGULAR_EXPRESSION = "2201B";
    CHARACTER_NOT_IN_REPERTOIRE = "22021";
    INVALID_PARAMETER_VALUE = "22023";
    DUPLICATE_JSON_OBJECT_KEY_VALUE = "22030";
    INVALID_ARGUMENT_FOR_SQL_JSON_DATETIME = "22031";
    INVALID_JSON_TEXT = "22032";
    INVALID_SQL_JSON_SUBSCRIPT = "22033";
    MORE_THAN_ONE_SQL_JSON_ITEM = "22034";
    NO_SQL_JSON_ITEM = "22035";
    NON_NUMERIC_SQL_JSON_ITEM = "22036";
    SINGLETON_SQL_JSON_ITEM_REQUIRED = "22038";
    SQL_JSON_ARRAY_NOT_FOUND = "22039";
    SQL_JSON_MEMBER_NOT_FOUND = "2203A";
    SQL_JSON_NUMBER_NOT_FOUND = "2203B";
    SQL_JSON_OBJECT_NOT_FOUND = "2203C";
    SQL_JSON_SCALAR_REQUIRED = "2203F";
    INVALID_ESCAPE_SEQUENCE = "22025";
    NONSTANDARD_USE_OF_ESCAPE_CHARACTER = "22P06";
    INVALID_ESCAPE_CHARACTER = "22019";
    INVALID_USE_OF_ESCAPE_CHARACTER = "2200C";
    ARRAY_SUBSCRIPT_ERROR = "2202E";
    INVALID_TABLESAMPLE_REPEAT = "2202G";
    INVALID_TABLESAMPLE_ARGUMENT = "2202H";
    SEQUENCE_GENERATOR_LIMIT_EXCEEDED = "2200H";
    INVALID_TEXT_REPRESENTATION = "22P02";
    INVALID_BINARY_REPRESENTATION = "22P03";
    BAD_COPY_FILE_FORMAT = "22P04";
    UNTRANSLATABLE_CHARACTER = "22P05";
    INTEGRITY_CONSTRAINT_VIOLATION = "23000";
    RESTRICT_VIOLATION = "23001";
    NOT_NULL_VIOLATION = "23502";
    FOREIGN_KEY_VIOLATION = "23503";
    UNIQUE_VIOLATION = "23505";
    EXCLUSION_VIOLATION = "23P01";
    CHECK_VIOLATION = "23514";
    INVALID_CURSOR_STATE = "24000";
    INVALID_TRANSACTION_STATE = "25000";
    ACTIVE_SQL_TRANSACTION = "25001";
    READ_ONLY_SQL_TRANSACTION = "25006";
    NO_ACTIVE_SQL_TRANSACTION = "25P01";
    IN_FAILED_SQL_TRANSACTION = "25P02";
    IDLE_IN_TRANSACTION_SESSION_TIMEOUT = "25P03";
    TRANSACTION_TIMEOUT = "25P04";
    INVALID_SQL_STATEMENT_NAME = "26000";
    INVALID_AUTHORIZATION_SPECIFICATION = "28000";
    INVALID_PASSWORD = "28P01";
    DEPENDENT_OBJECTS_STILL_EXIST = "2BP01";
    INVALID_CURSOR_NAME = "34000";
    INVALID_SAVEPOINT_SPECIFICATION = "3B001";
    INVALID_CATALOG_NAME = "3D000";
    INVALID_SCHEMA_NAME = "3F000";
    INVALID_SCHEMA_DEFINITION = "42P15";
    SERIALIZATION_FAILURE = "40001";
    STATEMENT_COMPLETION_UNKNOWN = "40003";
    DEADLOCK_DETECTED = "40P01";
    SYNTAX_ERROR_OR_ACCESS_RULE_VIOLATION = "42000";
    INSUFFICIENT_PRIVILEGE = "42501";
    GENERATED_ALWAYS = "428C9";
    SYNTAX_ERROR = "42601";
    INVALID_NAME = "42602";
    INVALID_COLUMN_DEFINITION = "42611";
    NAME_TOO_LONG = "42622";
    DUPLICATE_COLUMN = "42701";
    AMBIGUOUS_COLUMN = "42702";
    UNDEFINED_COLUMN = "42703";
    UNDEFINED_OBJECT = "42704";
    DUPLICATE_OBJECT = "42710";
    DUPLICATE_ALIAS = "42712";
    DUPLICATE_FUNCTION = "42723";
    AMBIGUOUS_FUNCTION = "42725";
    GROUPING_ERROR = "42803";
    DATATYPE_MISMATCH = "42804";
    WRONG_OBJECT_TYPE = "42809";
    INVALID_FOREIGN_KEY = "42830";
    CANNOT_COERCE = "42846";
    UNDEFINED_FUNCTION = "42883";
    RESERVED_NAME = "42939";
    UNDEFINED_TABLE = "42P01";
    UNDEFINED_PARAMETER = "42P02";
    DUPLICATE_CURSOR = "42P03";
    DUPLICATE_DATABASE = "42P04";
    DUPLICATE_PREPARED_STATEMENT = "42P05";
    DUPLICATE_SCHEMA = "42P06";
    DUPLICATE_TABLE = "42P07";
    AMBIGUOUS_PARAMETER = "42P08";
    AMBIGUOUS_ALIAS = "42P09";
    INVALID_COLUMN_REFERENCE = "42P10";
    INVALID_CURSOR_DEFINITION = "42P11";
    INVALID_FUNCTION_DEFINITION = "42P13";
    INVALID_TABLE_DEFINITION = "42P16";
    INVALID_OBJECT_DEFINITION = "42P17";
    INDETERMINATE_DATATYPE = "42P18";
    INVALID_RECURSION = "42P19";
    WINDOWING_ERROR = "42P20";
    COLLATION_MISMATCH = "42P21";
    INDETERMINATE_COLLATION = "42P22";
    EXTERNAL_ROUTINE_INVOCATION_EXCEPTION = "39000";
    WITH_CHECK_OPTION_VIOLATION = "44000";
    INSUFFICIENT_RESOURCES = "53000";
    DISK_FULL = "53100";
    OUT_OF_MEMORY = "53200";
    TOO_MANY_CONNECTIONS = "53300";
    CONFIGURATION_LIMIT_EXCEEDED = "53400";
    PROGRAM_LIMIT_EXCEEDED = "54000";
    STATEMENT_TOO_COMPLEX = "54001";
    TOO_MANY_COLUMNS = "54011";
    TOO_MANY_ARGUMENTS = "54023";
    OBJECT_NOT_IN_PREREQUISITE_STATE = "55000";
    OBJECT_IN_USE = "55006";
    CANT_CHANGE_RUNTIME_PARAM = "55P02";
    LOCK_NOT_AVAILABLE = "55P03";
    UNSAFE_NEW_ENUM_VALUE_USAGE = "55P04";
    QUERY_CANCELED = "57014";
    ADMIN_SHUTDOWN = "57P01";
    CRASH_SHUTDOWN = "57P02";
    CANNOT_CONNECT_NOW = "57P03";
    DATABASE_DROPPED = "57P04";
    IDLE_SESSION_TIMEOUT = "57P05";
    SYSTEM_ERROR = "58000";
    IO_ERROR = "58030";
    UNDEFINED_FILE = "58P01";
    SNAPSHOT_TOO_OLD = "72000";
    CONFIG_FILE_ERROR = "F0000";
    INTERNAL_ERROR = "XX000";
    DATA_CORRUPTED = "XX001";
    INDEX_CORRUPTED = "XX002";
}

/// An error to report to the client. Its fields ([`ErrorFields`]) are reached by dereference: `error.code`, `error.message`.
pub struct SqlError(Box<ErrorFields>);

/// What an [`SqlError`] says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorFields {
    /// The SQLSTATE.
    pub code: SqlState,
    /// The primary message: one line, no trailing period, PostgreSQL's wording.
    pub message: String,
    /// A second sentence with particulars.
    pub detail: Option<String>,
    /// What the user may do about it.
    pub hint: Option<String>,
    /// Where in the statement's text, as a 1-based count of characters.
    pub position: Option<usize>,
    /// The session ends with this error.
    pub severity_fatal: bool,
    /// The constraint that was violated.
    pub constraint: Option<String>,
    /// The schema of the table concerned.
    pub schema: Option<String>,
    /// The table concerned.
    pub table: Option<String>,
    /// The column concerned.
    pub column: Option<String>,
    /// The data type concerned.
    pub data_type: Option<String>,
    /// Where the error arose, such as a line of a COPY.
    pub context: Option<String>,
    /// What the log has in place of `detail`, if that is not the same.
    pub detail_log: Option<String>,
    /// Of a deadlock, until it is told by the numbers of its sessions: who waited for whom.
    pub deadlock: Option<evenkeel::Circle>,
}

impl SqlError {
    /// An error with a code and a message and nothing else.
    #[cold]
    pub fn new(code: SqlState, message: impl Into<String>) -> SqlError {
        SqlError(Box::new(ErrorFields {
            code,
            message: message.into(),
            detail: None,
            hint: None,
            position: None,
            severity_fatal: false,
            constraint: None,
            schema: None,
            table: None,
            column: None,
            data_type: None,
            context: None,
            detail_log: None,
            deadlock: None,
        }))
    }

    /// An internal error: a state that no input should be able to reach.
    #[cold]
    pub fn internal(message: impl Into<String>) -> SqlError {
        SqlError::new(SqlState::INTERNAL_ERROR, message)
    }

    /// A `0A000` error.
    #[cold]
    pub fn unsupported(message: impl Into<String>) -> SqlError {
        SqlError::new(SqlState::FEATURE_NOT_SUPPORTED, message)
    }

    /// Adds a detail sentence.
    pub fn with_detail(mut self, detail: impl Into<String>) -> SqlError {
        self.0.detail = Some(detail.into());
        self
    }

    /// Adds a hint.
    pub fn with_hint(mut self, hint: impl Into<String>) -> SqlError {
        self.0.hint = Some(hint.into());
        self
    }

    /// Adds the 1-based character position in the statement, unless one is known already.
    pub fn with_position(mut self, position: usize) -> SqlError {
        self.0.position.get_or_insert(position);
        self
    }

    /// Adds the table concerned.
    pub fn with_table(mut self, schema: impl Into<String>, table: impl Into<String>) -> SqlError {
        self.0.schema = Some(schema.into());
        self.0.table = Some(table.into());
        self
    }

    /// Adds the column concerned.
    pub fn with_column(mut self, column: impl Into<String>) -> SqlError {
        self.0.column = Some(column.into());
        self
    }

    /// Adds the constraint violated.
    pub fn with_constraint(mut self, constraint: impl Into<String>) -> SqlError {
        self.0.constraint = Some(constraint.into());
        self
    }

    /// Adds a context line, below those that are there.
    pub fn with_context(mut self, context: impl Into<String>) -> SqlError {
        let context = context.into();
        self.0.context = Some(match self.0.context.take() {
            Some(inner) => format!("{inner}\n{context}"),
            None => context,
        });
        self
    }

    /// Marks the error as one that ends the session.
    pub fn fatal(mut self) -> SqlError {
        self.0.severity_fatal = true;
        self
    }
}

impl Deref for SqlError {
    type Target = ErrorFields;
    fn deref(&self) -> &ErrorFields {
        &self.0
    }
}

impl DerefMut for SqlError {
    fn deref_mut(&mut self) -> &mut ErrorFields {
        &mut self.0
    }
}

impl Clone for SqlError {
    fn clone(&self) -> SqlError {
        SqlError(self.0.clone())
    }
}

impl PartialEq for SqlError {
    fn eq(&self, other: &SqlError) -> bool {
        self.0 == other.0
    }
}

impl fmt::Debug for SqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for SqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for SqlError {}

impl From<Mistake> for SqlError {
    #[cold]
    fn from(mistake: Mistake) -> SqlError {
        let code = match &mistake {
            Mistake::Unknown { .. } => SqlState::UNDEFINED_OBJECT,
            Mistake::Value { .. } => SqlState::INVALID_PARAMETER_VALUE,
            Mistake::Fixed { .. } => SqlState::CANT_CHANGE_RUNTIME_PARAM,
        };
        let e = SqlError::new(code, mistake.message());
        match mistake.hint() {
            Some(hint) => e.with_hint(hint),
            None => e,
        }
    }
}

/// What could not be done to which file, where the engine's words name one.
fn full_file(what: &str) -> Option<String> {
    let number = |begin| what.strip_prefix(begin).filter(|n| n.bytes().all(|b| b.is_ascii_digit()));
    if let Some(n) = number("extending data file ").or(number("creating data file ")) {
        return Some(format!("extend file \"data/{n}\""));
    }
    let (_, segment) = what.split_once(" log segment ").filter(|(_, s)| !s.contains([' ', ':']))?;
    Some(format!("write to file \"{segment}\""))
}

/// What is wrong with bytes on disk, and as a hint what helps and whose they are.
fn corrupted(why: &evenkeel::Corruption) -> SqlError {
    use evenkeel::Place;
    let whose = match why.place {
        Some(Place::File(file)) => Some(format!(
            "What it is says: SELECT oid::regclass FROM pg_class WHERE relfilenode = {}; an index can be dropped and created again.",
            file.0
        )),
        Some(Place::In(file)) => Some(format!(
            "Whose page it is says: SELECT oid::regclass FROM pg_class WHERE relfilenode = {}.",
            file.0
        )),
        _ => None,
    };
    let e = SqlError::new(SqlState::DATA_CORRUPTED, why.what.clone());
    match (&why.advice, whose) {
        (None, None) => e,
        (Some(advice), None) => e.with_hint(format!("{advice}.")),
        (None, Some(whose)) => e.with_hint(whose),
        (Some(advice), Some(whose)) => e.with_hint(format!("{advice}. {whose}")),
    }
}

impl From<evenkeel::Error> for SqlError {
    /// Gives an engine error its SQLSTATE and PostgreSQL's wording where PostgreSQL has one. Callers that know the constraint, table
    /// or relation concerned replace the message (a duplicate key, for one).
    #[cold]
    fn from(error: evenkeel::Error) -> SqlError {
        use SqlState as S;
        use evenkeel::Error as E;
        let (code, message) = match &error {
            E::DuplicateKey => (S::UNIQUE_VIOLATION, "duplicate key value violates unique constraint".into()),
            E::ConcurrentDelete => {
                (S::SERIALIZATION_FAILURE, "could not serialize access due to concurrent delete".into())
            }
            E::SerializationFailure => {
                (S::SERIALIZATION_FAILURE, "could not serialize access due to concurrent update".into())
            }
            E::Deadlock(circle) => {
                let mut e = SqlError::new(S::DEADLOCK_DETECTED, "deadlock detected");
                e.deadlock = Some(circle.clone());
                return e;
            }
            // Who does not wait at all says so, and names the relation.
            E::LockNotAvailable => {
                (S::LOCK_NOT_AVAILABLE, "canceling statement due to lock timeout".into())
            }
            E::Canceled => (S::QUERY_CANCELED, "canceling statement due to user request".into()),
            E::InDoubt => (
                S::STATEMENT_COMPLETION_UNKNOWN,
                "canceling wait for synchronous replication: the transaction has already committed locally, but might not have been replicated to the standby".into(),
            ),
            E::SnapshotTooOld => (S::SNAPSHOT_TOO_OLD, "snapshot too old".into()),
            E::WaitsOutside => (S::INTERNAL_ERROR, "waiting for a row lock".into()),
            E::OutOfLocks => (S::OUT_OF_MEMORY, "out of memory for row locks".into()),
            E::OutOfSpace { what } => match full_file(what) {
                Some(full) => {
                    let message = format!("could not {full}: No space left on device");
                    return SqlError::new(S::DISK_FULL, message).with_hint("Check free disk space.");
                }
                None => (S::DISK_FULL, error.to_string()),
            },
            E::LogPinnedTooLong => (
                S::DISK_FULL,
                "transaction was rolled back because the disk is full and it kept log from being reused"
                    .into(),
            ),
            E::KeyTooLong { len, max } => {
                (S::PROGRAM_LIMIT_EXCEEDED, format!("index row size {len} exceeds maximum {max}"))
            }
            E::ValueTooLong { len, max } => {
                (S::PROGRAM_LIMIT_EXCEEDED, format!("row is too big: size {len}, maximum size {max}"))
            }
            E::NoSuchTree(id) => (S::INTERNAL_ERROR, format!("tree {} does not exist", id.0)),
            E::ReadOnly => {
                (S::READ_ONLY_SQL_TRANSACTION, "cannot execute a write in a read-only transaction".into())
            }
            E::ReadOnlyDatabase(_) => (S::READ_ONLY_SQL_TRANSACTION, error.to_string()),
            E::Closed => (S::ADMIN_SHUTDOWN, "terminating connection due to administrator command".into()),
            E::Setting(mistake) => return mistake.clone().into(),
            E::InvalidArgument(what) => (S::INVALID_PARAMETER_VALUE, what.clone()),
            E::AlreadyOpen(what) => (S::OBJECT_IN_USE, what.clone()),
            E::NoSuchSlot(_) => (S::UNDEFINED_OBJECT, error.to_string()),
            E::SlotExists(_) => (S::DUPLICATE_OBJECT, error.to_string()),
            E::SlotInUse { .. } => (S::OBJECT_IN_USE, error.to_string()),
            E::Corrupt(why) => return corrupted(why),
            E::Io { what, source } => (S::IO_ERROR, format!("{what}: {source}")),
            other => (S::INTERNAL_ERROR, other.to_string()),
        };
        SqlError::new(code, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenkeel::Corruption;
    use evenkeel::base::{FileId, PageId};

    #[test]
    fn an_error_is_one_pointer_wide() {
        assert_eq!(size_of::<SqlError>(), size_of::<usize>()); // invariant 2
        assert_eq!(size_of::<Result<(), SqlError>>(), size_of::<usize>());
    }

    #[test]
    fn a_lost_file_says_what_helps_apart() {
        let why = Corruption::of_file(FileId(18), "data file data/18 is missing");
        let why = why.with_advice("With the server stopped, put it back");
        let e = SqlError::from(evenkeel::Error::Corrupt(why));
        assert_eq!(e.message, "data file data/18 is missing");
        let hint = e.hint.as_deref().unwrap();
        assert!(hint.starts_with("With the server stopped") && hint.contains("relfilenode = 18"), "{hint}");
    }

    #[test]
    fn engine_errors_keep_their_sqlstate() {
        let state = |e: evenkeel::Error| SqlError::from(e).code.as_str();
        assert_eq!(state(evenkeel::Error::Deadlock(evenkeel::Circle([].into()))), "40P01");
        assert_eq!(state(evenkeel::Error::OutOfSpace { what: "t".into() }), "53100");
        assert_eq!(state(evenkeel::Error::Poisoned("log".into())), "XX000");
    }

    #[test]
    fn a_full_disk_is_told_in_a_sentence() {
        for (what, expected, hint) in [
            ("extending data file 19", "could not extend file \"data/19\": No space left on device", true),
            ("creating data file 20", "could not extend file \"data/20\": No space left on device", true),
            (
                "filling log segment wal/000000000000000a",
                "could not write to file \"wal/000000000000000a\": No space left on device",
                true,
            ),
            ("log: 5 bytes of it wait", "no space left for log: 5 bytes of it wait", false),
            (
                "a checkpoint: a rollback lives on it",
                "no space left for a checkpoint: a rollback lives on it",
                false,
            ),
        ] {
            let e = SqlError::from(evenkeel::Error::OutOfSpace { what: what.into() });
            assert_eq!((&e.message[..], e.hint.is_some()), (expected, hint));
        }
    }

    #[test]
    fn a_damaged_page_is_told_with_the_way_to_its_table() {
        let hint = |why: Corruption| SqlError::from(evenkeel::Error::Corrupt(why)).hint.clone();
        let page = PageId::new(FileId(18), 2);
        let found = hint(Corruption::of_page(page, "checksum does not match")).unwrap_or_default();
        assert!(found.ends_with("relfilenode = 18."), "{found}");
        // Words decide nothing.
        assert_eq!(hint("an archive's copy of file 18 block 2 is damaged".into()), None);
        assert_eq!(hint("the file \"slots\" is damaged".into()), None);
    }

    #[test]
    fn the_first_position_given_wins() {
        let e = SqlError::new(SqlState::SYNTAX_ERROR, "x").with_position(3).with_position(9);
        assert_eq!(e.position, Some(3));
    }
}
