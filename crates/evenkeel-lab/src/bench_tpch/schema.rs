//! The tables and their indexes.
//!
//! Names and types are the specification's (1.4). Indexes are on the primary keys and the columns that refer to them, and on dates (1.5.4), as somebody would have them who is
//! not allowed more. They stand in a schema of their own, so that nothing else of the database is touched.
//!
//! It must not know which server it is.

/// Where the tables are.
pub const SCHEMA: &str = "evenkeel_tpch";

/// A table.
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Its columns, as they are declared.
    pub columns: &'static str,
    /// Its primary key.
    pub key: &'static str,
    /// The columns of further indexes.
    pub indexes: &'static [&'static str],
}

/// All, in the order in which they are filled.
pub const TABLES: [Table; 8] = [
    Table {
        name: "region",
        columns: "r_regionkey int NOT NULL, r_name char(25) NOT NULL, r_comment varchar(152)",
        key: "r_regionkey",
        indexes: &[],
    },
    Table {
        name: "nation",
        columns: "n_nationkey int NOT NULL, n_name char(25) NOT NULL, n_regionkey int NOT NULL, n_comment varchar(152)",
        key: "n_nationkey",
        indexes: &[],
    },
    Table {
        name: "supplier",
        columns: "s_suppkey int NOT NULL, s_name char(25) NOT NULL, s_address varchar(40) NOT NULL, s_nationkey int NOT NULL, s_phone char(15) NOT NULL,
            s_acctbal decimal(15,2) NOT NULL, s_comment varchar(101) NOT NULL",
        key: "s_suppkey",
        indexes: &["s_nationkey"],
    },
    Table {
        name: "part",
        columns: "p_partkey int NOT NULL, p_name varchar(55) NOT NULL, p_mfgr char(25) NOT NULL, p_brand char(10) NOT NULL, p_type varchar(25) NOT NULL,
            p_size int NOT NULL, p_container char(10) NOT NULL, p_retailprice decimal(15,2) NOT NULL, p_comment varchar(23) NOT NULL",
        key: "p_partkey",
        indexes: &[],
    },
    Table {
        name: "partsupp",
        columns: "ps_partkey int NOT NULL, ps_suppkey int NOT NULL, ps_availqty int NOT NULL, ps_supplycost decimal(15,2) NOT NULL, ps_comment varchar(199) NOT NULL",
        key: "ps_partkey, ps_suppkey",
        indexes: &["ps_suppkey"],
    },
    Table {
        name: "customer",
        columns: "c_custkey int NOT NULL, c_name varchar(25) NOT NULL, c_address varchar(40) NOT NULL, c_nationkey int NOT NULL, c_phone char(15) NOT NULL,
            c_acctbal decimal(15,2) NOT NULL, c_mktsegment char(10) NOT NULL, c_comment varchar(117) NOT NULL",
        key: "c_custkey",
        indexes: &["c_nationkey"],
    },
    Table {
        name: "orders",
        columns: "o_orderkey bigint NOT NULL, o_custkey int NOT NULL, o_orderstatus char(1) NOT NULL, o_totalprice decimal(15,2) NOT NULL, o_orderdate date NOT NULL,
            o_orderpriority char(15) NOT NULL, o_clerk char(15) NOT NULL, o_shippriority int NOT NULL, o_comment varchar(79) NOT NULL",
        key: "o_orderkey",
        indexes: &["o_custkey", "o_orderdate"],
    },
    Table {
        name: "lineitem",
        columns: "l_orderkey bigint NOT NULL, l_partkey int NOT NULL, l_suppkey int NOT NULL, l_linenumber int NOT NULL, l_quantity decimal(15,2) NOT NULL,
            l_extendedprice decimal(15,2) NOT NULL, l_discount decimal(15,2) NOT NULL, l_tax decimal(15,2) NOT NULL, l_returnflag char(1) NOT NULL,
            l_linestatus char(1) NOT NULL, l_shipdate date NOT NULL, l_commitdate date NOT NULL, l_receiptdate date NOT NULL, l_shipinstruct char(25) NOT NULL,
            l_shipmode char(10) NOT NULL, l_comment varchar(44) NOT NULL",
        key: "l_orderkey, l_linenumber",
        indexes: &["l_partkey, l_suppkey", "l_suppkey", "l_shipdate"],
    },
];

/// What makes the indexes, the keys first.
pub fn indexes() -> Vec<String> {
    let of = |t: &Table| {
        let key = format!("ALTER TABLE {SCHEMA}.{} ADD PRIMARY KEY ({})", t.name, t.key);
        let more = t.indexes.iter().map(|c| format!("CREATE INDEX ON {SCHEMA}.{} ({c})", t.name));
        [key].into_iter().chain(more).collect::<Vec<_>>()
    };
    TABLES.iter().flat_map(of).collect()
}
