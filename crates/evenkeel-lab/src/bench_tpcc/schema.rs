//! The tables.
//!
//! Names and types are the specification's (1.3); foreign keys, which it leaves open, are not declared. They stand in a schema of their own,
//! so that nothing else of the database is touched.
//!
//! It must not know which server it is.

/// Where the tables are.
pub const SCHEMA: &str = "evenkeel_tpcc";

/// A table.
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Its columns, as they are declared.
    pub columns: &'static str,
    /// Its primary key; `history` has none.
    pub key: Option<&'static str>,
}

const fn table(name: &'static str, columns: &'static str, key: Option<&'static str>) -> Table {
    Table { name, columns, key }
}

/// All, in the order in which they are filled.
pub const TABLES: [Table; 9] = [
    table(
        "item",
        "i_id int, i_im_id int, i_name varchar(24), i_price numeric(5,2), i_data varchar(50)",
        Some("i_id"),
    ),
    table(
        "warehouse",
        "w_id int, w_name varchar(10), w_street_1 varchar(20), w_street_2 varchar(20), w_city varchar(20), w_state char(2), w_zip char(9), \
         w_tax numeric(4,4), w_ytd numeric(12,2)",
        Some("w_id"),
    ),
    table(
        "district",
        "d_w_id int, d_id int, d_name varchar(10), d_street_1 varchar(20), d_street_2 varchar(20), d_city varchar(20), d_state char(2), d_zip char(9), \
         d_tax numeric(4,4), d_ytd numeric(12,2), d_next_o_id int",
        Some("d_w_id, d_id"),
    ),
    table(
        "customer",
        "c_w_id int, c_d_id int, c_id int, c_first varchar(16), c_middle char(2), c_last varchar(16), c_street_1 varchar(20), c_street_2 varchar(20), \
         c_city varchar(20), c_state char(2), c_zip char(9), c_phone char(16), c_since timestamp, c_credit char(2), c_credit_lim numeric(12,2), \
         c_discount numeric(4,4), c_balance numeric(12,2), c_ytd_payment numeric(12,2), c_payment_cnt int, c_delivery_cnt int, c_data varchar(500)",
        Some("c_w_id, c_d_id, c_id"),
    ),
    table(
        "history",
        "h_c_id int, h_c_d_id int, h_c_w_id int, h_d_id int, h_w_id int, h_date timestamp, h_amount numeric(6,2), h_data varchar(24)",
        None,
    ),
    table(
        "stock",
        "s_w_id int, s_i_id int, s_quantity int, s_dist_01 char(24), s_dist_02 char(24), s_dist_03 char(24), s_dist_04 char(24), s_dist_05 char(24), \
         s_dist_06 char(24), s_dist_07 char(24), s_dist_08 char(24), s_dist_09 char(24), s_dist_10 char(24), s_ytd int, s_order_cnt int, s_remote_cnt int, \
         s_data varchar(50)",
        Some("s_w_id, s_i_id"),
    ),
    table(
        "orders",
        "o_w_id int, o_d_id int, o_id int, o_c_id int, o_entry_d timestamp, o_carrier_id int, o_ol_cnt int, o_all_local int",
        Some("o_w_id, o_d_id, o_id"),
    ),
    table("new_order", "no_w_id int, no_d_id int, no_o_id int", Some("no_w_id, no_d_id, no_o_id")),
    table(
        "order_line",
        "ol_w_id int, ol_d_id int, ol_o_id int, ol_number int, ol_i_id int, ol_supply_w_id int, ol_delivery_d timestamp, ol_quantity int, \
         ol_amount numeric(6,2), ol_dist_info char(24)",
        Some("ol_w_id, ol_d_id, ol_o_id, ol_number"),
    ),
];

/// What makes a table.
pub fn create(table: &Table) -> String {
    format!("CREATE TABLE {SCHEMA}.{} ({})", table.name, table.columns)
}

/// Keys and indexes, made once the tables are full.
pub fn indexes() -> Vec<String> {
    let key = |t: &Table| t.key.map(|k| format!("ALTER TABLE {SCHEMA}.{} ADD PRIMARY KEY ({k})", t.name));
    let mut all: Vec<String> = TABLES.iter().filter_map(key).collect();
    all.push(format!("CREATE INDEX customer_by_name ON {SCHEMA}.customer (c_w_id, c_d_id, c_last, c_first)"));
    all.push(format!("CREATE INDEX orders_by_customer ON {SCHEMA}.orders (o_w_id, o_d_id, o_c_id, o_id)"));
    all
}
