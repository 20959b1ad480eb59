//! The statements the session understands: sqlparser's tree for queries, DML and table definitions, and small types of our own for
//! everything else (utility statements), which sqlparser covers only in part.
//!
//! Must not know: the catalog, sessions.

mod kinds;

use evenkeel_types::encoding::Encoding;
pub use kinds::*;
use sqlparser::ast;

/// A possibly schema-qualified name, folded to lower case unless it was quoted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The schema, when given.
    pub schema: Option<String>,
    /// The object's name.
    pub name: String,
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.schema {
            Some(s) => write!(f, "{s}.{}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// One parsed statement.
#[derive(Clone, Debug)]
pub enum Stmt {
    /// Nothing but blanks and comments.
    Empty,
    /// A query, DML or table definition.
    Sql(Box<ast::Statement>),
    /// EXPLAIN of a statement.
    Explain(Box<Explain>),
    /// Transaction control.
    Txn(TxnStmt),
    /// SET.
    Set(SetStmt),
    /// ALTER TABLE.
    AlterTable(Box<AlterTableStmt>),
    /// ALTER INDEX.
    AlterIndex(Box<AlterIndexStmt>),
    /// CREATE STATISTICS, ALTER STATISTICS.
    Statistics(Box<super::StatisticsStmt>),
    /// SET CONSTRAINTS.
    SetConstraints(SetConstraintsStmt),
    /// SHOW name (`all` shows everything).
    Show(String),
    /// RESET name, or everything.
    Reset(Option<String>),
    /// ALTER SYSTEM.
    AlterSystem(AlterSystemStmt),
    /// VACUUM.
    Vacuum(VacuumStmt),
    /// CHECKPOINT.
    Checkpoint,
    /// WAIT FOR LSN.
    WaitFor(WaitForStmt),
    /// REINDEX.
    Reindex(ReindexStmt),
    /// CLUSTER.
    Cluster(ClusterStmt),
    Database(Box<super::database::DatabaseStmt>),
    /// COPY.
    Copy(Box<CopyStmt>),
    /// TRUNCATE.
    Truncate(TruncateStmt),
    /// DROP TABLE, INDEX, SEQUENCE, SCHEMA, VIEW.
    Drop(DropStmt),
    /// DROP of what there is nothing of.
    DropOther(Box<super::DropOtherStmt>),
    /// LOCK TABLE.
    Lock(LockStmt),
    /// PREPARE name (types) AS statement.
    Prepare(Box<PrepareStmt>),
    /// EXECUTE name (arguments).
    Execute(String, Vec<ast::Expr>),
    /// DEALLOCATE name, or all.
    Deallocate(Option<String>),
    /// DISCARD ALL, PLANS, SEQUENCES, TEMP.
    Discard(String),
    /// LISTEN, UNLISTEN, NOTIFY.
    Listen(ListenStmt),
    /// DECLARE … CURSOR.
    Declare(Box<DeclareStmt>),
    /// FETCH, MOVE.
    Fetch(FetchStmt),
    /// CLOSE name, or all.
    Close(Option<String>),
    /// COMMENT ON.
    Comment(CommentStmt),
    /// ALTER SEQUENCE, SCHEMA and the like.
    Alter(Box<AlterStmt>),
    /// CREATE VIEW, CREATE MATERIALIZED VIEW.
    CreateView(Box<CreateViewStmt>),
    /// CREATE SCHEMA with something in it.
    CreateSchema(Box<CreateSchemaStmt>),
    /// CREATE EXTENSION.
    CreateExtension(CreateExtensionStmt),
    /// ALTER EXTENSION.
    AlterExtension(AlterExtensionStmt),
    /// CREATE TYPE, ALTER TYPE.
    Type(Box<TypeStmt>),
    /// CREATE DOMAIN, ALTER DOMAIN.
    Domain(Box<DomainStmt>),
    /// CREATE COLLATION, ALTER COLLATION.
    Collation(Box<CollationStmt>),
    /// REFRESH MATERIALIZED VIEW.
    RefreshView(RefreshStmt),
    /// CREATE SEQUENCE.
    CreateSequence(Box<CreateSequenceStmt>),
    /// A statement on roles, owners or privileges.
    Authority(Box<super::authority::AuthorityStmt>),
    /// A statement of PostgreSQL's that is not supported: its name.
    Unsupported(String),
}

/// DECLARE.
#[derive(Clone, Debug)]
pub struct DeclareStmt {
    /// The cursor's name.
    pub name: String,
    /// The simple protocol gets its rows in the binary format.
    pub binary: bool,
    /// Whether it may go backward; None: if that costs nothing.
    pub scroll: Option<bool>,
    /// It outlives its transaction.
    pub hold: bool,
    /// The query.
    pub stmt: Stmt,
}

/// LISTEN, UNLISTEN, NOTIFY.
#[derive(Clone, Debug)]
pub enum ListenStmt {
    /// LISTEN channel.
    Listen(String),
    /// UNLISTEN channel, or all.
    Unlisten(Option<String>),
    /// NOTIFY channel, payload.
    Notify(String, String),
}

/// FETCH, MOVE.
#[derive(Clone, Debug)]
pub struct FetchStmt {
    /// The cursor's name.
    pub name: String,
    /// Where to.
    pub direction: Move,
    /// MOVE: without giving rows.
    pub moves: bool,
}

/// Directions of FETCH; a count of None is ALL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // SQL's words.
pub enum Move {
    Forward(Option<i64>),
    Backward(Option<i64>),
    Absolute(i64),
    Relative(i64),
}

/// EXPLAIN's options.
#[derive(Clone, Debug)]
pub struct Explain {
    /// Run it, and show what happened.
    pub analyze: bool,
    /// Show estimates.
    pub costs: bool,
    /// Show what nodes give, and the schemas of what they read.
    pub verbose: bool,
    /// Show the times of nodes.
    pub timing: bool,
    /// Show the times of planning and execution; None: with `analyze`.
    pub summary: Option<bool>,
    /// Show settings that plans depend on and that are not at their defaults.
    pub settings: bool,
    /// Show the pages that nodes used; None: with `analyze`.
    pub buffers: Option<bool>,
    /// Show the log that nodes wrote.
    pub wal: bool,
    /// Show the memory that planning took.
    pub memory: bool,
    /// Write the rows as a client gets them, in binary or as text, and show what that took.
    pub serialize: Option<bool>,
    /// How it is written.
    pub format: ExplainFormat,
    /// Parameters may have any value.
    pub generic_plan: bool,
    /// What is explained.
    pub stmt: Stmt,
    /// It is what this is created from.
    pub creates: Option<Created>,
}

/// A table or a materialized view that is created from a query.
#[derive(Clone, Debug)]
pub struct Created {
    /// The words of its command.
    pub command: &'static str,
    /// What it is called.
    pub name: ast::ObjectName,
    /// TEMPORARY.
    pub temporary: bool,
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
}

/// How EXPLAIN writes a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExplainFormat {
    /// For people.
    #[default]
    Text,
    /// As JSON.
    Json,
    /// As YAML.
    Yaml,
    /// As XML.
    Xml,
}

/// Isolation levels as named in SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IsolationLevel {
    /// Treated as READ COMMITTED, as PostgreSQL does.
    ReadUncommitted,
    /// A new snapshot for each statement.
    ReadCommitted,
    /// One snapshot for the transaction.
    RepeatableRead,
    /// Runs as REPEATABLE READ.
    Serializable,
}

impl IsolationLevel {
    /// As SHOW prints it.
    pub fn name(self) -> &'static str {
        match self {
            IsolationLevel::ReadUncommitted => "read uncommitted",
            IsolationLevel::ReadCommitted => "read committed",
            IsolationLevel::RepeatableRead => "repeatable read",
            IsolationLevel::Serializable => "serializable",
        }
    }

    /// Reads what SET accepts.
    pub fn from_name(name: &str) -> Option<IsolationLevel> {
        Some(match name.to_ascii_lowercase().as_str() {
            "read uncommitted" => IsolationLevel::ReadUncommitted,
            "read committed" => IsolationLevel::ReadCommitted,
            "repeatable read" => IsolationLevel::RepeatableRead,
            "serializable" => IsolationLevel::Serializable,
            _ => return None,
        })
    }
}

/// The modes of BEGIN and SET TRANSACTION.
#[derive(Clone, Copy, Debug, Default)]
pub struct TxnModes {
    /// ISOLATION LEVEL.
    pub isolation: Option<IsolationLevel>,
    /// READ ONLY / READ WRITE.
    pub read_only: Option<bool>,
    /// \[NOT\] DEFERRABLE.
    pub deferrable: Option<bool>,
}

/// Transaction control statements.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // `chain`: AND CHAIN.
pub enum TxnStmt {
    /// BEGIN (false) or START TRANSACTION (true: only the tag differs).
    Begin(TxnModes, bool),
    /// COMMIT, END; with AND CHAIN.
    Commit { chain: bool },
    /// ROLLBACK, ABORT; with AND CHAIN.
    Rollback { chain: bool },
    /// SAVEPOINT name.
    Savepoint(String),
    /// RELEASE name.
    Release(String),
    /// ROLLBACK TO name.
    RollbackTo(String),
    /// SET TRANSACTION modes.
    SetTransaction(TxnModes),
    /// SET TRANSACTION SNAPSHOT; with SET LOCAL.
    SetSnapshot { name: String, local: bool },
    /// SET SESSION CHARACTERISTICS AS TRANSACTION modes.
    SetCharacteristics(TxnModes),
}

/// SET name = value.
#[derive(Clone, Debug)]
pub struct SetStmt {
    /// The setting's name in lower case.
    pub name: String,
    /// Its value; None: DEFAULT.
    pub value: Option<String>,
    /// SET LOCAL.
    pub local: bool,
}

/// Storage parameters with their values.
pub type Parameters = Vec<(String, Option<String>)>;

/// ALTER TABLE.
#[derive(Clone, Debug)]
pub struct AlterTableStmt {
    /// IF EXISTS.
    pub if_exists: bool,
    /// The table.
    pub name: Name,
    /// What is done to it, as written.
    pub actions: Vec<TableAction>,
}

/// What ALTER TABLE does.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // SQL's words.
pub enum TableAction {
    /// What sqlparser knows.
    Sql(Box<ast::AlterTableOperation>),
    /// ALTER CONSTRAINT.
    Constraint {
        name: String,
        deferrable: Option<bool>,
        initially_deferred: Option<bool>,
        enforced: Option<bool>,
        inherit: Option<bool>,
    },
    /// ADD CONSTRAINT … NOT NULL.
    AddNotNull { name: Option<String>, column: String, no_inherit: bool, not_valid: bool },
    /// ALTER COLUMN.
    Column(String, ColumnAction),
    /// SET (…).
    Set(Parameters),
    /// RESET (…).
    Reset(Vec<String>),
    /// CLUSTER ON an index, or SET WITHOUT CLUSTER.
    ClusterOn(Option<String>),
    /// What PostgreSQL takes and has no effect there either.
    Nothing,
    /// What is not supported: its name.
    Unsupported(&'static str),
}

/// What ALTER COLUMN does, of what sqlparser lacks.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // SQL's words.
pub enum ColumnAction {
    AddIdentity { always: bool, options: Box<SequenceOptions> },
    SetIdentity { always: Option<bool>, options: Box<SequenceOptions> },
    DropIdentity { if_exists: bool },
    DropExpression { if_exists: bool },
    SetExpression(Box<ast::Expr>),
    Statistics(Option<i64>),
    Storage(String),
    Compression(String),
    Options(Parameters),
}

/// ALTER INDEX.
#[derive(Clone, Debug)]
pub struct AlterIndexStmt {
    /// IF EXISTS.
    pub if_exists: bool,
    /// The index.
    pub name: Name,
    /// What is done to it.
    pub action: IndexAction,
}

/// What ALTER INDEX does.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // SQL's words.
pub enum IndexAction {
    Set(Parameters),
    Reset(Vec<String>),
    /// SET STATISTICS of a column, by its number or its name; None: DEFAULT.
    Statistics(Result<i64, String>, Option<i64>),
}

/// SET CONSTRAINTS.
#[derive(Clone, Debug)]
pub struct SetConstraintsStmt {
    /// Which; empty: all that can be deferred.
    pub names: Vec<Name>,
    /// DEFERRED rather than IMMEDIATE.
    pub deferred: bool,
}

/// ALTER SYSTEM: what the server's own file of settings is to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AlterSystemStmt {
    /// This.
    Set(String, String),
    /// Nothing about this one.
    Reset(String),
    /// Nothing.
    ResetAll,
}

/// VACUUM and ANALYZE.
#[derive(Clone, Debug)]
pub struct VacuumStmt {
    /// Purge and trim.
    pub vacuum: bool,
    /// Count rows.
    pub analyze: bool,
    /// Those that somebody has locked are passed over.
    pub skip_locked: bool,
    /// What was done is said.
    pub verbose: bool,
    /// With columns that must be there. Empty: every table.
    pub tables: Vec<(Name, Vec<String>)>,
}

/// COPY's file formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyFormat {
    /// Tab-separated with backslash escapes.
    Text,
    /// Comma-separated with quotes.
    Csv,
    /// Values as the protocol's binary format has them.
    Binary,
}

/// What the first line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyHeader {
    /// Data.
    No,
    /// Names, which are passed over.
    Yes,
    /// Names, which must be those of the columns.
    Match,
}

/// What is told of rows that were left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyVerbosity {
    /// Nothing.
    Silent,
    /// How many.
    Default,
    /// Each.
    Verbose,
}

/// Columns that one of the FORCE options names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Forced {
    /// None.
    #[default]
    None,
    /// `*`
    All,
    /// These.
    Columns(Vec<String>),
}

impl Forced {
    /// Whether this column is one of them.
    pub fn has(&self, column: &str) -> bool {
        match self {
            Forced::None => false,
            Forced::All => true,
            Forced::Columns(names) => names.iter().any(|n| n == column),
        }
    }
}

/// COPY's options.
#[derive(Clone, Debug)]
pub struct CopyOptions {
    /// Into a table that is new: rows without versions.
    pub freeze: bool,
    /// How rows are written.
    pub format: CopyFormat,
    /// Between fields.
    pub delimiter: u8,
    /// What stands for NULL.
    pub null: String,
    /// What stands for a column's default.
    pub default: Option<String>,
    /// A first line with names.
    pub header: CopyHeader,
    /// csv: the quote.
    pub quote: u8,
    /// csv: the escape inside quotes.
    pub escape: u8,
    /// In which the data is written; none: the client's.
    pub encoding: Option<Encoding>,
    /// csv: columns always quoted on output.
    pub force_quote: Forced,
    /// csv: columns whose unquoted NULL string is an empty value.
    pub force_not_null: Forced,
    /// csv: columns whose quoted NULL string is NULL.
    pub force_null: Forced,
    /// Rows with values that their types do not take are left out.
    pub ignore_errors: bool,
    /// So many of them at most.
    pub reject_limit: Option<u64>,
    /// What is told of them.
    pub verbosity: CopyVerbosity,
}

/// COPY's source or target.
#[derive(Clone, Debug)]
pub enum CopyRelation {
    /// A table, with a column list.
    Table(Name, Vec<String>),
    /// A query (COPY TO only).
    Query(Box<ast::Statement>),
}

/// COPY.
#[derive(Clone, Debug)]
pub struct CopyStmt {
    /// What is copied.
    pub relation: CopyRelation,
    /// TO the client rather than FROM it.
    pub to: bool,
    /// How.
    pub options: CopyOptions,
    /// FROM: which rows are taken.
    pub condition: Option<String>,
}

/// TRUNCATE.
#[derive(Clone, Debug)]
pub struct TruncateStmt {
    /// The tables.
    pub tables: Vec<Name>,
    /// RESTART IDENTITY.
    pub restart_identity: bool,
    /// CASCADE.
    pub cascade: bool,
}

/// Kinds of catalog objects that statements name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// A table.
    Table,
    /// An index.
    Index,
    /// A sequence.
    Sequence,
    /// A schema.
    Schema,
    /// A view.
    View,
    /// A materialized view.
    MaterializedView,
    /// A type.
    Type,
    /// A domain.
    Domain,
    /// A collation.
    Collation,
    /// An extension.
    Extension,
}

/// CREATE SCHEMA with something in it.
#[derive(Clone, Debug)]
pub struct CreateSchemaStmt {
    /// CREATE SCHEMA.
    pub schema: Box<ast::Statement>,
    /// What is to be in it.
    pub elements: Vec<Stmt>,
}

/// CREATE EXTENSION.
#[derive(Clone, Debug)]
pub struct CreateExtensionStmt {
    /// Which.
    pub name: String,
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// SCHEMA.
    pub schema: Option<String>,
    /// VERSION.
    pub version: Option<String>,
}

/// ALTER EXTENSION.
#[derive(Clone, Debug)]
pub struct AlterExtensionStmt {
    /// Which.
    pub name: String,
    /// What is done.
    pub action: ExtensionAction,
}

/// What ALTER EXTENSION does.
#[derive(Clone, Debug)]
pub enum ExtensionAction {
    /// UPDATE, TO a version.
    Update(Option<String>),
    /// SET SCHEMA.
    SetSchema(String),
}

/// CREATE TYPE, ALTER TYPE.
#[derive(Clone, Debug)]
pub struct TypeStmt {
    /// Which.
    pub name: Name,
    /// What is done.
    pub action: TypeAction,
}

/// What CREATE TYPE and ALTER TYPE do.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // SQL's words.
pub enum TypeAction {
    /// AS ENUM, with its labels.
    CreateEnum(Vec<String>),
    /// AS (…): names and types.
    CreateRow(Vec<(String, ast::DataType)>),
    /// ADD, DROP, ALTER and RENAME ATTRIBUTE.
    Attributes(Vec<AttributeChange>),
    /// ADD VALUE; `place`: whether before, and which.
    AddValue { label: String, if_not_exists: bool, place: Option<(bool, String)> },
    /// RENAME VALUE a TO b.
    RenameValue(String, String),
    /// RENAME TO.
    Rename(String),
    /// SET SCHEMA.
    SetSchema(String),
}

/// A change of an attribute of a composite type.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // SQL's words.
pub enum AttributeChange {
    Add(String, ast::DataType),
    Drop { name: String, if_exists: bool },
    Type(String, ast::DataType),
    Rename(String, String),
}

/// CREATE VIEW, CREATE MATERIALIZED VIEW.
#[derive(Clone, Debug)]
pub struct CreateViewStmt {
    /// TEMPORARY.
    pub temporary: bool,
    /// MATERIALIZED.
    pub materialized: bool,
    /// OR REPLACE.
    pub or_replace: bool,
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// What it is called.
    pub name: Name,
    /// Names of its columns, the first so many of them.
    pub columns: Vec<String>,
    /// WITH (…).
    pub options: Parameters,
    /// WITH … CHECK OPTION: `local` or `cascaded`.
    pub check: Option<&'static str>,
    /// Its query, as written.
    pub query: String,
    /// Where that stands in what was sent, in characters, if it does.
    pub offset: Option<usize>,
    /// WITH DATA.
    pub with_data: bool,
}

/// REFRESH MATERIALIZED VIEW.
#[derive(Clone, Debug)]
pub struct RefreshStmt {
    /// Which.
    pub name: Name,
    /// CONCURRENTLY.
    pub concurrently: bool,
    /// WITH DATA.
    pub with_data: bool,
}

/// DROP.
#[derive(Clone, Debug)]
pub struct DropStmt {
    /// What kind.
    pub kind: ObjectKind,
    /// CONCURRENTLY.
    pub concurrently: bool,
    /// IF EXISTS.
    pub if_exists: bool,
    /// Which.
    pub names: Vec<Name>,
    /// CASCADE.
    pub cascade: bool,
}

/// CLUSTER.
#[derive(Clone, Debug)]
pub struct ClusterStmt {
    /// Which table; None: all that were clustered before.
    pub table: Option<Name>,
    /// By which of its indexes; None: by the one that it was clustered by before.
    pub index: Option<String>,
    /// VERBOSE.
    pub verbose: bool,
}

/// REINDEX.
#[derive(Clone, Debug)]
pub struct ReindexStmt {
    /// Of what.
    pub what: Reindexed,
    /// Its name; None: the database.
    pub name: Option<Name>,
    /// CONCURRENTLY.
    pub concurrently: bool,
    /// VERBOSE.
    pub verbose: bool,
}

/// What REINDEX takes the indexes of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // SQL's names.
pub enum Reindexed {
    Index,
    Table,
    Schema,
    Database,
    System,
}

/// COMMENT ON.
#[derive(Clone, Debug)]
pub struct CommentStmt {
    /// What it is on.
    pub on: Commented,
    /// What it says; None: nothing any more.
    pub text: Option<String>,
}

/// What a comment is on.
#[derive(Clone, Debug)]
pub enum Commented {
    /// A relation, a schema or the like.
    Object(Name, ObjectKind),
    /// A column of a table.
    Column(Name, String),
    /// A constraint of a table.
    Constraint(Name, String),
    /// A constraint of a domain.
    DomainConstraint(Name, String),
    /// A database.
    Database(String),
    /// A role.
    Role(String),
    /// A large object.
    LargeObject(Name),
    /// A statistics object.
    Statistics(Name),
}

/// ALTER of anything but tables.
#[derive(Clone, Debug)]
pub struct AlterStmt {
    /// What kind.
    pub kind: ObjectKind,
    /// IF EXISTS.
    pub if_exists: bool,
    /// Which.
    pub name: Name,
    /// How.
    pub action: AlterAction,
}

/// What ALTER does.
#[derive(Clone, Debug)]
pub enum AlterAction {
    /// RENAME TO.
    Rename(String),
    /// SET SCHEMA.
    SetSchema(String),
    /// ALTER SEQUENCE's options.
    Sequence(Box<SequenceOptions>),
    /// RENAME COLUMN a TO b.
    RenameColumn(String, String),
    /// ALTER COLUMN SET DEFAULT with its text, or DROP DEFAULT.
    Default(String, Option<String>),
    /// SET (…).
    Set(Parameters),
    /// RESET (…).
    Reset(Vec<String>),
}

/// LOCK TABLE.
#[derive(Clone, Debug)]
pub struct LockStmt {
    /// Which.
    pub tables: Vec<Name>,
    /// PostgreSQL's lock mode by name, such as `ACCESS EXCLUSIVE`.
    pub mode: String,
    /// NOWAIT.
    pub nowait: bool,
}

/// PREPARE.
#[derive(Clone, Debug)]
pub struct PrepareStmt {
    /// The statement's name.
    pub name: String,
    /// Declared parameter types.
    pub types: Vec<ast::DataType>,
    /// The statement.
    pub stmt: Stmt,
}

/// The options of CREATE and ALTER SEQUENCE, and of serial and identity columns. None: not said.
#[derive(Clone, Debug, Default)]
pub struct SequenceOptions {
    /// INCREMENT BY.
    pub increment: Option<i64>,
    /// MINVALUE; Some(None): NO MINVALUE.
    pub min: Option<Option<i64>>,
    /// MAXVALUE; Some(None): NO MAXVALUE.
    pub max: Option<Option<i64>>,
    /// START WITH.
    pub start: Option<i64>,
    /// RESTART, with a value or at the start.
    pub restart: Option<Option<i64>>,
    /// CACHE.
    pub cache: Option<i64>,
    /// CYCLE.
    pub cycle: Option<bool>,
    /// AS type.
    pub data_type: Option<String>,
    /// OWNED BY table.column; Some(None): NONE.
    pub owned_by: Option<Option<(Name, String)>>,
    /// SEQUENCE NAME, of an identity column.
    pub sequence_name: Option<Name>,
}

/// CREATE SEQUENCE.
#[derive(Clone, Debug)]
pub struct CreateSequenceStmt {
    /// TEMPORARY.
    pub temporary: bool,
    /// Its name.
    pub name: Name,
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// How it counts.
    pub options: SequenceOptions,
}

/// What WAIT FOR LSN waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // PostgreSQL's words.
pub enum WaitMode {
    StandbyReplay,
    StandbyWrite,
    StandbyFlush,
    PrimaryFlush,
}

/// WAIT FOR LSN 'lsn' WITH (…).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitForStmt {
    /// Up to where, as written.
    pub lsn: String,
    /// What of the log there.
    pub mode: WaitMode,
    /// For how long, as written; none: for ever.
    pub timeout: Option<String>,
    /// It tells how it ended instead of failing.
    pub no_throw: bool,
}
