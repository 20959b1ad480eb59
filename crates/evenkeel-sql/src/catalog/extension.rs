//! Extensions: what is built in is there for everybody, whoever asked for it; the catalog keeps who did, and where.
//!
//! Must not know: what functions an extension has.

/// An extension that somebody asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extension {
    /// Its OID.
    pub oid: u32,
    /// Its name.
    pub name: String,
    /// The schema that it is said to be in.
    pub schema: u32,
}

/// One that is built in.
pub struct Available {
    /// Its name.
    pub name: &'static str,
    /// The version of PostgreSQL 18's.
    pub version: &'static str,
    /// What it is for.
    pub comment: &'static str,
}

/// What is built in, all of it or what applications use most.
pub const AVAILABLE: &[Available] = &[
    Available { name: "btree_gin", version: "1.3", comment: "support for indexing common datatypes in GIN" },
    Available { name: "citext", version: "1.8", comment: "data type for case-insensitive character strings" },
    Available { name: "hstore", version: "1.8", comment: "data type for storing sets of (key, value) pairs" },
    Available { name: "pg_prewarm", version: "1.2", comment: "prewarm relation data" },
    Available {
        name: "pg_stat_statements",
        version: "1.12",
        comment: "track planning and execution statistics of all SQL statements executed",
    },
    Available {
        name: "pg_trgm",
        version: "1.6",
        comment: "text similarity measurement and index searching based on trigrams",
    },
    Available { name: "pgcrypto", version: "1.4", comment: "cryptographic functions" },
    Available { name: "plpgsql", version: "1.0", comment: "PL/pgSQL procedural language" },
    Available { name: "unaccent", version: "1.1", comment: "text search dictionary that removes accents" },
    Available {
        name: "uuid-ossp",
        version: "1.1",
        comment: "generate universally unique identifiers (UUIDs)",
    },
];

/// One of a name.
pub fn available(name: &str) -> Option<&'static Available> {
    AVAILABLE.iter().find(|a| a.name == name)
}
